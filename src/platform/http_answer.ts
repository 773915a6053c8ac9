// An answer of HTTP/1.1 (RFC 9112), read as its bytes come: its head, where its body ends, and whether another may follow.
import { Buffer } from "node:buffer";
import { NetworkError } from "../domain/ports.ts";

/** The answer's headers, and what follows a body in chunks, bytes. */
export const MAX_HEAD_BYTES = 32_768;
/** The line before a chunk: its size, and what else somebody says of it, characters. */
const MAX_CHUNK_LINE = 4_096;

/** Hears of an answer while it is read. */
export interface AnswerListener {
  /** The head has come; interim ones (103 Early Hints, …) are passed over. */
  onHead(head: AnswerHead): void;
  onBody(bytes: Uint8Array): void;
}

/** What stands before a body. */
export interface AnswerHead {
  status: number;
  /** Lower-case names; several values are joined by ", ", those of `set-cookie` by a line feed. */
  headers: Record<string, string>;
}

/** Where in an answer the next byte stands. */
type Part = "head" | "length" | "chunk-line" | "chunk" | "chunk-end" | "trailer" | "until-close" | "end";

/** Answers that end with their head, whatever length it names (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

const [CR, LF] = [13, 10];
const BEGINNING = "HTTP/1.";
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NO_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const LENGTH = /^\d{1,15}$/;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

/** What cannot be read as an answer: a {@link NetworkError} that says so. */
function bad(reason: string): NetworkError {
  return new NetworkError(reason);
}

const NOT_HTTP = "the answer is not valid HTTP";
const TOO_LARGE = "the answer's headers are too large";

/**
 * Reads one answer. It is strict where two readers could disagree on where an answer ends: what is ambiguous is refused,
 * not guessed.
 */
export class AnswerReader {
  #part: Part = "head";
  /** Bytes of a head that has not come whole. */
  #kept: Buffer | null = null;
  /** A line of a body in chunks that has not come whole. */
  #line = "";
  /** Bytes of the body, or of the chunk, that are to come. */
  #left = 0;
  #headBytes = 0;
  #hasHead = false;
  #staysOpen = false;
  #isClean = true;
  /** What the answer says of how long its connection is kept, ms; null where it does not say. */
  keepAliveMs: number | null = null;

  constructor(readonly listener: AnswerListener) {}

  /** Whether its head has come. */
  get hasHead(): boolean {
    return this.#hasHead;
  }

  /** Whether all of it has come. */
  get isWhole(): boolean {
    return this.#part === "end";
  }

  /** Whether its end is that of the connection. */
  get endsWithConnection(): boolean {
    return this.#part === "until-close";
  }

  /** Whether its connection may serve another request: nothing has come behind it. */
  get isReusable(): boolean {
    return this.#part === "end" && this.#staysOpen && this.#isClean;
  }

