// The layout of the documentation: navigation, content, contents of the page, and search results.
import type { DocumentedOperation, OpenApi } from "../../wire/openapi.ts";
import { type Html, markup } from "../html.ts";
import type { PageCall } from "../page_route.ts";
import type { Language, Texts } from "../texts/texts.ts";
import type { CodeContext } from "./code.ts";
import type { GuideGroup } from "./guides.ts";
import type { Heading } from "./markdown.ts";
import { llmsText } from "./llms.ts";
import { anchorOf, type Area, REFERENCE_PATH } from "./reference/areas.ts";
import { createSearchIndex, MAX_QUERY_LENGTH, type SearchIndex, type SearchResult } from "./search.ts";
import { createDocsSite, type DocsPage, type DocsSite, QUICK_START_PATH } from "./site.ts";

type Visitor = Pick<PageCall, "language" | "texts">;

export interface DocsView {
  site: DocsSite;
  /** The content of `/llms.txt`. */
  llms: string;
  pageBody(page: DocsPage, visitor: Visitor): Html;
  searchBody(query: string, visitor: Visitor): Html;
}

const GROUPS: readonly (GuideGroup | "reference")[] = [
  "start",
  "events",
  "reading",
  "receiving",
  "service",
  "reference",
];

export function createDocsView(description: OpenApi): DocsView {
  const site = createDocsSite(description);
  const bodies = new Map<string, Html>();
  const indexes = new Map<Language, SearchIndex>();
  const indexOf = (language: Language): SearchIndex => {
    const index = indexes.get(language) ??
      createSearchIndex(site.pages(language).flatMap((page) => page.sections()));
    indexes.set(language, index);
    return index;
  };
  return {
    site,
    llms: llmsText(site, description),
    pageBody(page, visitor) {
      const key = `${visitor.language} ${page.path}`;
      const body = bodies.get(key) ?? renderPage(page, site, visitor);
      bodies.set(key, body);
      return body;
    },
    searchBody(query, visitor) {
      const results = indexOf(visitor.language).find(query);
      return frame({ site, current: null, query }, visitor, searchContent(query, results, visitor.texts));
    },
  };
}

function renderPage(page: DocsPage, site: DocsSite, visitor: Visitor): Html {
  const { language, texts: { docs, common } } = visitor;
  let count = 0;
  const code: CodeContext = {
    newId: () => `code-${++count}`,
    copy: common.actions.copy,
    copied: common.actions.copied,
    language,
  };
  const { html, headings } = page.render(code);
  const translation = site.translation(page, language);
  const note = page.language === language
    ? null
    : markup`<p>${docs.contentLanguages[page.language]}${
      translation === null ? null : markup` ${docs.readTranslation} ${pageLink(translation, language)}`
    }</p>`;
  const isReference = page.group === "reference";
  return frame(
    { site, current: page, query: "" },
    visitor,
    markup`<div class="docs-content${isReference ? " wide" : ""}">
<article lang="${page.language}" class="prose">${
      note === null ? null : markup`<div class="content-language" lang="${language}">${note}</div>`
    }
${html}
</article>
${page.path === QUICK_START_PATH ? overview(site, visitor) : null}
${footer(page, site, visitor)}
</div>
${isReference ? null : contents(headings, page, visitor.texts)}`,
  );
}

interface FrameOptions {
  site: DocsSite;
  current: DocsPage | null;
  query: string;
}

function frame({ site, current, query }: FrameOptions, visitor: Visitor, content: Html): Html {
  const { docs } = visitor.texts;
  return markup`<div class="docs">
<div class="docs-side">
<form class="docs-search" role="search" action="/docs/search"><label class="visually-hidden" for="docs-query">${docs.search}</label><input type="search" id="docs-query" name="q" value="${query}" placeholder="${visitor.texts.common.actions.search}" maxlength="${MAX_QUERY_LENGTH}" autocomplete="off"><button class="button plain">${visitor.texts.common.actions.search}</button></form>
<input type="checkbox" id="docs-menu" class="visually-hidden"><label for="docs-menu" class="docs-menu">${docs.contents}</label>
<nav aria-label="${docs.navigation}">${navigation(site, current, visitor)}</nav>
</div>
${content}
</div>`;
}

function navigation(
  site: DocsSite,
  current: DocsPage | null,
  { language, texts: { docs } }: Visitor,
): Html[] {
  const pages = site.pages(language);
  return GROUPS.map((group) =>
    markup`<p class="group">${docs.groups[group]}</p>
<ul>${
      pages.filter((page) => page.group === group).map((page) => {
        const isCurrent = page.path === current?.path;
        const title = page.path === REFERENCE_PATH ? docs.referenceOverview : null;
        return markup`<li>${pageLink(page, language, { isCurrent, title })}${
          isCurrent && page.area !== null ? operationLinks(page.area, language) : null
        }</li>\n`;
      })
    }</ul>\n`
  );
}

