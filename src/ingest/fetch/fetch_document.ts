// Getting one document over HTTP: conditional, bounded in bytes, time and redirects, and only where it may be got.
import { isReachable, literalAddress, MAX_ADDRESSES } from "../../domain/ip_address.ts";
import { DeadlineError, type IncomingResponse, NetworkError } from "../../domain/ports/ports.ts";
import { parseRetryAfter } from "../../domain/http_time.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { describeBlock } from "./block_detection.ts";
import { Cookies } from "./cookies.ts";
import { type FetchedDocument, FetchError, type FetchOptions, sha256Of } from "./fetch_types.ts";
import { freshUntil } from "../schedule/freshness.ts";
import type { RedirectTrack } from "./permanent_redirects.ts";

/** Redirects followed at most. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** The redirects that say that the document has moved for good (RFC 9110, 15.4.2 and 15.4.9). */
const PERMANENT = [301, 308];

/** What is to be done about answers that will not change by themselves. */
const ADVICE: Readonly<Record<number, string>> = {
  304: " to an unconditional request",
  400: ": the request is not valid; check the URL and its parameters",
  401: ": it requires a key; set authorization or headers of the source",
  404: ": not found; look for its new URL on the publisher's site",
  406: ": it does not have this format; look for another URL on the publisher's site",
  410: ": it was removed permanently; look for its new URL on the publisher's site",
};

/** What an answer said of itself, so that it is sent again only if it has changed. */
export interface Validators {
  /** The address that said so: the validators of one mean nothing to another. */
  url?: string;
  etag?: string;
  lastModified?: string;
}

/** One document to be asked for. */
export interface DocumentRequest {
  url: URL;
  /** For whoever answers; lower-case names. `user-agent` and `accept-encoding` are added. */
  headers: Record<string, string>;
  /** With it, the request is a POST of this JSON. */
  body?: string;
  /** For this request; without it, what the options say for every document. */
  timeoutMs?: number;
  validators: Validators | null;
  /** `data`: a page made for people in its place is a fault; `page`: such a page is what is wanted. */
  expects: "data" | "page";
}

/** One document as it was answered. */
export interface DocumentResponse {
  /** Null when it has not changed. */
  document: FetchedDocument | null;
  validators: Validators;
  /** Until when it says that it stays as it is, Unix ms; null where it says nothing. */
  freshUntilMs: number | null;
  /** Whether the address asked for says that the document has moved for good. */
  redirect: RedirectTrack;
  /** The `Link` header (RFC 8288); empty without one. */
  link: string;
}

/**
 * Asks for one document, as many hops as it takes within the bounds. An address that is not what the source's config
 * names (a redirect's, a further page's) must be public unless the configured one is private itself. The answer's
 * `name` is the address asked for. Throws a {@link FetchError}.
 */
export async function fetchDocument(
  source: SourceSettings,
  request: DocumentRequest,
  options: FetchOptions,
): Promise<DocumentResponse> {
  await options.pace(request.url.host, options.signal);
  options.signal.throwIfAborted();
  try {
    const answer = await askForDocument(source, request, options);
    options.noteResponse(request.url.host, null);
    return answer;
  } catch (error) {
    if (error instanceof FetchError) options.noteResponse(request.url.host, error);
    throw error;
  }
}

async function askForDocument(
  source: SourceSettings,
  request: DocumentRequest,
  options: FetchOptions,
): Promise<DocumentResponse> {
  let chain: Chain;
  try {
    chain = await options.clock.within(
      request.timeoutMs ?? options.timeoutMs,
      (signal) => followRedirects(source, request, { ...options, signal }),
      options.signal,
    );
  } catch (error) {
    if (error instanceof DeadlineError) {
      throw new FetchError(`no complete response within ${error.ms / 1000} s`);
    }
    throw error;
  }
  const { response, url, redirect } = chain;
  const nowMs = options.clock.nowMs();
  const common = {
    redirect,
    freshUntilMs: freshUntil(response.headers, nowMs),
    link: response.headers["link"] ?? "",
  };
  if (response.status === 304 && request.validators !== null && chain.isConditional) {
    return { ...common, document: null, validators: request.validators };
  }
  refuseUnusable(chain, request, { ...options, nowMs });
  const validators: Validators = { url: url.href };
  if (response.headers["etag"]) validators.etag = response.headers["etag"];
  if (response.headers["last-modified"]) validators.lastModified = response.headers["last-modified"];
  const document: FetchedDocument = {
    name: request.url.href,
    url: url.href,
    contentType: response.headers["content-type"] ?? null,
    bytes: response.body,
    sha256: sha256Of(response.body),
    httpStatus: response.status,
    fetchedAtMs: nowMs,
  };
  return { ...common, document, validators };
}

/** Where a chain of redirects ended. */
interface Chain {
  response: IncomingResponse;
  url: URL;
  redirect: RedirectTrack;
  /** Whether the last request asked for the document only if it has changed. */
  isConditional: boolean;
}

