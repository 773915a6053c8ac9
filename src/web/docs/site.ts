// The pages of the documentation: guides and reference, each as HTML, as Markdown and for the search.
import type { DocumentedOperation, OpenApi } from "../../wire/openapi.ts";
import { type Html, markup } from "../html.ts";
import type { Language } from "../texts/texts.ts";
import type { CodeContext } from "./code.ts";
import { type Guide, type GuideGroup, GUIDES } from "./guides.ts";
import { createMarkdown, type Heading, type LinkRules, sectionsOf } from "./markdown.ts";
import {
  anchorOf,
  type Area,
  areasOf,
  operationUrls,
  REFERENCE_PATH,
  SCHEMAS_PATH,
} from "./reference/areas.ts";
import { areaMarkdown, schemasMarkdown } from "./reference/markdown_version.ts";
import { operationSection, webhookSection } from "./reference/operation.ts";
import { fieldsOf, schemaAnchor, typeOf } from "./reference/schema.ts";
import type { SearchSection } from "./search.ts";

export interface DocsPage {
  path: string;
  title: string;
  /** One sentence. */
  summary: string;
  group: GuideGroup | "reference";
  language: Language;
  markdown(): string;
  sections(): SearchSection[];
  /** The operations of an area of the reference. */
  area: Area | null;
  render(code: CodeContext): { html: Html; headings: Heading[] };
}

export interface DocsSite {
  areas: readonly Area[];
  /** The pages whose content is in this language or, if there is no translation, in English. */
  pages(language: Language): DocsPage[];
  /** Returns the translation of a page into this language, or null. */
  translation(page: DocsPage, language: Language): DocsPage | null;
  /** Returns a page in any language by its path, or null. */
  find(path: string): DocsPage | null;
}

export const QUICK_START_PATH = "/docs";
export const CHANGELOG_PATH = "/docs/changelog";
/** The URL that the guides use for the service. */
const EXAMPLE_URL = "https://regfeed.example.org";
const REPOSITORY = "https://github.com/regfeed/regfeed/blob/main/";

export function createDocsSite(description: OpenApi): DocsSite {
  const areas = areasOf(description);
  const rules: LinkRules = { urlOf: urlOfLink, operationUrl: operationUrls(areas) };
  const publicUrl = description.servers[0]?.url ?? EXAMPLE_URL;
  const guides = GUIDES.map((guide) => ({ guide, page: guidePage(guide, publicUrl, rules) }));
  const reference = [
    overviewPage(description, rules),
    ...areas.map((area) => areaPage(area, description, rules)),
    schemasPage(description, rules),
  ];
  const byPath = new Map([...guides.map(({ page }) => page), ...reference].map((page) => [page.path, page]));
  return {
    areas,
    pages(language) {
      const translated = guides.filter(({ guide }) => guide.language === language).map(({ guide }) =>
        guide.translates
      );
      const chosen = guides.filter(({ guide }) =>
        (guide.language === language || guide.language === "en") && !translated.includes(guide.name)
      );
      return [...chosen.map(({ page }) => page), ...reference];
    },
    translation(page, language) {
      const name = guides.find((one) => one.page === page)?.guide.name;
      const found = guides.find(({ guide }) => guide.language === language && guide.translates === name);
      return found?.page ?? null;
    },
    find: (path) => byPath.get(path) ?? null,
  };
}

/** The path of a guide. The quick start is the first page of the documentation. */
function pathOfGuide(name: string): string {
  return name === "quick-start" ? QUICK_START_PATH : `/docs/${name}`;
}

