// Decompresses gzip files such as `sitemap.xml.gz` in chunks, so that a decompression bomb is detected early.
import { Buffer } from "node:buffer";
import { DocumentError } from "./parsed.ts";

/** Number of bytes to inflate at a time. The result is at most about 1,000 times as large. */
const CHUNK_BYTES = 4_096;

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.slice(at, at + CHUNK_BYTES);
}

/** Inflates a gzip file. Returns other data unchanged. Throws {@link DocumentError} if it is invalid or too large. */
export async function inflateFile(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const inflated: Uint8Array[] = [];
  let length = 0;
  try {
    const chunks = ReadableStream.from(chunksOf(bytes)).pipeThrough(new DecompressionStream("gzip"));
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > maxBytes) break;
      inflated.push(chunk);
    }
  } catch {
    throw new DocumentError("the file is not valid gzip");
  }
  if (length > maxBytes) throw new DocumentError(`the file has more than ${maxBytes} bytes when inflated`);
  return new Uint8Array(Buffer.concat(inflated));
}
