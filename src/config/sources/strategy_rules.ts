// Builds the fetch rules of a source from its strategy's table.
import {
  type FieldRules,
  ITEM_FIELDS,
  type Paging,
  type StrategyRules,
  type Windows,
} from "../../domain/source/extraction_rules.ts";
import type { FetchStrategy } from "../../domain/source/source.ts";
import { asksForDays, urlsOf } from "./check_strategy.ts";
import { STRATEGY_TABLES, type StrategyTables } from "./strategy_schema.ts";

export function buildRules(
  source: StrategyTables & {
    fetch_strategy: FetchStrategy;
    url?: string | undefined;
    urls?: Readonly<Record<string, string>> | undefined;
  },
): StrategyRules | null {
  if (source.fetch_strategy === "json" && source.json) return jsonRules(source.json, urlsOf(source));
  if (source.fetch_strategy === "html" && source.html) return htmlRules(source.html);
  if (source.fetch_strategy === "sparql" && source.sparql) return sparqlRules(source.sparql);
  if (source.fetch_strategy === "sitemap") {
    return sitemapRules(source.sitemap ?? STRATEGY_TABLES.sitemap.unwrap().parse({}));
  }
  return null;
}

function jsonRules(json: NonNullable<StrategyTables["json"]>, urls: readonly string[]): StrategyRules {
  const hasWindow = [...urls, json.body ?? ""].some(asksForDays);
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
