// Response bodies with entity tags and compressed forms, and a cache of them.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** Size of the cache, bytes of bodies in both forms. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Shorter bodies are not compressed, characters. */
const MIN_GZIP_LENGTH = 1_024;
/** Longer bodies are not compressed either, characters: 48 MB take 0.7 s, in which no other request is served. */
const MAX_GZIP_LENGTH = 4_000_000;

/** A response body with its entity tag and compressed form. */
export class Body {
  #etag: string | null;
  #gzip: Uint8Array<ArrayBuffer> | null = null;

  /** `tag` identifies the content (base64url characters), where the caller has something cheaper than a hash of it. */
  constructor(readonly content: string, tag?: string) {
    this.#etag = tag === undefined ? null : `W/"${tag}"`;
  }

  /** A weak entity tag (RFC 9110, 8.8.3): both forms of the body share it. */
  get etag(): string {
    return this.#etag ??= `W/"${createHash("sha1").update(this.content).digest("base64url")}"`;
  }

  /** The body compressed by gzip, on first use; null when it is too short or too long for that. */
  gzip(): Uint8Array<ArrayBuffer> | null {
    const { length } = this.content;
    if (length < MIN_GZIP_LENGTH || length > MAX_GZIP_LENGTH) return null;
    return this.#gzip ??= new Uint8Array(gzipSync(this.content, { level: 4 }));
  }
}

/** The part of a response that is the same for every request. */
export interface CachedResponse {
  readonly body: Body;
  readonly headers: Record<string, string>;
}

/** The last used responses by URL; one is valid as long as the state that it depends on is the same. */
export class ResponseCache {
  readonly #entries = new Map<string, { state: string; response: CachedResponse }>();
  #bytes = 0;

  constructor(readonly maxBytes: number = MAX_BYTES) {}

  /** The response for a URL in this state; null when it has to be made. */
  get(url: string, state: string): CachedResponse | null {
    const entry = this.#entries.get(url);
    if (entry === undefined) return null;
    this.#remove(url, entry.response);
    if (entry.state !== state) return null;
    this.#add(url, entry);
    return entry.response;
  }

  /** Stores a response; the least recently used ones make room for it. */
  put(url: string, state: string, response: CachedResponse): void {
    if (sizeOf(url, response) > this.maxBytes) return;
    const former = this.#entries.get(url);
    if (former !== undefined) this.#remove(url, former.response);
    this.#add(url, { state, response });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.maxBytes) return;
      this.#remove(oldest, entry.response);
    }
  }

  #add(url: string, entry: { state: string; response: CachedResponse }): void {
    this.#entries.set(url, entry);
    this.#bytes += sizeOf(url, entry.response);
  }

  #remove(url: string, response: CachedResponse): void {
    this.#entries.delete(url);
    this.#bytes -= sizeOf(url, response);
  }
}

/** With room for the compressed form, which is shorter than the content. */
function sizeOf(url: string, { body }: CachedResponse): number {
  return 2 * body.content.length + 2 * url.length;
}

/** Whether an `If-None-Match` lists the tag, compared weakly (RFC 9110, 13.1.2); `*` lists none. */
export function namesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.replace(/^W\//, "");
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaque);
}

/**
 * Whether an `Accept-Encoding` takes gzip, and no less gladly than the plain body: its own weight counts, else that of
 * `*` (RFC 9110, 12.5.3).
 */
export function takesGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(coding, Number(weight));
  }
  const weight = weights.get("gzip") ?? weights.get("*") ?? 0;
  return weight > 0 && weight >= (weights.get("identity") ?? 0);
}
