// Fetches one document over HTTP, conditionally, from permitted addresses, with limits on bytes, time and redirects.
import { isReachable, literalAddress, MAX_ADDRESSES } from "../../domain/ip_address.ts";
import type { IncomingResponse, OutgoingRequest } from "../../domain/ports/ports.ts";
import { DeadlineError, NetworkError } from "../../domain/ports/ports.ts";
import { parseRetryAfter } from "../../domain/http_time.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { describeBlock } from "./block_detection.ts";
import { Cookies } from "./cookies.ts";
import { type FetchedDocument, FetchError, type FetchOptions, sha256Of } from "./fetch_types.ts";
import { freshUntil } from "../schedule/freshness.ts";
import type { RedirectTrack } from "./permanent_redirects.ts";

const MAX_REDIRECTS = 5;
const BAD_REDIRECT = { category: "http_error" } as const;
const NO_CONNECTION = { category: "connection" } as const;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Permanent redirects (RFC 9110, 15.4.2 and 15.4.9). */
const PERMANENT = [301, 308];

/** Explanations and advice for the operator, by response status. */
const ADVICE: Readonly<Record<number, string>> = {
  304: " to an unconditional request",
  400: ": the request is not valid; check the URL and its parameters",
  401: ": credentials are required; set authorization or headers for the source",
  404: ": not found; look for the document's new URL on the publisher's site",
  406: ": the document is not available in this format; look for another URL on the publisher's site",
  410: ": the document was removed permanently; look for its new URL on the publisher's site",
};

export interface Validators {
  url?: string;
  etag?: string;
  lastModified?: string;
}

interface DocumentRequest {
  url: URL;
  /** The headers that are specific to this request, by lower-case name. */
  headers: Record<string, string>;
  /** A JSON body, which makes the request a POST. */
  body?: string;
  /** Timeout in ms. Defaults to that of the fetch options. */
  timeoutMs?: number;
  validators: Validators | null;
  /** The expected content, which determines what counts as a challenge page. */
  expects: "data" | "page";
}

export interface DocumentResponse {
  /** Null if the document has not changed. */
  document: FetchedDocument | null;
  validators: Validators;
  /** When the response stops being fresh, in Unix ms, or null if not stated. */
  freshUntilMs: number | null;
  redirect: RedirectTrack;
  /** The `Link` header (RFC 8288); empty if there is none. */
  link: string;
}

/**
 * Fetches one document, following redirects. A private IP address is refused unless `allowPrivate` is set. Even then, a
 * public host may not lead to a private one. The document's `name` is the requested URL. Throws {@link FetchError}.
 */
export async function fetchDocument(
  source: SourceSettings,
  request: DocumentRequest,
  options: FetchOptions,
): Promise<DocumentResponse> {
  const { host } = request.url;
  await options.pace(host, options.signal);
  options.signal.throwIfAborted();
  try {
    const chain = await options.clock.within(
      request.timeoutMs ?? options.timeoutMs,
      (signal) => followRedirects(source, request, { ...options, signal }),
      options.signal,
    );
    const response = readResponse(chain, request, options);
    options.noteResponse(host, null);
    return response;
  } catch (caught) {
    const error = caught instanceof DeadlineError
      ? new FetchError(`no complete response within ${caught.ms / 1000} s`, { category: "timeout" })
      : caught;
    if (error instanceof FetchError) options.noteResponse(host, error);
    throw error;
  }
}

function readResponse(chain: Chain, request: DocumentRequest, options: FetchOptions): DocumentResponse {
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

interface Chain {
  response: IncomingResponse;
  url: URL;
  redirect: RedirectTrack;
  isConditional: boolean;
}

async function followRedirects(
  source: SourceSettings,
  request: DocumentRequest,
  options: FetchOptions,
): Promise<Chain> {
  const configured = new URL(source.location);
  const hosts = new CheckedHosts(configured, options);
  const cookies = new Cookies();
  const trust = await readAuthorities(source, options);
  let url = request.url;
  let redirect: RedirectTrack = { kind: "none" };
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
    const response = await hosts.request(url, {
      method: request.body === undefined ? "GET" : "POST",
      headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...trust,
    });
    if (!REDIRECTS.includes(response.status)) return { response, url, redirect, isConditional };
    cookies.take(response.headers["set-cookie"], url);
    url = redirectTarget(response, url);
    isMoved &&= PERMANENT.includes(response.status);
    if (isMoved) redirect = { kind: "moved", to: url.href };
    else if (redirect.kind === "none") redirect = { kind: "unknown" };
  }
  throw new FetchError(`more than ${MAX_REDIRECTS} redirects`, BAD_REDIRECT);
}

