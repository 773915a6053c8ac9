// The input and output of fetching, common to all strategies.
import { createHash } from "node:crypto";
import type { Clock, Files, HttpClient, Resolver } from "../../domain/ports/ports.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import type { FetchResult, SourceMove, SourceSettings } from "../../domain/source/source.ts";
import type { FailedPart } from "../partial_failures.ts";
import type { PermanentRedirects } from "./permanent_redirects.ts";

export interface FetchedDocument {
  /** Its URL or file name. */
  name: string;
  /** Its URL after redirects; null for a file. */
  url: string | null;
  contentType: string | null;
  bytes: Uint8Array;
  /** Of its bytes, hexadecimal. */
  sha256: string;
  /** Null for a file. */
  httpStatus: number | null;
  /** When it was completely received, Unix ms. */
  fetchedAtMs: number;
  /** Whether the same bytes were ingested before, under other settings of the source. */
  isReread?: boolean;
}

/** The state of a source from earlier fetches. */
export interface Known {
  /** {@link Fetched.cursor} of the last success; null to fetch everything. */
  cursor: string | null;
  moves: readonly SourceMove[];
  /** The fingerprint of a document from the last fetch, by its name. */
  fingerprintOf(name: string): DocumentFingerprint | undefined;
}

export interface PlannedDocument {
  /** Its name in reports; contains no secret. */
  name: string;
  /** How its items are found; null for a feed. */
  reading: Reading | null;
  /** The language of its items, if the source has a URL for each. */
  language?: string;
  /** If it cannot be read, `refuse` skips it; `fail` fails the fetch, whose cursor then does not advance. */
  onFailure: "refuse" | "fail";
  /** Whether the same document at the next fetch means that nothing has changed. */
  isAlone?: boolean;
  /** Whether null means that there are no items, rather than that nothing has changed. */
  isEmptyIfNull?: boolean;
  /** Null if it has not changed. Throws {@link FetchError}. */
  read(): Promise<FetchedDocument | null>;
}

export interface ReadDocument {
  /** Null if unchanged. */
  document: FetchedDocument | null;
  /** Its reference to the next document: a URL, which may be relative, or a cursor. */
  next: string | null;
  keys: readonly string[];
  /** The number of items, including refused ones. */
  items: number;
  /** Whether none of its items was new or revised. */
  isKnown: boolean;
  /** The latest date of its items, Unix ms; null without dates. */
  newestMs: number | null;
}

/** The new or changed documents, each read on demand, and the next cursor. */
export interface Fetched {
  documents: Iterable<PlannedDocument>;
  /** The documents that follow a planned one; called after each. */
  following?(read: ReadDocument, planned?: PlannedDocument): PlannedDocument[];
  /** The parts that the limits left out; called at the end. */
  leftOut?(): FailedPart[];
  /** Deliberate limits of this fetch, as sentences. */
  notes?(): string[];
  /** Whether the next fetch continues this one; a first fetch is then not complete. */
  goesOn?(): boolean;
  /** The next cursor if this fetch fails after its first document; null for the cursor of this fetch. */
  progress?(): string | null;
  /** Files, sitemaps and entries of sitemaps that cannot be read (`isItem`: at most one publication). */
  unreadable: { name: string; reason: string; isItem?: boolean }[];
  /** Whether nothing has changed since the cursor; then there are no documents. */
  isUnchanged: boolean;
  /** Documents with known fingerprints, which are not parsed again. */
  repeated?: readonly { name: string; fingerprint: DocumentFingerprint }[];
  /** Until when the response is fresh, Unix ms; null if not stated. */
  freshUntilMs: number | null;
  /** The redirects of each configured URL; called at the end with the names of the refused documents. */
  redirects(refused: ReadonlySet<string>): readonly PermanentRedirects[];
  /**
   * The cursor of the next fetch; stored only after every document was ingested. An incomplete feed and the refused
   * files of a folder are read again, changed or not.
   */
  cursor(outcome: FetchOutcome): string | null;
}

export interface FetchOutcome {
  isWhole: boolean;
  refused: ReadonlySet<string>;
  /** How long the documents are fresh, as they state. */
  ttlMinutes?: number | null;
}

export interface FetchOptions {
  http: HttpClient;
  resolver: Resolver;
  files: Files;
  clock: Clock;
  userAgent: string;
  /** For one document over HTTP, including DNS and redirects. */
  timeoutMs: number;
  /** For one document, before and after decompression. */
  maxDocumentBytes: number;
  /** Whether configured URLs may have private IP addresses. */
  allowPrivate: boolean;
  /** Waits until the host may get a request; called before each document. Throws {@link FetchError} if it may not. */
  pace(host: string, signal: AbortSignal): Promise<void>;
  /** Aborts when the service stops: the fetch ends at once and throws the signal's reason. */
  signal: AbortSignal;
  /** Called with the result of each request: null for a document, otherwise the error. */
  noteResponse(host: string, error: FetchError | null): void;
}

export interface FetchFailure {
  /** `blocked`: the host refuses or throttles this client; `empty`: too few items; `failing`: all else. */
  state: Exclude<FetchResult, "ok">;
  /** The time from `Retry-After`, Unix ms. */
  retryAtMs: number | null;
  pausedHost: string | null;
  /** The HTTP status; null without a response. */
  status: number | null;
  /** Whether a request was sent; a host that has refused gets no more requests in the same fetch. */
  wasSent: boolean;
}

/** A failed fetch, with the reason for the operator. */
export class FetchError extends Error implements FetchFailure {
  override readonly name = "FetchError";
  readonly state: FetchFailure["state"];
  readonly retryAtMs: number | null;
  readonly pausedHost: string | null;
  readonly status: number | null;
  readonly wasSent: boolean;
  constructor(message: string, failure: Partial<FetchFailure> = {}) {
    super(message);
    this.state = failure.state ?? "failing";
    this.retryAtMs = failure.retryAtMs ?? null;
    this.pausedHost = failure.pausedHost ?? null;
    this.status = failure.status ?? null;
    this.wasSent = failure.wasSent ?? true;
  }
}

/** The settings that a cursor depends on; if one changes, everything is fetched again. */
export function settingsKey({ location, relevance, timezone, minItems }: SourceSettings): string {
  return [location, relevance, timezone, minItems ?? 1].join(" ");
}

/** The cursor, if it was written for the same settings. */
export function readCursor<T extends { settings: string }>(
  cursor: string | null,
  settings: string,
): T | null {
  const value: T | null = cursor === null ? null : JSON.parse(cursor);
  return value?.settings === settings ? value : null;
}

/** The SHA-256 of a document's bytes, hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface RefusedItem {
  /** Its title, id, file name or position. */
  item: string;
  reason: string;
}

/** Identifies the content of a document: its bytes, the type that names their charset, and the base of its links. */
export interface DocumentFingerprint extends Pick<FetchedDocument, "sha256" | "contentType" | "url"> {
  /** The number of items that are publications. */
  known: number;
  /** The number of items that do not concern AI regulation. */
  irrelevant: number;
}
