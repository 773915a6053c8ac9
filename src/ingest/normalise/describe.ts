// What a saved document holds, as the command `source parse` prints it.
import type { DocumentFormat, ParseProblem } from "../parse/document.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { previewDocument } from "../parse/preview_document.ts";
import { languageCode } from "./language.ts";
import { normaliseItem } from "./item.ts";
import { absoluteUrl } from "./links.ts";

/** A document's items as JSON; times in Unix ms. */
export interface DocumentDescription {
  format: DocumentFormat;
  /** ISO 639-1, null when the document states none. */
  language: string | null;
  items: {
    /** The item's guid. */
    id: string | null;
    title: string;
    /** Absolute, or as stated where the document alone does not say what it is relative to. */
    link: string | null;
    summary: string;
    published_at: number | null;
    updated_at: number | null;
    categories: string[];
  }[];
  /** What was left out, and what of an item was not understood. */
  problems: ParseProblem[];
}

/** What a document is read with, as far as its source is known. */
export interface DescribeOptions {
  contentType: string | null;
  maxItems: number;
  /** The rules of its source; without them it is looked at by itself. */
  reading?: Reading | null;
  /** Of dates that state no zone; without it UTC, because only a source's config knows better. */
  timezone?: string;
  /** What relative links are relative to where the document does not say it. */
  baseUrl?: string;
}

/** Reads a document, of any strategy. Throws a DocumentError when it is none that can be read. */
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

/** A link that only lacks a base; null for one that no base makes an address. */
function statedRelative(link: string | null): string | null {
  return link !== null && absoluteUrl(link, "https://base.invalid/") !== null ? link : null;
}
