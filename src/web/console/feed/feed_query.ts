// The feed's query: the filters and paging of GET /v1/events, under the same names.
import { localPath } from "../../session/local_path.ts";
import type { TypedValues } from "../../session/typed_values.ts";

/** The filters of `GET /v1/events`. A list has several values. */
export const FEED_FILTERS = {
  q: "text",
  topics: "list",
  severity_min: "text",
  event_type: "list",
  article: "list",
  source: "list",
  language: "list",
  since: "text",
  until: "text",
  latest: "text",
  after: "text",
} as const;

export type FilterName = keyof typeof FEED_FILTERS;

/** The parameters of `GET /v1/events` that select a page. */
export const FEED_PAGING = ["limit", "before", "as_of"] as const;

/** The page's own parameter: the `before` of the earlier pages, so that there is a way back. */
const TRAIL = "trail";
const MAX_TRAIL = 8;

type PagingName = typeof FEED_PAGING[number];

export interface FeedQuery {
  filters: ReadonlyMap<FilterName, readonly string[]>;
  paging: Partial<Record<PagingName, string>>;
  /** The `before` of the earlier pages after the first one, oldest first. */
  trail: readonly string[];
  /** Parameters that the feed does not have. */
  unknown: readonly string[];
}

export const FEED_PATH = "/console";

export function readFeedQuery(typed: TypedValues): FeedQuery {
  const filters = new Map<FilterName, readonly string[]>();
  const paging: Partial<Record<PagingName, string>> = {};
  const unknown: string[] = [];
  for (const name of new Set(typed.entries().map(([name]) => name))) {
    const value = typed.get(name);
    if (isFilter(name)) {
      const values = FEED_FILTERS[name] === "list" ? [...new Set(typed.all(name))] : [value.trim()];
      if (values.some((one) => one !== "")) filters.set(name, values);
    } else if (isPaging(name)) {
      if (value !== "") paging[name] = value;
    } else if (name !== TRAIL) unknown.push(name);
  }
  const trail = typed.get(TRAIL).split(".").filter((id) => /^evt_\w{26}$/.test(id)).slice(-MAX_TRAIL);
  return { filters, paging, trail: paging.before === undefined ? [] : trail, unknown };
}

function isFilter(name: string): name is FilterName {
  return Object.hasOwn(FEED_FILTERS, name);
}

function isPaging(name: string): name is PagingName {
  return FEED_PAGING.some((one) => one === name);
}

/** Whether a browser sent a form, whose URL has empty or repeated parameters. The page then redirects to a clean URL. */
export function needsCleanUrl(typed: TypedValues): boolean {
  const entries = typed.entries();
  return entries.some(([, value]) => value === "") ||
    new Set(entries.map(([name]) => name)).size < entries.length;
}

/** Returns the local URL of a query. */
export function feedUrl({ filters, paging, trail }: Omit<FeedQuery, "unknown">): string {
  const parameters = [
    ...[...filters].map(([name, values]) => [name, values.join(",")] as const),
    ...FEED_PAGING.flatMap((name) => paging[name] === undefined ? [] : [[name, paging[name]] as const]),
    ...(trail.length === 0 ? [] : [[TRAIL, trail.join(".")] as const]),
  ];
  if (parameters.length === 0) return FEED_PATH;
  const query = parameters.map(([name, value]) => `${name}=${encodeValue(value)}`).join("&");
  return localPath(`${FEED_PATH}?${query}`, FEED_PATH);
}

/** The fields of a subscription's form that correspond to filters of the feed. */
const SUBSCRIPTION_FIELDS: Partial<Record<FilterName, string>> = {
  q: "q",
  topics: "topics",
  severity_min: "severity_min",
  event_type: "event_type",
  article: "article",
  source: "source_filter",
  language: "event_language",
};

/** Returns the URL of the form for a subscription with these filters, or null if it would have none. */
export function subscribeUrl({ filters }: Pick<FeedQuery, "filters">): string | null {
  const parameters = [...filters].flatMap(([name, values]) => {
    const field = SUBSCRIPTION_FIELDS[name];
    return field === undefined ? [] : [`${field}=${encodeValue(values.join(","))}`];
  });
  if (parameters.length === 0) return null;
  return localPath(`${FEED_PATH}/subscriptions/new?${parameters.join("&")}`, FEED_PATH);
}

/** Commas stay readable, because people send these URLs to each other. */
function encodeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("%2C", ",").replaceAll("%20", "+");
}

/** Returns the first page with these filters changed; an empty list removes a filter. Keeps the number of events. */
export function withFilters(
  query: FeedQuery,
  change: Partial<Record<FilterName, readonly string[]>>,
): FeedQuery {
  const filters = new Map(query.filters);
  for (const [name, values = []] of Object.entries(change) as [FilterName, readonly string[]][]) {
    if (values.length === 0) filters.delete(name);
    else filters.set(name, values);
  }
  const { limit } = query.paging;
  return { filters, paging: limit === undefined ? {} : { limit }, trail: [], unknown: [] };
}

/** Returns the next page, whose parameters the API's `Link` states. */
export function nextPage(query: FeedQuery, next: Readonly<Record<string, string>>): FeedQuery {
  if (query.filters.has("after")) {
    return next["after"] === undefined ? query : withFilters(query, { after: [next["after"]] });
  }
  const { before, as_of } = next;
  const own = query.paging.before;
  return {
    ...query,
    paging: {
      ...query.paging,
      ...(before === undefined ? {} : { before }),
      ...(as_of === undefined ? {} : { as_of }),
    },
    trail: own === undefined ? [] : [...query.trail, own].slice(-MAX_TRAIL),
  };
}

/** Returns the previous page, or null on the first one. */
export function previousPage(query: FeedQuery): FeedQuery | null {
  const { before: _, ...paging } = query.paging;
  if (query.paging.before === undefined) return null;
  const before = query.trail.at(-1);
  if (before === undefined) return withFilters(query, {});
  return { ...query, paging: { ...paging, before }, trail: query.trail.slice(0, -1) };
}

/** Returns the parameters for the API, without those that it found invalid. */
export function apiQuery(
  { filters, paging }: Pick<FeedQuery, "filters" | "paging">,
  invalid: ReadonlySet<string> = new Set(),
): Record<string, string> {
  const parameters = [
    ...[...filters].map(([name, values]) => [name, values.join(",")] as const),
    ...Object.entries(paging),
  ];
  return Object.fromEntries(parameters.filter(([name]) => !invalid.has(name)));
}
