// Response bodies: reads them up to a limit, and decompresses those that the runtime leaves compressed.
import type { Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { NetworkError } from "../../domain/ports/ports.ts";

/** A body that is read up to a limit. */
export class BoundedBody {
  #bytes = new Uint8Array();
  #size = 0;

  constructor(readonly maxBytes: number) {}

  /**
   * Copies a chunk, because a view would keep the connection's whole read buffer. Returns false when the body is longer
   * than the limit; the rest is not needed then.
   */
  add(chunk: Uint8Array): boolean {
    const size = this.#size + chunk.length;
    const kept = Math.min(size, this.maxBytes);
    if (kept > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.maxBytes, Math.max(kept, 2 * this.#bytes.length)));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    if (this.#size < kept) this.#bytes.set(chunk.subarray(0, kept - this.#size), this.#size);
    this.#size = size;
    return size <= this.maxBytes;
  }

  /** What was read, up to the limit, and whether there was more. */
  read(): { body: Uint8Array; truncated: boolean } {
    const body = this.#bytes.subarray(0, Math.min(this.#size, this.maxBytes));
    return { body, truncated: this.#size > this.maxBytes };
  }
}

/**
 * The stream that decompresses a `Content-Encoding`; null for a body without one. Throws a {@link NetworkError} for an
 * encoding that was not requested. Brotli is never accepted: the runtime's decompressor takes a truncated body for a
 * complete one.
 */
export function createDecompressor(contentEncoding: string): Transform | null {
  switch (contentEncoding.trim().toLowerCase()) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip": // RFC 9110, section 8.4.1.3
      return createGunzip();
    case "deflate":
      return createInflate();
    default:
      throw new NetworkError(
        `the response has the encoding ${contentEncoding.trim().slice(0, 40)}, which was not requested`,
      );
  }
}
