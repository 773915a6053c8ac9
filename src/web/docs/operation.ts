// Renders one operation or webhook of the API description as a section of the page.
import type {
  DocumentedOperation,
  MediaType,
  OpenApi,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from "../../wire/openapi.ts";
import { type Html, markup } from "../html.ts";
import { inline, markdownToHtml } from "../markdown.ts";
import { fieldRow, fieldsOf, nameOf, typeOf } from "./schema.ts";
import { tryForm } from "./try_form.ts";

/** Maximum length of a curl command on one line, characters; longer ones are split. */
const LONGEST_LINE = 84;
const PROBLEM = "application/problem+json";

export function anchorOf({ operation }: DocumentedOperation): string {
  return `op-${operation.operationId}`;
}

export function operationSection(documented: DocumentedOperation, description: OpenApi): Html {
  const { method, path, operation } = documented;
  return markup`<section class="operation" id="${anchorOf(documented)}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>${
    accessOf(operation)
  }</p>
${markdownToHtml(operation.description)}
${parameterList(operation.parameters ?? [])}
${bodySection(operation, description)}
${responseSection(operation, description)}
${isSigned(operation) ? null : exampleOf(documented, description)}
</section>`;
}

function exampleOf(documented: DocumentedOperation, description: OpenApi): Html {
  return markup`<h4>Example</h4>
<pre><code>${curlOf(documented, description)}</code></pre>
${tryForm(documented, description.components.schemas)}`;
}

function accessOf(operation: Operation): Html | null {
  if (operation.security.length === 0) return null;
  const what = isSigned(operation) ? "requires a signature" : "requires a key";
  return markup` <span class="access">${what}</span>`;
}

/** Whether requests must be signed. Such operations have no example to try. */
function isSigned({ security }: Operation): boolean {
  return security.some((scheme) => !("key" in scheme));
}

/** The section of a webhook: the request, and the meaning of the receiver's responses. */
export function webhookSection(documented: DocumentedOperation, description: OpenApi): Html {
  const { method, operation } = documented;
  const meanings = Object.entries(operation.responses).map(([status, response]) =>
    markup`<div>
<dt><code>${status === "default" ? "other" : status}</code></dt>
<dd>${"$ref" in response ? "" : inline(response.description)}</dd>
</div>`
  );
  return markup`<section class="operation" id="${anchorOf(documented)}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>webhook_url</code></p>
${markdownToHtml(operation.description)}
${parameterList(operation.parameters ?? [])}
${bodySection(operation, description)}
<h4>Your response</h4>
<dl>${meanings}</dl>
</section>`;
}

const HEADINGS = { path: "Path parameters", query: "Query parameters", header: "Headers" } as const;

function parameterList(parameters: readonly Parameter[]): Html[] {
  return (Object.keys(HEADINGS) as (keyof typeof HEADINGS)[]).flatMap((location) => {
    const found = parameters.filter((parameter) => parameter.in === location);
    if (found.length === 0) return [];
    const rows = found.map(({ name, description, required, schema }) =>
      fieldRow(name, { ...schema, description }, required)
    );
    return [markup`<h4>${HEADINGS[location]}</h4>
<dl>${rows}</dl>`];
  });
}

function bodySection({ requestBody }: Operation, { components }: OpenApi): Html | null {
  if (requestBody === undefined) return null;
  const [[type, media] = ["", { schema: {} }]] = Object.entries(requestBody.content);
  const named = components.schemas[nameOf(media.schema.$ref ?? "")];
  return markup`<h4>Body</h4>
<p>${typeOf(media.schema)}, as <code>${type}</code>. ${inline(requestBody.description)}.</p>
${named === undefined ? null : fieldsOf(named)}
${examplesOf(media)}`;
}

function responseSection({ responses }: Operation, description: OpenApi): Html {
  const rows: Html[] = [];
  const errors: Html[] = [];
  for (const [status, response] of Object.entries(responses)) {
    const { content = {}, description: what } = resolved(response, description);
    const mark = markup`<code class="status s${status[0] ?? ""}">${status}</code>`;
    const { [PROBLEM]: problem, ...bodies } = content;
    for (const code of Object.keys(problem?.examples ?? {})) {
      errors.push(markup`<li>${mark} <a href="#errors"><code>${code}</code></a></li>`);
    }
    const others = Object.entries(bodies);
    if (problem !== undefined && others.length === 0) continue;
    rows.push(markup`<div>
<dt>${mark}</dt>
<dd>${inline(what)}${others.map(([type, body]) => bodyOf(type, body))}</dd>
</div>`);
  }
  return markup`<h4>Responses</h4>
<dl class="responses">${rows}</dl>
<h4>Errors</h4>
<ul class="errors">${errors}</ul>`;
}

function bodyOf(type: string, media: MediaType): Html {
  return markup`<p>${typeOf(media.schema)}, as <code>${type}</code></p>${examplesOf(media)}`;
}

function examplesOf({ example, examples = {} }: MediaType): Html[] {
  const named = Object.values(examples).flatMap((one) => ("$ref" in one ? [] : [one]));
  const all = example === undefined ? named : [{ summary: "Example", value: example }, ...named];
  return all.map(({ summary, value }) =>
    markup`<details>
<summary>${summary}</summary>
<pre><code>${JSON.stringify(value, null, 2)}</code></pre>
</details>`
  );
}

function resolved(response: Reference | ResponseObject, { components }: OpenApi): ResponseObject {
  if (!("$ref" in response)) return response;
  return components.responses[nameOf(response.$ref)] ?? { description: "" };
}

/** The curl command of a request, with the key in `$KEY`. */
function curlOf({ method, path, operation }: DocumentedOperation, { servers }: OpenApi): string {
  const parameters = operation.parameters ?? [];
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const [example] = parameters.find((parameter) => parameter.name === name)?.schema.examples ?? [];
    return typeof example === "string" ? example : `{${name}}`;
  });
  const body = operation.requestBody?.content["application/json"]?.example;
  const parts = [
    method === "get" ? "curl" : `curl -X ${method.toUpperCase()}`,
    operation.security.length > 0 ? '-H "Authorization: Bearer $KEY"' : "",
    body === undefined ? "" : '-H "Content-Type: application/json"',
    body === undefined ? "" : `-d '${JSON.stringify(body)}'`,
    `"${servers[0]?.url ?? ""}${filled}"`,
  ].filter((part) => part !== "");
  const line = parts.join(" ");
  return line.length <= LONGEST_LINE ? line : parts.join(" \\\n  ");
}
