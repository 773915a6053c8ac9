// Remembers the documents of each source's last fetch, so that the same bytes are not parsed again.
import type { SourceState } from "../../domain/source/source.ts";
import type { DocumentFingerprint, FetchedDocument, RefusedItem } from "./fetch_types.ts";
import type { DecidedItem } from "../model.ts";

type Fingerprints = ReadonlyMap<string, DocumentFingerprint>;

export const NO_FINGERPRINTS: Fingerprints = new Map();

/** Identifies a fetch by the cursor that it stored and by the time in Unix ms at which it ended. */
interface FinishedFetch {
  cursor: string | null;
  atMs: number;
}

/**
 * The fingerprints that an ingest loop keeps. They stay valid because a loop's settings and classification rules do not
 * change, and only fetches change the stored data on which decisions depend.
 */
export class DocumentFingerprints {
  readonly #kept = new Map<string, FinishedFetch & { fingerprints: Fingerprints }>();

  /**
   * Removes and returns the fingerprints of the source's last fetch if this loop completed it; otherwise, returns none.
   * A failed fetch leaves none.
   */
  take({ id, cursor, lastAttemptAtMs }: SourceState): Fingerprints {
    const last = this.#kept.get(id);
    this.#kept.delete(id);
    return last?.cursor === cursor && last.atMs === lastAttemptAtMs ? last.fingerprints : NO_FINGERPRINTS;
  }

  keep(sourceId: string, finished: FinishedFetch, fingerprints: Fingerprints): void {
    if (fingerprints.size > 0) this.#kept.set(sourceId, { ...finished, fingerprints });
  }
}

export function hasFingerprint(
  { sha256, contentType, url }: FetchedDocument,
  fingerprint: DocumentFingerprint | undefined,
): fingerprint is DocumentFingerprint {
  return fingerprint?.sha256 === sha256 && fingerprint.contentType === contentType && fingerprint.url === url;
}

/** Returns the fingerprint of a document, or null if items were refused, because every fetch reports refused items. */
export function fingerprintOf(
  content: Pick<FetchedDocument, "sha256" | "contentType" | "url">,
  { decided, refused }: { decided: readonly DecidedItem[]; refused: readonly RefusedItem[] },
): DocumentFingerprint | null {
  if (refused.length > 0) return null;
  const { sha256, contentType, url } = content;
  const irrelevant = decided.filter(({ decision }) => decision.kind === "irrelevant").length;
  return { sha256, contentType, url, known: decided.length - irrelevant, irrelevant };
}
