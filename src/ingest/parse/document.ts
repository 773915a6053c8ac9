// A document's bytes to its items, whatever its format: the door of this folder.
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

/** The items read of a document to find the newest, as a multiple of those taken; later ones are ignored. */
const READ_TIMES = 10;

/** So far a feed is looked for behind what does not belong to it, characters. */
const MAX_WARNINGS = 65_536;

/** Maximum length of the URL or cursor of the next page. */
const MAX_NEXT_CHARACTERS = 4_096;

/** The settings for reading a document. */
export interface ParseOptions {
  contentType: string | null;
  maxItems: number;
  /** In which dates are meant that name no zone (IANA); only the choice of the newest items needs it. */
  timezone?: string;
  /** How its items are found; without it, it is a feed. */
  reading?: Reading | null;
  /** Where it came from; only a page that is one item needs it. */
  url?: string | null;
  /** Whether errors may quote the document (default true). */
  mayQuote?: boolean;
}

/**
 * Reads a document by the rules of its source. Without rules it is a feed: RSS 0.9x and 2.0, RSS 1.0 (RDF), Atom 0.3
 * and 1.0, JSON Feed 1.0 and 1.1, told apart by what the document holds, never by its name or content type (which only
 * says the charset). What is broken in one item stays in that item; a document that breaks off gives its complete items
 * and a problem that says so. Of more than `maxItems` items the newest are given, and a problem that counts the others.
 * Reading takes time in proportion to the document, and no entity that the document declares is ever expanded.
 *
 * Throws a {@link DocumentError}, and nothing else, when the document is none of that kind or has no complete item.
 */
export function parseDocument(bytes: Uint8Array, options: ParseOptions): ParsedDocument {
  const { maxItems, timezone = "UTC", mayQuote = true } = options;
  try {
    const document = readDocument(bytes, { ...options, maxItems: maxItems * READ_TIMES });
    requireShortNext(document);
    return keepNewest(document, { maxItems, timezone });
  } catch (error) {
    throw error instanceof DocumentError && !mayQuote ? new DocumentError(error.summary) : error;
  }
}

function requireShortNext({ next }: ParsedDocument): void {
  if (next === null || next.length <= MAX_NEXT_CHARACTERS) return;
  throw new DocumentError(
    `its link to the next page is longer than ${MAX_NEXT_CHARACTERS} characters`,
  );
}

function readDocument(bytes: Uint8Array, options: ParseOptions): ParsedDocument {
  const reading = options.reading ?? null;
  const text = textOf(bytes, options.contentType, WANTED[reading?.kind ?? "feed"]);
  const { maxItems, url = null } = options;
  if (reading === null) return readFeed(text, maxItems);
  switch (reading.kind) {
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

/** The text of a document. Throws a {@link DocumentError} when it has none, or plainly is not what is wanted. */
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
  if (mark === undefined) throw new DocumentError("the document is empty: it holds only spaces");
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
  const reason = "there is other text before the feed, such as an error message of the site's software";
  return { ...document, problems: [{ item: "document", reason, isMeant: true }, ...document.problems] };
}

/** Where the XML begins behind what a site's software has written before it; 0 where it begins at the beginning. */
function afterWarnings(text: string): number {
  const at = text.slice(0, MAX_WARNINGS).indexOf("<?xml");
  const before = text.slice(0, Math.max(0, at));
  return before.trim() === "" || /<(?:html|body|rss|feed)[\s>]/i.test(before) ? 0 : at;
}
