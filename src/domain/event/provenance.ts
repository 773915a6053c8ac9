// Provenance: the origin of an event record, to which every value can be traced.

export interface DocumentOrigin {
  /** The file name, or the URL without user, query and fragment, which may contain secrets. */
  document: string;
  /** SHA-256 of the received bytes, 64 hexadecimal digits. */
  document_sha256: string;
  /** The HTTP status of the response, or null for a file. */
  http_status: number | null;
  fetched_at: number;
}

export interface LanguageOrigin extends DocumentOrigin {
  /** URL of the publication in this language. */
  url: string;
}

/** The origin of a record. It is stored with the record and never changes. */
export interface Provenance extends DocumentOrigin {
  /** The version of the classification rules, such as `2`, followed by `+` and a hash if the config adds rules. */
  rules_version: string;
  categories: string[];
  /** The languages stated by item, document and source, most specific first. */
  stated_languages: string[];
  /** The origins of the other languages that this version added or changed; null if there are none. */
  other_languages: Record<string, LanguageOrigin> | null;
}
