// The part of the Store port that records what sources publish.
import type { LocalizedText, RegEvent } from "../../event/event.ts";
import type { Provenance } from "../../event/provenance.ts";

/** Identifies a publication within its source and its content. */
export interface PublicationKey {
  /** The identity under the source's current rule. */
  key: string;
  /**
   * Hash of the content that counts for revisions. An unknown key is a new name of the publication whose newest version
   * has this content, if the source has one, and is stored as such.
   */
  contentHash: string;
  /** Hash of the content without its dates; identifies a publication like the content hash. */
  textHash?: string;
  /** Its identities under earlier rules of the source. */
  formerKeys?: readonly string[];
  /** The language of the text, where the source offers a publication in several. */
  language?: string;
}

/** The newest stored version of a publication. Every value is read before the decision runs. */
export interface StoredPublication {
  externalId: string;
  contentHash: string;
  version: number;
  foundBy: "key" | "content" | "text" | "alias";
  /** Null until it is known. */
  textHash: string | null;
  /** The hash of a change of date that was seen once; null if there is none. */
  pendingHash: string | null;
  /** How often only its date has changed. */
  dateMoves: number;
  /** The number of identities that were added after the first. */
  renamings: number;
  withdrawn: boolean;
  /** Its identities, the first one first. */
  keys: readonly string[];
  /** The hash of its text by language, where the source offers several. */
  languages: ReadonlyMap<string, string>;
  /** The record as it is served. */
  event: RegEvent;
}

export type RecordDecision =
  /** `after_fetch`: subscribers are notified once the fetch is finished, unless it is a change spike. */
  | { kind: "record"; event: RegEvent; provenance: Provenance; notify: boolean | "after_fetch" }
  /**
   * `hashedAnew`: the hashes are computed in a new way and replace the stored ones. `repeats`: the item repeats in its
   * language what the record says in another one, where the record has a different text. `untranslated`: the same where
   * the record has no text; the hash of the text is stored.
   */
  | { kind: "unchanged"; hashedAnew?: true; repeats?: true; untranslated?: true }
  /**
   * The change is not a revision: the new hash is stored without a record. `isPending`: the hash is stored beside that
   * of the content, to be confirmed by the next fetch.
   */
  | { kind: "date_changed"; isPending?: boolean }
  /** The newest record is served with one more language from then on. */
  | { kind: "translated"; words: LocalizedText; url: string; provenance: Provenance; atMs: number }
  /** Its text is part of the version recorded for another language; the hash of the text is stored. */
  | { kind: "joined" }
  | { kind: "irrelevant" };

/** The decision on a publication that a complete fetch did not contain. */
export type RemovalDecision =
  | Extract<RecordDecision, { kind: "record" | "unchanged" }>
  /** The count of misses goes up by one. */
  | { kind: "missed" };

/** A publication that a complete fetch did not contain. */
export interface MissingPublication {
  stored: StoredPublication;
  /** Consecutive complete fetches that did not contain it, the latest included. */
  missed: number;
}

/** Publications. Each call is one transaction, and decisions are pure. */
export interface PublicationStore {
  /**
   * Decides on each publication from its stored state and records the outcome. Returns the decisions in order, once
   * they survive a loss of power. An event with `notify` waits to be matched from the same transaction on. Events are
   * recorded by one writer at a time, so that `seq` follows the order of commits and no reader that pages by `seq`
   * skips one. Throws {@link LeaseLostError} when another holder has leased the source after `holder`, where one is
   * given.
   */
  recordPublications<T extends PublicationKey>(
    sourceId: string,
    publications: readonly T[],
    decide: (publication: T, stored: StoredPublication | null) => RecordDecision,
    holder?: string,
  ): Promise<RecordDecision[]>;
  /** The decisions that {@link recordPublications} would take; nothing is written. */
  previewPublications<T extends PublicationKey>(
    sourceId: string,
    publications: readonly T[],
    decide: (publication: T, stored: StoredPublication | null) => RecordDecision,
  ): Promise<RecordDecision[]>;
  /**
   * Decides on the source's publications that are dated at or after `sinceMs`, are not withdrawn and are missing from a
   * complete fetch: `seen` contains the external ids that it had. The decisions are in the order of `missing`. Throws
   * {@link LeaseLostError} like {@link recordPublications}.
   */
  recordRemovals(
    sourceId: string,
    fetch: { seen: ReadonlySet<string>; sinceMs: number; holder?: string },
    decide: (missing: readonly MissingPublication[]) => RemovalDecision[],
  ): Promise<RemovalDecision[]>;
}
