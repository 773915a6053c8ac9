// A document's bytes to its items and all that can be said of them without the store: pure, on whichever thread.
import type { Reading } from "../domain/reading.ts";
import { type Classify, classifyRequest } from "./classify_request.ts";
import { type Hashes, hashesOf } from "./identify.ts";
import { type NormalisedItem, normaliseItem } from "./normalise/item.ts";
import { DocumentError, type ParsedDocument, parseDocument } from "./parse/document.ts";
import type { Classified } from "./revise.ts";
import { itemsOf, SHARE_ITEMS, takeShare } from "./shares.ts";

/** Items of one document at most. */
export const MAX_ITEMS = 20_000;
/** Items of one part: read between two looks at whether it is somebody else's turn. */
const PART_ITEMS = 100;

/** A document and by what it is read. Nothing but data: it may go to another thread. */
export interface ContentsRequest {
  bytes: Uint8Array;
  contentType: string | null;
  /** Where it came from; null for a file. */
  url: string | null;
  /** How its items are found; null for a feed. */
  reading: Reading | null;
  /** IANA time zone of dates that state none. */
  timezone: string;
  /** Absolute address of the publisher's site. */
  baseUrl: string;
  /** How its items are classified right away; null where few of them will be asked about. */
  ahead: AheadRequest | null;
}

/** How a document's items are classified before they are asked about. */
export interface AheadRequest {
  sourceId: string;
  /** What the source states. */
  languages: readonly string[];
  /** Whether what does not concern AI regulation is kept as well. */
  keepsAll: boolean;
  /** How many shares of the items are taken by one thread or the other. */
  taken: SharedArrayBuffer;
}

/** What a document says beside its items. */
export interface DocumentFacts extends Pick<ParsedDocument, "language" | "next" | "problems" | "ttlMinutes"> {
  /** How many items it holds. */
  items: number;
}

/** An item with what was odd about it, or why there is none. */
export type ReadItem =
  | { ok: true; item: NormalisedItem; hashes: Hashes; notes: readonly string[] }
  | { ok: false; item: string; reason: string };

/** An item's classification; null when it is not relevant and nothing else was asked. */
export type AheadOfTime = Classified | null;

/**
 * Contents as they come: that there are none, or the document, its items in order, that these were all, and what the
 * readable ones of a share were classified as.
 */
export type ContentsPart =
  | { kind: "unreadable"; reason: string }
  | { kind: "document"; facts: DocumentFacts }
  | { kind: "items"; items: readonly ReadItem[] }
  | { kind: "all read" }
  | { kind: "classified"; share: number; classified: readonly AheadOfTime[] };

/** Reads a document part by part; no part takes long but the document. */
export function* readParts(request: ContentsRequest, classify: Classify): Generator<ContentsPart, void> {
  const { bytes, contentType, url, reading, timezone, baseUrl, ahead } = request;
  let document: ParsedDocument;
  try {
    document = parseDocument(bytes, {
      ...{ contentType, maxItems: MAX_ITEMS, timezone, reading, url },
      mayQuote: url !== null, // not a file: what lies in a folder by mistake may be secret
    });
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    yield { kind: "unreadable", reason: error.message };
    return;
  }
  const { items, language, next, problems, ttlMinutes } = document;
  yield { kind: "document", facts: { language, next, problems, ttlMinutes, items: items.length } };
  const read: NormalisedItem[] = [];
  for (let start = 0; start < items.length; start += PART_ITEMS) {
    const part = items.slice(start, start + PART_ITEMS).map((item, at): ReadItem => {
      const position = start + at;
      const outcome = normaliseItem(item, { document, documentUrl: url, baseUrl, timezone, position });
      return outcome.ok ? { ...outcome, hashes: hashesOf(outcome.item) } : outcome;
    });
    for (const one of part) if (one.ok) read.push(one.item);
    yield { kind: "items", items: part };
  }
  yield { kind: "all read" };
  if (ahead === null) return;
  const classifyOne = classifierAhead(ahead, language, classify);
  const shares = Math.ceil(read.length / SHARE_ITEMS);
  for (let share = takeShare(ahead.taken, shares); share !== null; share = takeShare(ahead.taken, shares)) {
    yield { kind: "classified", share, classified: itemsOf(read, share).map(classifyOne) };
  }
}

/** What document and source state of the language, the more specific first. */
export function statedLanguages(ofDocument: string | null, ofSource: readonly string[]): string[] {
  return [...(ofDocument === null ? [] : [ofDocument]), ...ofSource];
}

/** Classifies items of a document that states this language, each with all that will be asked of it. */
export function classifierAhead(
  { sourceId, languages, keepsAll }: AheadRequest,
  language: string | null,
  classify: Classify,
): (item: NormalisedItem) => AheadOfTime {
  const stated = { sourceId, statedLanguages: statedLanguages(language, languages) };
  return (item) => {
    const classified = classify(classifyRequest(item, stated));
    const { relevant } = classified;
    if (!relevant && !keepsAll) return null;
    const { language, eventType, topics, severity, aiActArticles } = classified;
    return { relevant, language, eventType, topics, severity, aiActArticles };
  };
}
