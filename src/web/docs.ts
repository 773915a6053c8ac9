// The docs page: the API's description as HTML, complete without a script.
import type { Method, OpenApi, PathItem } from "../wire/openapi.ts";
import { type Html, markup } from "./html.ts";
import { headingsOf, inline, markdownToHtml, slug } from "./markdown.ts";
import { type Page, renderPage } from "./page.ts";
import { anchorOf, operationSection, type Placed, webhookSection } from "./docs/operation.ts";
import { fieldsOf, typeOf } from "./docs/schema.ts";
import style from "./docs/docs.css" with { type: "text" };
import script from "./docs/try_it.js" with { type: "text" };

const METHODS: readonly Method[] = ["get", "post", "patch", "delete"];

/** The page of a description. */
export function renderDocs(description: OpenApi): Page {
  const { info, servers, paths, webhooks, tags } = description;
  const groups = tags.map((tag) => ({
    ...tag,
    operations: placedIn(paths).filter(({ operation }) => operation.tags.includes(tag.name)),
    webhooks: placedIn(webhooks).filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const sections = groups.map((group) =>
    markup`<section class="group">
<h2 id="${slug(group.name)}">${group.name}</h2>
<p>${inline(group.description)}</p>
${group.operations.map((placed) => operationSection(placed, description))}
${group.webhooks.map((placed) => webhookSection(placed, description))}
</section>`
  );
  const body = markup`<a class="skip" href="#content">Skip to the content</a>
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
<p class="endpoint">Base address <code>${servers[0]?.url ?? ""}</code></p>
<noscript><p class="note">Everything here can be read without JavaScript; only “Try it” needs it.</p></noscript>
${markdownToHtml(info.description)}
${sections}
${records(description)}
</main>
</div>`;
  return renderPage({ title: `${info.title} API`, style, script, body });
}

function placedIn(paths: Record<string, PathItem>): Placed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    })
  );
}

function contents(
  groups: readonly { name: string; operations: Placed[]; webhooks: Placed[] }[],
  overview: string,
): Html {
  const link = (id: string, text: string) => markup`<li><a href="#${id}">${text}</a></li>`;
  const operations = groups.map(({ name, operations, webhooks }) =>
    markup`<li><a href="#${slug(name)}">${name}</a><ul>${
      [...operations, ...webhooks].map((placed) =>
        markup`<li><a href="#${anchorOf(placed)}">${placed.operation.summary}</a></li>`
      )
    }</ul></li>`
  );
  return markup`<ul>${headingsOf(overview).map((title) => link(slug(title), title))}</ul>
<ul>${operations}</ul>
<ul>${link("records", "Records")}</ul>`;
}

function records({ components }: OpenApi): Html {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const fields = fieldsOf(schema);
    return markup`<section class="record" id="schema-${name}">
<h3>${name}</h3>
<p>${inline(schema.description ?? "")}</p>
${fields ?? markup`<p>${typeOf(schema)}</p>`}
</section>`;
  });
  return markup`<section class="group">
<h2 id="records">Records</h2>
<p>The shapes of bodies. A field without a mark is always there.</p>
${sections}
</section>`;
}