function pageLink(
  page: DocsPage,
  language: Language,
  { isCurrent = false, title = null }: { isCurrent?: boolean; title?: string | null } = {},
): Html {
  return markup`<a href="${page.path}"${title === null ? langOf(page.language, language) : null}${
    isCurrent ? markup` aria-current="page"` : null
  }>${title ?? page.title}</a>`;
}

function langOf(content: Language, page: Language): Html | null {
  return content === page ? null : markup` lang="${content}"`;
}

/** The operations of the current area, by method and path. */
function operationLinks({ operations, webhooks }: Area, language: Language): Html {
  return markup`<ul${langOf("en", language)} class="operations">${
    [...operations, ...webhooks].map((one) =>
      markup`<li><a href="#${anchorOf(one)}" title="${one.operation.summary}">${methodOf(one)}${
        nameOf(one)
      }</a></li>\n`
    )
  }</ul>`;
}

function methodOf({ method }: DocumentedOperation): Html {
  return markup`<span class="method ${method}">${method.toUpperCase()}</span> `;
}

function nameOf({ path }: DocumentedOperation): Html {
  const shown = path.startsWith("/") ? path.replace(/^\/v1/, "") : "webhook_url";
  return markup`<code>${
    shown.split("/").map((part, at) => (at === 0 ? part : markup`/<wbr>${part}`))
  }</code>`;
}

/** All guides and operations, below the quick start. */
function overview(site: DocsSite, { language, texts: { docs } }: Visitor): Html {
  const guides = site.pages(language).filter(({ group, path }) =>
    group !== "reference" && path !== QUICK_START_PATH
  );
  return markup`<section class="docs-overview"><h2 id="guides">${docs.allGuides}</h2>
<dl>${
    guides.map((page) =>
      markup`<div><dt>${pageLink(page, language)}</dt><dd${
        langOf(page.language, language)
      }>${page.summary}</dd></div>\n`
    )
  }</dl>
<h2 id="operations">${docs.allOperations}</h2>
${
    site.areas.map((area) =>
      markup`<div class="docs-area"><h3${
        langOf("en", language)
      }><a href="${area.path}">${area.name}</a></h3><ul${langOf("en", language)}>${
        [...area.operations, ...area.webhooks].map((one) =>
          markup`<li><a href="${area.path}#${anchorOf(one)}">${methodOf(one)}${
            nameOf(one)
          }</a> <span>${one.operation.summary}</span></li>\n`
        )
      }</ul></div>\n`
    )
  }</section>`;
}

function contents(headings: readonly Heading[], page: DocsPage, { docs }: Texts): Html | null {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return null;
  return markup`<aside class="docs-contents"><nav aria-labelledby="on-this-page"><p id="on-this-page">${docs.onThisPage}</p>
<ul lang="${page.language}">${
    shown.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`)
  }</ul></nav></aside>`;
}

function footer(page: DocsPage, site: DocsSite, { language, texts: { docs } }: Visitor): Html {
  const pages = site.pages(language);
  const at = pages.findIndex(({ path }) => path === page.path);
  const [previous, next] = at < 0 ? [] : [pages[at - 1], pages[at + 1]];
  return markup`<div class="docs-footer"><ul>
<li>${previous === undefined ? null : markup`${docs.previous} ${pageLink(previous, language)}`}</li>
<li>${next === undefined ? null : markup`${docs.next} ${pageLink(next, language)}`}</li>
</ul><p><a href="${page.path}.md">${docs.asMarkdown}</a></p></div>`;
}

function searchContent(query: string, results: readonly SearchResult[], { docs }: Texts): Html {
  const shown = query.slice(0, MAX_QUERY_LENGTH);
  const count = shown.trim() === "" ? docs.searchHint : docs.resultCount(results.length, shown);
  return markup`<div class="docs-content"><h1>${docs.searchHeading}</h1>
<p class="lead" role="status">${count}</p>
<ol class="results">${results.map(resultItem)}</ol></div>`;
}

function resultItem({ url, title, heading, language, excerpt }: SearchResult): Html {
  const text = excerpt.map((part) =>
    part.isMarked ? markup`<mark>${part.text}</mark>` : markup`${part.text}`
  );
  return markup`<li lang="${language}"><h2><a href="${url}">${heading === "" ? title : heading}</a></h2>
<p class="where">${heading === "" ? url : `${title} · ${url}`}</p>
<p>${text}</p></li>\n`;
}
