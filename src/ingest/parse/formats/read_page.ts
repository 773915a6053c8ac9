// Reads pages of HTML or XML: the items of a listing by selectors, or a whole page as one item.
import type { FieldRules, ItemField, Reading } from "../../../domain/source/extraction_rules.ts";
import { itemFrom } from "./fields.ts";
import type { PageElement } from "./page_search.ts";
import { MAX_DEPTH, type PageTree, readPageTree } from "./page_tree.ts";
import type { ParsedDocument, ParseProblem } from "../parsed.ts";
import { DocumentError, documentProblem, readItems } from "../parsed.ts";

const MAX_CATEGORIES = 200;

/** The default selectors for a page that is one item, most reliable first. */
const USUAL_SELECTORS: FieldRules = {
  title: ['meta[property="og:title"]@content', "h1", "title"],
  summary: [
    'meta[name="description" i]@content',
    'meta[property="og:description"]@content',
    'meta[name="dcterms.description" i]@content',
    "main p",
  ],
  published: [
    'meta[property="article:published_time"]@content',
    'meta[name="dcterms.issued" i]@content',
    'meta[name="dcterms.date" i]@content',
    'meta[name="dc.date" i]@content',
    'meta[name="date" i]@content',
    "time[datetime]@datetime",
  ],
  updated: [
    'meta[property="article:modified_time"]@content',
    'meta[property="og:updated_time"]@content',
    'meta[name="dcterms.modified" i]@content',
  ],
  categories: ['meta[property="article:tag"]@content'],
  language: ["html@lang"],
};

/** Reads a listing. Throws {@link DocumentError}. */
export function readListing(
  text: string,
  { reading, maxItems }: { reading: Extract<Reading, { kind: "html" }>; maxItems: number },
): ParsedDocument {
  const tree = readPageTree(text);
  const found = tree.elements(reading.item);
  const [last, before] = [found.at(-1), found.at(-2)];
  // An incomplete item would be a revision, and so would the complete one at the next fetch. If several items are open
  // at the end, the page is not truncated but never closes its items.
  const isCut = last !== undefined && tree.isCutWithin(last) &&
    !(before !== undefined && tree.isCutWithin(before));
  const elements = isCut ? found.slice(0, -1) : found;
  if (isCut && elements.length === 0) {
    throw new DocumentError("the page is truncated before the end of its first item");
  }
  const { items, problems } = readItems(
    elements,
    maxItems,
    (element) =>
      itemFrom(reading.fields, reading.dateFormat, finder(tree, element)) ??
        "it has no id, link, title or summary",
  );
  if (isCut) problems.push(documentProblem(`the page is truncated after item ${elements.length}`));
  problems.push(...depthProblems(tree));
  const next = reading.next === null ? null : firstOf(tree, reading.next);
  return { format: "html", ...aboutPage(tree), next, items, problems };
}

/** Reads a page as one item, first by the rules and then by the default selectors. Throws {@link DocumentError}. */
export function readSinglePage(
  text: string,
  { reading, url }: { reading: Extract<Reading, { kind: "page" }>; url: string | null },
): ParsedDocument {
  const tree = readPageTree(text);
  const item = itemFrom(withDefaultSelectors(reading.fields), reading.dateFormat, finder(tree, null));
  if (item === null || item.title === null) throw new DocumentError("the page has no title");
  item.link ??= url ?? firstOf(tree, 'link[rel="canonical"]@href');
  return { format: "page", ...aboutPage(tree), next: null, items: [item], problems: depthProblems(tree) };
}

/** Reports elements that are too deep for selectors to find, as on pages that never close their elements. */
function depthProblems({ tooDeep }: PageTree): ParseProblem[] {
  if (tooDeep === 0) return [];
  const reason =
    `elements nested more than ${MAX_DEPTH} levels deep (${tooDeep} in total) are not searched, so items may be ` +
    "missing. The page probably never closes its elements: look for a feed or an API by the same publisher";
  return [documentProblem(reason)];
}

function withDefaultSelectors(fields: FieldRules): FieldRules {
  const selectors: Partial<Record<ItemField, readonly string[]>> = { ...fields };
  for (const [field, usual] of Object.entries(USUAL_SELECTORS) as [ItemField, readonly string[]][]) {
    selectors[field] = [...fields[field] ?? [], ...usual];
  }
  return selectors;
}

function finder(tree: PageTree, within: PageElement | null) {
  return (rule: string, field: ItemField): string[] =>
    tree.values(rule, {
      within,
      as: field === "title" || field === "summary" ? "markup" : "text",
      most: field === "categories" ? MAX_CATEGORIES : 1,
    });
}

function firstOf(tree: PageTree, rule: string, as: "markup" | "text" = "text"): string | null {
  return tree.values(rule, { within: null, as, most: 1 })[0] ?? null;
}

function aboutPage(tree: PageTree): Pick<ParsedDocument, "title" | "language" | "baseUrl" | "ttlMinutes"> {
  return {
    title: firstOf(tree, "title", "markup"),
    language: firstOf(tree, "html@lang") ?? firstOf(tree, "html@xml:lang"),
    baseUrl: firstOf(tree, "base@href"),
    ttlMinutes: null,
  };
}
