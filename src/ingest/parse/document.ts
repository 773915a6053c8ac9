// Parses the bytes of a document in any format into items.
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { decodeText } from "./decode.ts";
import { binaryFormat, foreignText } from "./unexpected_format.ts";
import { DocumentError, type ParsedDocument } from "./parsed.ts";
import { keepNewest } from "./newest_items.ts";
import { readJsonFeed } from "./formats/read_json.ts";
import { readListing, readSinglePage } from "./formats/read_page.ts";
import { readApi, readSparql } from "./formats/read_rows.ts";
import { readXmlFeed } from "./formats/read_xml.ts";

export { DocumentError };
export type { DocumentFormat, ParsedDocument, ParsedItem, ParseProblem } from "./parsed.ts";

/** Maximum number of items that are read to find the newest, as a multiple of those that are kept. */
const READ_TIMES = 10;

/** Maximum length of other text before the XML declaration of a feed, such as PHP warnings, in characters. */
const MAX_WARNINGS = 65_536;

const MAX_NEXT_CHARACTERS = 4_096;

export interface ParseOptions {
  contentType: string | null;
  maxItems: number;
  /** IANA time zone of dates that state none, which is used to find the newest items. */
  timezone?: string;
  /** How the items are found, or null for a feed. */
  reading?: Reading | null;
  /** The default link of a page that is a single item. */
  url?: string | null;
  /** Whether errors may quote the document (default true). */
  mayQuote?: boolean;
}

/**
 * Reads a document according to the rules of its source. Without rules, it must be a feed, whose format is detected:
 * RSS 0.9x and 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0, or JSON Feed 1.0 and 1.1. An error in one item does not affect
 * other items. A truncated document yields its complete items and a problem. Only the newest `maxItems` items are kept.
 * Takes linear time and expands no declared entities. Throws only {@link DocumentError}, for example if the document
 * has another format or is truncated before the end of its first item.
 */
export function parseDocument(bytes: Uint8Array, options: ParseOptions): ParsedDocument {
  const { maxItems, timezone = "UTC", mayQuote = true } = options;
  try {
    const document = readDocument(bytes, { ...options, maxItems: maxItems * READ_TIMES });
    if ((document.next?.length ?? 0) > MAX_NEXT_CHARACTERS) {
      throw new DocumentError(`its link to the next page is longer than ${MAX_NEXT_CHARACTERS} characters`);
    }
    return keepNewest(document, { maxItems, timezone });
  } catch (error) {
    throw error instanceof DocumentError && !mayQuote ? new DocumentError(error.summary) : error;
  }
}

function readDocument(bytes: Uint8Array, options: ParseOptions): ParsedDocument {
  const { reading, contentType, maxItems, url = null } = options;
  const text = textOf(bytes, contentType, WANTED[reading?.kind ?? "feed"]);
  switch (reading?.kind) {
    case undefined:
      return readFeed(text, maxItems);
    case "json":
      return readApi(text, { reading, maxItems });
    case "sparql":
      return readSparql(text, { reading, maxItems });
    case "html":
      return readListing(text, { reading, maxItems });
    case "page":
      return readSinglePage(text, { reading, url });
  }
}

const WANTED = { feed: "a feed", json: "JSON", sparql: "JSON", html: "a page", page: "a page" } as const;

/** Returns the text of a document. Throws {@link DocumentError} if it is empty or clearly has another format. */
function textOf(
  bytes: Uint8Array,
  contentType: string | null,
  wanted: typeof WANTED[keyof typeof WANTED],
): string {
  if (bytes.length === 0) throw new DocumentError("the document is empty");
  const binary = binaryFormat(bytes);
  if (binary !== null) throw new DocumentError(`this is ${binary}, not ${wanted}`);
  const { text } = decodeText(bytes, contentType);
  const mark = /\S/.exec(text)?.[0];
  if (mark === undefined) throw new DocumentError("the document contains only white space");
  const isJson = mark === "{" || mark === "[";
  const isMarkup = mark === "<" || /<[a-z?!]/i.test(text);
  if (wanted === "JSON" ? !isJson : wanted === "a page" ? isJson || !isMarkup : !isJson && !isMarkup) {
    throw foreignText(text, wanted);
  }
  return text;
}

function readFeed(text: string, maxItems: number): ParsedDocument {
  if (/^\s*[{[]/.test(text)) return readJsonFeed(text, maxItems);
  const start = afterWarnings(text);
  const document = readXmlFeed(text.slice(start), maxItems);
  if (start === 0) return document;
  const reason = "there is other text before the feed, such as an error message from the site's software";
  return { ...document, problems: [{ item: "document", reason, isMeant: true }, ...document.problems] };
}

/** Returns the offset of XML that follows other text, such as an error message, or 0 if no text precedes it. */
function afterWarnings(text: string): number {
  const at = text.slice(0, MAX_WARNINGS).indexOf("<?xml");
  const before = text.slice(0, Math.max(0, at));
  return before.trim() === "" || /<(?:html|body|rss|feed)[\s>]/i.test(before) ? 0 : at;
}