  /** Takes what has come; throws {@link NetworkError} when it is no answer. */
  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#part !== "end") at = this.#step(bytes, at);
    if (at < bytes.length) this.#isClean = false;
  }

  /** The connection has ended; throws {@link NetworkError} when the answer has not. */
  finish(): void {
    if (this.#part === "end") return;
    if (this.#part !== "until-close") throw bad(this.#hasHead ? "the answer broke off" : "connection reset");
    this.#part = "end";
  }

  /** Reads from there as far as the part goes that is being read; where the next one begins. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#part) {
      case "head":
        return this.#takeHead(bytes, at);
      case "length":
        return this.#takeBody(bytes, at, "end");
      case "chunk":
        return this.#takeBody(bytes, at, "chunk-end");
      case "until-close":
        this.listener.onBody(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      default:
        return this.#takeLine(bytes, at);
    }
  }

  #takeHead(bytes: Buffer, start: number): number {
    let at = start;
    if (this.#kept === null) {
      // Empty lines before an answer are passed over, as every reader does.
      while (at < bytes.length && (bytes[at] === CR || bytes[at] === LF)) at++;
    }
    const before = this.#kept?.length ?? 0;
    const head = this.#kept === null ? bytes.subarray(at) : Buffer.concat([this.#kept, bytes.subarray(at)]);
    const end = endOfHead(head, Math.max(0, before - 3));
    if ((end < 0 ? head.length : end) > MAX_HEAD_BYTES) throw bad(TOO_LARGE);
    if (end < 0) {
      const beginning = head.toString("latin1", 0, BEGINNING.length);
      if (!BEGINNING.startsWith(beginning)) throw bad(NOT_HTTP);
      this.#kept = head.length === 0 ? null : head;
      return bytes.length;
    }
    this.#kept = null;
    this.#begin(head.toString("latin1", 0, end - 4));
    return at + end - before;
  }

  /** A whole head, without the empty line behind it. */
  #begin(text: string): void {
    const lines = text.split("\r\n");
    const [, minor, digits] = STATUS_LINE.exec(lines[0] ?? "") ?? [];
    if (minor === undefined) throw bad(NOT_HTTP);
    const status = Number(digits);
    const headers = readHeaders(lines);
    if (status === 100) throw bad("the answer begins with 100 Continue, which was not asked for");
    if (status === 101) throw bad("the answer changes to another protocol, which was not asked for");
    if (status < 200) return;
    this.#hasHead = true;
    this.#readConnection(headers, minor === "1");
    this.#part = this.#framing(status, headers);
    this.listener.onHead({ status, headers });
  }

  #readConnection(headers: Record<string, string>, isCurrent: boolean): void {
    const said = headers["connection"]?.toLowerCase();
    const options = said === undefined ? [] : said.split(",").map((option) => option.trim());
    this.#staysOpen = !options.includes("close") && (isCurrent || options.includes("keep-alive"));
    const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(headers["keep-alive"] ?? "")?.[1];
    if (seconds !== undefined) this.keepAliveMs = Number(seconds) * 1_000;
  }

  /** How the body's end is told (RFC 9112, section 6.3); what is said in two ways is said wrongly. */
  #framing(status: number, headers: Record<string, string>): Part {
    const coding = headers["transfer-encoding"];
    const length = headers["content-length"];
    if (BODILESS.has(status)) return "end";
    if (coding !== undefined) {
      if (length !== undefined) throw bad(NOT_HTTP);
      if (coding.toLowerCase() !== "chunked") {
        throw bad(`the answer is encoded as ${coding.slice(0, 40)}, which was not asked for`);
      }
      return "chunk-line";
    }
    if (length === undefined) {
      this.#staysOpen = false;
      return "until-close";
    }
    const [only = "", ...others] = length.split(",").map((text) => text.trim());
    if (others.some((other) => other !== only)) throw bad("the answer is not as long as it says");
    if (!LENGTH.test(only)) throw bad(NOT_HTTP);
    this.#left = Number(only);
    return this.#left === 0 ? "end" : "length";
  }

  #takeBody(bytes: Buffer, at: number, next: "end" | "chunk-end"): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.listener.onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#left === 0) this.#part = next;
    return end;
  }

  /** One line of a body in chunks: before a chunk, behind it, or behind them all. */
  #takeLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    this.#line += bytes.toString("latin1", at, end < 0 ? bytes.length : end);
    const most = this.#part === "trailer" ? MAX_HEAD_BYTES : MAX_CHUNK_LINE;
    if (this.#line.length > most) throw bad(this.#part === "trailer" ? TOO_LARGE : NOT_HTTP);
    if (end < 0) return bytes.length;
    const line = this.#line;
    this.#line = "";
    if (!line.endsWith("\r")) throw bad(NOT_HTTP);
    this.#endLine(line.slice(0, -1));
    return end + 1;
  }

  #endLine(line: string): void {
    if (this.#part === "chunk-end") {
      if (line !== "") throw bad(NOT_HTTP);
      this.#part = "chunk-line";
    } else if (this.#part === "chunk-line") {
      const size = CHUNK_LINE.exec(line)?.[1];
      if (size === undefined) throw bad(NOT_HTTP);
      this.#left = parseInt(size, 16);
      this.#part = this.#left === 0 ? "trailer" : "chunk";
    } else if (line === "") this.#part = "end";
    else {
      this.#headBytes += line.length;
      if (this.#headBytes > MAX_HEAD_BYTES) throw bad(TOO_LARGE);
    }
  }
}

/** Behind the empty line that ends a head, which begins nowhere before `from`; -1 when it has not come. */
function endOfHead(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from + 3); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] === CR && bytes[at - 2] === LF && bytes[at - 3] === CR) return at + 1;
  }
  return -1;
}

/** Blanks and tabs alone stand around a value (RFC 9110, section 5.6.3). */
function trimBlanks(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** The headers of a head's lines, the first of which is none. */
function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  let last: string | null = null;
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith(" ") || line.startsWith("\t")) {
      // A folded line (RFC 9112, section 5.2).
      if (last === null || NO_HEADER_VALUE.test(line)) throw bad(NOT_HTTP);
      headers[last] += ` ${trimBlanks(line)}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1);
    if (!HEADER_NAME.test(name) || NO_HEADER_VALUE.test(value)) throw bad(NOT_HTTP);
    last = name.toLowerCase();
    const before = headers[last];
    const own = trimBlanks(value);
    headers[last] = before === undefined ? own : `${before}${last === "set-cookie" ? "\n" : ", "}${own}`;
  }
  return headers;
}
