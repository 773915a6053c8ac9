// Getting a source's documents: over HTTP with conditional requests, or from a watched folder.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type {
  Clock,
  FileEntry,
  Files,
  FolderListing,
  HttpClient,
  IncomingResponse,
} from "../domain/ports.ts";
import { DeadlineError, NetworkError } from "../domain/ports.ts";
import { parseRetryAfter } from "../domain/retry_after.ts";
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
  /** `read` gives null for a file that holds the bytes that it held before; it throws {@link FetchError}. */
  documents: Iterable<{ name: string; read(): Promise<FetchedDocument | null> }>;
  /** What stands in the folder and cannot be read; empty for a feed. */
  unreadable: { name: string; reason: string }[];
  /**
   * What the next fetch is given back; to be kept only after every document was dealt with. A feed that was not whole is
   * asked for anew, changed or not; so are the refused files of a folder: they are told of until somebody mends them.
   */
  cursor(outcome: { isWhole: boolean; refused: ReadonlySet<string> }): string | null;
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
    if (error instanceof DeadlineError) throw new FetchError(`no whole answer within ${error.ms / 1000} s`);
    throw error;
  }
  const { response, url } = answer;
  if (response.status === 304) return { documents: [], unreadable: [], cursor: () => cursor };
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
    unreadable: [],
    cursor: ({ isWhole }) => isWhole ? JSON.stringify(next) : null,
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
    throw new FetchError(why, parseRetryAfter(response.headers["retry-after"], options.clock.nowMs()));
  }
  if (response.truncated) {
    throw new FetchError(`the document has more than ${options.maxDocumentBytes} bytes`);
  }
  if (response.body.length === 0) throw new FetchError("answered with an empty body");
}

/** A file as it was when it was read: modification time (Unix ms), size (bytes), SHA-256 of its bytes. */
type KnownFile = [modifiedAtMs: number | null, sizeBytes: number, hash: string];

interface FolderCursor {
  settings: string;
  /** By name. A time of null means that the file had just been written: it is read again. */
  files: Record<string, KnownFile>;
}

/**
 * The folder's files whose time or size is not what it was. A file is dealt with once for each content that it has: its
 * bytes decide, so that touching or restoring it brings back no old edition.
 */
async function fetchFolder(
  source: SourceSettings,
  cursor: string | null,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const known = readCursor<FolderCursor>(cursor, settings)?.files ?? {};
  const nowMs = options.clock.nowMs();
  let listing: FolderListing;
  try {
    listing = await options.files.list(source.location);
  } catch (error) {
    throw new FetchError(`the folder cannot be read: ${(error as Error).message}`);
  }
  const files: FolderCursor["files"] = Object.create(null);
  const changed: { entry: FileEntry; before: KnownFile | undefined }[] = [];
  for (const entry of listing.files) {
    const before = Object.hasOwn(known, entry.name) ? known[entry.name] : undefined;
    const isSame = before?.[0] === entry.modifiedAtMs && before[1] === entry.sizeBytes;
    if (!isSame) changed.push({ entry, before });
    if (before !== undefined) files[entry.name] = isSame ? before : [null, before[1], before[2]];
  }
  // What cannot be read today may be back tomorrow, with the same bytes.
  for (const { name } of listing.unreadable) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    if (before !== undefined) files[name] = [null, before[1], before[2]];
  }
  // The oldest first, so that of two editions of one publication the newer file has the last word.
  changed.sort(({ entry: a }, { entry: b }) => a.modifiedAtMs - b.modifiedAtMs || (a.name < b.name ? -1 : 1));
  const read = async (entry: FileEntry, before: KnownFile | undefined): Promise<FetchedDocument | null> => {
    const document = await readDocument(source, entry, options);
    const hash = createHash("sha256").update(document.bytes).digest("hex");
    const isSettled = nowMs - entry.modifiedAtMs > SETTLED_AFTER_MS;
    files[entry.name] = [isSettled ? entry.modifiedAtMs : null, entry.sizeBytes, hash];
    return hash === before?.[2] ? null : document;
  };
  return {
    documents: changed.map(({ entry, before }) => ({ name: entry.name, read: () => read(entry, before) })),
    unreadable: listing.unreadable,
    cursor: ({ refused }) => {
      for (const name of refused) delete files[name];
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
