// The answer to a request over HTTP/1.1, read from bytes as they come (RFC 9112): pure, and bounded in everything.
import { Buffer } from "node:buffer";
import { NetworkError } from "../domain/ports.ts";
import { readAnswerHead } from "./answer_head.ts";
import { GatheredBody, type ReadBody } from "./http_body.ts";
import { FAULT } from "./network_errors.ts";

/** A head, and the fields after a chunked body, bytes. */
const MAX_HEAD_BYTES = 32_768;
/** Interim answers (1xx) in front of the answer. */
const MAX_INTERIM = 32;
/** The line in front of a chunk with its extensions, and the extensions of all chunks, bytes. */
const MAX_CHUNK_LINE = 1_024;
const MAX_EXTENSION_BYTES = 16_384;
/** Digits of a chunk's size that are read without a text. */
const MAX_PLAIN_DIGITS = 8;
/** Line ends in front of a head, bytes. */
const MAX_EMPTY_BYTES = 64;

const NOTHING = new Uint8Array();
const LF = 0x0a;
const CR = 0x0d;
/** What every answer begins with. */
const BEGINNING = "HTTP/1.";
const EMPTY_LINE = /\n\r?\n/g;
const CHUNK_LINE = /^([0-9a-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

/** What comes next: a head, a body by its length or up to the connection's end, or a part of a chunked one. */
type State = "head" | "body" | "chunk-line" | "chunk" | "chunk-end" | "trailer" | "done";

/** Reads one answer, whatever interim ones precede it. */
export class AnswerReader {
  status = 0;
  /** Lower-case names; several values are joined by ", ", those of `set-cookie` by a line feed. */
  headers: Record<string, string> = {};
  /** How long the connection may serve another request from now on, ms; 0 when it must not. */
  keepMs = 0;
  #state: State = "head";
  /** What came and is not read yet. */
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  /** A head or a line of which the end has not come. */
  #text = "";
  #interim = 0;
  #trailerBytes = 0;
  #extensionBytes = 0;
  #emptyBytes = 0;
  /** Bytes to come of the body or of the chunk at hand. */
  #left = 0;
  readonly #body: GatheredBody;

  /** The body is read up to `maxBodyBytes`. */
  constructor(maxBodyBytes: number) {
    this.#body = new GatheredBody(maxBodyBytes);
  }

  /** What there is of the body. */
  body(): ReadBody {
    return this.#body.read();
  }

  /**
   * Takes what came and keeps no view of it; true when nothing more is wanted: the answer is whole, or its body longer
   * than may be. Throws a {@link NetworkError} that says what is wrong with it.
   */
  take(bytes: Uint8Array): boolean {
    this.#bytes = bytes;
    this.#at = 0;
    while (this.#state !== "done") {
      if (!this.#step()) {
        this.#bytes = NOTHING;
        return false;
      }
    }
    if (this.#at < bytes.length) this.keepMs = 0; // whatever follows, it is no answer to the next request
    this.#bytes = NOTHING;
    return true;
  }

  /** The connection has ended. Throws a {@link NetworkError} unless that is the end of the answer. */
  end(): void {
    this.keepMs = 0;
    if (this.#state === "body" && this.#left === Infinity) this.#state = "done";
    if (this.#state !== "done") {
      throw new NetworkError(this.status === 0 ? "connection reset" : FAULT.brokeOff);
    }
  }

  /** Goes on as far as the next state; false when more has to come for that. */
  #step(): boolean {
    switch (this.#state) {
      case "head":
        return this.#takeHead();
      case "body":
        return this.#takeSome("done");
      case "chunk-line":
        return this.#takeChunkLine();
      case "chunk":
        return this.#takeSome("chunk-end");
      case "chunk-end":
        return this.#takeChunkEnd();
      case "trailer":
        return this.#takeTrailer();
      case "done":
        return true;
    }
  }

  #takeHead(): boolean {
    const text = this.#headText();
    if (text === null) return false;
    const { status, headers, framing, keepMs } = readAnswerHead(text);
    if (status === 101) throw new NetworkError(FAULT.switchesProtocol);
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) throw new NetworkError(FAULT.onlyInterim);
      return true;
    }
    this.status = status;
    this.headers = headers;
    this.keepMs = keepMs;
    if (framing === "chunked") this.#state = "chunk-line";
    else {
      this.#left = framing === "close" ? Infinity : framing;
      this.#state = this.#left === 0 ? "done" : "body";
    }
    return true;
  }

  /** The text of a head without the empty line that ends it; null when that has not come. */
  #headText(): string | null {
    if (this.#text === "") this.#skipEmptyLines();
    const before = this.#text.length;
    const text = this.#text + this.#latin1(this.#at, this.#at + MAX_HEAD_BYTES + 1 - before);
    EMPTY_LINE.lastIndex = Math.max(0, before - 2);
    const found = EMPTY_LINE.exec(text);
    if (!BEGINNING.startsWith(text.slice(0, BEGINNING.length))) throw new NetworkError(FAULT.notHttp);
    if (found === null) {
      if (text.length > MAX_HEAD_BYTES) throw new NetworkError(FAULT.tooLargeHead);
      this.#at = this.#bytes.length;
      this.#text = text;
      return null;
    }
    this.#at += found.index + found[0].length - before;
    this.#text = "";
    return text.slice(0, found.index);
  }

  /** Some servers end a body with one that its length does not count. */
  #skipEmptyLines(): void {
    while (this.#bytes[this.#at] === CR || this.#bytes[this.#at] === LF) {
      this.#at++;
      if (++this.#emptyBytes > MAX_EMPTY_BYTES) throw new NetworkError(FAULT.notHttp);
    }
  }

  /** Bytes of the body, as many as are left; `next` follows them. */
  #takeSome(next: State): boolean {
    const some = this.#bytes.subarray(this.#at, Math.min(this.#at + this.#left, this.#bytes.length));
    if (some.length === 0) return false;
    this.#at += some.length;
    this.#left -= some.length;
    if (!this.#body.add(some)) {
      this.keepMs = 0;
      this.#state = "done";
    } else if (this.#left === 0) this.#state = next;
    return true;
  }

  #takeChunkLine(): boolean {
    const size = this.#plainSize() ?? this.#sizeOfLine();
    if (size === null) return false;
    this.#left = size;
    this.#state = this.#left === 0 ? "trailer" : "chunk";
    return true;
  }

  /** A size that is there whole and alone, as nearly all are: bytes tell it at a fraction of the cost of a text. */
  #plainSize(): number | null {
    if (this.#text !== "") return null;
    const bytes = this.#bytes;
    let size = 0;
    let at = this.#at;
    for (const end = at + MAX_PLAIN_DIGITS; at < end; at++) {
      const digit = digitOf(bytes[at]);
      if (digit === -1) break;
      size = size * 16 + digit;
    }
    if (at === this.#at || bytes[at] !== CR || bytes[at + 1] !== LF) return null;
    this.#at = at + 2;
    return size;
  }

  #sizeOfLine(): number | null {
    const line = this.#line(MAX_CHUNK_LINE);
    if (line === null) return null;
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    this.#extensionBytes += line.length - (size?.length ?? 0);
    if (size === undefined || this.#extensionBytes > MAX_EXTENSION_BYTES) {
      throw new NetworkError(FAULT.notHttp);
    }
    return Number.parseInt(size, 16);
  }

  #takeChunkEnd(): boolean {
    if (this.#text === "" && this.#bytes[this.#at] === CR && this.#bytes[this.#at + 1] === LF) {
      this.#at += 2;
      this.#state = "chunk-line";
      return true;
    }
    const line = this.#line(1);
    if (line === null) return false;
    if (line !== "") throw new NetworkError(FAULT.notHttp);
    this.#state = "chunk-line";
    return true;
  }

  /** Fields after the last chunk: nobody asked for any. */
  #takeTrailer(): boolean {
    const line = this.#line(MAX_HEAD_BYTES);
    if (line === null) return false;
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > MAX_HEAD_BYTES) throw new NetworkError(FAULT.tooLargeHead);
    if (line === "") this.#state = "done";
    return true;
  }

  /** The text of a line without its end; null when that has not come. */
  #line(most: number): string | null {
    const end = this.#bytes.indexOf(LF, this.#at);
    const text = this.#text + this.#latin1(this.#at, end === -1 ? this.#bytes.length : end);
    if (text.length > most + 1) throw new NetworkError(FAULT.notHttp);
    this.#at = end === -1 ? this.#bytes.length : end + 1;
    this.#text = end === -1 ? text : "";
    if (end === -1) return null;
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  #latin1(from: number, to: number): string {
    const { buffer, byteOffset, length } = this.#bytes;
    return Buffer.from(buffer, byteOffset, length).toString("latin1", from, Math.min(to, length));
  }
}

/** The value of a hexadecimal digit, -1 of any other byte and of none. */
function digitOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
