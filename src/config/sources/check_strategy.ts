// Checks that involve the fetch strategy and several keys of a source.
import { windowPlaceholders } from "../../domain/source/extraction_rules.ts";
import { dateFormatProblem } from "../../domain/source/date_format.ts";
import type { FetchStrategy } from "../../domain/source/source.ts";
import { joinList } from "../toml/problems.ts";
import { isTable } from "../toml/raw_document.ts";
import { STRATEGY_TABLES } from "./strategy_schema.ts";

/** A problem with a source. The path is relative to the source. */
interface SourceProblem {
  path: string[];
  message: string;
  /** Set if the key itself is wrong, not its value. */
  isKey?: true;
}

type Table = Record<string, unknown>;

/** The advice if `url` is missing, or `path` in the case of `files`. */
const MISSING_LOCATION: Readonly<Record<FetchStrategy, string>> = {
  feed: "a feed needs the URL of its document",
  files: "set it to the folder to watch",
  json: "an API needs the URL of its first page",
  html: "a listing needs the URL of its page",
  sparql: "set it to the URL of the endpoint",
  sitemap: "set it to the URL of the sitemap",
};

const NEED_TABLE: readonly FetchStrategy[] = ["json", "html", "sparql"];

const ONLY_FOR_FOLDERS = 'for a watched folder, set fetch_strategy = "files"';
const NOT_FOR_FOLDERS = "it does not apply to a folder";

/** Keys that `files` does not support, each with advice. */
const UNSUPPORTED_BY_FILES: Readonly<Record<string, string>> = {
  url: "set the folder as path",
  authorization: NOT_FOR_FOLDERS,
  authorization_file: NOT_FOR_FOLDERS,
  authorization_env: NOT_FOR_FOLDERS,
  headers: NOT_FOR_FOLDERS,
  crawl_delay: NOT_FOR_FOLDERS,
  ca_file: NOT_FOR_FOLDERS,
};

const UNSUPPORTED_BY_OTHERS = { path: ONLY_FOR_FOLDERS, follow_links: ONLY_FOR_FOLDERS };

export function strategyProblems(source: Table): SourceProblem[] {
  const strategy = (source.fetch_strategy ?? "feed") as FetchStrategy;
  if (!Object.hasOwn(MISSING_LOCATION, strategy)) return [];
  const problems: SourceProblem[] = [];
  const isFolder = strategy === "files";
  const location = isFolder ? "path" : "url";
  if (source[location] === undefined && source.urls === undefined) {
    problems.push({ path: [location], message: `is missing: ${MISSING_LOCATION[strategy]}` });
  }
  problems.push(...identityProblems(source, strategy));
  if (isFolder && source.base_url === undefined) {
    problems.push({ path: ["base_url"], message: "is missing: set it to the URL of the publisher's site" });
  }
  for (const [key, advice] of Object.entries(isFolder ? UNSUPPORTED_BY_FILES : UNSUPPORTED_BY_OTHERS)) {
    if (source[key] !== undefined) {
      problems.push({ path: [key], message: notSupported(strategy, advice), isKey: true });
    }
  }
  for (const other of Object.keys(STRATEGY_TABLES)) {
    if (other === strategy || source[other] === undefined) continue;
    const message = `belongs to fetch_strategy = "${other}", but this source has "${strategy}": ` +
      "change the strategy or remove this table";
    problems.push({ path: [other], message, isKey: true });
  }
  const table = source[strategy];
  if (isTable(table)) {
    for (const problem of tableProblems(strategy, table, source)) {
      problems.push({ ...problem, path: [strategy, ...problem.path] });
    }
  } else if (table === undefined && NEED_TABLE.includes(strategy)) {
    const message = `is missing: [sources.${strategy}] describes where the items are and what they contain`;
    problems.push({ path: [strategy], message });
  }
  return problems;
}

/** The strategies whose documents can be complete lists. */
const LISTS: readonly FetchStrategy[] = ["feed", "json", "html"];

/** The strategies that do not support `urls`, each with advice. */
const SINGLE_URL: Readonly<Partial<Record<FetchStrategy, string>>> = {
  files: "set the folder as path; it may contain files in every language",
  sparql: "set the endpoint as url, and select the languages in the query",
};

function identityProblems(source: Table, strategy: FetchStrategy): SourceProblem[] {
  const problems: SourceProblem[] = [];
  const advice = SINGLE_URL[strategy];
  if (source.urls !== undefined && advice !== undefined) {
    problems.push({ path: ["urls"], message: notSupported(strategy, advice), isKey: true });
  }
  if (source.urls !== undefined && source.url !== undefined) {
    const message = "cannot be combined with urls: set only one of the two";
    problems.push({ path: ["url"], message, isKey: true });
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

/** The required and allowed keys of each kind of paging. */
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
      message: `is not supported with paging = "${kind}": remove it, or change paging`,
      isKey: true,
    });
  }
  return problems;
}

/** Returns the URLs of a source: a single one, or one per language. */
export function urlsOf({ url, urls }: Table): string[] {
  const all = isTable(urls) ? Object.values(urls) : [url];
  return all.filter((one) => typeof one === "string");
}

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
    problems.push({
      path: [key],
      message: "has no effect unless url or body contains {since}",
      isKey: true,
    });
  }
  if (isAsked && table.newest_first === true) {
    const message = "has no effect with {since}: a window is always read completely";
    problems.push({ path: ["newest_first"], message });
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
      `lacks ${names}: select the days, as in ?date >= "{since}"^^xsd:date && ?date < "{until}"^^xsd:date`,
  }];
}

function notSupported(strategy: string, advice: string): string {
  return `is not supported with fetch_strategy = "${strategy}": remove this key; ${advice}`;
}