/** Reads the source's CA certificates for each request, because they may be renewed. */
async function readAuthorities(
  { caFile }: SourceSettings,
  { files }: FetchOptions,
): Promise<{ authorities?: string }> {
  if (caFile === undefined) return {};
  try {
    return { authorities: await files.readText(caFile) };
  } catch (error) {
    throw new FetchError(`its ca_file cannot be read: ${(error as Error).message}`, { category: "internal" });
  }
}

/** The secret headers, which are sent only to the configured origin. */
function secretHeaders(source: SourceSettings): Record<string, string> {
  return {
    ...source.headers,
    ...(source.authorization === undefined ? {} : { authorization: source.authorization }),
  };
}

function validatorHeaders(validators: Validators | null, url: URL): Record<string, string> {
  if (validators?.url !== url.href) return {};
  const headers: Record<string, string> = {};
  if (validators.etag !== undefined) headers["if-none-match"] = validators.etag;
  if (validators.lastModified !== undefined) headers["if-modified-since"] = validators.lastModified;
  return headers;
}

function redirectTarget(response: IncomingResponse, from: URL): URL {
  const location = response.headers["location"] ?? "";
  if (location === "" || !URL.canParse(location, from)) {
    throw new FetchError(`responded with ${response.status} without a valid Location`, BAD_REDIRECT);
  }
  const target = new URL(location, from);
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    throw new FetchError(
      `redirects to ${target.protocol}, but only http: and https: are supported`,
      BAD_REDIRECT,
    );
  }
  if (from.protocol === "https:" && target.protocol === "http:") {
    throw new FetchError(
      "redirects from https to http; if this is intended, configure the http URL",
      BAD_REDIRECT,
    );
  }
  return target;
}

/** The hosts of one chain of redirects. Each is resolved once, and only IP addresses that were checked are used. */
class CheckedHosts {
  readonly #hosts = new Map<string, { addresses: string[]; isPublic: boolean }>();
  #sawPublic = false;

  constructor(readonly configured: URL, readonly options: FetchOptions) {}

  async request(
    url: URL,
    request: Omit<OutgoingRequest, "url" | "addresses" | "maxBodyBytes" | "signal">,
  ): Promise<IncomingResponse> {
    const { http, maxDocumentBytes, signal } = this.options;
    try {
      const addresses = await this.#permittedAddresses(url);
      return await http.request({ ...request, url, addresses, maxBodyBytes: maxDocumentBytes, signal });
    } catch (error) {
      throw error instanceof NetworkError
        ? new FetchError(`${error.reason} (${url.hostname})`, NO_CONNECTION)
        : error;
    }
  }

  async #permittedAddresses(url: URL): Promise<string[]> {
    const own = await this.#resolve(this.configured);
    const { addresses, isPublic } = await this.#resolve(url);
    if (!isPublic && !this.options.allowPrivate) {
      throw new FetchError(
        `${url.hostname} has a private IP address; ingest.allow_private = true allows it`,
        NO_CONNECTION,
      );
    }
    // No public host may redirect to a private one, and a public configured host may not link to one either.
    const isOwn = url.hostname === this.configured.hostname;
    if (!isPublic && (this.#sawPublic || (!isOwn && own.isPublic))) {
      throw new FetchError(`leads to ${url.hostname}, whose private IP address is refused`, NO_CONNECTION);
    }
    this.#sawPublic ||= isPublic;
    return addresses;
  }

  async #resolve(url: URL): Promise<{ addresses: string[]; isPublic: boolean }> {
    const known = this.#hosts.get(url.hostname);
    if (known !== undefined) return known;
    const literal = literalAddress(url);
    const found = literal === null
      ? await this.options.resolver.resolve(url.hostname, this.options.signal)
      : [literal];
    const addresses = found.slice(0, MAX_ADDRESSES);
    const host = { addresses, isPublic: addresses.every((address) => isReachable(address, [])) };
    this.#hosts.set(url.hostname, host);
    return host;
  }
}

function refuseUnusable(
  { response, url }: Chain,
  request: DocumentRequest,
  { nowMs, maxDocumentBytes }: { nowMs: number; maxDocumentBytes: number },
): void {
  const retryAtMs = parseRetryAfter(response.headers["retry-after"], nowMs);
  const { status } = response;
  const block = describeBlock(response, request.expects);
  if (block !== null) {
    throw new FetchError(block, { state: "blocked", retryAtMs, pausedHost: url.host, status });
  }
  if (status !== 200) {
    // 503 with Retry-After means that the whole host is busy (RFC 9110, 15.6.4).
    const pausedHost = status === 503 && retryAtMs !== null ? url.host : null;
    throw new FetchError(`responded with ${status}${ADVICE[status] ?? ""}`, {
      retryAtMs,
      pausedHost,
      status,
    });
  }
  if (response.truncated) throw new FetchError(`the document has more than ${maxDocumentBytes} bytes`);
  if (response.body.length === 0) throw new FetchError("responded with an empty body");
}
