// Remembers the result of a source's documents, so that the same bytes are not parsed again.
import { Buffer } from "node:buffer";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import type { SourceState } from "../../domain/source/source.ts";
import { type DocumentFingerprint, type FetchedDocument, sha256Of } from "./fetch_types.ts";
import type { DecidedItem } from "../model.ts";

/** Maximum number of refused items that are remembered of a source; with more, its documents are parsed each time. */
const MAX_REFUSED = 20;

/** Where the build date of a feed is looked for, in bytes from its beginning: it precedes the first item. */
const MAX_HEAD = 16_384;
const FIRST_ITEM = /[<:](?:item|entry)[\s/>]/i;
/** A date as RSS writes it. */
const BUILD_DATE =
  /<lastBuildDate>(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:[A-Z]{1,4}|[+-]\d{4})<\/lastBuildDate>/;

/** Fingerprints by the names of the documents. */
export type Fingerprints = ReadonlyMap<string, DocumentFingerprint>;

/** Identifies a fetch by what it stored. */
export interface FinishedFetch {
  cursor: string | null;
  /** When it ended, Unix ms. */
  atMs: number;
}

/**
 * The fingerprints of this process. Settings and classification rules do not change while it runs; everything else that
 * a decision depends on is in the store and changes only by fetches.
 */
export interface DocumentFingerprints {
  /**
   * Removes and returns the fingerprints of the source's last fetch; empty if that was not a complete fetch of this
   * process. A fetch that fails leaves none.
   */
  take(state: SourceState): Fingerprints;
  /** Keeps the fingerprints of a finished fetch. */
  keep(sourceId: string, finished: FinishedFetch, fingerprints: Fingerprints): void;
}

/** No fingerprints: every document is read. */
export const NO_FINGERPRINTS: Fingerprints = new Map();

/** Creates an empty memory. */
export function createDocumentFingerprints(): DocumentFingerprints {
  const kept = new Map<string, { finished: FinishedFetch; fingerprints: Fingerprints }>();
  return {
    take({ id, cursor, lastAttemptAtMs }) {
      const last = kept.get(id);
      kept.delete(id);
      return last?.finished.cursor === cursor && last.finished.atMs === lastAttemptAtMs
        ? last.fingerprints
        : NO_FINGERPRINTS;
    },
    keep(sourceId, finished, fingerprints) {
      const refused = [...fingerprints.values()].reduce((sum, one) => sum + one.refused.length, 0);
      if (fingerprints.size > 0 && refused <= MAX_REFUSED) kept.set(sourceId, { finished, fingerprints });
    },
  };
}

/** The fingerprint, if it is of the same document read with the same rules; otherwise null. */
export function knownDocument(
  document: FetchedDocument,
  reading: Reading | null,
  fingerprint: DocumentFingerprint | undefined,
): DocumentFingerprint | null {
  if (fingerprint === undefined) return null;
  const { of } = fingerprint;
  const now = identifyContent(document, reading);
  const isSame = of.contentType === now.contentType && of.url === now.url && of.essence === now.essence;
  return isSame ? fingerprint : null;
}

/**
 * Identifies what is read of a document. Of a feed that is everything except its build date, which many servers write
 * anew for each response; only the date's length counts. Of any other document it is the bytes.
 */
export function identifyContent(
  { bytes, sha256, contentType, url }: FetchedDocument,
  reading: Reading | null,
): DocumentFingerprint["of"] {
  const whole = { essence: sha256, contentType, url };
  if (reading !== null) return whole;
  // Latin-1 maps each byte to one character, so that an index in the text is an index in the bytes.
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD)).toString(
    "latin1",
  );
  const date = /^\s*</.test(head) ? BUILD_DATE.exec(head) : null;
  if (date === null || date.index > (FIRST_ITEM.exec(head)?.index ?? MAX_HEAD)) return whole;
  const [before, after] = [bytes.subarray(0, date.index), bytes.subarray(date.index + date[0].length)];
  return { ...whole, essence: `${sha256Of(before)} ${date[0].length} ${sha256Of(after)}` };
}

/** The fingerprint of a document from its content and the result of its items. */
export function fingerprintOf(
  of: DocumentFingerprint["of"],
  { decided, refused }: { decided: readonly DecidedItem[]; refused: DocumentFingerprint["refused"] },
): DocumentFingerprint {
  const irrelevant = decided.filter(({ decision }) => decision.kind === "irrelevant").length;
  return { of, known: decided.length - irrelevant, irrelevant, refused };
}
