// Remembers what the last look at a source's documents came to: the same bytes need no second one.
import type { SourceState } from "../domain/source.ts";
import type { FetchedDocument } from "./fetched.ts";
import type { ProcessedSource, Refusal } from "./process.ts";

/** Refused items that are remembered of a source; one with more is looked at each time. */
const MAX_REFUSED = 20;

/** A document that was dealt with, and what came of it. */
export interface DocumentLook {
  /**
   * Its bytes, and what else of an answer decides on how they are read: the type names a character set, and links are
   * relative to the address.
   */
  of: Pick<FetchedDocument, "sha256" | "contentType" | "url">;
  /** Items that are publications: unchanged ones, when the document comes again. */
  known: number;
  /** Items that do not concern AI regulation. */
  passedOver: number;
  refused: readonly Refusal[];
}

/** What was looked at, by the names of the documents. */
export type Looks = ReadonlyMap<string, DocumentLook>;

/** What a fetch leaves in the store, by which it is known again. */
export interface Left {
  cursor: string | null;
  /** When it ended, Unix ms. */
  atMs: number;
}

/**
 * What this process has looked at. Its settings and its classifier's rules are the same as long as it has this memory;
 * what else decides on an item is in the store, and changes only by fetches.
 */
export interface LastLooks {
  /**
   * Takes what the source's last fetch looked at. Nothing, when that was no fetch of this process, or none that was kept
   * whole. It is gone then: a fetch that comes to no good end leaves nothing to the next.
   */
  take(state: SourceState): Looks;
  /** Keeps what a fetch has looked at that is finished, all of it. */
  keep(sourceId: string, left: Left, looks: Looks): void;
}

/** Nothing was looked at. */
export const NO_LOOKS: Looks = new Map();

/** An empty memory: a few words for each document of a source that is one by itself. */
export function createLastLooks(): LastLooks {
  const kept = new Map<string, { left: Left; looks: Looks }>();
  return {
    take({ id, cursor, lastAttemptAtMs }) {
      const last = kept.get(id);
      kept.delete(id);
      return last?.left.cursor === cursor && last.left.atMs === lastAttemptAtMs ? last.looks : NO_LOOKS;
    },
    keep(sourceId, left, looks) {
      const refused = [...looks.values()].reduce((sum, look) => sum + look.refused.length, 0);
      if (looks.size > 0 && refused <= MAX_REFUSED) kept.set(sourceId, { left, looks });
    },
  };
}

/** The look at the same document; null when this is another one, or none was looked at. */
export function lookedAt(
  { sha256, contentType, url }: FetchedDocument,
  look: DocumentLook | undefined,
): DocumentLook | null {
  const isSame = look?.of.sha256 === sha256 && look.of.contentType === contentType && look.of.url === url;
  return isSame ? look : null;
}

/** What a look at a document has come to. */
export function lookAt(
  { sha256, contentType, url }: FetchedDocument,
  { decided, refused }: Pick<ProcessedSource, "decided" | "refused">,
): DocumentLook {
  const passedOver = decided.filter(({ decision }) => decision.kind === "passed_over").length;
  return { of: { sha256, contentType, url }, known: decided.length - passedOver, passedOver, refused };
}

/** Notes what came as it was: what was refused of a document is refused of the same again. */
export function repeatLook(
  { repeated, refused, looks }: Pick<ProcessedSource, "repeated" | "refused" | "looks">,
  name: string,
  look: DocumentLook,
): void {
  repeated.unchanged += look.known;
  repeated.passedOver += look.passedOver;
  refused.push(...look.refused);
  looks.set(name, look);
}
