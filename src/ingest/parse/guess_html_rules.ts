// Guesses the extraction rules of an HTML listing from its repeated structure.
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { parseDate } from "../normalise/dates.ts";
import type { PageElement, PageNode } from "./formats/page_search.ts";
import { type PageTree, readPageTree } from "./formats/page_tree.ts";

type HtmlReading = Extract<Reading, { kind: "html" }>;

/** Maximum numbers of links, of selectors for items, and of items and of elements within an item that are examined. */
const MAX_LINKS = 3_000;
const MAX_SELECTORS = 40;
const MAX_ITEMS = 20;
const MAX_ELEMENTS = 120;
const MAX_CLASSES = 10;
/** Maximum number of levels between a link and its item. */
const MAX_LEVELS = 7;
/** Minimum number of items, with and without dates. Fewer repeated elements are rarely a list of publications. */
const MIN_ITEMS = 3;
const MIN_UNDATED_ITEMS = 5;
/** Minimum average length of titles. The texts of menus and filters are shorter. */
const MIN_TITLE_CHARACTERS = 15;
const MAX_TITLE_CHARACTERS = 300;
const MIN_SUMMARY_CHARACTERS = 40;
const MAX_DATE_CHARACTERS = 60;

/** Elements, and words in the classes of elements, that contain navigation. */
const NAVIGATION = new Set(["nav", "header", "footer", "aside"]);
const NAVIGATION_CLASS =
  /(?:^|[-_])(?:nav|navigation|menu|breadcrumbs?|footer|sidebar|pagination|pager|social|share|cookie|facets?|filters?|lang(?:uage)?s?)(?:$|[-_])/i;
const HEADING = /^h[1-6]$/;
const TITLE_CLASS = /title|heading|headline|titre|titel|titulo/i;
const SUMMARY_CLASS = /summary|teaser|desc|intro|excerpt|lead|abstract|body|text/i;

interface Guess {
  item: string;
  fields: Record<string, string[]>;
  score: number;
}

/** The first values that a selector finds in each item. */
interface Column {
  selector: string;
  /** Whether the selector matches several elements of an item. */
  isRepeated: boolean;
  cells: { element: PageElement; text: string }[];
}

/** Guesses the rules for a page. Returns null if it has no list of links with titles. Throws a DocumentError. */
export function guessHtml(text: string): HtmlReading | null {
  const tree = readPageTree(text);
  const guesses = itemSelectors(tree).map((selector) => guessItems(tree, selector)).filter((one) =>
    one !== null
  );
  // Of elements around the same items, those that mean an item are less likely to be part of the layout.
  const isMeant = ({ item }: Guess) => Number(/^(?:article|li|tr)\b/.test(item));
  const [best] = guesses.sort((a, b) =>
    b.score - a.score || isMeant(b) - isMeant(a) || a.item.length - b.item.length
  );
  return best === undefined
    ? null
    : { kind: "html", item: best.item, fields: best.fields, dateFormat: null, next: null };
}

/** Returns selectors of repeated elements that contain links, those of the most elements first. */
function itemSelectors(tree: PageTree): string[] {
  const found = new Map<string, Set<PageElement>>();
  for (const link of tree.elements("a[href]").slice(0, MAX_LINKS)) {
    let element: PageElement | null = link;
    for (let level = 0; element !== null && level < MAX_LEVELS; level++) {
      for (const selector of selectorsOf(element)) {
        const elements = found.get(selector) ?? new Set();
        found.set(selector, elements.add(element));
      }
      element = parentOf(element);
    }
  }
  return [...found].filter(([, elements]) => elements.size >= MIN_ITEMS)
    .sort(([, a], [, b]) => b.size - a.size).slice(0, MAX_SELECTORS).map(([selector]) => selector);
}

/** Matches the names of elements and classes that need no escaping in a selector. */
const PLAIN_NAME = /^[a-z][\w-]*$/i;

/** Returns selectors for an element: by its classes or, without any, by its nearest ancestor that has some. */
function selectorsOf(element: PageElement): string[] {
  if (element.name === "body" || element.name === "html" || !PLAIN_NAME.test(element.name)) return [];
  const own = classesOf(element).map((name) => `${element.name}.${name}`);
  if (own.length > 0) return own;
  for (let outer = parentOf(element); outer !== null; outer = parentOf(outer)) {
    if (!PLAIN_NAME.test(outer.name)) continue;
    const [name] = classesOf(outer);
    if (name !== undefined) return [`${outer.name}.${name} ${element.name}`];
    if (outer.name === "main" || outer.name === "body") return [`${outer.name} ${element.name}`];
  }
  return [element.name];
}

