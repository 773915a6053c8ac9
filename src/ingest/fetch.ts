// Getting a source's documents: over HTTP with conditional requests, or from a watched folder.
import { join } from "node:path";
import type { Clock, FileEntry, Files, HttpClient, IncomingResponse } from "../domain/ports.ts";
import { DeadlineError, NetworkError } from "../domain/ports.ts";
import type { SourceSettings } from "../domain/source.ts";

/** Redirects followed at most. */
const MAX_REDIRECTS = 5;
/** A file that changed this short a time before it was read may change again without showing it: it is read again. */
const SETTLED_AFTER_MS = 2_000;
const ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, " +
  "application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1";

/** A document as it came. */
export interface FetchedDocument {
  /** Its address, or its file's name. */
  name: string;
  /** Its address after redirects; null for a file. */
  url: string | null;
  contentType: string | null;
  bytes: Uint8Array;
  /** Null for a file. */
  httpStatus: number | null;
  /** When its last byte was there, Unix ms. */
  fetchedAtMs: number;
}

/** What a fetch gave: the documents that are new or changed, each read when it is asked for, and the next cursor. */
export interface Fetched {
  documents: Iterable<{ name: string; read(): Promise<FetchedDocument> }>;
  /**
   * What the next fetch is given back; to be kept only after every document was dealt with. Documents of these names
   * could not be read to their end: the next fetch asks for them again, changed or not.
   */
  cursor(unfinished: ReadonlySet<string>): string | null;
}

/** A source that could not be fetched: why, in words for the operator. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** `retryAtMs` is when the server asks to be asked again, Unix ms. */
  constructor(message: string, readonly retryAtMs: number | null = null) {
    super(message);
  }
}

/** What fetching needs. */
export interface FetchOptions {
  http: HttpClient;
  files: Files;
  clock: Clock;
  userAgent: string;
  /** For a whole fetch over HTTP, redirects included. */
  timeoutMs: number;
  /** For one document, after inflating. */
  maxDocumentBytes: number;
}

/** Fetches what changed since the cursor. Throws {@link FetchError}. */
export async function fetchDocuments(
  source: SourceSettings,
  cursor: string | null,
  options: FetchOptions,
): Promise<Fetched> {
  return source.fetchStrategy === "files"
    ? await fetchFolder(source, cursor, options)
    : await fetchFeed(source, cursor, options);
}

interface FeedCursor {
  /** The settings that the validators hold for: another address or relevance needs the whole document again. */
  settings: string;
  etag?: string;
  lastModified?: string;
}

async function fetchFeed(
  source: SourceSettings,
  cursor: string | null,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const known = readCursor<FeedCursor>(cursor, settings);
  let answer: { response: IncomingResponse; url: URL };
  try {
    answer = await options.clock.within(
      options.timeoutMs,
      (signal) => followRedirects(source, known, { ...options, signal }),
    );
  } catch (error) {
    if (error instanceof NetworkError) throw new FetchError(error.reason);
    if (error instanceof DeadlineError) throw new FetchError(`no whole answer ${error.message}`);
    throw error;
  }
  const { response, url } = answer;
  if (response.status === 304) return { documents: [], cursor: () => cursor };
  refuseUnusable(response, options);
  const next: FeedCursor = { settings };
  if (response.headers["etag"]) next.etag = response.headers["etag"];
  if (response.headers["last-modified"]) next.lastModified = response.headers["last-modified"];
  const document: FetchedDocument = {
    name: source.location,
    url: url.href,
    contentType: response.headers["content-type"] ?? null,
    bytes: response.body,
    httpStatus: response.status,
    fetchedAtMs: options.clock.nowMs(),
  };
  return {
    documents: [{ name: document.name, read: () => Promise.resolve(document) }],
    cursor: (unfinished) => unfinished.has(document.name) ? null : JSON.stringify(next),
  };
}

async function followRedirects(
  source: SourceSettings,
  known: FeedCursor | null,
  options: FetchOptions & { signal: AbortSignal },
): Promise<{ response: IncomingResponse; url: URL }> {
  const start = new URL(source.location);
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const headers: Record<string, string> = {
      "user-agent": options.userAgent,
      accept: ACCEPT,
      "accept-encoding": "gzip",
    };
    if (known?.etag !== undefined) headers["if-none-match"] = known.etag;
    if (known?.lastModified !== undefined) headers["if-modified-since"] = known.lastModified;
    // The secret is for the host that the operator named, not for where it points.
    if (source.authorization !== undefined && url.origin === start.origin) {
      headers["authorization"] = source.authorization;
    }
    const response = await options.http.request({
      method: "GET",
      url,
      headers,
      maxBodyBytes: options.maxDocumentBytes,
      signal: options.signal,
    });
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, url };
    url = redirectTarget(response, url);
  }
  throw new FetchError(`more than ${MAX_REDIRECTS} redirects`);
}

