// Reads response bodies up to a limit, and decompresses them.
import type { Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { NetworkError } from "../../domain/ports/ports.ts";

export class BoundedBody {
  #bytes = new Uint8Array();
  #size = 0;

  constructor(readonly maxBytes: number) {}

  /**
   * Copies a chunk, because a view would keep the whole read buffer in memory. Returns false if the body exceeds the
   * limit.
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

  read(): { body: Uint8Array; truncated: boolean } {
    const body = this.#bytes.subarray(0, Math.min(this.#size, this.maxBytes));
    return { body, truncated: this.#size > this.maxBytes };
  }
}

/**
 * Creates the decompressor for a `Content-Encoding`, or returns null if none is needed. Throws a {@link NetworkError}
 * for an encoding that was not requested. Brotli is always refused, because the runtime accepts truncated Brotli.
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
