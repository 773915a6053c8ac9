// The docs page: the API description as HTML, complete without JavaScript.
import type { DocumentedOperation, Method, OpenApi, PathItem } from "../wire/openapi.ts";
import { type Html, markup } from "./html.ts";
import { headingsOf, inline, markdownToHtml, slug } from "./markdown.ts";
import { type Page, renderPage } from "./page.ts";
import { anchorOf, operationSection, webhookSection } from "./docs/operation.ts";
import { fieldsOf, typeOf } from "./docs/schema.ts";
import style from "./docs/docs.css" with { type: "text" };
import script from "./docs/try_it.js" with { type: "text" };

const METHODS: readonly Method[] = ["get", "post", "patch", "delete"];

export function renderDocs(description: OpenApi): Page {
  const { info, servers, paths, webhooks, tags } = description;
  const groups = tags.map((tag) => ({
    ...tag,
    operations: operationsOf(paths).filter(({ operation }) => operation.tags.includes(tag.name)),
    webhooks: operationsOf(webhooks).filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const sections = groups.map((group) =>
    markup`<section class="group">
<h2 id="${slug(group.name)}">${group.name}</h2>
<p>${inline(group.description)}</p>
${group.operations.map((operation) => operationSection(operation, description))}
${group.webhooks.map((webhook) => webhookSection(webhook, description))}
</section>`
  );
  const body = markup`<a class="skip" href="#content">Skip to content</a>
<header>
<p class="title"><a href="#top">${info.title}</a> <span>API ${info.version}</span></p>
<p><a href="/v1/openapi.json">openapi.json</a></p>
</header>
<div class="layout">
<nav aria-label="Contents">
<details open><summary>Contents</summary>
${contents(groups, info.description)}
</details>
</nav>
<main id="content" tabindex="-1">
<h1 id="top">${info.title} API</h1>
<p class="lead">${info.summary}.</p>
<p class="endpoint">Base URL <code>${servers[0]?.url ?? ""}</code></p>
<noscript><p class="note">Only “Try it” requires JavaScript.</p></noscript>
${markdownToHtml(info.description)}
${sections}
${schemasSection(description)}
</main>
</div>`;
  return renderPage({ title: `${info.title} API`, style, script, body });
}

function operationsOf(paths: Record<string, PathItem>): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    })
  );
}

function contents(
  groups: readonly { name: string; operations: DocumentedOperation[]; webhooks: DocumentedOperation[] }[],
  overview: string,
): Html {
  const link = (id: string, text: string) => markup`<li><a href="#${id}">${text}</a></li>`;
  const operations = groups.map(({ name, operations, webhooks }) =>
    markup`<li><a href="#${slug(name)}">${name}</a><ul>${
      [...operations, ...webhooks].map((one) =>
        markup`<li><a href="#${anchorOf(one)}">${one.operation.summary}</a></li>`
      )
    }</ul></li>`
  );
  return markup`<ul>${headingsOf(overview).map((title) => link(slug(title), title))}</ul>
<ul>${operations}</ul>
<ul>${link("schemas", "Schemas")}</ul>`;
}

function schemasSection({ components }: OpenApi): Html {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const fields = fieldsOf(schema);
    return markup`<section class="record" id="schema-${name}">
<h3>${name}</h3>
<p>${inline(schema.description ?? "")}</p>
${fields ?? markup`<p>${typeOf(schema)}</p>`}
</section>`;
  });
  return markup`<section class="group">
<h2 id="schemas">Schemas</h2>
<p>The schemas of request and response bodies. Fields are always present unless marked as optional.</p>
${sections}
</section>`;
}
