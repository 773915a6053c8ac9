// The results of ingesting a source: of each item, of each document, and of the fetch.
import type { DocumentOrigin } from "../domain/event/provenance.ts";
import type { RecordDecision } from "../domain/ports/store/publications.ts";
import type { ClassifyRequest } from "./revise/classifier_input.ts";
import type { PermanentRedirects } from "./fetch/permanent_redirects.ts";
import type { Identity } from "./identify/identity_rule.ts";
import type { FailedPart } from "./partial_failures.ts";
import type { DocumentFingerprint, FetchedDocument, FetchError, RefusedItem } from "./fetch/fetch_types.ts";
import type { NormalisedItem } from "./normalise/item.ts";

/** The decision on an item; a changed date that does not count is "unchanged". */
export type ItemDecision = Exclude<RecordDecision, { kind: "date_changed" }>;

export interface DecidedItem {
  readonly item: NormalisedItem;
  /** Its identity, which most items in several languages of one publication share. */
  readonly key: string;
  /** The language of its document, where the source has a URL for each. */
  readonly language: string | null;
  readonly notes: readonly string[];
  request(): ClassifyRequest;
  readonly decision: ItemDecision;
  /** Whether it is new but not notified, because the source skipped it before. */
  readonly suppressNotification: boolean;
}

export interface DocumentDecisions {
  readonly decided: readonly DecidedItem[];
  /** The identity after the document: the one before it, or a later rule that the document made necessary. */
  readonly identity: Identity;
  /** The publications in the document, by their external ids. */
  readonly seen: ReadonlySet<string>;
  /** Whether a change counts only when the next fetch confirms it. */
  readonly needsConfirmation: boolean;
  readonly notes: readonly string[];
}

export interface DocumentResult extends DocumentDecisions {
  readonly refused: readonly RefusedItem[];
  readonly partialFailures: readonly FailedPart[];
  /** Null for a document that could not be read. */
  readonly origin: DocumentOrigin | null;
  /** Identifies the same content at the next fetch; null for one document of several. */
  readonly content: Pick<FetchedDocument, "name" | "sha256" | "contentType" | "url"> | null;
}

export interface IngestResult {
  readonly decided: readonly DecidedItem[];
  readonly refused: readonly RefusedItem[];
  /** Items of documents that were not parsed again because they had not changed. */
  readonly repeated: { readonly unchanged: number; readonly irrelevant: number };
  readonly fingerprints: ReadonlyMap<string, DocumentFingerprint>;
  /** The parts of the source, other than items, that could not be fetched or read. */
  readonly partialFailures: readonly FailedPart[];
  /** Sentences on items that are left out on purpose. */
  readonly notes: readonly string[];
  /** For the next fetch, once this one is finished. */
  readonly cursor: string | null;
  readonly identity: Identity;
  /** The publications in the documents, by their external ids. */
  readonly seen: ReadonlySet<string>;
  /** The origin of the last document that was parsed; null if there is none. */
  readonly origin: DocumentOrigin | null;
  /** Whether every item of every document was taken, so that a missing publication is missing at the source. */
  readonly isComplete: boolean;
  /** Why the fetch failed although parts of it were recorded. The cursor is stored only if the fetch was cut short. */
  readonly failure: FetchError | null;
  /** Whether a host throttled the fetch before its end: the next fetch continues from the cursor. */
  readonly isCutShort: boolean;
  /** The next cursor if this fetch failed after its first document; null: the cursor of this fetch. */
  readonly progress: string | null;
  /** Whether the next fetch continues where this one ended, so that a first fetch is not over. */
  readonly goesOn: boolean;
  /** Until when the source says that it does not change, Unix ms; null if it does not say. */
  readonly freshUntilMs: number | null;
  /** The redirects of each configured URL. */
  readonly redirects: readonly PermanentRedirects[];
}
