// The schema of the strategies' tables: `[sources.json]`, `[sources.html]`, `[sources.sparql]` and `[sources.sitemap]`.
import * as z from "zod";
import { dateFormatProblem } from "../../domain/source/date_format.ts";
import { ITEM_FIELDS, type ItemField } from "../../domain/source/extraction_rules.ts";
import { readTemplate, readValuePath } from "../../domain/source/value_path.ts";
import { readPattern } from "./identity_rule.ts";
import { flag, list, oneOf, table, text, wants, wholeNumber } from "../schema_builders.ts";
import { describeKind, quote } from "../toml/problems.ts";
import type { Reading } from "../parse_values.ts";

const BOUNDS = {
  pages: { min: 1, max: 1_000 },
  maps: { min: 1, max: 500 },
  pageSize: { min: 1, max: 10_000 },
  firstPage: { min: 0, max: 1_000 },
  days: { min: 1, max: 3_660 },
  overlap: { min: 0, max: 366 },
  rows: { min: 10, max: 1_000_000 },
} as const;

/** Maximum length of an encoded query. Many servers reject longer URLs. */
const MAX_QUERY_CHARACTERS = 6_000;

/** Headers that Regfeed sets itself, or that have a separate key. */
const RESERVED_HEADERS = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "host",
  "if-modified-since",
  "if-none-match",
  "transfer-encoding",
  "user-agent",
]);

/** Returns what is wrong with a header's name, or null if it is valid. */
export function headerNameProblem(name: string): string | null {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return "is not a valid header name";
  const lower = name.toLowerCase();
  if (lower === "authorization") return "cannot be set here: use authorization of the source";
  if (lower === "user-agent") return "cannot be set here: use user_agent of [ingest]";
  return RESERVED_HEADERS.has(lower) ? "is a header that Regfeed sets itself: remove it" : null;
}

/** `[sources.headers]`, with NAME, NAME_file or NAME_env for each header. */
export const HEADERS_TABLE = z.record(
  z.string(),
  z.string({ error: wants("a string", '"…"', describeKind) }),
  { error: wants("a table", "[sources.headers]", describeKind) },
).optional();

function readPathText(value: string): Reading<string> {
  const reading = readValuePath(value);
  return "problem" in reading ? reading : { value };
}

function readRule(value: string): Reading<string> {
  const reading = value.includes("{") || value.includes("}") ? readTemplate(value) : readValuePath(value);
  if ("problem" in reading) return reading;
  return value === "" ? { problem: "is empty: set the path of the value" } : { value };
}

/** Parses a CSS selector, optionally followed by `@NAME` for an attribute. The selector engine validates it later. */
function readSelector(value: string): Reading<string> {
  return value.trim() === "" ? { problem: "is empty: set a selector" } : { value };
}

function readItemSelector(value: string): Reading<string> {
  if (/@[\w:.-]+$/.test(value)) {
    return { problem: "selects an attribute, but an item is an element: remove the @ and the name" };
  }
  return value.trim() === ""
    ? { problem: 'is empty: set the selector of an item, such as "article"' }
    : { value };
}

/** One rule, or a list of rules of which the first with a result is used. */
function rules(what: string, example: string, read: (text: string) => Reading<string>) {
  const wanted = wants(`${what}, or a list of them`, `"${example}"`);
  return z.unknown().transform((value, context): string[] => {
    const given = Array.isArray(value) && value.length > 0 ? value : [value];
    return given.flatMap((rule: unknown) => {
      const reading = typeof rule === "string" ? read(rule) : { problem: wanted({ input: rule }) };
      if ("value" in reading) return [reading.value];
      context.addIssue({ code: "custom", message: reading.problem });
      return [];
    });
  });
}

type Rules = ReturnType<typeof rules>;

function fields(
  what: string,
  examples: Readonly<Record<ItemField, string>>,
  read: (text: string) => Reading<string>,
) {
  const shape = {} as Record<ItemField, z.ZodOptional<Rules>>;
  for (const field of ITEM_FIELDS) shape[field] = rules(what, examples[field], read).optional();
  return shape;
}