/** Returns where a link of a guide leads. Documents for operators and developers are in the repository only. */
function urlOfLink(target: string): string | null {
  if (/^https?:\/\//.test(target) || target.startsWith("#") || target.startsWith("/docs")) return target;
  const [file = "", fragment = ""] = target.split("#");
  const hash = fragment === "" ? "" : `#${fragment}`;
  if (file === "../../CHANGELOG.md") return `${pathOfGuide("changelog")}${hash}`;
  const { pathname } = new URL(file, "http://repository/docs/use/");
  const [, guide] = /^\/docs\/use\/([\w.-]+)\.md$/.exec(pathname) ?? [];
  if (guide !== undefined) return `${pathOfGuide(guide)}${hash}`;
  return /^\/[\w/.-]+$/.test(pathname) ? `${REPOSITORY}${pathname.slice(1)}${hash}` : null;
}

function guidePage(guide: Guide, publicUrl: string, rules: LinkRules): DocsPage {
  const text = guide.text.replaceAll(EXAMPLE_URL, publicUrl);
  const path = pathOfGuide(guide.name);
  const [heading = "", paragraph = ""] = text.split("\n\n", 2);
  const title = heading.replace(/^# /, "");
  return {
    path,
    title,
    summary: summaryOf(paragraph),
    group: guide.group,
    language: guide.language,
    markdown: () => withAbsoluteLinks(text),
    sections: () => searchSections(text, { path, title, language: guide.language }),
    area: null,
    render: (code) => createMarkdown(rules, code).render(text),
  };
}

/** Returns a guide whose links work from the address of any page. */
function withAbsoluteLinks(text: string): string {
  return text.replace(/\]\(([\w./-]+\.md)/g, (_, file: string) => {
    if (file === "../../CHANGELOG.md") return `](${CHANGELOG_PATH}.md`;
    return file.startsWith("../") ? `](${REPOSITORY}docs/${file.slice(3)}` : `](/docs/${file}`;
  });
}

function searchSections(
  text: string,
  { path, title, language }: Pick<DocsPage, "path" | "title" | "language">,
): SearchSection[] {
  return sectionsOf(text).map(({ heading, text }) => ({
    url: heading.depth === 1 ? path : `${path}#${heading.id}`,
    title,
    heading: heading.depth === 1 ? "" : heading.title,
    text,
    language,
    isSecondary: path === CHANGELOG_PATH,
  }));
}

/** Returns the first sentence of a guide without its readers: "Explains the fields of an event." */
function summaryOf(paragraph: string): string {
  const [sentence = ""] = paragraph.replace(/\s+/g, " ").split(/(?<=\.) /);
  const verb = sentence.search(/ (?:defines|explains|leads|lists) /);
  const predicate = sentence.startsWith("This ") && verb > 0 ? sentence.slice(verb + 1) : sentence;
  return predicate.charAt(0).toUpperCase() + predicate.slice(1);
}

const REFERENCE = { group: "reference", language: "en" } as const;

function overviewPage({ info, servers }: OpenApi, rules: LinkRules): DocsPage {
  const text = `# API reference\n\n${info.summary}. Version ${info.version}, base URL \`${
    servers[0]?.url ?? ""
  }\`.\n\n${info.description}`;
  return {
    ...REFERENCE,
    path: REFERENCE_PATH,
    title: "API reference",
    summary: "What all operations have in common: keys, bodies, quotas, paging and errors.",
    markdown: () => text,
    sections: () => searchSections(text, { path: REFERENCE_PATH, title: "API reference", language: "en" }),
    area: null,
    render: (code) => createMarkdown(rules, code).render(text),
  };
}

function areaPage(area: Area, description: OpenApi, rules: LinkRules): DocsPage {
  const { name, path, operations, webhooks } = area;
  const sectionOf = (one: DocumentedOperation): SearchSection => ({
    url: `${path}#${anchorOf(one)}`,
    title: name,
    heading: one.operation.summary,
    keywords: `${one.method.toUpperCase()} ${one.path}`,
    text: [
      one.operation.description,
      ...(one.operation.parameters ?? []).map((parameter) => `${parameter.name}: ${parameter.description}`),
    ].join(" ").replace(/\s+/g, " ").replaceAll("`", "").trim(),
    language: "en",
  });
  return {
    ...REFERENCE,
    path,
    title: name,
    summary: area.description,
    markdown: () => areaMarkdown(area, description),
    sections: () => [
      { url: path, title: name, heading: "", text: area.description, language: "en" },
      ...[...operations, ...webhooks].map(sectionOf),
    ],
    area,
    render(code) {
      const markdown = createMarkdown(rules, code);
      const context = { description, markdown, code };
      const html = markup`<h1>${name}</h1>
<p class="lead">${markdown.inline(area.description)}</p>
${operations.map((one) => operationSection(one, context))}
${webhooks.map((one) => webhookSection(one, context))}`;
      const headings = [...operations, ...webhooks].map((one) => ({
        id: anchorOf(one),
        title: one.operation.summary,
        depth: 2,
      }));
      return { html, headings };
    },
  };
}

function schemasPage(description: OpenApi, rules: LinkRules): DocsPage {
  const all = Object.entries(description.components.schemas);
  const summary =
    "The schemas of request and response bodies. Fields are always present unless marked as optional.";
  return {
    ...REFERENCE,
    path: SCHEMAS_PATH,
    title: "Schemas",
    summary,
    markdown: () => schemasMarkdown(description),
    sections: () =>
      all.map(([name, schema]) => ({
        url: `${SCHEMAS_PATH}#${schemaAnchor(name)}`,
        title: "Schemas",
        heading: name,
        text: [
          schema.description ?? "",
          ...Object.entries(schema.properties ?? {}).map(([field, { description = "" }]) =>
            description === "" ? `${field}.` : `${field}: ${description}.`
          ),
        ].join(" ").replaceAll("`", ""),
        language: "en",
      })),
    area: null,
    render(code) {
      const markdown = createMarkdown(rules, code);
      const sections = all.map(([name, schema]) =>
        markup`<section class="schema">
<h2 id="${schemaAnchor(name)}">${name}</h2>
<p>${markdown.inline(schema.description ?? "")}</p>
${fieldsOf(schema, markdown) ?? markup`<p>${typeOf(schema)}</p>`}
</section>`
      );
      const headings = all.map(([name]) => ({ id: schemaAnchor(name), title: name, depth: 2 }));
      return { html: markup`<h1>Schemas</h1>\n<p class="lead">${summary}</p>\n${sections}`, headings };
    },
  };
}
