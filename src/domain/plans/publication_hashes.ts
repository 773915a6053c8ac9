// Plans how a decision changes the stored hashes of a publication.
import type { RegEvent } from "../event/event.ts";
import type { PublicationKey, RecordDecision, StoredPublication } from "../ports/store/publications.ts";

/** Whether the decision assigns the item to the publication that was found. */
export function isOfPublication(decision: RecordDecision, stored: StoredPublication): boolean {
  if (decision.kind === "record") return decision.event.external_id === stored.externalId;
  return decision.kind !== "irrelevant";
}

/** A change of the stored hashes without a new version. */
export type HashChange =
  /** Replaces the content hash and, unless it is undefined, the text hash. Adds to the stored `dateMoves`. */
  | { kind: "hashes"; contentHash: string; textHash: string | undefined; dateMoves: number }
  /** Stores the hash of content with a changed date beside the current hash, and counts the change of date. */
  | { kind: "pending"; contentHash: string }
  | { kind: "text"; textHash: string };

/** Plans the change of a known publication's hashes. Returns null if there is none. */
export function planHashes(
  { contentHash, textHash }: Pick<PublicationKey, "contentHash" | "textHash">,
  stored: Pick<StoredPublication, "contentHash" | "textHash">,
  decision: RecordDecision,
): HashChange | null {
  if (decision.kind === "date_changed") {
    return decision.isPending
      ? { kind: "pending", contentHash }
      : { kind: "hashes", contentHash, textHash, dateMoves: 1 };
  }
  if (decision.kind !== "unchanged") return null;
  if (decision.hashedAnew) return { kind: "hashes", contentHash, textHash, dateMoves: 0 };
  const lacksText = contentHash === stored.contentHash && stored.textHash === null && textHash !== undefined;
  return lacksText ? { kind: "text", textHash } : null;
}

/** Plans the hashes after a new version. Keeps those of a known publication if the item is in another language. */
export function planVersionHashes(
  { contentHash, textHash, language }: Pick<PublicationKey, "contentHash" | "textHash" | "language">,
  stored: Pick<StoredPublication, "contentHash" | "textHash" | "externalId"> | null,
  event: Pick<RegEvent, "language" | "external_id">,
): { contentHash: string; textHash: string | null } {
  const isOwn = stored === null || language === undefined || language === event.language ||
    stored.externalId !== event.external_id;
  return isOwn
    ? { contentHash, textHash: textHash ?? null }
    : { contentHash: stored.contentHash, textHash: stored.textHash };
}
