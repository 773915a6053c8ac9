// Where a document is read: on this thread, or on another when it is long, so that this one goes on with what waits and
// classifies a part of it.
import type { Clock, Log } from "../domain/ports.ts";
import { Ahead } from "./ahead.ts";
import type { Classify } from "./classify_request.ts";
import {
  type ContentsPart,
  type ContentsRequest,
  type DocumentFacts,
  type ReadItem,
  readParts,
} from "./contents.ts";
import { type Hashes, hashesOf } from "./identify.ts";
import type { NormalisedItem } from "./normalise/item.ts";
import { DocumentError } from "./parse/document.ts";
import type { Refusal } from "./process.ts";
import { createTurns, SHORT_TURN_MS } from "./turns.ts";

/** A shorter document is read sooner than another thread has begun, bytes. */
export const LONG_DOCUMENT_BYTES = 512 * 1024;

/** Reads a document on another thread; `take` is given its parts in order. Rejects when the thread breaks. */
export type ReadElsewhere = (
  request: ContentsRequest,
  take: (part: ContentsPart) => void,
) => Promise<unknown>;

/** What reading needs. */
export interface ReadOptions {
  classify: Classify;
  clock: Clock;
  log: Log;
  /** Without it, every document is read on this thread. */
  readElsewhere?: ReadElsewhere;
  /** Gives other work its turn when it is time. */
  pause(): Promise<void>;
}

/** What a document holds. */
export interface Contents {
  facts: DocumentFacts;
  items: NormalisedItem[];
  /** What was odd about an item, where something was. */
  notes: ReadonlyMap<NormalisedItem, readonly string[]>;
  /** Items that were refused. */
  refused: Refusal[];
  hashesOf(item: NormalisedItem): Hashes;
  /** What is classified meanwhile; null when each item is classified as it is decided on. */
  ahead: Ahead | null;
}

/**
 * Reads a document. A thread that breaks loses nothing: what it has not read is read here, what it has not classified is
 * classified when it is asked about. Throws {@link DocumentError} when nothing of the document can be read.
 */
export async function readContents(request: ContentsRequest, options: ReadOptions): Promise<Contents> {
  const { readElsewhere } = options;
  if (readElsewhere !== undefined && request.bytes.length >= LONG_DOCUMENT_BYTES) {
    const contents = await readThere(request, { ...options, readElsewhere });
    if (contents !== null) return contents;
  }
  return await readHere(request, options);
}

async function readHere(request: ContentsRequest, { classify, pause }: ReadOptions): Promise<Contents> {
  const collected = new Collected(null);
  for (const part of readParts({ ...request, ahead: null }, classify)) {
    collected.take(part);
    await pause();
  }
  return collected.contents();
}

/** Resolves when all items are there, while their classifications still come; null when the thread broke before. */
async function readThere(
  request: ContentsRequest,
  { readElsewhere, log, classify, clock }: ReadOptions & { readElsewhere: ReadElsewhere },
): Promise<Contents | null> {
  const pause = createTurns(clock, SHORT_TURN_MS);
  const ahead = request.ahead === null ? null : new Ahead({ request: request.ahead, classify, pause });
  const collected = new Collected(ahead);
  const { promise: allRead, resolve } = Promise.withResolvers<void>();
  const isOver = readElsewhere(request, (part) => {
    collected.take(part);
    if (collected.isWhole) resolve();
  }).catch((error) => {
    log.warn("the thread that reads long documents broke: the first one goes on without it", {
      url: request.url,
      cause: error instanceof Error ? error.message : String(error),
    });
  }).finally(() => ahead?.end());
  await ahead?.untilAllRead();
  await Promise.race([allRead, isOver]);
  return collected.isWhole ? collected.contents() : null;
}

/** The parts of a document, put together. */
class Collected {
  readonly #ahead: Ahead | null;
  readonly #items: NormalisedItem[] = [];
  readonly #hashes = new Map<NormalisedItem, Hashes>();
  readonly #notes = new Map<NormalisedItem, readonly string[]>();
  readonly #refused: Refusal[] = [];
  #facts: DocumentFacts | null = null;
  #unreadable: string | null = null;
  /** Whether all of its items are there, or it is known that there are none. */
  isWhole = false;

  constructor(ahead: Ahead | null) {
    this.#ahead = ahead;
  }

  take(part: ContentsPart): void {
    switch (part.kind) {
      case "unreadable":
        this.#unreadable = part.reason;
        this.isWhole = true;
        break;
      case "document":
        this.#facts = part.facts;
        this.#ahead?.begin(part.facts.language);
        break;
      case "items":
        for (const read of part.items) this.#takeItem(read);
        break;
      case "all read":
        this.isWhole = true;
        break;
      case "classified":
        this.#ahead?.addFound(part.share, part.classified);
    }
    this.#ahead?.tell({ areAllRead: this.isWhole });
  }

  #takeItem(read: ReadItem): void {
    if (!read.ok) {
      this.#refused.push({ item: read.item, reason: read.reason });
      return;
    }
    const { item, hashes, notes } = read;
    this.#items.push(item);
    this.#ahead?.addItem(item);
    this.#hashes.set(item, hashes);
    if (notes.length > 0) this.#notes.set(item, notes);
  }

  contents(): Contents {
    if (this.#unreadable !== null) throw new DocumentError(this.#unreadable);
    if (this.#facts === null) throw new Error("a document came to its end without a beginning");
    return {
      facts: this.#facts,
      items: this.#items,
      notes: this.#notes,
      refused: this.#refused,
      hashesOf: (item) => this.#hashes.get(item) ?? hashesOf(item),
      ahead: this.#ahead,
    };
  }
}
