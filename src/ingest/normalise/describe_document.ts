// Describes the contents of a saved document for the command `source parse`.
import type { DocumentFormat, ParseProblem } from "../parse/document.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { previewDocument } from "../parse/preview_document.ts";
import { languageCode } from "./language.ts";
import { normaliseItem } from "./item.ts";
import { absoluteUrl } from "./links.ts";

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
    updated_at: number | null;
    categories: string[];
  }[];
  /** The problems of the document, the refused items, and notes on invalid values. */
  problems: ParseProblem[];
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
}

/** Describes a document of any fetch strategy. Throws a DocumentError if it cannot be read. */
export function describeDocument(bytes: Uint8Array, options: DescribeOptions): DocumentDescription {
  const { timezone = "UTC", baseUrl = "", reading = null } = options;
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
    const { guid, title, link, summary, publishedAtMs, updatedAtMs, categories } = outcome.item;
    for (const note of outcome.notes) description.problems.push({ item: title, reason: note });
    description.items.push({
      id: guid,
      title,
      link: link || statedRelative(parsed.link),
      summary,
      published_at: publishedAtMs,
      updated_at: updatedAtMs,
      categories,
    });
  }
  return description;
}

/** Returns a relative link, or null if it would not be valid with any base. */
function statedRelative(link: string | null): string | null {
  return link !== null && absoluteUrl(link, "https://base.invalid/") !== null ? link : null;
}