async function followRedirects(
  source: SourceSettings,
  request: DocumentRequest,
  options: FetchOptions,
): Promise<Chain> {
  const configured = new URL(source.location);
  const visits = new CheckedHosts(configured, options);
  const cookies = new Cookies();
  const trust = await readAuthorities(source, options);
  let url = request.url;
  let redirect: RedirectTrack = { kind: "here" };
  let isMoved = true;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const validators = validatorHeaders(request.validators, url);
    const isConditional = Object.keys(validators).length > 0;
    const headers: Record<string, string> = {
      ...request.headers,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      ...(url.origin === configured.origin ? secretHeaders(source) : {}),
      ...validators,
      ...cookies.header(url),
      "user-agent": options.userAgent,
      "accept-encoding": "gzip",
    };
    const response = await ofHop(url, async () =>
      await options.http.request({
        method: request.body === undefined ? "GET" : "POST",
        url,
        headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        ...trust,
        addresses: await visits.addressesOf(url),
        maxBodyBytes: options.maxDocumentBytes,
        signal: options.signal,
      }));
    if (!REDIRECTS.includes(response.status)) return { response, url, redirect, isConditional };
    cookies.take(response.headers["set-cookie"], url);
    url = redirectTarget(response, url);
    isMoved &&= PERMANENT.includes(response.status);
    if (isMoved) redirect = { kind: "moved", to: url.href };
    else if (redirect.kind === "here") redirect = { kind: "unsaid" };
  }
  throw new FetchError(`more than ${MAX_REDIRECTS} redirects`);
}

/** What keeps a hop from answering is said with its host: a source may have several, and a redirect lead to another. */
async function ofHop<T>({ hostname }: URL, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof NetworkError ? new FetchError(`${error.reason} (${hostname})`) : error;
  }
}

/** The certificates that the source's hosts are trusted by, read anew each time: they may be renewed. */
async function readAuthorities(
  { caFile }: SourceSettings,
  { files }: FetchOptions,
): Promise<{ authorities?: string }> {
  if (caFile === undefined) return {};
  try {
    return { authorities: await files.readText(caFile) };
  } catch (error) {
    throw new FetchError(`its ca_file cannot be read: ${(error as Error).message}`);
  }
}

/** The secrets are for the host that the operator named, not for where it points. */
function secretHeaders(source: SourceSettings): Record<string, string> {
  return {
    ...source.headers,
    ...(source.authorization === undefined ? {} : { authorization: source.authorization }),
  };
}

/** A cursor of an earlier version names no address: its validators go to every hop, as they did then. */
function validatorHeaders(validators: Validators | null, url: URL): Record<string, string> {
  if (validators === null || (validators.url !== undefined && validators.url !== url.href)) return {};
  const headers: Record<string, string> = {};
  if (validators.etag !== undefined) headers["if-none-match"] = validators.etag;
  if (validators.lastModified !== undefined) headers["if-modified-since"] = validators.lastModified;
  return headers;
}

function redirectTarget(response: IncomingResponse, from: URL): URL {
  const location = response.headers["location"] ?? "";
  if (location === "" || !URL.canParse(location, from)) {
    throw new FetchError(`responded with ${response.status} without a valid Location`);
  }
  const target = new URL(location, from);
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    throw new FetchError(`redirects to ${target.protocol}, which is not fetched`);
  }
  if (from.protocol === "https:" && target.protocol === "http:") {
    throw new FetchError("redirects from https to http; if this is intended, configure the http URL");
  }
  return target;
}

/** The hosts of one chain: each is looked up once, and the connection goes to the addresses that were checked. */
class CheckedHosts {
  readonly #hosts = new Map<string, { addresses: string[]; isPublic: boolean }>();
  #sawPublic = false;

  constructor(readonly configured: URL, readonly options: FetchOptions) {}

  /** The addresses to connect to. Throws a {@link FetchError} where the connection may not go. */
  async addressesOf(url: URL): Promise<string[]> {
    const own = await this.#lookUp(this.configured);
    const { addresses, isPublic } = await this.#lookUp(url);
    if (!isPublic && !this.options.allowPrivate) {
      throw new FetchError(
        `${url.hostname} has a private IP address; ingest.allow_private = true would allow it`,
      );
    }
    // What the operator wrote may be private; nobody else leads there, and nobody leads back from outside.
    const isOwn = url.hostname === this.configured.hostname;
    if (!isPublic && (this.#sawPublic || (!isOwn && own.isPublic))) {
      throw new FetchError(`leads to ${url.hostname}, which has a private IP address, which is refused`);
    }
    this.#sawPublic ||= isPublic;
    return addresses;
  }

  async #lookUp(url: URL): Promise<{ addresses: string[]; isPublic: boolean }> {
    const known = this.#hosts.get(url.hostname);
    if (known !== undefined) return known;
    const literal = literalAddress(url);
    const found = literal === null
      ? await this.options.resolver.resolve(url.hostname, this.options.signal)
      : [literal];
    const addresses = found.slice(0, MAX_ADDRESSES);
    const visit = { addresses, isPublic: addresses.every((address) => isReachable(address, [])) };
    this.#hosts.set(url.hostname, visit);
    return visit;
  }
}

function refuseUnusable(
  { response, url }: Chain,
  request: DocumentRequest,
  { nowMs, maxDocumentBytes }: { nowMs: number; maxDocumentBytes: number },
): void {
  const retryAtMs = parseRetryAfter(response.headers["retry-after"], nowMs);
  const block = describeBlock(response, request.expects);
  if (block !== null) {
    throw new FetchError(block, {
      state: "blocked",
      retryAtMs,
      pausedHost: url.host,
      status: response.status,
    });
  }
  if (response.status !== 200) {
    // 503 with a time is how a host says that all of it is busy (RFC 9110, 15.6.4).
    const pausedHost = response.status === 503 && retryAtMs !== null ? url.host : null;
    throw new FetchError(`responded with ${response.status}${ADVICE[response.status] ?? ""}`, {
      retryAtMs,
      pausedHost,
      status: response.status,
    });
  }
  if (response.truncated) throw new FetchError(`the document has more than ${maxDocumentBytes} bytes`);
  if (response.body.length === 0) throw new FetchError("responded with an empty body");
}
