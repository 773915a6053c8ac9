// The strategy of a source: what must hold between its keys, and the rules that they make.
import {
  type FieldRules,
  ITEM_FIELDS,
  type Paging,
  type StrategyRules,
  windowPlaceholders,
  type Windows,
} from "../domain/reading.ts";
import { dateFormatProblem } from "../domain/date_format.ts";
import type { FetchStrategy } from "../domain/source.ts";
import { listWords } from "./problems.ts";
import { STRATEGY_TABLES, type StrategyTables } from "./strategy_schema.ts";

/** Something wrong with a source: where within it, and what. */
export interface SourceProblem {
  path: string[];
  message: string;
}

type Table = Record<string, unknown>;

/** What one strategy wants of a source's keys. */
interface StrategyKeys {
  /** What it needs that names its place, and why. */
  place: { key: "url" | "path"; missing: string };
  /** What a key means that it has no use for. */
  useless: Readonly<Record<string, string>>;
  /** Whether it cannot do without its table. */
  needsTable: boolean;
}

const OVER_HTTP = {
  path: 'a watched folder has fetch_strategy = "files"',
  follow_links: 'a watched folder has fetch_strategy = "files"',
};

const KEYS: Readonly<Record<FetchStrategy, StrategyKeys>> = {
  feed: {
    place: { key: "url", missing: "a feed needs the address of its document" },
    useless: OVER_HTTP,
    needsTable: false,
  },
  files: {
    place: { key: "path", missing: "files need the folder that is watched" },
    useless: {
      url: "write the folder as path",
      ...Object.fromEntries(
        ["authorization", "authorization_file", "authorization_env", "headers", "crawl_delay", "ca_file"].map(
          (key) => [
            key,
            "a folder is read without it",
          ],
        ),
      ),
    },
    needsTable: false,
  },
  json: {
    place: { key: "url", missing: "an API needs the address of its first page" },
    useless: OVER_HTTP,
    needsTable: true,
  },
  html: {
    place: { key: "url", missing: "a listing needs the address of its page" },
    useless: OVER_HTTP,
    needsTable: true,
  },
  sparql: {
    place: { key: "url", missing: "it needs the address of the endpoint" },
    useless: OVER_HTTP,
    needsTable: true,
  },
  sitemap: {
    place: { key: "url", missing: "it needs the address of the map" },
    useless: OVER_HTTP,
    needsTable: false,
  },
};

/** What is wrong between the keys of a raw source. */
export function strategyProblems(source: Table): SourceProblem[] {
  const strategy = (source.fetch_strategy ?? "feed") as FetchStrategy;
  const keys = Object.hasOwn(KEYS, strategy) ? KEYS[strategy] : undefined;
  if (keys === undefined) return [];
  const problems: SourceProblem[] = [];
  const { key, missing } = keys.place;
  if (source[key] === undefined && source.urls === undefined) {
    problems.push({ path: [key], message: `is missing: ${missing}` });
  }
  problems.push(...identityProblems(source, strategy));
  if (strategy === "files" && source.base_url === undefined) {
    problems.push({
      path: ["base_url"],
      message: "is missing: files need the address of the publisher's site",
    });
  }
  for (const [useless, advice] of Object.entries(keys.useless)) {
    if (source[useless] !== undefined) problems.push({ path: [useless], message: notFor(strategy, advice) });
  }
  for (const other of Object.keys(STRATEGY_TABLES)) {
    if (other === strategy || source[other] === undefined) continue;
    const message = `belongs to fetch_strategy = "${other}", and this source has "${strategy}": ` +
      "set that one, or take this table out";
    problems.push({ path: [other], message });
  }
  const table = source[strategy];
  if (isTable(table)) {
    for (const { path, message } of tableProblems(strategy, table, source)) {
      problems.push({ path: [strategy, ...path], message });
    }
  } else if (table === undefined && keys.needsTable) {
    const message = `is missing: [sources.${strategy}] says where the items are and what they hold`;
    problems.push({ path: [strategy], message });
  }
  return problems;
}

/** The strategies whose documents may be complete lists. */
const LISTS: readonly FetchStrategy[] = ["feed", "json", "html"];

/** The strategies that have no use for an address for each language, and what to do instead. */
const ONE_ADDRESS: Readonly<Partial<Record<FetchStrategy, string>>> = {
  files: "write the folder as path, with the files of every language in it",
  sparql: "write the endpoint as url, and ask for the languages in the query",
};

