// The parsed contents of a document in any format, and the error for a document that cannot be read.

/** A format that is read. */
export type DocumentFormat =
  | "rss"
  | "rdf"
  | "atom"
  | "json-feed"
  | "json"
  | "html"
  | "sparql"
  | "sitemap"
  | "page";

/** One item as the document states it; nothing is resolved, decoded from markup or interpreted yet. */
export interface ParsedItem {
  guid: string | null;
  /** As stated: it may be relative. */
  link: string | null;
  /** As HTML markup; what the document states as plain text is escaped. */
  title: string | null;
  /** As HTML markup; what the document states as plain text is escaped. */
  summary: string | null;
  publishedText: string | null;
  updatedText: string | null;
  categories: string[];
  /** The names of those who made it, as plain text. */
  authors: string[];
  /** As stated ("en-GB"); null leaves it to the document. */
  language: string | null;
  /** The item's own xml:base; null leaves it to the document. */
  baseUrl: string | null;
}

/** Something that was left out or could not be read, and why. */
export interface ParseProblem {
  /** The item's position ("item 3"), or "document". */
  item: string;
  reason: string;
  /** Whether it is how such documents are meant to be read, and nothing that somebody should mend. */
  isMeant?: true;
}

/** A feed. */
export interface ParsedDocument {
  format: DocumentFormat;
  /** As HTML markup. */
  title: string | null;
  /** As stated ("en-GB"). */
  language: string | null;
  /** The base of relative links: the document's xml:base, otherwise the site that it states. */
  baseUrl: string | null;
  /** For how many minutes the publisher says that it stays fresh. */
  ttlMinutes: number | null;
  /** Its reference to the next document: a URL, which may be relative, or a cursor; null without one. */
  next: string | null;
  items: ParsedItem[];
  problems: ParseProblem[];
}

/** The document cannot be read; the message says what it is instead. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  /** `quote` is the end of the message that repeats a part of the document. */
  constructor(readonly summary: string, quote = "") {
    super(summary + quote);
  }
}
