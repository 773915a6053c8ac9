// What fetching a source needs and gives, whatever its strategy.
import { createHash } from "node:crypto";
import type { Clock, Files, HttpClient, Resolver } from "../../domain/ports/ports.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import type { FetchResult, SourceMove, SourceSettings } from "../../domain/source/source.ts";
import type { FailedPart } from "../partial_failures.ts";
import type { PermanentRedirects } from "./permanent_redirects.ts";

/** A document as it came. */
export interface FetchedDocument {
  /** Its address, or its file's name. */
  name: string;
  /** Its address after redirects; null for a file. */
  url: string | null;
  contentType: string | null;
  bytes: Uint8Array;
  /** Of its bytes, hexadecimal. */
  sha256: string;
  /** Null for a file. */
  httpStatus: number | null;
  /** When its last byte was there, Unix ms. */
  fetchedAtMs: number;
  /** Whether the same bytes were dealt with before, under other settings of the source. */
  isReread?: boolean;
}

/** What is known of a source from earlier fetches. */
export interface Known {
  /** What {@link Fetched.cursor} gave after the last success; null for everything anew. */
  cursor: string | null;
  /** Where its addresses have said that they have moved for good. */
  moves: readonly SourceMove[];
  /** What the last fetch came to of a document, by its name; undefined when that is not known. */
  fingerprintOf(name: string): DocumentFingerprint | undefined;
}

/** A document that a fetch is going to read. */
export interface PlannedDocument {
  /** What the operator is told of it by; it holds no secret. */
  name: string;
  /** How its items are found; null for a feed. */
  reading: Reading | null;
  /** The language of its items, where the source has an address for each. */
  language?: string;
  /**
   * What it means that it cannot be had or read: `refuse` leaves it out and goes on with its neighbours, `fail` ends the
   * fetch as a failure. What was recorded before stays, and the cursor is not moved on.
   */
  onFailure: "refuse" | "fail";
  /** Whether the same document, the next time, means that nothing has changed. */
  isAlone?: boolean;
  /** Whether null means that there is nothing, rather than nothing else than before. */
  isEmptyIfNull?: boolean;
  /** Null when it holds what it held before; throws {@link FetchError}. */
  read(): Promise<FetchedDocument | null>;
}

/** A document that was dealt with. */
export interface ReadDocument {
  /** Null when it was unchanged. */
  document: FetchedDocument | null;
  /** What it says of the document after it: an address that may be relative, or a cursor. */
  next: string | null;
  /** The identities of its items. */
  keys: readonly string[];
  /** How many items it states, those that were refused included. */
  items: number;
  /** Whether none of its items was new or revised. */
  isKnown: boolean;
  /** The latest date of its items, Unix ms; null where none has one. */
  newestMs: number | null;
}

/** What a fetch gave: the documents that are new or changed, each read when it is asked for, and the next cursor. */
export interface Fetched {
  documents: Iterable<PlannedDocument>;
  /** The documents to read after a planned one, for a source that is walked; asked after each. */
  following?(read: ReadDocument, planned: PlannedDocument): PlannedDocument[];
  /** What was left out in the end, for a source that is walked within bounds. */
  leftOut?(): FailedPart[];
  /** What was left out on purpose, in words. */
  notes?(): string[];
  /** Whether the next fetch goes on where this one ended: a first fetch is not over then. */
  goesOn?(): boolean;
  /** What the next fetch is given back after this one failed on its way; null: what this one was given. */
  progress?(): string | null;
  /** What is there and cannot be read: a file of a folder, a map or an entry of a map (`isItem`: a publication at most). */
  unreadable: { name: string; reason: string; isItem?: boolean }[];
  /** Whether nothing has changed since the cursor, as the source says or its document shows: there are none then. */
  isUnchanged: boolean;
  /** The documents that came as they were, so that there is nothing to read: what the last look at them came to. */
  repeated?: readonly { name: string; fingerprint: DocumentFingerprint }[];
  /** Until when the answer says that it stays as it is, Unix ms; null where it says nothing. */
  freshUntilMs: number | null;
  /**
   * Whether each configured address has moved for good, asked in the end with the names of the refused documents; empty
   * for a source that nobody redirects.
   */
  redirects(refused: ReadonlySet<string>): readonly PermanentRedirects[];
  /**
   * What the next fetch is given back; to be kept only after every document was dealt with. A feed that was not whole is
   * asked for anew, changed or not; so are the refused files of a folder: they are told of until somebody mends them.
   */
  cursor(
    outcome: {
      isWhole: boolean;
      refused: ReadonlySet<string>;
      /** For how many minutes the documents themselves say that they stay as they are. */
      ttlMinutes?: number | null;
    },
  ): string | null;
}

