// Decompresses gzip files such as `sitemap.xml.gz` in chunks, so that a decompression bomb is detected early.
import { DocumentError } from "./parsed.ts";

/** Bytes inflated at a time: gzip makes at most about a thousand of one. */
const PIECE_BYTES = 4_096;

/**
 * The bytes of a gzip file; others are given back as they are. Throws a {@link DocumentError} when it is broken or has
 * more than `maxBytes` inflated. (The synchronous functions of zlib heed no such bound in every runtime.)
 */
export async function inflateFile(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  let at = 0;
  const pieces = new ReadableStream<BufferSource>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += PIECE_BYTES));
    },
  });
  const reader = pieces.pipeThrough(new DecompressionStream("gzip")).getReader();
  const found: Uint8Array[] = [];
  let length = 0;
  while (true) {
    let piece: ReadableStreamReadResult<Uint8Array>;
    try {
      piece = await reader.read();
    } catch {
      throw new DocumentError("the file is not valid gzip");
    }
    if (piece.done) break;
    length += piece.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new DocumentError(`the file has more than ${maxBytes} bytes when inflated`);
    }
    found.push(piece.value);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of found) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