/** Returns the classes that need no escaping and do not number the element. */
function classesOf({ attribs }: PageElement): string[] {
  const names = (attribs["class"] ?? "").split(/\s+/).filter((name) => PLAIN_NAME.test(name));
  return names.slice(0, MAX_CLASSES).filter((name) =>
    !/\d{2}|(?:^|[-_])(?:\d|first|last|odd|even|active|current)(?:$|[-_])/.test(name)
  );
}

function parentOf({ parent }: PageElement): PageElement | null {
  return parent !== null && isElement(parent) ? parent : null;
}

function isElement(node: PageNode): node is PageElement {
  return "attribs" in node;
}

function guessItems(tree: PageTree, selector: string): Guess | null {
  const all = tree.elements(selector);
  const items = all.filter((item) => linkIn(item) !== null);
  const examined = items.slice(0, MAX_ITEMS);
  const known = new Set(all);
  const isNested = examined.some((item) => ancestorsOf(item).some((outer) => known.has(outer)));
  const isMenu = examined.filter(isNavigation).length > examined.length / 2;
  if (items.length < MIN_ITEMS || isNested || isMenu) return null;
  const columns = columnsOf(tree, examined);
  const title = titleColumn(columns, examined.length);
  if (title === null) return null;
  const link = linkRule(tree, examined, title);
  const hrefs = new Set(examined.flatMap((within) => tree.values(link, { within, as: "text", most: 1 })));
  // Links that lead to few pages, and items with many links, belong to sections, not to publications.
  if (hrefs.size < 0.8 * examined.length) return null;
  const links = examined.reduce((sum, item) => sum + descendantsOf(item).filter(isLink).length, 0);
  const published = dateRule(tree, examined, columns);
  if (published === null && items.length < MIN_UNDATED_ITEMS) return null;
  const summary = summaryColumn(columns, examined.length, title);
  const fields = {
    title: [title.selector],
    link: [link],
    ...(summary === null ? {} : { summary: [summary.selector] }),
    ...(published === null ? {} : { published: [published] }),
  };
  const characters = title.cells.reduce((sum, { text }) => sum + Math.min(text.length, 80), 0);
  const worth = characters / title.cells.length / 80 + (published === null ? 0 : 1) +
    (summary === null ? 0 : 0.3);
  const item = items.length === all.length ? selector : `${selector}:has(a)`;
  return {
    item,
    fields,
    score: items.length * worth * Math.min(1, (4 * examined.length) / links),
  };
}

/** Collects the values of all selectors that each item matches, as the rules of a source would find them. */
function columnsOf(tree: PageTree, items: readonly PageElement[]): Column[] {
  const columns = new Map<string, Column>();
  for (const item of items) {
    const seen = new Set<string>();
    for (const element of descendantsOf(item)) {
      const [text = ""] = tree.values("", { within: element, as: "text", most: 1 });
      if (text === "") continue;
      for (
        const selector of [
          ...(PLAIN_NAME.test(element.name) ? [element.name] : []),
          ...classesOf(element).map((name) => `.${name}`),
          ...cellOf(element),
        ]
      ) {
        const column = columns.get(selector) ?? { selector, isRepeated: false, cells: [] };
        columns.set(selector, column);
        if (seen.has(selector)) column.isRepeated = true;
        else column.cells.push({ element, text });
        seen.add(selector);
      }
    }
  }
  return [...columns.values()];
}

/** Returns the selector of a table's cell by its position. */
function cellOf(element: PageElement): string[] {
  if (element.name !== "td") return [];
  const cells = parentOf(element)?.children.filter(isElement) ?? [];
  return [`td:nth-child(${cells.indexOf(element) + 1})`];
}

function titleColumn(columns: readonly Column[], items: number): Column | null {
  const scored = columns.map((column) => {
    const { cells, selector } = column;
    const texts = cells.map(({ text }) => text);
    const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    const isTitle = cells.length >= 0.9 * items && new Set(texts).size >= 0.8 * texts.length &&
      length >= MIN_TITLE_CHARACTERS && length <= MAX_TITLE_CHARACTERS && !cells.every(({ text }) =>
        isDate(text)
      );
    const named = HEADING.test(selector) ? 3 : TITLE_CLASS.test(selector) ? 2.5 : 0;
    const linked = cells.filter(({ element }) => linkOf(element) !== null).length / cells.length;
    return { column, score: isTitle ? 1 + named + 2 * linked + Math.min(length, 80) / 400 : 0 };
  });
  const [best] = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return best?.column ?? null;
}

