// Checks that involve the fetch strategy and several keys of a source.
import { windowPlaceholders } from "../../domain/source/extraction_rules.ts";
import { dateFormatProblem } from "../../domain/source/date_format.ts";
import type { FetchStrategy } from "../../domain/source/source.ts";
import { joinList } from "../toml/problems.ts";
import { isTable } from "../toml/raw_document.ts";
import { STRATEGY_TABLES } from "./strategy_schema.ts";

/** A problem with a source; the path starts within the source. */
export interface SourceProblem {
  path: string[];
  message: string;
}

type Table = Record<string, unknown>;

/** What a strategy requires of a source's keys. */
interface StrategyKeys {
  /** The key for the location, and the message if it is missing. */
  location: { key: "url" | "path"; missing: string };
  /** Keys that the strategy does not support, with advice. */
  unsupported: Readonly<Record<string, string>>;
  /** Whether the strategy's table is required. */
  needsTable: boolean;
}

const OVER_HTTP = {
  path: 'for a watched folder, set fetch_strategy = "files"',
  follow_links: 'for a watched folder, set fetch_strategy = "files"',
};

const KEYS: Readonly<Record<FetchStrategy, StrategyKeys>> = {
  feed: {
    location: { key: "url", missing: "a feed needs the URL of its document" },
    unsupported: OVER_HTTP,
    needsTable: false,
  },
  files: {
    location: { key: "path", missing: "set it to the folder to watch" },
    unsupported: {
      url: "set the folder as path",
      ...Object.fromEntries(
        ["authorization", "authorization_file", "authorization_env", "headers", "crawl_delay", "ca_file"].map(
          (key) => [
            key,
            "it does not apply to a folder",
          ],
        ),
      ),
    },
    needsTable: false,
  },
  json: {
    location: { key: "url", missing: "an API needs the URL of its first page" },
    unsupported: OVER_HTTP,
    needsTable: true,
  },
  html: {
    location: { key: "url", missing: "a listing needs the URL of its page" },
    unsupported: OVER_HTTP,
    needsTable: true,
  },
  sparql: {
    location: { key: "url", missing: "set it to the URL of the endpoint" },
    unsupported: OVER_HTTP,
    needsTable: true,
  },
  sitemap: {
    location: { key: "url", missing: "set it to the URL of the sitemap" },
    unsupported: OVER_HTTP,
    needsTable: false,
  },
};

/** Problems of a source in the raw document. */
export function strategyProblems(source: Table): SourceProblem[] {
  const strategy = (source.fetch_strategy ?? "feed") as FetchStrategy;
  const keys = Object.hasOwn(KEYS, strategy) ? KEYS[strategy] : undefined;
  if (keys === undefined) return [];
  const problems: SourceProblem[] = [];
  const { key, missing } = keys.location;
  if (source[key] === undefined && source.urls === undefined) {
    problems.push({ path: [key], message: `is missing: ${missing}` });
  }
  problems.push(...identityProblems(source, strategy));
  if (strategy === "files" && source.base_url === undefined) {
    problems.push({
      path: ["base_url"],
      message: "is missing: set it to the URL of the publisher's site",
    });
  }
  for (const [unsupported, advice] of Object.entries(keys.unsupported)) {
    if (source[unsupported] === undefined) continue;
    problems.push({ path: [unsupported], message: notSupported(strategy, advice) });
  }
  for (const other of Object.keys(STRATEGY_TABLES)) {
    if (other === strategy || source[other] === undefined) continue;
    const message = `belongs to fetch_strategy = "${other}", but this source has "${strategy}": ` +
      "change the strategy or remove this table";
    problems.push({ path: [other], message });
  }
  const table = source[strategy];
  if (isTable(table)) {
    for (const { path, message } of tableProblems(strategy, table, source)) {
      problems.push({ path: [strategy, ...path], message });
    }
  } else if (table === undefined && keys.needsTable) {
    const message = `is missing: [sources.${strategy}] describes where the items are and what they contain`;
    problems.push({ path: [strategy], message });
  }
  return problems;
}

/** The strategies whose documents may be complete lists. */
const LISTS: readonly FetchStrategy[] = ["feed", "json", "html"];

/** The strategies that support only one URL, with advice. */
const SINGLE_URL: Readonly<Partial<Record<FetchStrategy, string>>> = {
  files: "set the folder as path; it may contain files in every language",
  sparql: "set the endpoint as url, and select the languages in the query",
};

function identityProblems(source: Table, strategy: FetchStrategy): SourceProblem[] {
  const problems: SourceProblem[] = [];
  const advice = SINGLE_URL[strategy];
  if (source.urls !== undefined && advice !== undefined) {
    problems.push({ path: ["urls"], message: notSupported(strategy, advice) });
  }
  if (source.urls !== undefined && source.url !== undefined) {
    const message = "cannot be combined with urls: set either one URL or one per language";
    problems.push({ path: ["url"], message });
  }
  if (source.removals === true && !LISTS.includes(strategy)) {
    const message = notSupported(strategy, "its documents are never complete lists");
    problems.push({ path: ["removals"], message });
  }
  return problems;
}