function identityProblems(source: Table, strategy: FetchStrategy): SourceProblem[] {
  const problems: SourceProblem[] = [];
  const advice = ONE_ADDRESS[strategy];
  if (source.urls !== undefined && advice !== undefined) {
    problems.push({ path: ["urls"], message: notFor(strategy, advice) });
  }
  if (source.urls !== undefined && source.url !== undefined) {
    const message = "stands beside urls: write one address, or one for each language";
    problems.push({ path: ["url"], message });
  }
  if (source.removals === true && !LISTS.includes(strategy)) {
    const message = notFor(strategy, "it never gives a complete list, so that nothing can be missing");
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
    problems.push({ path: ["title"], message: "is missing: it says where the title of an item stands" });
  }
  if (table.link === undefined && table.id === undefined) {
    problems.push({
      path: ["link"],
      message: "is missing: by its link, or by an id, an item is known again",
    });
  }
  return problems;
}

/** Which keys each kind of paging needs and which it may have, of those that not every kind knows. */
const PAGING_KEYS: Readonly<Record<string, { needs: string[]; takes: string[] }>> = {
  none: { needs: [], takes: [] },
  page: { needs: [], takes: ["parameter", "first"] },
  offset: { needs: ["parameter", "page_size"], takes: ["first"] },
  cursor: { needs: ["parameter", "next"], takes: [] },
  link: { needs: [], takes: ["next"] },
};

function pagingProblems(table: Table): SourceProblem[] {
  const kind = String(table.paging ?? "none");
  const keys = Object.hasOwn(PAGING_KEYS, kind) ? PAGING_KEYS[kind] : undefined;
  if (keys === undefined) return [];
  const problems: SourceProblem[] = keys.needs.filter((key) => table[key] === undefined).map((key) => ({
    path: [key],
    message: `is missing: paging = "${kind}" needs ${listWords(keys.needs)}`,
  }));
  for (const key of ["parameter", "first", "page_size", "next", "newest_first"]) {
    const isKnown = keys.needs.includes(key) || keys.takes.includes(key) ||
      (key === "newest_first" && kind !== "none");
    if (table[key] === undefined || isKnown) continue;
    problems.push({
      path: [key],
      message: `has no use with paging = "${kind}": take it out, or name another paging`,
    });
  }
  return problems;
}

/** The addresses of a raw source, one or one for each language. */
function addressesOf({ url, urls }: Table): string[] {
  const all = isTable(urls) ? Object.values(urls) : [url];
  return all.filter((one) => typeof one === "string");
}

function asksForDays(text: string): boolean {
  return windowPlaceholders(text).some(({ name }) => name === "since");
}

const WINDOW_KEYS = ["window_days", "overlap_days", "first_days"];

