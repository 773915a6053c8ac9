// One operation of the description, or one webhook, as a section of the page.
import type {
  MediaType,
  Method,
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

/** Longer calls are broken into lines, characters. */
const LONGEST_LINE = 84;
const PROBLEM = "application/problem+json";

/** An operation with its place. */
export interface Placed {
  method: Method;
  path: string;
  operation: Operation;
}

/** The id of an operation's section. */
export function anchorOf({ operation }: Placed): string {
  return `op-${operation.operationId}`;
}

/** The section of an operation. */
export function operationSection(placed: Placed, description: OpenApi): Html {
  const { method, path, operation } = placed;
  return markup`<section class="operation" id="${anchorOf(placed)}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>${
    accessOf(operation)
  }</p>
${markdownToHtml(operation.description)}
${parameterList(operation.parameters ?? [])}
${bodySection(operation, description)}
${answerSection(operation, description)}
${isSigned(operation) ? null : exampleOf(placed, description)}
</section>`;
}

function exampleOf(placed: Placed, description: OpenApi): Html {
  return markup`<h4>Example</h4>
<pre><code>${curlOf(placed, description)}</code></pre>
${tryForm(placed, description.components.schemas)}`;
}

function accessOf(operation: Operation): Html | null {
  if (operation.security.length === 0) return null;
  const what = isSigned(operation) ? "needs a signature" : "needs a key";
  return markup` <span class="access">${what}</span>`;
}

/** Whether only who has signed it may send it: nobody does that by hand. */
function isSigned({ security }: Operation): boolean {
  return security.some((scheme) => !("key" in scheme));
}

/** The section of a webhook: what is sent, and what the receiver's answers mean. */
export function webhookSection(placed: Placed, description: OpenApi): Html {
  const { method, operation } = placed;
  const meanings = Object.entries(operation.responses).map(([status, answer]) =>
    markup`<div>
<dt><code>${status === "default" ? "anything else" : status}</code></dt>
<dd>${"$ref" in answer ? "" : inline(answer.description)}</dd>
</div>`
  );
  return markup`<section class="operation" id="${anchorOf(placed)}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>webhook_url</code></p>
${markdownToHtml(operation.description)}
${parameterList(operation.parameters ?? [])}
${bodySection(operation, description)}
<h4>Your answer</h4>
<dl>${meanings}</dl>
</section>`;
}

const PLACES = { path: "In the path", query: "In the query", header: "In headers" } as const;

function parameterList(parameters: readonly Parameter[]): Html[] {
  return (Object.keys(PLACES) as (keyof typeof PLACES)[]).flatMap((place) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    if (found.length === 0) return [];
    const rows = found.map(({ name, description, required, schema }) =>
      fieldRow(name, { ...schema, description }, required)
    );
    return [markup`<h4>${PLACES[place]}</h4>
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

function answerSection({ responses }: Operation, description: OpenApi): Html {
  const answers: Html[] = [];
  const errors: Html[] = [];
  for (const [status, given] of Object.entries(responses)) {
    const { content = {}, description: what } = resolved(given, description);
    const mark = markup`<code class="status s${status[0] ?? ""}">${status}</code>`;
    const { [PROBLEM]: problem, ...bodies } = content;
    for (const code of Object.keys(problem?.examples ?? {})) {
      errors.push(markup`<li>${mark} <a href="#errors"><code>${code}</code></a></li>`);
    }
    const others = Object.entries(bodies);
    if (problem !== undefined && others.length === 0) continue;
    answers.push(markup`<div>
<dt>${mark}</dt>
<dd>${inline(what)}${others.map(([type, body]) => bodyOf(type, body))}</dd>
</div>`);
  }
  return markup`<h4>Answers</h4>
<dl class="answers">${answers}</dl>
<h4>Errors</h4>
<ul class="errors">${errors}</ul>`;
}

function bodyOf(type: string, media: MediaType): Html {
  return markup`<p>${typeOf(media.schema)}, as <code>${type}</code></p>${examplesOf(media)}`;
}

function examplesOf({ example, examples = {} }: MediaType): Html[] {
  const named = Object.values(examples).flatMap((given) => ("$ref" in given ? [] : [given]));
  const all = example === undefined ? named : [{ summary: "Example", value: example }, ...named];
  return all.map(({ summary, value }) =>
    markup`<details>
<summary>${summary}</summary>
<pre><code>${JSON.stringify(value, null, 2)}</code></pre>
</details>`
  );
}

function resolved(given: Reference | ResponseObject, { components }: OpenApi): ResponseObject {
  if (!("$ref" in given)) return given;
  return components.responses[nameOf(given.$ref)] ?? { description: "" };
}

/** A call as it is typed into a shell; `$KEY` holds the key. */
function curlOf({ method, path, operation }: Placed, { servers }: OpenApi): string {
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