const paths = fields("a path", {
  id: "id",
  link: "https://www.example.org/{id}",
  title: "title",
  summary: "abstract",
  published: "publication_date",
  updated: "updated",
  categories: "agencies.name",
  language: "lang",
}, readRule);

const selectors = fields("a selector", {
  id: "@data-id",
  link: "a@href",
  title: "h3",
  summary: "p",
  published: "time@datetime",
  updated: "time.updated@datetime",
  categories: ".tag",
  language: "@lang",
}, readSelector);

const dateFormat = text("a date format", "dd.MM.yyyy", (value): Reading<string> => {
  const problem = dateFormatProblem(value);
  return problem === null ? { value } : { problem };
}).optional();

const paging = {
  paging: oneOf(["none", "page", "offset", "cursor", "link"]).prefault("none"),
  parameter: text("the name of a query parameter", "page", readParameter).optional(),
  first: wholeNumber(BOUNDS.firstPage, "1").optional(),
  page_size: wholeNumber(BOUNDS.pageSize, "100").optional(),
  max_pages: wholeNumber(BOUNDS.pages, "10").prefault(10),
  newest_first: flag().prefault(false),
};

function readParameter(value: string): Reading<string> {
  return /^[^\s&=#]+$/.test(value)
    ? { value }
    : { problem: `is not a valid query parameter name: ${quote(value)}` };
}

function windows(defaults: { overlap: number; first: number }) {
  return {
    window_days: wholeNumber(BOUNDS.days, "30").optional(),
    overlap_days: wholeNumber(BOUNDS.overlap, "3").prefault(defaults.overlap),
    first_days: wholeNumber(BOUNDS.days, "30").prefault(defaults.first),
  };
}

const json = table({
  items: rules("a path", "results", readPathText).prefault(""),
  ...paths,
  date_format: dateFormat,
  ...paging,
  next: text("a path", "next_page_url", readPathText).optional(),
  body: z.string({ error: wants("a string", "'{ \"page\": 1 }'") }).optional(),
  ...windows({ overlap: 3, first: 30 }),
  not_found_is_empty: flag().prefault(false),
}, "[sources.json]");

const html = table({
  item: text("a selector", "article", readItemSelector),
  ...selectors,
  date_format: dateFormat,
  ...paging,
  next: text("a selector", "a[rel=next]@href", readSelector).optional(),
}, "[sources.html]");

const sparql = table({
  query: text("a query", "select … where { … }", readQuery),
  ...paths,
  date_format: dateFormat,
  ...windows({ overlap: 30, first: 90 }),
  max_rows: wholeNumber(BOUNDS.rows, "10000").prefault(10_000),
}, "[sources.sparql]");

function readQuery(value: string): Reading<string> {
  if (value.trim() === "") return { problem: "is empty: set a SPARQL query" };
  if (encodeURIComponent(value).length <= MAX_QUERY_CHARACTERS) return { value };
  return { problem: `is too long for a URL; the maximum is ${MAX_QUERY_CHARACTERS} encoded characters` };
}

function patterns() {
  const pattern = text("a regular expression", "/news/", readPattern);
  return list(pattern, "regular expressions", '["/news/"]').prefault([]);
}

const sitemap = table({
  include: patterns(),
  exclude: patterns(),
  maps: patterns(),
  max_maps: wholeNumber(BOUNDS.maps, "20").prefault(20),
  max_pages: wholeNumber(BOUNDS.pages, "50").prefault(50),
  first_days: wholeNumber(BOUNDS.days, "30").prefault(30),
  ...selectors,
  date_format: dateFormat,
}, "[sources.sitemap]");

export const STRATEGY_TABLES = {
  json: json.optional(),
  html: html.optional(),
  sparql: sparql.optional(),
  sitemap: sitemap.optional(),
};

export type StrategyTables = {
  [K in keyof typeof STRATEGY_TABLES]?: z.output<typeof STRATEGY_TABLES[K]> | undefined;
};
