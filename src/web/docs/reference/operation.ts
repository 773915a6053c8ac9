// Renders one operation or webhook of the API description as a section of a page.
import type {
  DocumentedOperation,
  MediaType,
  OpenApi,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from "../../../wire/openapi.ts";
import { type Html, markup } from "../../html.ts";
import { codeBlock, type CodeContext, codeTabs } from "../code.ts";
import type { Markdown } from "../markdown.ts";
import { anchorOf } from "./areas.ts";
import { isSigned, samplesOf } from "./samples.ts";
import { fieldRow, fieldsOf, nameOf, typeOf } from "./schema.ts";
import { tryForm } from "./try_form.ts";

interface OperationContext {
  description: OpenApi;
  markdown: Markdown;
  code: CodeContext;
}

const PROBLEM = "application/problem+json";
const ALL_ERRORS = "/docs/errors#all-errors";

export function operationSection(documented: DocumentedOperation, context: OperationContext): Html {
  const { path, operation } = documented;
  const { description, markdown } = context;
  return markup`<section class="operation" id="${anchorOf(documented)}">
<div>
<h2>${operation.summary}</h2>
${endpoint(documented, path)}
${markdown.render(operation.description).html}
${parameterList(operation.parameters ?? [], markdown)}
${bodySection(operation, context)}
${responseSection(operation, description, markdown)}
</div>
${isSigned(documented) ? null : demoOf(documented, context)}
</section>`;
}

function endpoint(documented: DocumentedOperation, path: string): Html {
  const { method, operation } = documented;
  const access = operation.security.length === 0
    ? null
    : markup` <span class="access">${
      isSigned(documented) ? "requires a signature" : "requires a key"
    }</span>`;
  return markup`<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${
    breakablePath(path)
  }</code>${access}</p>`;
}

/** A path that may wrap after its slashes. */
function breakablePath(path: string): Html {
  return markup`${path.split("/").map((part, at) => (at === 0 ? part : markup`/<wbr>${part}`))}`;
}

/** The request, its response and the form, beside the description. */
function demoOf(documented: DocumentedOperation, { description, code }: OperationContext): Html {
  const { operation } = documented;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const examples = success === undefined ? [] : examplesIn(resolved(success[1], description));
  return markup`<div class="demo">
<h3>Request</h3>
${codeTabs(samplesOf(documented), code)}
${
    examples.map(({ summary, value }) =>
      markup`<h3>${summary}</h3>\n${codeBlock(JSON.stringify(value, null, 2), "json", code)}`
    )
  }
${tryForm(documented, description.components.schemas)}
</div>`;
}

/** The section of a webhook: the request, and the meaning of the receiver's responses. */
export function webhookSection(documented: DocumentedOperation, context: OperationContext): Html {
  const { operation } = documented;
  const { markdown, code } = context;
  const meanings = Object.entries(operation.responses).map(([status, response]) =>
    markup`<div>
<dt><code>${status === "default" ? "other" : status}</code></dt>
<dd>${"$ref" in response ? "" : markdown.inline(response.description)}</dd>
</div>`
  );
  const [media] = Object.values(operation.requestBody?.content ?? {});
  return markup`<section class="operation" id="${anchorOf(documented)}">
<div>
<h2>${operation.summary}</h2>
${endpoint(documented, "webhook_url")}
${markdown.render(operation.description).html}
${parameterList(operation.parameters ?? [], markdown)}
${bodySection(operation, context)}
<h3>Your response</h3>
<dl class="fields">${meanings}</dl>
</div>
<div class="demo">${
    media === undefined
      ? null
      : exampleList(media).map(({ summary, value }) =>
        markup`<h3>${summary}</h3>\n${codeBlock(JSON.stringify(value, null, 2), "json", code)}`
      )
  }</div>
</section>`;
}

const HEADINGS = { path: "Path parameters", query: "Query parameters", header: "Headers" } as const;

function parameterList(parameters: readonly Parameter[], markdown: Markdown): Html[] {
  return (Object.keys(HEADINGS) as (keyof typeof HEADINGS)[]).flatMap((location) => {
    const found = parameters.filter((parameter) => parameter.in === location);
    if (found.length === 0) return [];
    const rows = found.map(({ name, description, required, schema }) =>
      fieldRow({ name, schema: { ...schema, description }, isRequired: required }, markdown)
    );
    return [markup`<h3>${HEADINGS[location]}</h3>
<dl class="fields">${rows}</dl>`];
  });
}

function bodySection({ requestBody }: Operation, { description, markdown }: OperationContext): Html | null {
  if (requestBody === undefined) return null;
  const [[type, media] = ["", { schema: {} }]] = Object.entries(requestBody.content);
  const named = description.components.schemas[nameOf(media.schema.$ref ?? "")];
  return markup`<h3>Body</h3>
<p>${typeOf(media.schema)}, as <code>${type}</code>. ${markdown.inline(requestBody.description)}.</p>
${named === undefined ? null : fieldsOf(named, markdown)}`;
}

function responseSection({ responses }: Operation, description: OpenApi, markdown: Markdown): Html {
  const rows: Html[] = [];
  const errors: Html[] = [];
  for (const [status, response] of Object.entries(responses)) {
    const { content = {}, description: what } = resolved(response, description);
    const mark = markup`<code class="status s${status[0] ?? ""}">${status}</code>`;
    const { [PROBLEM]: problem, ...bodies } = content;
    for (const code of Object.keys(problem?.examples ?? {})) {
      errors.push(markup`<li>${mark} <a href="${ALL_ERRORS}"><code>${code}</code></a></li>`);
    }
    const others = Object.entries(bodies);
    if (problem !== undefined && others.length === 0) continue;
    rows.push(markup`<div>
<dt>${mark}</dt>
<dd>${markdown.inline(what)}${
      others.map(([type, { schema }]) =>
        markup` <span class="type">${typeOf(schema)}, as <code>${type}</code></span>`
      )
    }</dd>
</div>`);
  }
  return markup`<h3>Responses</h3>
<dl class="responses">${rows}</dl>
<h3>Errors</h3>
<ul class="errors">${errors}</ul>`;
}

interface NamedExample {
  summary: string;
  value: unknown;
}

function examplesIn({ content = {} }: ResponseObject): NamedExample[] {
  return Object.entries(content).flatMap(([type, media]) => type === PROBLEM ? [] : exampleList(media));
}

function exampleList({ example, examples = {} }: MediaType): NamedExample[] {
  const named = Object.values(examples).flatMap((one) => ("$ref" in one ? [] : [one]));
  return example === undefined ? named : [{ summary: "Response", value: example }, ...named];
}

function resolved(response: Reference | ResponseObject, { components }: OpenApi): ResponseObject {
  if (!("$ref" in response)) return response;
  return components.responses[nameOf(response.$ref)] ?? { description: "" };
}
