// Pages of HTML or XML: a listing by selectors to its items, and a page by itself to one item.
import type { FieldRules, ItemField, Reading } from "../../../domain/source/extraction_rules.ts";
import { itemFrom } from "./fields.ts";
import type { PageElement } from "./page_search.ts";
import { MAX_DEPTH, type PageTree, readPageTree } from "./page_tree.ts";
import { DocumentError, type ParsedDocument, type ParsedItem, type ParseProblem } from "../parsed.ts";

/** Categories of one item. */
const MAX_CATEGORIES = 200;

/** Where pages have what an item needs, the surest place first. */
const USUAL_PLACES: FieldRules = {
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

/** Reads a listing; throws a {@link DocumentError} when it is no page at all. Whether too few items are found, the source knows. */
export function readListing(
  text: string,
  { reading, maxItems }: { reading: Extract<Reading, { kind: "html" }>; maxItems: number },
): ParsedDocument {
  const tree = readPageTree(text);
  const found = tree.elements(reading.item);
  const [last, before] = [found.at(-1), found.at(-2)];
  // Half an item has half a title: it would be a revision, and the whole one at the next fetch another. A page that has
  // several open at its end has not been cut, but ends none of its items.
  const isCut = last !== undefined && tree.isCutWithin(last) &&
    !(before !== undefined && tree.isCutWithin(before));
  const elements = isCut ? found.slice(0, -1) : found;
  if (isCut && elements.length === 0) {
    throw new DocumentError("the page is truncated before the end of its first item");
  }
  const items: ParsedItem[] = [];
  const problems: ParseProblem[] = [];
  for (const [index, element] of elements.slice(0, maxItems).entries()) {
    const item = itemFrom(reading.fields, reading.dateFormat, finder(tree, element));
    if (item !== null) items.push(item);
    else problems.push({ item: `item ${index + 1}`, reason: "it has neither id nor link nor title" });
  }
  if (elements.length > maxItems) {
    const reason = `${elements.length - maxItems} items beyond the first ${maxItems} are ignored`;
    problems.push({ item: "document", reason });
  }
  if (isCut) {
    problems.push({ item: "document", reason: `the page is truncated after item ${elements.length}` });
  }
  problems.push(...depthProblems(tree));
  const next = reading.next === null ? null : firstOf(tree, reading.next);
  return { format: "html", ...aboutPage(tree), next, items, problems };
}

/**
 * Reads a page as the one item that it is, by its own rules first and then in the usual places; `url` is its address,
 * null leaves that to the page. Throws a {@link DocumentError} when the page has no title.
 */
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

/** A page whose elements are never ended goes deeper with each: what selectors cannot find there is not lost silently. */
function depthProblems({ tooDeep }: PageTree): ParseProblem[] {
  if (tooDeep === 0) return [];
  const reason =
    `${tooDeep} of its elements are nested more than ${MAX_DEPTH} deep, where nothing is searched: items ` +
    "may be missing. The page never closes them: look for a feed or an API of the same publisher";
  return [{ item: "document", reason }];
}

function withDefaultSelectors(fields: FieldRules): FieldRules {
  const places: Partial<Record<ItemField, readonly string[]>> = { ...fields };
  for (const [field, usual] of Object.entries(USUAL_PLACES) as [ItemField, readonly string[]][]) {
    places[field] = [...fields[field] ?? [], ...usual];
  }
  return places;
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
