// How a source that is not a feed is requested and parsed: the table of its strategy in the config.
import { writeDate } from "./date_format.ts";

/** The fields of an item. `published` and `updated` are dates; `categories` takes every value found. */
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

export type ItemField = typeof ITEM_FIELDS[number];

/**
 * Where to find each field of an item: alternatives, the first with a value counts. An alternative is a path or a
 * template of paths (`json`, `sparql`), or a selector (`html`, `sitemap`).
 */
export type FieldRules = Readonly<Partial<Record<ItemField, readonly string[]>>>;

/** How the documents of each strategy are parsed into items. */
export type Reading =
  /** `items`: all paths to items; an empty path is the document itself. `next`: the path to the next page. */
  | {
    kind: "json";
    items: readonly string[];
    fields: FieldRules;
    dateFormat: string | null;
    next: string | null;
  }
  /** The rows of a SPARQL result; a path is a variable's name. */
  | { kind: "sparql"; fields: FieldRules; dateFormat: string | null }
  /** `item` selects the items; fields are selectors within an item. `next` selects the next page's URL. */
  | { kind: "html"; item: string; fields: FieldRules; dateFormat: string | null; next: string | null }
  /** A page is one item; its fields are selectors, tried before the usual places. */
  | { kind: "page"; fields: FieldRules; dateFormat: string | null };

export type Paging =
  | { kind: "none" }
  /** A query parameter counts pages (`step` 1) or items (`step` is the page size) from `first`. */
  | { kind: "count"; parameter: string; first: number; step: number }
  /** The document's `next` is a query parameter of the next page. */
  | { kind: "cursor"; parameter: string }
  /** The document's `next`, or else the HTTP header `Link`, is the URL of the next page. */
  | { kind: "link" };

/** The days that a request with `{since}` and `{until}` asks for. */
export interface Windows {
  /** Days per request; null: one request for all of them. */
  days: number | null;
  /** Days before the last fetch that are requested again, to find late entries. */
  overlapDays: number;
  /** Days before now that the first fetch requests. */
  firstDays: number;
}

/** A list that is read page by page: an API or a listing. */
export interface ListRules {
  kind: "list";
  reading: Extract<Reading, { kind: "json" | "html" }>;
  paging: Paging;
  /** Maximum number of pages per fetch, or per window. */
  maxPages: number;
  /** Whether new and changed items come first, so that a fetch may end at the first known item. */
  newestFirst: boolean;
  /** The body of a POST request; null for GET. */
  body: string | null;
  /** Null for a request without a window. */
  windows: Windows | null;
  /** Whether 404 means an empty result, as on a day without a gazette. */
  notFoundIsEmpty: boolean;
}

export interface SparqlRules {
  kind: "sparql";
  reading: Extract<Reading, { kind: "sparql" }>;
  /** Contains `{since}` and `{until}`. */
  query: string;
  windows: Windows;
  /** A result with this many rows was truncated: its window is requested again in two halves. */
  maxRows: number;
}

/** A sitemap, or an index of sitemaps, whose changed pages are fetched. */
export interface SitemapRules {
  kind: "sitemap";
  reading: Extract<Reading, { kind: "page" }>;
  /** Regular expressions; a URL counts if it matches one of `include` (if any) and none of `exclude`. */
  include: readonly string[];
  exclude: readonly string[];
  /** Like `include`, for the sitemaps of an index. */
  maps: readonly string[];
  /** Maximum number of sitemaps per fetch. */
  maxMaps: number;
  /** Maximum number of pages per fetch; the others wait for the next one. */
  maxPages: number;
  /** Days before now whose pages the first fetch reads. */
  firstDays: number;
}

export type StrategyRules = ListRules | SparqlRules | SitemapRules;

/** `{since}` or `{until:yyyyMMdd}`, also URL-encoded. */
const PLACEHOLDER = /(?:\{|%7B)(since|until)(?::((?:[^{}%]|%[0-689a-f][\da-f]|%7[0-9acef])+))?(?:\}|%7D)/gi;

/** The placeholders for days in a request's text: names and formats. */
export function windowPlaceholders(text: string): { name: string; format: string | undefined }[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = "", format]) => ({
    name: name.toLowerCase(),
    format: format === undefined ? undefined : decodeURIComponent(format),
  }));
}

/** A request's text with the days of a window (Unix ms, `until` excluded) in place of the placeholders. */
export function fillWindow(text: string, window: { sinceMs: number; untilMs: number }): string {
  return text.replace(PLACEHOLDER, (_, name: string, format: string | undefined) =>
    writeDate(
      name.toLowerCase() === "since" ? window.sinceMs : window.untilMs,
      format === undefined ? undefined : decodeURIComponent(format),
    ));
}

/** The position of the first placeholder of a text; -1 without one. */
export function placeholderAt(text: string): number {
  return text.search(PLACEHOLDER);
}
