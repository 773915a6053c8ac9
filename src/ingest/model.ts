// What ingesting one source yields: its items with their decisions, and the result of the whole fetch.
import type { DocumentOrigin } from "../domain/event/provenance.ts";
import type { RecordDecision } from "../domain/ports/store/store.ts";
import type { ClassifyRequest } from "./revise/classify_request.ts";
import type { PermanentRedirects } from "./fetch/permanent_redirects.ts";
import type { Identity } from "./identify/identity_rule.ts";
import type { FailedPart } from "./partial_failures.ts";
import type { DocumentFingerprint, FetchError, RefusedItem } from "./fetch/fetch_types.ts";
import type { NormalisedItem } from "./normalise/item.ts";

/** An item with what became of it. */
export interface DecidedItem {
  item: NormalisedItem;
  /** Its identity; items in several languages of one publication mostly share it. */
  key: string;
  /** The language of its document, where the source has an address for each. */
  language: string | null;
  /** What was odd about it. */
  notes: readonly string[];
  /** What the classifier is given of it; made when it is asked for. */
  request(): ClassifyRequest;
  /** A date that moved and does not count is "unchanged". */
  decision: Exclude<RecordDecision, { kind: "redated" }>;
  /** Whether it is new and nobody is told: it was passed over before the source was told to take everything. */
  suppressNotification: boolean;
}

/** What a fetch of a source came to. */
export interface IngestResult {
  decided: DecidedItem[];
  refused: RefusedItem[];
  /** What came as it was, and was not read again. */
  repeated: { unchanged: number; irrelevant: number };
  /** What came of each document that means, when it comes again, that nothing has changed. */
  fingerprints: Map<string, DocumentFingerprint>;
  /** What of the source the fetch was without: parts of it, not items. */
  partialFailures: FailedPart[];
  /** What of it was left out on purpose, in words. */
  notes: string[];
  /** For the next fetch, once this one is finished. */
  cursor: string | null;
  identity: Identity;
  /** The publications that the documents held, by their external ids. */
  seen: Set<string>;
  /** Whether something counts only when it is seen again: the next fetch asks for everything anew. */
  needsConfirmation: boolean;
  /** Where the document came from that was read last; null when none was. */
  origin: DocumentOrigin | null;
  /** Whether every item of every document was taken, so that what is missing is missing in the source. */
  isComplete: boolean;
  /**
   * Why the fetch as a whole failed although parts of it were recorded: a later page that could not be had, fewer items
   * than the source's minimum. The cursor is then of no use, unless the fetch was cut short.
   */
  failure: FetchError | null;
  /** Whether a host wanted to be left alone before all was asked for: the next fetch goes on from the cursor. */
  isCutShort: boolean;
  /** What the next fetch begins with after this one failed on its way; null: what this one began with. */
  progress: string | null;
  /** Whether the next fetch goes on where this one ended, so that a first one is not over. */
  goesOn: boolean;
  /** Until when the source says that it stays as it is, Unix ms; null where it says nothing. */
  freshUntilMs: number | null;
  /** Whether each of its addresses says that it has moved for good. */
  redirects: readonly PermanentRedirects[];
}
