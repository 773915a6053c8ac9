// The part of the Store port that records what sources publish.
import type { LocalizedText, RegEvent } from "../../event/event.ts";
import type { Provenance } from "../../event/provenance.ts";

/** Identifies a publication within its source, and the publication's content. */
export interface PublicationKey {
  /** The identity under the source's current rule. */
  key: string;
  /**
   * A hash of the content that counts for revisions. If the key is unknown but the newest version of one of the
   * source's publications has this content, the key is stored as a further identity of that publication.
   */
  contentHash: string;
  /** A hash of the content without its dates. Identifies a publication like the content hash. */
  textHash?: string;
  /** The identities under earlier rules of the source. */
  formerKeys?: readonly string[];
  /** The language of the text, if the source offers publications in several languages. */
  language?: string;
}

/** The newest stored version of a publication. Every value is read before the decision runs. */
export interface StoredPublication {
  externalId: string;
  contentHash: string;
  version: number;
  foundBy: "key" | "content" | "text" | "alias";
  /** Null while it is unknown. */
  textHash: string | null;
  /** The hash of content with a changed date that was seen only once, or null if there is none. */
  pendingHash: string | null;
  /** How often only the date has changed. */
  dateMoves: number;
  /** The number of identities added after the first one. */
  renamings: number;
  withdrawn: boolean;
  /** The identities in the order in which they were added. */
  keys: readonly string[];
  /** The hashes of the text by language, if the source offers several languages. */
  languages: ReadonlyMap<string, string>;
  /** The record as it is served. */
  event: RegEvent;
}

export type RecordDecision =
  /** `after_fetch`: subscribers are notified once the fetch is finished, unless it is a change spike. */
  | { kind: "record"; event: RegEvent; provenance: Provenance; notify: boolean | "after_fetch" }
  /**
   * `hashedAnew`: the hashes are computed in a new way and replace the stored ones. `repeats`: the text of the item
   * equals the record's text in another language, although the record has its own text in the item's language.
   * `untranslated`: like `repeats`, but the record has no text in the item's language. The hash of the text is stored.
   */
  | { kind: "unchanged"; hashedAnew?: true; repeats?: true; untranslated?: true }
  /**
   * The change is not a revision, so the new hash is stored without a record. `isPending`: the hash is stored beside
   * the content's hash until the next fetch confirms it.
   */
  | { kind: "date_changed"; isPending?: boolean }
  /** From now on, the newest record is served with one more language. */
  | { kind: "translated"; words: LocalizedText; url: string; provenance: Provenance; atMs: number }
  /** The text of the item is part of the version recorded for another language. The hash of the text is stored. */
  | { kind: "joined" }
  | { kind: "irrelevant" };

export type RemovalDecision =
  | Extract<RecordDecision, { kind: "record" | "unchanged" }>
  /** The count of misses increases by one. */
  | { kind: "missed" };

export interface MissingPublication {
  stored: StoredPublication;
  /** The number of consecutive complete fetches without the publication, including the latest. */
  missed: number;
}

/** Publications. Each call is one transaction, and decisions are pure. */
export interface PublicationStore {
  /**
   * Decides on each publication from its stored state and records the outcome. Returns the decisions in order once they
   * would survive a power failure. An event with `notify` can be matched as soon as the transaction commits. Only one
   * writer records events at a time, so that `seq` follows the order of commits and no reader that pages by `seq` skips
   * an event. If `holder` is given, throws a {@link LeaseLostError} if another holder has leased the source since.
   */
  recordPublications<T extends PublicationKey>(
    sourceId: string,
    publications: readonly T[],
    decide: (publication: T, stored: StoredPublication | null) => RecordDecision,
    holder?: string,
  ): Promise<RecordDecision[]>;
  /** Returns the decisions that {@link recordPublications} would make. Writes nothing. */
  previewPublications<T extends PublicationKey>(
    sourceId: string,
    publications: readonly T[],
    decide: (publication: T, stored: StoredPublication | null) => RecordDecision,
  ): Promise<RecordDecision[]>;
  /**
   * Decides on the source's publications that are dated at or after `sinceMs`, are not withdrawn, and are missing from
   * a complete fetch. `seen` contains the external ids in that fetch. The decisions are in the order of `missing`.
   * Throws a {@link LeaseLostError} like {@link recordPublications}.
   */
  recordRemovals(
    sourceId: string,
    fetch: { seen: ReadonlySet<string>; sinceMs: number; holder?: string },
    decide: (missing: readonly MissingPublication[]) => RemovalDecision[],
  ): Promise<RemovalDecision[]>;
}
