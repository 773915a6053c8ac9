// Response bodies with entity tags and compressed forms, and a cache of responses.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** Maximum size of the cache in bytes, counting both forms of each body. */
const MAX_BYTES = 16 * 1024 * 1024;
const MIN_GZIP_LENGTH = 1_024;
/** Maximum length in characters of a body to compress. Compressing 48 MB would block the main thread for 0.7 s. */
const MAX_GZIP_LENGTH = 4_000_000;

export class Body {
  #etag: string | null;
  #gzip: Uint8Array<ArrayBuffer> | null = null;

  /** `tag` identifies the content in base64url characters. If absent, the content is hashed. */
  constructor(readonly content: string, tag?: string) {
    this.#etag = tag === undefined ? null : `W/"${tag}"`;
  }

  /** A weak entity tag (RFC 9110, 8.8.3), which both forms of the body share. */
  get etag(): string {
    return this.#etag ??= `W/"${createHash("sha1").update(this.content).digest("base64url")}"`;
  }

  /** Returns the body compressed with gzip, or null if it is too short or too long. */
  gzip(): Uint8Array<ArrayBuffer> | null {
    const { length } = this.content;
    if (length < MIN_GZIP_LENGTH || length > MAX_GZIP_LENGTH) return null;
    return this.#gzip ??= new Uint8Array(gzipSync(this.content, { level: 4 }));
  }
}

export interface CachedResponse {
  readonly body: Body;
  readonly headers: Record<string, string>;
}

/** The most recently used responses by URL. A response is valid while the state that it depends on is unchanged. */
export class ResponseCache {
  readonly #entries = new Map<string, { state: string; response: CachedResponse }>();
  #bytes = 0;

  constructor(readonly maxBytes: number = MAX_BYTES) {}

  get(url: string, state: string): CachedResponse | null {
    const entry = this.#entries.get(url);
    if (entry === undefined || entry.state !== state) return null;
    this.#entries.delete(url);
    this.#entries.set(url, entry);
    return entry.response;
  }

  /** Stores a response; removes the least recently used ones if the cache is full. */
  put(url: string, state: string, response: CachedResponse): void {
    const size = sizeOf(url, response);
    if (size > this.maxBytes) return;
    this.#remove(url);
    this.#entries.set(url, { state, response });
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.#remove(oldest);
    }
  }

  #remove(url: string): void {
    const entry = this.#entries.get(url);
    if (entry !== undefined) this.#bytes -= sizeOf(url, entry.response);
    this.#entries.delete(url);
  }
}

/** Estimates the size of an entry in bytes. The compressed form, although shorter, counts as much as the content. */
function sizeOf(url: string, { body }: CachedResponse): number {
  return 2 * body.content.length + 2 * url.length;
}

/** Whether an `Accept-Encoding` header accepts gzip and does not prefer the plain body (RFC 9110, 12.5.3). */
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
