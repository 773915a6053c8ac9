// The parsed contents of a document in any format, and the error for a document that cannot be read.

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

/** One item as the document states it: links are not resolved, markup is not decoded, and dates are not parsed. */
export interface ParsedItem {
  guid: string | null;
  /** The link as stated, which may be relative. */
  link: string | null;
  /** HTML markup, in which plain text is escaped. */
  title: string | null;
  /** HTML markup, in which plain text is escaped. */
  summary: string | null;
  publishedText: string | null;
  updatedText: string | null;
  categories: string[];
  /** Plain text. */
  authors: string[];
  /** The language as stated ("en-GB"), or null if it is the document's. */
  language: string | null;
  /** The item's own xml:base, or null if the document's base applies. */
  baseUrl: string | null;
}

/** A part of a document that was left out or could not be read. */
export interface ParseProblem {
  /** The title, id or position of the item ("item 3"), or "document". */
  item: string;
  reason: string;
  /** True if the part was left out or repaired on purpose, so that the operator need not act. */
  isMeant?: true;
}

export interface ParsedDocument {
  format: DocumentFormat;
  /** HTML markup. */
  title: string | null;
  /** The language as stated ("en-GB"). */
  language: string | null;
  /** The base of relative links: the document's xml:base, or else the site that it states. */
  baseUrl: string | null;
  /** The ttl that the document states, in minutes, or null if it states none. */
  ttlMinutes: number | null;
  /** The URL of the next document, which may be relative, or its cursor; null if there is none. */
  next: string | null;
  items: ParsedItem[];
  problems: ParseProblem[];
}

/** The properties of a document that states none of its own. */
export const NO_PROPERTIES = { title: null, language: null, baseUrl: null, ttlMinutes: null, next: null };

export function documentProblem(reason: string): ParseProblem {
  return { item: "document", reason };
}

/** Reads at most `maxItems` rows. `read` returns the item, or the reason why the row is not one. */
export function readItems<T>(
  rows: readonly T[],
  maxItems: number,
  read: (row: T) => ParsedItem | string,
): Pick<ParsedDocument, "items" | "problems"> {
  const items: ParsedItem[] = [];
  const problems: ParseProblem[] = [];
  for (const [index, row] of rows.slice(0, maxItems).entries()) {
    const item = read(row);
    if (typeof item === "string") problems.push({ item: `item ${index + 1}`, reason: item });
    else items.push(item);
  }
  const ignored = rows.length - maxItems;
  if (ignored > 0) {
    problems.push(documentProblem(`items beyond the first ${maxItems} (${ignored} in total) are ignored`));
  }
  return { items, problems };
}

/** The error for a document that cannot be read. The message names the actual format if it is known. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  /** `quote` is the end of the message, which quotes the document. */
  constructor(readonly summary: string, quote = "") {
    super(summary + quote);
  }
}
