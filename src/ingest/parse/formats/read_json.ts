// Reads items from JSON Feed 1.0 and 1.1.
import type { ParsedDocument, ParsedItem, ParseProblem } from "../parsed.ts";
import { DocumentError, documentProblem, readItems } from "../parsed.ts";
import { escapeText } from "./scan_xml.ts";

export type JsonObject = Record<string, unknown>;

/** Reads a JSON Feed, or the complete items of a truncated one. Throws {@link DocumentError}. */
export function readJsonFeed(text: string, maxItems: number): ParsedDocument {
  const { value, complete } = parseJson(text, 2);
  if (!isFeed(value)) {
    throw new DocumentError(
      `this is JSON, but not a JSON Feed (it has neither a "version" of jsonfeed.org nor a "title" and "items"); ` +
        'fetch_strategy = "json" reads it with the rules items, title and link in [sources.json]',
    );
  }
  const stated = list(value.items);
  const { items, problems } = readItems(
    stated,
    maxItems,
    (item) => isObject(item) ? readItem(item) : "it is not an object",
  );
  if (!complete) problems.push(truncationOf(stated, items));
  return {
    format: "json-feed",
    title: markup(value.title),
    language: plain(value.language),
    baseUrl: plain(value.home_page_url) ?? plain(value.feed_url),
    ttlMinutes: null,
    next: null,
    items,
    problems,
  };
}

/** Returns the problem to report for truncated JSON. Throws {@link DocumentError} if no item is valid. */
export function truncationOf(stated: readonly unknown[], items: readonly ParsedItem[]): ParseProblem {
  if (items.length === 0) throw new DocumentError("the JSON is truncated before the first complete item");
  return documentProblem(`the document is truncated after item ${stated.length}`);
}

function readItem(item: JsonObject): ParsedItem {
  return {
    guid: plain(item.id),
    link: plain(item.url) ?? plain(item.external_url),
    title: markup(item.title),
    summary: markup(item.summary) ?? markup(item.content_text) ?? plain(item.content_html),
    publishedText: plain(item.date_published),
    updatedText: plain(item.date_modified),
    categories: list(item.tags).flatMap((tag) => plain(tag) ?? []),
    authors: [...list(item.authors), item.author].flatMap((author) =>
      (isObject(author) ? plain(author.name) : plain(author)) ?? []
    ),
    language: plain(item.language),
    baseUrl: null,
  };
}

/** Maximum number of values (objects, lists and members) of a JSON text. Each takes up to about 100 bytes of memory. */
const MAX_VALUES = 2_000_000;
const MAX_DEPTH = 1_000;

/**
 * Throws {@link DocumentError} if a JSON text has too many values or is nested too deeply. Neither a time limit nor a
 * memory limit can stop the runtime's JSON parser, so its work is bounded before it begins.
 */
function requireParsable(text: string): void {
  let values = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
      continue;
    }
    if (code === QUOTE) inString = true;
    else if (code === COMMA) values++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++;
      if (++depth > MAX_DEPTH) throw new DocumentError(`the JSON has more than ${MAX_DEPTH} levels`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  if (values > MAX_VALUES) throw new DocumentError(`the JSON has more than ${MAX_VALUES} values`);
}

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [...'"\\,{}[]']
  .map((mark) => mark.charCodeAt(0));

/**
 * Parses a JSON text. Truncated text is closed after the last complete item: an object in a list that is nested in
 * `depth - 1` objects. Throws {@link DocumentError}.
 */
export function parseJson(text: string, depth: number): { value: unknown; complete: boolean } {
  requireParsable(text);
  try {
    return { value: valueOf(text), complete: true };
  } catch (error) {
    const repaired = completeItems(text, depth);
    if (repaired === null) {
      throw new DocumentError("the JSON is truncated or not valid", `: ${(error as Error).message}`);
    }
    try {
      return { value: valueOf(repaired), complete: false };
    } catch {
      throw new DocumentError("the JSON is not valid", `: ${(error as Error).message}`);
    }
  }
}

/** Matches integers that may lose precision. Those with fewer digits are exact. */
const LONG_NUMBER = /\d{16}/;

function valueOf(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

/** Keeps an integer with too many digits as text, because two ids could be rounded to the same number. */
function keepDigits(_: string, value: unknown, { source = "" }: { source?: string }): unknown {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isRounded ? source : value;
}

const MARK = /["\\{}[\]]/g;

/** Returns the text up to the last complete item, closed to be valid JSON, or null if no item is complete. */
function completeItems(text: string, depth: number): string | null {
  const open: string[] = [];
  let inString = false;
  let end = -1;
  MARK.lastIndex = 0;
  for (let match = MARK.exec(text); match !== null; match = MARK.exec(text)) {
    const mark = match[0];
    if (mark === "\\") MARK.lastIndex++;
    else if (mark === '"') inString = !inString;
    else if (!inString) {
      if (mark === "{" || mark === "[") open.push(mark);
      else if (open.pop() !== (mark === "}" ? "{" : "[")) break;
      else if (mark === "}" && open.length === depth && open.indexOf("[") === depth - 1) end = MARK.lastIndex;
    }
  }
  return end === -1 ? null : `${text.slice(0, end)}]${"}".repeat(depth - 1)}`;
}

function isFeed(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  if (typeof value.version === "string" && value.version.includes("jsonfeed.org/version/")) return true;
  return plain(value.title) !== null && Array.isArray(value.items);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a value as plain text. Some publishers write ids and dates as numbers. */
function plain(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function markup(value: unknown): string | null {
  const text = plain(value);
  return text === null ? null : escapeText(text);
}
