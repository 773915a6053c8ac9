// How a source that is not a feed is requested and parsed, according to its strategy's table in the config.
import { writeDate } from "./date_format.ts";

/** The fields of an item. `published` and `updated` are dates. `categories` collects every value found. */
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
 * Where to find each field of an item. Of several alternatives, the first with a value counts. An alternative is a path
 * or a template of paths (`json`, `sparql`), or a selector (`html`, `sitemap`).
 */
export type FieldRules = Readonly<Partial<Record<ItemField, readonly string[]>>>;

/** How the documents of each strategy are parsed into items. */
export type Reading =
  /** `items` lists the paths to items; an empty path is the document itself. `next` is the path to the next page. */
  | {
    kind: "json";
    items: readonly string[];
    fields: FieldRules;
    dateFormat: string | null;
    next: string | null;
  }
  /** The items are the rows of a SPARQL result. A path is a variable's name. */
  | { kind: "sparql"; fields: FieldRules; dateFormat: string | null }
  /** `item` selects the items. Fields are selectors within an item. `next` selects the next page's URL. */
  | { kind: "html"; item: string; fields: FieldRules; dateFormat: string | null; next: string | null }
  /** Each page is one item. Its fields are selectors, which are tried before the default ones. */
  | { kind: "page"; fields: FieldRules; dateFormat: string | null };

export type Paging =
  | { kind: "none" }
  /** A query parameter counts pages (`step` is 1) or items (`step` is the page size) from `first`. */
  | { kind: "count"; parameter: string; first: number; step: number }
  /** The value that `next` finds in a document is sent in a query parameter to request the next page. */
  | { kind: "cursor"; parameter: string }
  /** The value that `next` finds, or else the HTTP header `Link`, contains the URL of the next page. */
  | { kind: "link" };

/** Which days the requests of a fetch cover, if they contain `{since}` and `{until}`. */
export interface Windows {
  /** Number of days per request, or null to request all days at once. */
  days: number | null;
  /** Number of days before the last fetch to request again, in order to find late entries. */
  overlapDays: number;
  /** Number of days before now that the first fetch requests. */
  firstDays: number;
}

/** A list that is read page by page: an API or a listing. */
export interface ListRules {
  kind: "list";
  reading: Extract<Reading, { kind: "json" | "html" }>;
  paging: Paging;
  /** Maximum number of pages per fetch or, if requests have windows, per window. */
  maxPages: number;
  /** Whether new and changed items come first, so that a fetch can stop at the first known item. */
  newestFirst: boolean;
  /** The body of a POST request, or null for GET. */
  body: string | null;
  /** Null if requests have no window. */
  windows: Windows | null;
  /** Whether a 404 means an empty result, as on a day without a gazette. */
  notFoundIsEmpty: boolean;
}

export interface SparqlRules {
  kind: "sparql";
  reading: Extract<Reading, { kind: "sparql" }>;
  /** The query, which contains `{since}` and `{until}`. */
  query: string;
  windows: Windows;
  /** Maximum number of rows. If a result has this many, its window is halved, and both halves are requested. */
  maxRows: number;
}

/** A sitemap or an index of sitemaps, whose changed pages are fetched. */
export interface SitemapRules {
  kind: "sitemap";
  reading: Extract<Reading, { kind: "page" }>;
  /** Regular expressions. A URL counts if it matches one of `include` (if there are any) and none of `exclude`. */
  include: readonly string[];
  exclude: readonly string[];
  /** Regular expressions for the sitemaps of an index, which work like `include`. */
  maps: readonly string[];
  /** Maximum number of sitemaps per fetch. */
  maxMaps: number;
  /** Maximum number of pages per fetch. Further pages wait for the next fetch; those of the first fetch are skipped. */
  maxPages: number;
  /** The first fetch reads pages that changed at most this many days ago. */
  firstDays: number;
}

export type StrategyRules = ListRules | SparqlRules | SitemapRules;

/** `{since}` or `{until:yyyyMMdd}`, also URL-encoded. */
const PLACEHOLDER = /(?:\{|%7B)(since|until)(?::((?:[^{}%]|%[0-689a-f][\da-f]|%7[0-9acef])+))?(?:\}|%7D)/gi;

/** Finds the placeholders for days in a request's text, with their names and formats. */
export function windowPlaceholders(text: string): { name: string; format: string | undefined }[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = "", format]) => ({
    name: name.toLowerCase(),
    format: format === undefined ? undefined : decodeURIComponent(format),
  }));
}

/** Replaces the placeholders with a window's first day (`sinceMs`, Unix ms) and the day after its last (`untilMs`). */
export function fillWindow(text: string, window: { sinceMs: number; untilMs: number }): string {
  return text.replace(PLACEHOLDER, (_, name: string, format: string | undefined) =>
    writeDate(
      name.toLowerCase() === "since" ? window.sinceMs : window.untilMs,
      format === undefined ? undefined : decodeURIComponent(format),
    ));
}

/** Returns the position of the first placeholder, or -1 if there is none. */
export function placeholderAt(text: string): number {
  return text.search(PLACEHOLDER);
}