/** Returns the rule for the link that belongs to the title. */
function linkRule(tree: PageTree, items: readonly PageElement[], title: Column): string {
  const wanted = title.cells.map(({ element }) => linkOf(element));
  const rules = items.every(isLink)
    ? ["@href"]
    : ["a@href", `${title.selector} a@href`, `${title.selector}@href`];
  const matches = (rule: string) =>
    items.filter((within, at) => {
      const [href] = tree.values(rule, { within, as: "text", most: 1 });
      return href !== undefined && href === wanted[at]?.attribs["href"]?.trim();
    }).length;
  return rules.map((rule) => ({ rule, count: matches(rule) })).sort((a, b) => b.count - a.count)[0]?.rule ??
    "a@href";
}

function dateRule(tree: PageTree, items: readonly PageElement[], columns: readonly Column[]): string | null {
  const attribute = "time@datetime";
  const stated = items.flatMap((within) => tree.values(attribute, { within, as: "text", most: 1 }));
  if (stated.filter(isDate).length > items.length / 2) return attribute;
  const dates = columns
    .map(({ selector, isRepeated, cells }) => ({
      selector,
      isRepeated,
      count: cells.filter(({ text }) => isDate(text)).length,
      of: cells.length,
    }))
    .filter(({ count, of }) => count > items.length / 2 && count >= 0.9 * of);
  // A class says more than the name of an element such as `span`.
  const isClass = ({ selector }: { selector: string }) => Number(selector.startsWith("."));
  const [best] = dates.sort((a, b) =>
    b.count - a.count || Number(a.isRepeated) - Number(b.isRepeated) || isClass(b) - isClass(a)
  );
  return best?.selector ?? null;
}

function isDate(text: string): boolean {
  return text.length <= MAX_DATE_CHARACTERS && /\d/.test(text) &&
    parseDate(text, { timezone: "UTC" }) !== null;
}

function summaryColumn(columns: readonly Column[], items: number, title: Column): Column | null {
  const titles = new Set(title.cells.map(({ text }) => text));
  const scored = columns.map((column) => {
    const { cells, selector } = column;
    const length = cells.reduce((sum, { text }) => sum + text.length, 0) / cells.length;
    const isSummary = cells.length > items / 2 && length >= MIN_SUMMARY_CHARACTERS &&
      cells.every(({ element, text }) => !titles.has(text) && !overlapsTitle(element, title));
    const named = selector === "p" || SUMMARY_CLASS.test(selector) ? 1 : 0;
    return { column, score: isSummary ? named + cells.length / items : 0 };
  });
  const [best] = scored.filter(({ score }) => score > 1).sort((a, b) => b.score - a.score);
  return best?.column ?? null;
}

function overlapsTitle(element: PageElement, { cells }: Column): boolean {
  const inner = new Set<PageElement>(descendantsOf(element));
  return cells.some((cell) => inner.has(cell.element) || cell.element === element);
}

/** Returns the link that an element contains or is part of. */
function linkOf(element: PageElement): PageElement | null {
  return linkIn(element) ?? ancestorsOf(element).find(isLink) ?? null;
}

function linkIn(element: PageElement): PageElement | null {
  return isLink(element) ? element : descendantsOf(element).find(isLink) ?? null;
}

function isLink({ name, attribs }: PageElement): boolean {
  return name === "a" && (attribs["href"] ?? "").trim() !== "" && !/^(?:#|javascript:|mailto:|tel:)/i.test(
    attribs["href"] ?? "",
  );
}

function isNavigation(element: PageElement): boolean {
  return [element, ...ancestorsOf(element)].some(({ name, attribs }) =>
    NAVIGATION.has(name) || attribs["role"] === "navigation" ||
    `${attribs["class"] ?? ""} ${attribs["id"] ?? ""}`.split(/\s+/).some((word) =>
      NAVIGATION_CLASS.test(word)
    )
  );
}

function ancestorsOf(element: PageElement): PageElement[] {
  const found: PageElement[] = [];
  for (let outer = parentOf(element); outer !== null; outer = parentOf(outer)) found.push(outer);
  return found;
}

/** Returns the first descendants of an element, in the order of the page. */
function descendantsOf(element: PageElement): PageElement[] {
  const found: PageElement[] = [];
  const waiting: PageNode[] = element.children.toReversed();
  for (let node = waiting.pop(); node !== undefined && found.length < MAX_ELEMENTS; node = waiting.pop()) {
    if (!isElement(node)) continue;
    found.push(node);
    for (let at = node.children.length - 1; at >= 0; at--) waiting.push(node.children[at] as PageNode);
  }
  return found;
}
