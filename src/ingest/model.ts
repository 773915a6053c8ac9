// The results of ingesting a source: for each item, for each document, and for the whole fetch.
import type { DocumentOrigin } from "../domain/event/provenance.ts";
import type { RecordDecision } from "../domain/ports/store/publications.ts";
import type { ClassifyRequest } from "./revise/classifier_input.ts";
import type { PermanentRedirects } from "./fetch/permanent_redirects.ts";
import type { Identity } from "./identify/identity_rule.ts";
import type { FailedPart } from "./partial_failures.ts";
import type { DocumentFingerprint, FetchedDocument, FetchError, RefusedItem } from "./fetch/fetch_types.ts";
import type { NormalisedItem } from "./normalise/item.ts";

/** The decision on an item. A changed date that does not count as a revision is reported as "unchanged". */
export type ItemDecision = Exclude<RecordDecision, { kind: "date_changed" }>;

export interface DecidedItem {
  readonly item: NormalisedItem;
  /** The identity of the item. Usually, all language versions of a publication have the same one. */
  readonly key: string;
  /** The language of the document if the source has a URL per language; otherwise null. */
  readonly language: string | null;
  readonly notes: readonly string[];
  request(): ClassifyRequest;
  readonly decision: ItemDecision;
  /** Whether the item is recorded without a notification, because it was skipped as irrelevant before. */
  readonly suppressNotification: boolean;
}

export interface DocumentDecisions {
  readonly decided: readonly DecidedItem[];
  /** The identity rules after the document: unchanged, or with a later rule that the document made necessary. */
  readonly identity: Identity;
  /** The external ids of the publications in the document. */
  readonly seen: ReadonlySet<string>;
  /** Whether the document has a change that counts only once the next fetch confirms it. */
  readonly needsConfirmation: boolean;
  readonly notes: readonly string[];
}

export interface DocumentResult extends DocumentDecisions {
  readonly refused: readonly RefusedItem[];
  readonly partialFailures: readonly FailedPart[];
  /** Null for a document that could not be read. */
  readonly origin: DocumentOrigin | null;
  /** Identifies the content, so that the next fetch can recognise it; null if the document is one of several. */
  readonly content: Pick<FetchedDocument, "name" | "sha256" | "contentType" | "url"> | null;
}

export interface IngestResult {
  readonly decided: readonly DecidedItem[];
  readonly refused: readonly RefusedItem[];
  /** The numbers of items in documents that were not parsed again because they had not changed. */
  readonly repeated: { readonly unchanged: number; readonly irrelevant: number };
  readonly fingerprints: ReadonlyMap<string, DocumentFingerprint>;
  /** The parts of the source, other than items, that could not be fetched or read. */
  readonly partialFailures: readonly FailedPart[];
  /** Sentences for the operator, such as notes on items that are left out on purpose. */
  readonly notes: readonly string[];
  /** The cursor for the next fetch. It is stored once this fetch is finished. */
  readonly cursor: string | null;
  readonly identity: Identity;
  /** The external ids of the publications in the documents. */
  readonly seen: ReadonlySet<string>;
  /** The origin of the last document that was parsed, or null if none was. */
  readonly origin: DocumentOrigin | null;
  /** Whether every item of every document was processed, so that a missing publication is missing at the source too. */
  readonly isComplete: boolean;
  /** The failure of a fetch that may have recorded items. `cursor` is then stored only if `isCutShort` is true. */
  readonly failure: FetchError | null;
  /** Whether the fetch ended early because a host refused or throttled it. The next fetch then starts at `cursor`. */
  readonly isCutShort: boolean;
  /** The next cursor if this fetch failed after its first document, or null to keep the current cursor. */
  readonly progress: string | null;
  /** Whether the next fetch continues where this one ended. A first fetch that goes on is not yet complete. */
  readonly goesOn: boolean;
  /** The time until which the source says that it will not change, in Unix ms, or null if it states none. */
  readonly freshUntilMs: number | null;
  readonly redirects: readonly PermanentRedirects[];
}