function windowProblems(table: Table, source: Table): SourceProblem[] {
  const addresses = addressesOf(source);
  const texts = [...addresses, table.body].filter((text) => typeof text === "string");
  const places = texts.flatMap(windowPlaceholders);
  const problems = places.flatMap(({ format }) => formatProblems(format, addresses[0]));
  const unknown = addresses.flatMap((url) => [...url.matchAll(/\{([^{}]*)\}/g)]).find(([whole]) =>
    windowPlaceholders(whole).length === 0
  );
  if (unknown !== undefined) {
    const message = `holds ${unknown[0]} in the source's url: only {since} and {until} are filled in`;
    problems.push({ path: [], message });
  }
  const windowed = addresses.filter(asksForDays);
  if (windowed.length > 0 && windowed.length < addresses.length) {
    const message =
      "has {since} in one of the source's urls and not in each: write it in all of them or in none";
    problems.push({ path: [], message });
  }
  const isAsked = places.some(({ name }) => name === "since");
  for (const key of isAsked ? [] : WINDOW_KEYS) {
    if (table[key] === undefined) continue;
    problems.push({ path: [key], message: "has no use while neither url nor body holds {since}" });
  }
  if (isAsked && table.newest_first === true) {
    problems.push({
      path: ["newest_first"],
      message: "has no use with {since}: a window is read to its end",
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
  const places = windowPlaceholders(table.query);
  const missing = ["since", "until"].filter((name) => !places.some((place) => place.name === name));
  if (missing.length === 0) return places.flatMap(({ format }) => formatProblems(format, table.query));
  const names = listWords(missing.map((name) => `{${name}}`));
  return [{
    path: ["query"],
    message:
      `lacks ${names}: the days that it asks for, as in ?date >= "{since}"^^xsd:date && ?date < "{until}"^^xsd:date`,
  }];
}

function notFor(strategy: string, advice: string): string {
  return `has no use with fetch_strategy = "${strategy}": ${advice}, or take this key out`;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The rules that a checked source's table makes; null for a strategy without. */
export function buildRules(
  source: StrategyTables & {
    fetch_strategy: FetchStrategy;
    url?: string | undefined;
    urls?: Readonly<Record<string, string>> | undefined;
  },
): StrategyRules | null {
  if (source.fetch_strategy === "json" && source.json) return jsonRules(source.json, addressesOf(source));
  if (source.fetch_strategy === "html" && source.html) return htmlRules(source.html);
  if (source.fetch_strategy === "sparql" && source.sparql) return sparqlRules(source.sparql);
  if (source.fetch_strategy === "sitemap") {
    return sitemapRules(source.sitemap ?? STRATEGY_TABLES.sitemap.unwrap().parse({}));
  }
  return null;
}

function jsonRules(json: NonNullable<StrategyTables["json"]>, addresses: readonly string[]): StrategyRules {
  const hasWindow = [...addresses, json.body ?? ""].some(asksForDays);
  return {
    kind: "list",
    reading: {
      kind: "json",
      items: json.items,
      fields: fieldsOf(json),
      dateFormat: json.date_format ?? null,
      next: json.next ?? null,
    },
    paging: pagingOf(json),
    maxPages: json.max_pages,
    newestFirst: json.newest_first,
    body: json.body ?? null,
    windows: hasWindow ? windowsOf(json) : null,
    notFoundIsEmpty: json.not_found_is_empty,
  };
}

function htmlRules(html: NonNullable<StrategyTables["html"]>): StrategyRules {
  return {
    kind: "list",
    reading: {
      kind: "html",
      item: html.item,
      fields: fieldsOf(html),
      dateFormat: html.date_format ?? null,
      next: html.next ?? null,
    },
    paging: pagingOf(html),
    maxPages: html.max_pages,
    newestFirst: html.newest_first,
    body: null,
    windows: null,
    notFoundIsEmpty: false,
  };
}

function sparqlRules(sparql: NonNullable<StrategyTables["sparql"]>): StrategyRules {
  return {
    kind: "sparql",
    reading: { kind: "sparql", fields: fieldsOf(sparql), dateFormat: sparql.date_format ?? null },
    query: sparql.query,
    windows: windowsOf(sparql),
    maxRows: sparql.max_rows,
  };
}

function sitemapRules(sitemap: NonNullable<StrategyTables["sitemap"]>): StrategyRules {
  return {
    kind: "sitemap",
    reading: { kind: "page", fields: fieldsOf(sitemap), dateFormat: sitemap.date_format ?? null },
    include: sitemap.include,
    exclude: sitemap.exclude,
    maps: sitemap.maps,
    maxMaps: sitemap.max_maps,
    maxPages: sitemap.max_pages,
    firstDays: sitemap.first_days,
  };
}

function fieldsOf(table: { [K in typeof ITEM_FIELDS[number]]?: string[] | undefined }): FieldRules {
  return Object.fromEntries(ITEM_FIELDS.flatMap((field) => table[field] ? [[field, table[field]]] : []));
}

function windowsOf(
  table: { window_days?: number | undefined; overlap_days: number; first_days: number },
): Windows {
  return { days: table.window_days ?? null, overlapDays: table.overlap_days, firstDays: table.first_days };
}

function pagingOf(
  table: Pick<NonNullable<StrategyTables["json"]>, "paging" | "parameter" | "first" | "page_size">,
): Paging {
  const parameter = table.parameter ?? "page";
  switch (table.paging) {
    case "page":
      return { kind: "count", parameter, first: table.first ?? 1, step: 1 };
    case "offset":
      return { kind: "count", parameter, first: table.first ?? 0, step: table.page_size ?? 1 };
    case "cursor":
      return { kind: "cursor", parameter };
    case "link":
      return { kind: "link" };
    default:
      return { kind: "none" };
  }
}
