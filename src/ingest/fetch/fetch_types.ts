// The input and output of fetching, common to all strategies.
import { createHash } from "node:crypto";
import type { Clock, Files, HttpClient, Resolver } from "../../domain/ports/ports.ts";
import type { Reading } from "../../domain/source/extraction_rules.ts";
import type { FetchCause } from "../../domain/source/fetch_record.ts";
import type { FetchResult, SourceMove, SourceSettings } from "../../domain/source/source.ts";
import type { FailedPart } from "../partial_failures.ts";
import type { PermanentRedirects } from "./permanent_redirects.ts";

export interface FetchedDocument {
  /** The URL or file name of the document. */
  name: string;
  /** The URL after redirects, or null for a file. */
  url: string | null;
  contentType: string | null;
  bytes: Uint8Array;
  sha256: string;
  /** The HTTP status, or null for a file. */
  httpStatus: number | null;
  /** When the document was completely received, in Unix ms. */
  fetchedAtMs: number;
  /** Whether the same bytes were ingested before, under other settings of the source. */
  isReread?: boolean;
}

/** The state of a source from earlier fetches. */
export interface Known {
  /** The cursor that the last fetch stored, or null to fetch everything. */
  cursor: string | null;
  moves: readonly SourceMove[];
  /** Returns the fingerprint of a document from the last fetch. */
  fingerprintOf(name: string): DocumentFingerprint | undefined;
}

export interface PlannedDocument {
  /** The name of the document in reports. It contains no secrets. */
  name: string;
  /** How the items are found, or null for a feed. */
  reading: Reading | null;
  /** The language of the items if the source has a URL per language. */
  language?: string;
  /** What to do if the document cannot be read: `refuse` skips it; `fail` ends the fetch with a failure. */
  onFailure: "refuse" | "fail";
  /** Whether an identical document at the next fetch means that nothing has changed. */
  isAlone?: boolean;
  /** Whether null from `read` means that there are no items, rather than that nothing has changed. */
  isEmptyIfNull?: boolean;
  /** Reads the document. Returns null if it has not changed. Throws {@link FetchError}. */
  read(): Promise<FetchedDocument | null>;
}

export interface ReadDocument {
  document: FetchedDocument | null;
  /** The URL of the next document, which may be relative, or its cursor; null if there is none. */
  next: string | null;
  keys: readonly string[];
  /** The number of items, including refused ones. */
  items: number;
  /** Whether no item is new or revised. */
  isKnown: boolean;
  /** The latest date of an item in Unix ms, or null if no item has a date. */
  newestMs: number | null;
}

/** The new or changed documents, each read on demand, and the next cursor. */
export interface Fetched {
  documents: Iterable<PlannedDocument>;
  /** Returns the documents that follow a planned one. Called after each document. */
  following?(read: ReadDocument, planned?: PlannedDocument): PlannedDocument[];
  /** Returns the parts that the limits left out. Called at the end. */
  leftOut?(): FailedPart[];
  /** Returns sentences for the operator about what this fetch leaves out on purpose or cannot detect. */
  notes?(): string[];
  /** Whether the next fetch continues where this one ended. A first fetch that goes on is not yet complete. */
  goesOn?(): boolean;
  /** Returns the next cursor if this fetch fails after its first document, or null to keep the current cursor. */
  progress?(): string | null;
  /** Files, sitemaps and sitemap entries that cannot be read. `isItem` marks those with at most one publication. */
  unreadable: { name: string; reason: string; isItem?: boolean }[];
  /** Whether nothing has changed since the cursor, in which case there are no documents. */
  isUnchanged: boolean;
  /** Documents with known fingerprints, which are not parsed again. */
  repeated?: readonly { name: string; fingerprint: DocumentFingerprint }[];
  /** When the response stops being fresh, in Unix ms, or null if not stated. */
  freshUntilMs: number | null;
  /** Returns the redirects of each configured URL. Called at the end with the names of the refused documents. */
  redirects(refused: ReadonlySet<string>): readonly PermanentRedirects[];
  /**
   * Returns the cursor for the next fetch. It is stored only after every document has been ingested. An incomplete feed
   * and the refused files of a folder are read again even if they have not changed.
   */
  cursor(outcome: FetchOutcome): string | null;
}

export interface FetchOutcome {
  isWhole: boolean;
  refused: ReadonlySet<string>;
  /** The last ttl that a document states, in minutes. */
  ttlMinutes?: number | null;
}

export interface FetchOptions {
  http: HttpClient;
  resolver: Resolver;
  files: Files;
  clock: Clock;
  userAgent: string;
  /** The timeout of one document over HTTP in ms, including DNS and redirects. */
  timeoutMs: number;
  /** The maximum size of one document, before and after decompression. */
  maxDocumentBytes: number;
  /** Whether configured URLs may have private IP addresses. */
  allowPrivate: boolean;
  /** Waits until a document may be requested from the host, or throws {@link FetchError}. */
  pace(host: string, signal: AbortSignal): Promise<void>;
  /** Aborts when the service stops. The fetch then ends at once and throws the signal's reason. */
  signal: AbortSignal;
  /** Called after each document has been requested, with the error, or null if the request succeeded. */
  noteResponse(host: string, error: FetchError | null): void;
}

interface FetchFailure {
  /** `blocked`: the host refuses or throttles this client; `empty`: too few items; `failing`: any other failure. */
  state: Exclude<FetchResult, "ok">;
  /** The public category of the failure. If not given, the state and the status decide. */
  category: FetchCause;
  /** The time from `Retry-After` in Unix ms, or null if there is none. */
  retryAtMs: number | null;
  pausedHost: string | null;
  /** The HTTP status, or null if there was no response. */
  status: number | null;
  /** False if no request was sent, because the host had already refused or throttled this fetch. */
  wasSent: boolean;
}

export class FetchError extends Error implements FetchFailure {
  override readonly name = "FetchError";
  readonly state: FetchFailure["state"];
  readonly category: FetchCause;
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
    this.category = failure.category ?? categoryOf(this);
    this.wasSent = failure.wasSent ?? true;
  }
}

function categoryOf({ state, status }: Pick<FetchFailure, "state" | "status">): FetchCause {
  if (state === "blocked") return "refused";
  if (state === "empty") return "too_few_items";
  return status === null ? "unreadable" : "http_error";
}

/** Returns the settings that a cursor depends on. If one of them changes, everything is fetched again. */
export function settingsKey({ location, relevance, timezone, minItems }: SourceSettings): string {
  return [location, relevance, timezone, minItems ?? 1].join(" ");
}

/** Returns the cursor if it was written for the same settings; otherwise null. */
export function readCursor<T extends { settings: string }>(
  cursor: string | null,
  settings: string,
): T | null {
  const value: T | null = cursor === null ? null : JSON.parse(cursor);
  return value?.settings === settings ? value : null;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface RefusedItem {
  /** The title, id, file name or position of the item. */
  item: string;
  reason: string;
}

/** Identifies the content of a document by its bytes, its content type (for the charset) and its URL (for links). */
export interface DocumentFingerprint extends Pick<FetchedDocument, "sha256" | "contentType" | "url"> {
  /** The number of items that were not skipped. */
  known: number;
  /** The number of items that were skipped because they do not concern AI regulation. */
  irrelevant: number;
}
