// The reference as Markdown, for programs and assistants.
import type {
  DocumentedOperation,
  OpenApi,
  Parameter,
  Reference,
  ResponseObject,
  Schema,
} from "../../../wire/openapi.ts";
import type { Area } from "./areas.ts";
import { isSigned, samplesOf } from "./samples.ts";
import { defaultText, isRequired, nameOf, typeParts } from "./schema.ts";

const PROBLEM = "application/problem+json";

export function areaMarkdown(area: Area, description: OpenApi): string {
  const operations = [...area.operations, ...area.webhooks].map((one) => operationMarkdown(one, description));
  return [`# ${area.name}`, area.description, ...operations].join("\n\n") + "\n";
}

export function schemasMarkdown({ components }: OpenApi): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    [`## ${name}`, schema.description ?? "", fieldList(schema) || typeText(schema)].join("\n\n")
  );
  return ["# Schemas", ...schemas].join("\n\n") + "\n";
}

function operationMarkdown(documented: DocumentedOperation, description: OpenApi): string {
  const { method, path, operation } = documented;
  const isWebhook = !path.startsWith("/");
  const access = operation.security.length === 0
    ? ""
    : isSigned(documented)
    ? ", requires a signature"
    : ", requires a key";
  const [curl] = samplesOf(documented);
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const named = description.components.schemas[nameOf(body?.schema.$ref ?? "")];
  const responses = Object.entries(operation.responses).map(([status, response]) =>
    responseLine(status, resolved(response, description))
  );
  return [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${isWebhook ? "webhook_url" : path}\`${access}`,
    operation.description.trim(),
    ...listed("### Parameters", (operation.parameters ?? []).map(parameterLine)),
    ...(body === undefined
      ? []
      : [`### Body: ${typeText(body.schema)}`, named === undefined ? "" : fieldList(named)]),
    ...listed("### Responses", responses),
    ...(isWebhook || isSigned(documented) ? [] : ["```sh\n" + (curl?.text ?? "") + "\n```"]),
  ].filter((text) => text !== "").join("\n\n");
}

function listed(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, lines.join("\n")];
}

function parameterLine({ name, in: location, required, description, schema }: Parameter): string {
  return fieldLine(`${name}\` (${location}, `, { ...schema, description }, required);
}

function responseLine(status: string, { description, content = {} }: ResponseObject): string {
  const { [PROBLEM]: problem, ...bodies } = content;
  const codes = Object.keys(problem?.examples ?? {}).map((code) => `\`${code}\``).join(", ");
  const types = Object.values(bodies).map(({ schema }) => typeText(schema)).join(", ");
  return `- ${status}: ${codes || description}${types === "" ? "" : ` (${types})`}`;
}

function resolved(response: Reference | ResponseObject, { components }: OpenApi): ResponseObject {
  if (!("$ref" in response)) return response;
  return components.responses[nameOf(response.$ref)] ?? { description: "" };
}

function fieldList(schema: Schema, indent = ""): string {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const nested = fieldList(field, `${indent}  `);
    const line = indent + fieldLine(`${name}\` (`, field, isRequired(schema, name));
    return nested === "" ? line : `${line}\n${nested}`;
  });
  const alternatives = (schema.anyOf ?? []).map((one) => fieldList(one, indent)).filter((text) =>
    text !== ""
  );
  return [...own, ...alternatives].join("\n");
}

function fieldLine(opening: string, schema: Schema, required: boolean): string {
  const value = defaultText(schema);
  return `- \`${opening}${typeText(schema)}${required ? "" : ", optional"}): ${schema.description ?? ""}${
    value === "" ? "" : ` Default: \`${value}\``
  }`;
}

function typeText(schema: Schema): string {
  return typeParts(schema).map((part) =>
    typeof part === "string" ? part : "code" in part ? `\`${part.code}\`` : part.schema
  ).join("");
}
