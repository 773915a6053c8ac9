// How a source that is no feed is asked and read: what the config's table of a strategy says.
import { writeDate } from "./date_format.ts";

/** What an item can have. `published` and `updated` are dates, `categories` takes every value that it finds. */
export const ITEM_FIELDS = [
  "id",
  "link",
  "title",
  "summary",
  "published",
  "updated",
  "categories",
  "language",
] as const;

/** See {@link ITEM_FIELDS}. */
export type ItemField = typeof ITEM_FIELDS[number];

/**
 * Where each field of an item stands: alternatives, of which the first that gives something counts. What one is depends
 * on the strategy: a path or a template of paths (`json`, `sparql`), a selector (`html`, `sitemap`).
 */
export type FieldRules = Readonly<Partial<Record<ItemField, readonly string[]>>>;

/** How the document of a strategy becomes items. */
export type Reading =
  /**
   * `items` are the paths to the items, all of which count; an empty one is the document itself. `next` is what the
   * next page is asked with.
   */
  | {
    kind: "json";
    items: readonly string[];
    fields: FieldRules;
    dateFormat: string | null;
    next: string | null;
  }
  /** The rows of a SPARQL result; a path is the name of a variable. */
  | { kind: "sparql"; fields: FieldRules; dateFormat: string | null }
  /** `item` is the selector of an item; fields are selectors within it. `next` selects the next page's address. */
  | { kind: "html"; item: string; fields: FieldRules; dateFormat: string | null; next: string | null }
  /** One page is one item; fields are selectors in it, in front of the usual places. */
  | { kind: "page"; fields: FieldRules; dateFormat: string | null };

/** How one gets from a page of a list to the next. */
export type Paging =
  | { kind: "none" }
  /** A query parameter counts pages (`step` 1) or items (`step` is how many a page has) from `first`. */
  | { kind: "count"; parameter: string; first: number; step: number }
  /** What the document names as next is the query parameter of the next page. */
  | { kind: "cursor"; parameter: string }
  /** What the document names as next, or else the HTTP header `Link`, is the address of the next page. */
  | { kind: "link" };

/** Which days a source is asked for, where its request holds `{since}` and `{until}`. */
export interface Windows {
  /** Days of one request; null asks for all of them at once. */
  days: number | null;
  /** Days before the last fetch that are asked for again: what is entered late is found. */
  overlapDays: number;
  /** Days before now that the first fetch asks for. */
  firstDays: number;
}

/** A list that is walked page by page: an API or a listing. */
export interface ListRules {
  kind: "list";
  reading: Extract<Reading, { kind: "json" | "html" }>;
  paging: Paging;
  /** Pages of one fetch, or of one window. */
  maxPages: number;
  /** Whether new and changed items come first, so that a fetch may end where it meets what it knows. */
  newestFirst: boolean;
  /** Sent as the body of a POST request; null for GET. */
  body: string | null;
  /** Null where the request has no window. */
  windows: Windows | null;
  /** Whether 404 says that there is nothing, as on a day without a gazette. */
  notFoundIsEmpty: boolean;
}

/** A SPARQL endpoint. */
export interface SparqlRules {
  kind: "sparql";
  reading: Extract<Reading, { kind: "sparql" }>;
  /** With `{since}` and `{until}` in it. */
  query: string;
  windows: Windows;
  /** An answer with so many rows was cut off: its window is asked for in two halves. */
  maxRows: number;
}

/** A sitemap, or an index of sitemaps, whose changed pages are read. */
export interface SitemapRules {
  kind: "sitemap";
  reading: Extract<Reading, { kind: "page" }>;
  /** Regular expressions; a URL counts if it matches one of `include` (if any) and none of `exclude`. */
  include: readonly string[];
  exclude: readonly string[];
  /** The same as `include`, for the addresses of the maps in an index. */
  maps: readonly string[];
  /** Maps of an index that are read at one fetch. */
  maxMaps: number;
  /** Pages read at one fetch; the others wait for the next. */
  maxPages: number;
  /** Days before now of which the first fetch reads pages. */
  firstDays: number;
}

/** What the table of a strategy says. */
export type StrategyRules = ListRules | SparqlRules | SitemapRules;

/** `{since}` or `{until:yyyyMMdd}`, also as an address has it in its path. */
const PLACEHOLDER = /(?:\{|%7B)(since|until)(?::((?:[^{}%]|%[0-689a-f][\da-f]|%7[0-9acef])+))?(?:\}|%7D)/gi;

/** The names and forms of the placeholders for days in a request's text. */
export function windowPlaceholders(text: string): { name: string; format: string | undefined }[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = "", format]) => ({
    name: name.toLowerCase(),
    format: format === undefined ? undefined : decodeURIComponent(format),
  }));
}

/** A request's text with the days of a window (Unix ms, `until` not among them) in their places. */
export function fillWindow(text: string, window: { sinceMs: number; untilMs: number }): string {
  return text.replace(PLACEHOLDER, (_, name: string, format: string | undefined) =>
    writeDate(
      name.toLowerCase() === "since" ? window.sinceMs : window.untilMs,
      format === undefined ? undefined : decodeURIComponent(format),
    ));
}

/** Where the first placeholder of a text stands; -1 without one. */
export function placeholderAt(text: string): number {
  return text.search(PLACEHOLDER);
}
