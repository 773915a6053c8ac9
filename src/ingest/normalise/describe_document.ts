// Describes the contents of a saved document for the command `source parse`.
import type { DatePrecision } from "../../domain/event/event.ts";
import type { DocumentFormat, ParseProblem } from "../parse/document.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { decodeText } from "../parse/decode.ts";
import { guessedLines, previewDocument, type PreviewedDocument } from "../parse/preview_document.ts";
import { languageCode } from "./language.ts";
import { normaliseItem } from "./item.ts";
import { absoluteUrl } from "./links.ts";
import { textFromMarkup } from "./text.ts";

/** The URL of a suggested source whose document states none. Relative links are resolved against it. */
export const PLACEHOLDER_URL = "https://www.example.org/";

/** Maximum length of the part of a document that is searched for its URL, in characters. */
const MAX_HEAD = 65_536;

/** The items of a document as JSON, with times in Unix ms. */
export interface DocumentDescription {
  format: DocumentFormat;
  /** ISO 639-1 code, or null if the document states no language. */
  language: string | null;
  items: {
    id: string | null;
    title: string;
    /** An absolute URL, or the link as stated if the document does not state its base. */
    link: string | null;
    summary: string;
    published_at: number | null;
    /** The date of `published_at` as it is stated, `YYYY-MM-DD`. */
    published_on: string | null;
    published_at_precision: DatePrecision;
    updated_at: number | null;
    categories: string[];
  }[];
  /** The problems of the document, the refused items, and notes on invalid values. */
  problems: ParseProblem[];
  /** Only with {@link DescribeOptions.suggests}. */
  suggestion?: SourceSuggestion;
}

/** What a document tells about the source that would read it. */
export interface SourceSuggestion {
  fetchStrategy: "feed" | "json" | "html" | "sparql" | "sitemap";
  /** The title of the document, as one line of plain text. */
  title: string | null;
  /** The absolute URL that the document states as its own. */
  url: string | null;
  /** The guessed rules as lines of the strategy's table; empty if the strategy needs none. */
  rules: string[];
  /** The values of the items that no rule reads, as paths such as `agencies.name`. */
  others: string[];
}

export interface DescribeOptions {
  contentType: string | null;
  maxItems: number;
  /** If omitted or null, the format is detected. */
  reading?: Reading | null;
  /** IANA time zone of dates that state none. Defaults to UTC. */
  timezone?: string;
  /** The base of relative links if the document states none. */
  baseUrl?: string;
  /** Whether to suggest a source. */
  suggests?: boolean;
}

/** Describes a document of any fetch strategy. Throws a DocumentError if it cannot be read. */
export function describeDocument(bytes: Uint8Array, options: DescribeOptions): DocumentDescription {
  const { timezone = "UTC", reading = null } = options;
  const suggestedUrl = options.suggests === true ? statedUrl(bytes, options.contentType) : null;
  const baseUrl = options.baseUrl ?? suggestedUrl ?? (options.suggests === true ? PLACEHOLDER_URL : "");
  const document = previewDocument(bytes, {
    ...options,
    url: reading?.kind === "page" ? baseUrl || null : null,
  });
  const description: DocumentDescription = {
    format: document.format,
    language: languageCode(document.language),
    items: [],
    problems: document.problems.map(({ item, reason }) => ({ item, reason })),
  };
  for (const [position, parsed] of document.items.entries()) {
    const context = { document, documentUrl: null, baseUrl, timezone, position };
    const outcome = normaliseItem(parsed, context);
    if (!outcome.ok) {
      description.problems.push({ item: outcome.item, reason: outcome.reason });
      continue;
    }
    const { guid, title, link, summary, publishedAtMs, publishedPrecision, publishedOn } = outcome.item;
    const { updatedAtMs, categories } = outcome.item;
    for (const note of outcome.notes) description.problems.push({ item: title, reason: note });
    description.items.push({
      id: guid,
      title,
      link: link || statedRelative(parsed.link),
      summary,
      published_at: publishedAtMs,
      published_at_precision: publishedPrecision,
      published_on: publishedOn,
      updated_at: updatedAtMs,
      categories,
    });
  }
  return options.suggests === true
    ? { ...description, suggestion: suggestionOf(document, suggestedUrl) }
    : description;
}

function suggestionOf(
  { format, title, guessed, others }: PreviewedDocument,
  url: string | null,
): SourceSuggestion {
  return {
    fetchStrategy: format === "sitemap" ? "sitemap" : guessed?.kind ?? "feed",
    title: title === null ? null : textFromMarkup(title).replace(/\s+/g, " ") || null,
    url,
    rules: guessed === null || guessed.kind === "sparql" ? [] : guessedLines(guessed),
    others,
  };
}

/** Where documents state their own URL: Atom's link, JSON Feed's `feed_url`, and the canonical URL of a page. */
const STATED_URLS = [
  /<(?:\w+:)?link\b(?=[^<>]*\brel=["']self["'])[^<>]*\bhref=["']([^"'<>]+)["']/i,
  /"feed_url"\s*:\s*"([^"]+)"/,
  /<link\b(?=[^<>]*\brel=["']canonical["'])[^<>]*\bhref=["']([^"'<>]+)["']/i,
];

function statedUrl(bytes: Uint8Array, contentType: string | null): string | null {
  // The items of a feed have links too, so only the part before the first item counts.
  const [head = ""] = decodeText(bytes, contentType).text.slice(0, MAX_HEAD).split(
    /<(?:item|entry)[\s>]|"items"/,
    1,
  );
  for (const pattern of STATED_URLS) {
    const url = absoluteUrl(pattern.exec(head)?.[1]?.replaceAll("&amp;", "&").replaceAll("\\/", "/") ?? "");
    if (url !== null) return url;
  }
  return null;
}

/** Returns a relative link, or null if it would not be valid with any base. */
function statedRelative(link: string | null): string | null {
  return link !== null && absoluteUrl(link, "https://base.invalid/") !== null ? link : null;
}
