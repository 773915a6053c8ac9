// The form that tries an operation; it is shown by the page's script, as it is of no use without.
import type { Operation, Parameter, Schema } from "../../wire/openapi.ts";
import { type Html, markup } from "../html.ts";
import type { Placed } from "./operation.ts";
import { nameOf } from "./schema.ts";

/** The form of an operation: its key, its parameters, its body. `schemas` are those that parameters refer to. */
export function tryForm({ method, path, operation }: Placed, schemas: Record<string, Schema>): Html {
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
<small id="${id}-key-note">Stays in this tab until you close or reload it; sent to this server only.</small></p>`;
}

function parameterField({ name, in: place, required, schema }: Parameter, id: string): Html {
  const common = markup`id="${id}" name="${name}" data-in="${place}"${required ? markup` required` : null}`;
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

function placeholderOf({ default: standard, examples, type }: Schema): string {
  if (standard !== undefined) return String(standard);
  if (examples?.[0] !== undefined) return String(examples[0]);
  return type === "array" ? "several, with commas between them" : "";
}