function tableProblems(strategy: FetchStrategy, table: Table, source: Table): SourceProblem[] {
  switch (strategy) {
    case "json":
      return [...fieldProblems(table), ...pagingProblems(table), ...windowProblems(table, source)];
    case "html":
      return [...fieldProblems(table), ...pagingProblems(table)];
    case "sparql":
      return [...fieldProblems(table), ...queryProblems(table)];
    default:
      return [];
  }
}

function fieldProblems(table: Table): SourceProblem[] {
  const problems: SourceProblem[] = [];
  if (table.title === undefined) {
    problems.push({ path: ["title"], message: "is missing: it selects the title of an item" });
  }
  if (table.link === undefined && table.id === undefined) {
    problems.push({
      path: ["link"],
      message: "is missing: an item needs a link or an id to be recognised again",
    });
  }
  return problems;
}

/** The keys that each kind of paging needs and allows, of those that not every kind has. */
const PAGING_KEYS: Readonly<Record<string, { needs: string[]; allows: string[] }>> = {
  none: { needs: [], allows: [] },
  page: { needs: [], allows: ["parameter", "first"] },
  offset: { needs: ["parameter", "page_size"], allows: ["first"] },
  cursor: { needs: ["parameter", "next"], allows: [] },
  link: { needs: [], allows: ["next"] },
};

function pagingProblems(table: Table): SourceProblem[] {
  const kind = String(table.paging ?? "none");
  const keys = Object.hasOwn(PAGING_KEYS, kind) ? PAGING_KEYS[kind] : undefined;
  if (keys === undefined) return [];
  const problems: SourceProblem[] = keys.needs.filter((key) => table[key] === undefined).map((key) => ({
    path: [key],
    message: `is missing: paging = "${kind}" needs ${joinList(keys.needs)}`,
  }));
  for (const key of ["parameter", "first", "page_size", "next", "newest_first"]) {
    const isKnown = keys.needs.includes(key) || keys.allows.includes(key) ||
      (key === "newest_first" && kind !== "none");
    if (table[key] === undefined || isKnown) continue;
    problems.push({
      path: [key],
      message: `is not supported with paging = "${kind}": remove it, or set another paging`,
    });
  }
  return problems;
}

/** The URLs of a source: one, or one per language. */
export function urlsOf({ url, urls }: Table): string[] {
  const all = isTable(urls) ? Object.values(urls) : [url];
  return all.filter((one) => typeof one === "string");
}

/** Whether a URL or body contains `{since}`. */
export function asksForDays(text: string): boolean {
  return windowPlaceholders(text).some(({ name }) => name === "since");
}

const WINDOW_KEYS = ["window_days", "overlap_days", "first_days"];

function windowProblems(table: Table, source: Table): SourceProblem[] {
  const urls = urlsOf(source);
  const texts = [...urls, table.body].filter((text) => typeof text === "string");
  const placeholders = texts.flatMap(windowPlaceholders);
  const problems = placeholders.flatMap(({ format }) => formatProblems(format, urls[0]));
  const unknown = urls.flatMap((url) => [...url.matchAll(/\{([^{}]*)\}/g)]).find(([whole]) =>
    windowPlaceholders(whole).length === 0
  );
  if (unknown !== undefined) {
    const message = `cannot use ${unknown[0]} in the source's url: only {since} and {until} are replaced`;
    problems.push({ path: [], message });
  }
  const windowed = urls.filter(asksForDays);
  if (windowed.length > 0 && windowed.length < urls.length) {
    const message = "has {since} in some of the source's urls: write it in all of them or in none";
    problems.push({ path: [], message });
  }
  const isAsked = placeholders.some(({ name }) => name === "since");
  for (const key of isAsked ? [] : WINDOW_KEYS) {
    if (table[key] === undefined) continue;
    problems.push({ path: [key], message: "has no effect unless url or body contains {since}" });
  }
  if (isAsked && table.newest_first === true) {
    problems.push({
      path: ["newest_first"],
      message: "has no effect with {since}: a window is always read completely",
    });
  }
  return problems;
}

function formatProblems(format: string | undefined, where: unknown): SourceProblem[] {
  const problem = format === undefined ? null : dateFormatProblem(format);
  return problem === null || where === undefined
    ? []
    : [{ path: [], message: `has a placeholder that ${problem}` }];
}

function queryProblems(table: Table): SourceProblem[] {
  if (typeof table.query !== "string") return [];
  const placeholders = windowPlaceholders(table.query);
  const missing = ["since", "until"].filter((name) => !placeholders.some((one) => one.name === name));
  if (missing.length === 0) return placeholders.flatMap(({ format }) => formatProblems(format, table.query));
  const names = joinList(missing.map((name) => `{${name}}`));
  return [{
    path: ["query"],
    message:
      `lacks ${names}, the days to select, as in ?date >= "{since}"^^xsd:date && ?date < "{until}"^^xsd:date`,
  }];
}

function notSupported(strategy: string, advice: string): string {
  return `is not supported with fetch_strategy = "${strategy}": ${advice}, or remove this key`;
}