/** What fetching needs. */
export interface FetchOptions {
  http: HttpClient;
  resolver: Resolver;
  files: Files;
  clock: Clock;
  userAgent: string;
  /** For one document over HTTP, look-up and redirects included. */
  timeoutMs: number;
  /** For one document, before and after inflating. */
  maxDocumentBytes: number;
  /** Whether the addresses that the config names may be private. */
  allowPrivate: boolean;
  /** Waits until the host may be asked again; called before each document. Throws a {@link FetchError} if it may not. */
  pace(host: string, signal: AbortSignal): Promise<void>;
  /** Aborts when the service stops: the fetch ends at once and throws the signal's reason. */
  signal: AbortSignal;
  /** Hears of the answer of a host: null for a document, else why there was none. */
  noteResponse(host: string, error: FetchError | null): void;
}

/** Why a source could not be fetched, beyond the words. */
export interface FetchFailure {
  /** `blocked`: the host refuses or throttles this client; `empty`: too few items; `failing`: all else. */
  state: Exclude<FetchResult, "ok">;
  /** When the server asks to be asked again, Unix ms. */
  retryAtMs: number | null;
  /** The host that wants to be left alone for a while, whatever is asked of it. */
  pausedHost: string | null;
  /** The status of the answer; null where there was none. */
  status: number | null;
  /** Whether it was asked for at all: a host that has just refused is asked for nothing more by the same fetch. */
  wasAsked: boolean;
}

/** A source that could not be fetched: why, in words for the operator. */
export class FetchError extends Error implements FetchFailure {
  override readonly name = "FetchError";
  readonly state: FetchFailure["state"];
  readonly retryAtMs: number | null;
  readonly pausedHost: string | null;
  readonly status: number | null;
  readonly wasAsked: boolean;
  constructor(message: string, failure: Partial<FetchFailure> = {}) {
    super(message);
    this.state = failure.state ?? "failing";
    this.retryAtMs = failure.retryAtMs ?? null;
    this.pausedHost = failure.pausedHost ?? null;
    this.status = failure.status ?? null;
    this.wasAsked = failure.wasAsked ?? true;
  }
}

/** What a cursor holds for: another address, relevance, time zone or minimum needs the whole document again. */
export function settingsKey({ location, relevance, timezone, minItems }: SourceSettings): string {
  // One item is what most must have: it goes without saying.
  return [location, relevance, timezone, ...(minItems !== undefined && minItems > 1 ? [minItems] : [])].join(
    " ",
  );
}

/** A cursor that was written for the same settings; anything else means: everything anew. */
export function readCursor<T extends { settings: string }>(
  cursor: string | null,
  settings: string,
): T | null {
  if (cursor === null) return null;
  const value = JSON.parse(cursor) as T;
  return value.settings === settings ? value : null;
}

/** The SHA-256 of a document's bytes, hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** An item or a document that was not taken, and why. */
export interface RefusedItem {
  /** Its title, id, file name or position. */
  item: string;
  reason: string;
}

/** A document that was dealt with, and what came of it. */
export interface DocumentFingerprint {
  /**
   * Its bytes (see {@link essenceOf}), and what else of an answer decides on how they are read: the type names a character set, and links are
   * relative to the address.
   */
  of: Pick<FetchedDocument, "contentType" | "url"> & { essence: string };
  /** Items that are publications: unchanged ones, when the document comes again. */
  known: number;
  /** Items that do not concern AI regulation. */
  irrelevant: number;
  refused: readonly RefusedItem[];
}
