// Remembers what the last look at a source's documents came to: the same bytes need no second one.
import { Buffer } from "node:buffer";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import type { SourceState } from "../../domain/source/source.ts";
import { type FetchedDocument, sha256Of } from "./fetch_types.ts";
import type { IngestResult } from "../model.ts";
import type { DocumentFingerprint } from "./fetch_types.ts";

/** Refused items that are remembered of a source; one with more is looked at each time. */
const MAX_REFUSED = 20;

/** So far the date is looked for at which a feed was built, bytes: it stands before the first item. */
const MAX_HEAD = 16_384;
const FIRST_ITEM = /[<:](?:item|entry)[\s/>]/i;
/** A date as RSS has it, and nothing else: no element that is read says anything of this form. */
const BUILD_DATE =
  /<lastBuildDate>(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:[A-Z]{1,4}|[+-]\d{4})<\/lastBuildDate>/;

/** What was looked at, by the names of the documents. */
export type Fingerprints = ReadonlyMap<string, DocumentFingerprint>;

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
export interface DocumentFingerprints {
  /**
   * Takes what the source's last fetch looked at. Nothing, when that was no fetch of this process, or none that was kept
   * whole. It is gone then: a fetch that comes to no good end leaves nothing to the next.
   */
  take(state: SourceState): Fingerprints;
  /** Keeps what a fetch has looked at that is finished, all of it. */
  keep(sourceId: string, left: Left, looks: Fingerprints): void;
}

/** Nothing was looked at. */
export const NO_FINGERPRINTS: Fingerprints = new Map();

/** An empty memory: a few words for each document of a source that is one by itself. */
export function createDocumentFingerprints(): DocumentFingerprints {
  const kept = new Map<string, { left: Left; looks: Fingerprints }>();
  return {
    take({ id, cursor, lastAttemptAtMs }) {
      const last = kept.get(id);
      kept.delete(id);
      return last?.left.cursor === cursor && last.left.atMs === lastAttemptAtMs
        ? last.looks
        : NO_FINGERPRINTS;
    },
    keep(sourceId, left, looks) {
      const refused = [...looks.values()].reduce((sum, look) => sum + look.refused.length, 0);
      if (looks.size > 0 && refused <= MAX_REFUSED) kept.set(sourceId, { left, looks });
    },
  };
}

/** The look at the same document; null when this is another one, or none was looked at. `reading` as it is read with. */
export function knownDocument(
  document: FetchedDocument,
  reading: Reading | null,
  look: DocumentFingerprint | undefined,
): DocumentFingerprint | null {
  if (look === undefined) return null;
  const { of } = look;
  const isSame = of.contentType === document.contentType && of.url === document.url &&
    of.essence === essenceOf(document, reading);
  return isSame ? look : null;
}

/**
 * The hash of all that is read of a document: of a feed without the date at which it was built, which many servers write
 * anew for each answer, and whose length alone remains. Of any other document, of its bytes.
 */
function essenceOf({ bytes, sha256 }: FetchedDocument, reading: Reading | null): string {
  if (reading !== null) return sha256;
  // Each byte as one character, so that places in the text are places in the bytes.
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD)).toString(
    "latin1",
  );
  const date = /^\s*</.test(head) ? BUILD_DATE.exec(head) : null;
  if (date === null || date.index > (FIRST_ITEM.exec(head)?.index ?? MAX_HEAD)) return sha256;
  const [before, after] = [bytes.subarray(0, date.index), bytes.subarray(date.index + date[0].length)];
  return `${sha256Of(before)} ${date[0].length} ${sha256Of(after)}`;
}

/** What a look at a document has come to. */
export function fingerprintOf(
  document: FetchedDocument,
  reading: Reading | null,
  { decided, refused }: Pick<IngestResult, "decided" | "refused">,
): DocumentFingerprint {
  const of = { essence: essenceOf(document, reading), contentType: document.contentType, url: document.url };
  return { of, ...countsOf(decided), refused };
}

/** Of a document's items those that are publications, and those that do not concern AI regulation. */
function countsOf(decided: IngestResult["decided"]): Pick<DocumentFingerprint, "known" | "irrelevant"> {
  const irrelevant = decided.filter(({ decision }) => decision.kind === "passed_over").length;
  return { known: decided.length - irrelevant, irrelevant };
}

/** Counts the items of a document again, when it is known what they have become with those of other documents. */
export function recount(
  looks: IngestResult["fingerprints"],
  name: string,
  decided: IngestResult["decided"],
): void {
  const look = looks.get(name);
  if (look !== undefined) looks.set(name, { ...look, ...countsOf(decided) });
}

/** Notes what came as it was: what was refused of a document is refused of the same again. */
export function repeatResult(
  { repeated, refused, fingerprints: looks }: Pick<IngestResult, "repeated" | "refused" | "fingerprints">,
  name: string,
  look: DocumentFingerprint,
): void {
  repeated.unchanged += look.known;
  repeated.irrelevant += look.irrelevant;
  refused.push(...look.refused);
  looks.set(name, look);
}
