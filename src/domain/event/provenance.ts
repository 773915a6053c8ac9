// Provenance: what one event record was made from, so that every value in it can be traced and explained.

/** Where a document came from. */
export interface DocumentOrigin {
  /**
   * Where the document came from: its address without user, query and fragment, which may hold secrets, or the name of
   * its file. `source_id` leads to the address that the config has.
   */
  document: string;
  /** SHA-256 of the document's bytes as they came, 64 hexadecimal characters. */
  document_sha256: string;
  /** The HTTP status with which it came, null for a file. */
  http_status: number | null;
  /** When it came, Unix ms. */
  fetched_at: number;
}

/** Where the words of a further language came from. */
export interface LanguageOrigin extends DocumentOrigin {
  /** Address of the publication in that language; older records say none. */
  url?: string | undefined;
}

/** What a record was made from, stored with it and never changed. With the record's own words it is all that was read. */
export interface Provenance extends DocumentOrigin {
  /** The version of the classification's rules: `1`, or `1+` and a hash where the config adds to them. */
  rules_version: string;
  /** The categories that the item states. */
  categories: string[];
  /** What item, document and source state of the language, the most specific first. */
  stated_languages: string[];
  /** Where the words of the record's other languages came from, by language, where these came or changed with it. */
  other_languages?: Record<string, LanguageOrigin> | undefined;
}
