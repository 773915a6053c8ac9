// The body of an answer: inflated, counted while it is read, and cut where its bound is.
import { pipeline, type Readable, Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { NetworkError } from "../domain/ports.ts";
import { toNetworkError } from "./network_errors.ts";

/**
 * Reads up to `maxBytes`, counted before and after inflating; then the rest is dropped and the connection with it. Throws
 * {@link NetworkError} when the body breaks off or has an encoding that nobody asked for.
 */
export async function readBody(
  stream: Readable,
  encoding: string,
  maxBytes: number,
): Promise<{ body: Uint8Array; truncated: boolean }> {
  const inflater = inflaterFor(encoding, stream);
  // A failed pipeline destroys both its ends, so the reading below sees every error.
  const counted = countUpTo(maxBytes);
  const plain = inflater === null ? stream : pipeline(stream, counted, inflater, () => {});
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of plain as AsyncIterable<Uint8Array>) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    if (error instanceof TooManyBytes) return { body: join(chunks, size), truncated: true };
    throw toNetworkError(error, "reading");
  } finally {
    stream.destroy();
  }
  return { body: join(chunks, Math.min(size, maxBytes)), truncated: size > maxBytes };
}

/**
 * RFC 9110, section 8.4: x-gzip means gzip; identity and nothing mean no coding. Never br: the runtime's inflater takes
 * a body that breaks off for a whole one.
 */
function inflaterFor(encoding: string, stream: Readable): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    default:
      stream.on("error", () => {}).destroy();
      throw new NetworkError(
        `the answer is encoded as ${encoding.trim().slice(0, 40)}, which was not asked for`,
      );
  }
}

/** More came over the wire than may: a coding can be made to give nothing however much of it is read. */
class TooManyBytes extends Error {
  override readonly name = "TooManyBytes";
}

/** Passes bytes on until there are too many. */
function countUpTo(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(new TooManyBytes());
      else done(null, chunk);
    },
  });
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return new Uint8Array(only);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
