// The "Try it" form of an operation; hidden unless the page's script runs.
import type { DocumentedOperation, Operation, Parameter, Schema } from "../../wire/openapi.ts";
import { type Html, markup } from "../html.ts";
import { nameOf } from "./schema.ts";

/** The form of an operation: key, parameters and body. `schemas` contains the schemas that parameters refer to. */
export function tryForm(
  { method, path, operation }: DocumentedOperation,
  schemas: Record<string, Schema>,
): Html {
  const id = operation.operationId;
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== "If-None-Match");
  const fields = parameters.map((parameter) => {
    const { $ref } = parameter.schema;
    const schema = $ref === undefined ? parameter.schema : schemas[nameOf($ref)] ?? {};
    return parameterField({ ...parameter, schema }, `${id}-${parameter.name}`);
  });
  return markup`<details class="try" hidden>
<summary>Try it<span class="visually-hidden">: ${operation.summary}</span></summary>
<form data-method="${method.toUpperCase()}" data-path="${path}">
${operation.security.length > 0 ? keyField(id) : null}
${fields}
${bodyField(operation)}
<button type="submit">Send</button>
</form>
<div class="result" role="status"></div>
</details>`;
}

function keyField(id: string): Html {
  return markup`<p class="field"><label for="${id}-key">API key</label>
<input id="${id}-key" data-key type="password" required autocomplete="off" spellcheck="false" placeholder="rgf_…"
aria-describedby="${id}-key-note">
<small id="${id}-key-note">Kept only in this tab until you close or reload it, and sent only to this server.</small></p>`;
}

function parameterField({ name, in: location, required, schema }: Parameter, id: string): Html {
  const common = markup`id="${id}" name="${name}" data-in="${location}"${
    required ? markup` required` : null
  }`;
  const choices = choicesOf(schema);
  const input = choices === null
    ? markup`<input ${common} ${typed(schema)} placeholder="${placeholderOf(schema)}" autocomplete="off">`
    : markup`<select ${common}><option value="">any</option>${
      choices.map((choice) => markup`<option>${choice}</option>`)
    }</select>`;
  return markup`<p class="field"><label for="${id}"><code>${name}</code></label> ${input}</p>`;
}

function bodyField({ operationId, requestBody }: Operation): Html | null {
  if (requestBody === undefined) return null;
  const example = requestBody.content["application/json"]?.example ?? {};
  const text = JSON.stringify(example, null, 2);
  return markup`<p class="field"><label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" data-in="body" rows="${
    text.split("\n").length + 1
  }" spellcheck="false">${text}</textarea></p>`;
}

function typed({ type, minimum, maximum }: Schema): Html {
  if (type !== "integer") return markup`type="text" spellcheck="false"`;
  return markup`type="number" min="${minimum ?? ""}" max="${maximum ?? ""}"`;
}

function choicesOf({ type, enum: values }: Schema): string[] | null {
  if (type === "boolean") return ["true", "false"];
  return values === undefined ? null : values.map(String);
}

function placeholderOf({ default: defaultValue, examples, type }: Schema): string {
  if (defaultValue !== undefined) return String(defaultValue);
  if (examples?.[0] !== undefined) return String(examples[0]);
  return type === "array" ? "comma-separated" : "";
}