function redirectTarget(response: IncomingResponse, from: URL): URL {
  const location = response.headers["location"] ?? "";
  if (location === "" || !URL.canParse(location, from)) {
    throw new FetchError(`answered ${response.status} without a usable Location`);
  }
  const target = new URL(location, from);
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    throw new FetchError(`redirects to ${target.protocol}, which is not fetched`);
  }
  if (from.protocol === "https:" && target.protocol === "http:") {
    throw new FetchError("redirects from https to http; if that is wanted, configure the http address");
  }
  return target;
}

function refuseUnusable(response: IncomingResponse, options: FetchOptions): void {
  const { status } = response;
  if (status !== 200) {
    const why = status === 202
      ? "answered 202 instead of a document; some sites do so to scripts"
      : `answered ${status}${
        status === 403 || status === 429 ? ": it refuses or throttles this client" : ""
      }`;
    throw new FetchError(why, retryAfterMs(response.headers["retry-after"], options.clock.nowMs()));
  }
  if (response.truncated) {
    throw new FetchError(`the document has more than ${options.maxDocumentBytes} bytes`);
  }
  if (response.body.length === 0) throw new FetchError("answered with an empty body");
}

/** `Retry-After` (RFC 9110, 10.2.3) as a time, or null when it is missing or neither seconds nor an HTTP date. */
function retryAfterMs(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return nowMs + Number(text) * 1000;
  const date = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : date;
}

interface FolderCursor {
  settings: string;
  /** By name: modification time (Unix ms) and size (bytes) of the file when it was read. */
  files: Record<string, [number, number]>;
}

async function fetchFolder(
  source: SourceSettings,
  cursor: string | null,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const known = readCursor<FolderCursor>(cursor, settings)?.files ?? {};
  const nowMs = options.clock.nowMs();
  let entries: FileEntry[];
  try {
    entries = await options.files.list(source.location);
  } catch (error) {
    throw new FetchError(`the folder cannot be read: ${(error as Error).message}`);
  }
  const files: FolderCursor["files"] = Object.create(null);
  const changed: FileEntry[] = [];
  for (const entry of entries) {
    const before = Object.hasOwn(known, entry.name) ? known[entry.name] : undefined;
    const isSame = before?.[0] === entry.modifiedAtMs && before[1] === entry.sizeBytes;
    if (!isSame) changed.push(entry);
    if (isSame || nowMs - entry.modifiedAtMs > SETTLED_AFTER_MS) {
      files[entry.name] = [entry.modifiedAtMs, entry.sizeBytes];
    }
  }
  // The oldest first, so that of two editions of one publication the newer file has the last word.
  changed.sort((a, b) => a.modifiedAtMs - b.modifiedAtMs || (a.name < b.name ? -1 : 1));
  return {
    documents: changed.map((entry) => ({
      name: entry.name,
      read: () => readDocument(source, entry, options),
    })),
    cursor: (unfinished) => {
      for (const name of unfinished) delete files[name];
      return JSON.stringify({ settings, files } satisfies FolderCursor);
    },
  };
}

async function readDocument(
  source: SourceSettings,
  entry: FileEntry,
  options: FetchOptions,
): Promise<FetchedDocument> {
  if (entry.sizeBytes > options.maxDocumentBytes) {
    throw new FetchError(`the file has more than ${options.maxDocumentBytes} bytes`);
  }
  try {
    const bytes = await options.files.readBytes(join(source.location, entry.name));
    return {
      name: entry.name,
      url: null,
      contentType: null,
      bytes,
      httpStatus: null,
      fetchedAtMs: options.clock.nowMs(),
    };
  } catch (error) {
    throw new FetchError(`the file cannot be read: ${(error as Error).message}`);
  }
}

function settingsKey(source: SourceSettings): string {
  return `${source.location} ${source.relevance} ${source.timezone}`;
}

/** A cursor that was written for the same settings; anything else means: everything anew. */
function readCursor<T extends { settings: string }>(cursor: string | null, settings: string): T | null {
  if (cursor === null) return null;
  const value = JSON.parse(cursor) as T;
  return value.settings === settings ? value : null;
}
