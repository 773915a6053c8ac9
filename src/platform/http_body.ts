// The body of an answer: inflated, counted while it is read, and cut where its bound is.
import { pipeline, type Readable, Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { NetworkError } from "../domain/ports.ts";
import { toNetworkError } from "./network_errors.ts";

const NOTHING = new Uint8Array();
/** What is set aside for a body at once, unless more comes at once, bytes. */
const MAX_BLOCK_BYTES = 65_536;

/** What was read of a body; `truncated` when there was more than may be. */
export interface ReadBody {
  body: Uint8Array;
  truncated: boolean;
}

/** A body without a coding, gathered as it comes: however small its pieces are, it takes about its own size twice. */
export class GatheredBody {
  readonly #blocks: Uint8Array[] = [];
  /** Bytes of the last block that are used. */
  #used = 0;
  #size = 0;

  constructor(readonly maxBytes: number) {}

  /** Copies what came; false when that is more than may be, and nothing more is of use. */
  add(chunk: Uint8Array): boolean {
    const left = Math.max(0, this.maxBytes - this.#size);
    const some = chunk.length <= left ? chunk : chunk.subarray(0, left);
    const last = this.#blocks.at(-1) ?? NOTHING;
    const room = Math.min(some.length, last.length - this.#used);
    if (room === some.length) this.#fill(last, some);
    else {
      if (room > 0) this.#fill(last, some.subarray(0, room));
      this.#used = 0;
      this.#fill(this.#more(some.length - room), some.subarray(room));
    }
    this.#size += chunk.length;
    return this.#size <= this.maxBytes;
  }

  /** What there is of it, up to the bound. */
  read(): ReadBody {
    const blocks = [...this.#blocks];
    const last = blocks.pop();
    if (last !== undefined) blocks.push(last.subarray(0, this.#used));
    return {
      body: join(blocks, Math.min(this.#size, this.maxBytes)),
      truncated: this.#size > this.maxBytes,
    };
  }

  #fill(block: Uint8Array, bytes: Uint8Array): void {
    block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** A block for that many bytes; after the first, which is mostly the only one, for as many as there are already. */
  #more(bytes: number): Uint8Array {
    const block = new Uint8Array(Math.max(bytes, Math.min(this.#size, MAX_BLOCK_BYTES)));
    this.#blocks.push(block);
    return block;
  }
}

/** Whether a content-encoding means none (RFC 9110, section 8.4). */
export function isPlain(encoding: string): boolean {
  return encoding === "" || ["", "identity"].includes(codingOf(encoding));
}

/**
 * Reads up to `maxBytes` of a body with a coding, counted before and after inflating; then the rest is dropped. Throws
 * {@link NetworkError} when the body breaks off or has an encoding that nobody asked for.
 */
export async function readBody(stream: Readable, encoding: string, maxBytes: number): Promise<ReadBody> {
  const inflater = inflaterFor(encoding, stream);
  // A failed pipeline destroys both its ends, so the reading below sees every error.
  const inflated = pipeline(stream, countUpTo(maxBytes), inflater, () => {});
  const gathered = new GatheredBody(maxBytes);
  try {
    for await (const chunk of inflated as AsyncIterable<Uint8Array>) {
      if (!gathered.add(chunk)) break;
    }
  } catch (error) {
    if (error instanceof TooManyBytes) return { ...gathered.read(), truncated: true };
    throw toNetworkError(error, "reading");
  } finally {
    stream.destroy();
  }
  return gathered.read();
}

function codingOf(encoding: string): string {
  return encoding.trim().toLowerCase();
}

/**
 * RFC 9110, section 8.4: x-gzip means gzip. Never br: the runtime's inflater takes a body that breaks off for a whole
 * one.
 */
function inflaterFor(encoding: string, stream: Readable): Transform {
  switch (codingOf(encoding)) {
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
  if (size === 0) return NOTHING;
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
