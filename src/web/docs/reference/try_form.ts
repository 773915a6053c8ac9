// The "Try it" form of an operation; hidden unless the page's script runs.
import type { DocumentedOperation, Operation, Parameter, Schema } from "../../../wire/openapi.ts";
import { type Html, markup } from "../../html.ts";
import { nameOf } from "./schema.ts";

/** Parameters whose values a public operation lists: its path, the list in its response, and the name of a value. */
const LISTED: Readonly<Record<string, { path: string; list: string }>> = {
  topics: { path: "/v1/topics", list: "topics" },
  source: { path: "/v1/sources", list: "sources" },
};

/** Parameters that only the service's own links use. */
const INTERNAL = ["If-None-Match", "before", "as_of"];

/** Choices for times, in days before now. */
const DAYS_AGO: readonly [days: number, label: string][] = [
  [1, "since yesterday"],
  [7, "the last 7 days"],
  [30, "the last 30 days"],
  [365, "the last 365 days"],
];

/** The form of an operation: key, parameters and body. `schemas` contains the schemas that parameters refer to. */
export function tryForm(
  { method, path, operation }: DocumentedOperation,
  schemas: Record<string, Schema>,
): Html {
  const id = operation.operationId;
  const parameters = (operation.parameters ?? []).filter(({ name }) => !INTERNAL.includes(name));
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
<button type="submit" class="button primary">Send</button>
</form>
<div class="result" role="status"></div>
</details>`;
}

function keyField(id: string): Html {
  return markup`<p class="field"><label for="${id}-key">API key</label>
<input id="${id}-key" data-key type="password" required autocomplete="off" spellcheck="false" placeholder="rgf_…"
aria-describedby="${id}-key-note">
<small class="hint" id="${id}-key-note">Kept only in this tab until you close or reload it, and sent only to this server.</small></p>`;
}

function parameterField({ name, in: location, required, schema }: Parameter, id: string): Html {
  const listed = LISTED[name];
  const isList = schema.type === "array";
  const choices = choicesOf(schema);
  if (isList && (choices !== null || listed !== undefined)) {
    const from = listed === undefined ? null : markup` data-from="${listed.path}" data-list="${listed.list}"`;
    return markup`<fieldset class="field choices dense" data-name="${name}"${from}><legend><code>${name}</code></legend>${
      (choices ?? []).map((choice) => checkbox(name, location, choice))
    }</fieldset>`;
  }
  const common = markup`id="${id}" name="${name}" data-in="${location}"${
    required ? markup` required` : null
  }`;
  const label = markup`<label for="${id}"><code>${name}</code></label>`;
  if (isTime(schema)) {
    return markup`<div class="field">${label} <div class="time-choice">${
      name === "since" ? daysAgo(id) : null
    }<input type="date" ${common}></div></div>`;
  }
  const input = choices === null
    ? markup`<input ${common} ${typed(schema)} placeholder="${
      placeholderOf(name, schema)
    }" autocomplete="off">`
    : markup`<select ${common}><option value="">any</option>${
      choices.map((choice) => markup`<option>${choice}</option>`)
    }</select>`;
  return markup`<p class="field">${label} ${input}</p>`;
}

function checkbox(name: string, location: string, value: string): Html {
  return markup`<label class="choice"><input type="checkbox" name="${name}" value="${value}" data-in="${location}"> <span>${value}</span></label>`;
}

/** A choice of days, whose date the script puts into the date field `id`. */
function daysAgo(id: string): Html {
  return markup`<select aria-label="Period" data-date="${id}"><option value="">at any time</option>${
    DAYS_AGO.map(([days, label]) => markup`<option value="${days}">${label}</option>`)
  }</select> `;
}

function bodyField({ operationId, requestBody }: Operation): Html | null {
  if (requestBody === undefined) return null;
  const example = requestBody.content["application/json"]?.example ?? {};
  const text = JSON.stringify(example, null, 2);
  return markup`<p class="field"><label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" class="code" data-in="body" rows="${
    text.split("\n").length + 1
  }" spellcheck="false">${text}</textarea></p>`;
}

/** Whether a value may be a number or ISO 8601. */
function isTime({ anyOf = [] }: Schema): boolean {
  return anyOf.some(({ description }) => description === "ISO 8601");
}

function typed({ type, minimum, maximum }: Schema): Html {
  if (type !== "integer") return markup`type="text" spellcheck="false" autocapitalize="off"`;
  return markup`type="number" min="${minimum ?? ""}" max="${maximum ?? ""}"`;
}

function choicesOf({ type, enum: values, items }: Schema): string[] | null {
  if (type === "boolean") return ["true", "false"];
  return (values ?? items?.enum)?.map(String) ?? null;
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  article: "Art. 50",
  language: "en",
  q: "biometric*",
  after: "evt_…",
  event: "evt_…",
  subscription: "sub_…",
};

function placeholderOf(name: string, { default: defaultValue, examples }: Schema): string {
  if (defaultValue !== undefined) return String(defaultValue);
  if (examples?.[0] !== undefined) return String(examples[0]);
  return PLACEHOLDERS[name] ?? "";
}
