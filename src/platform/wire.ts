// A connection that carries one request at a time, and hears the other side all the while.
import type { Keepable } from "./idle_pool.ts";
import { closeQuietly, type Line } from "./dial.ts";

/** What is read at once, bytes: nearly every answer to a delivery is shorter. */
const READ_BYTES = 8_192;
/** Requests up to this size are put together in memory that the connection keeps, bytes. */
const KEPT_BYTES = 16_384;

/** Whoever waits for an answer. */
export interface Hearer {
  /** Some bytes came; they are overwritten after the call. */
  came(bytes: Uint8Array): void;
  /** The connection has ended, with an error or without one. */
  ended(error: unknown): void;
}

/**
 * A standing connection. It is read from as long as it stands: what comes, or ends it, while nobody waits for an answer is
 * known before the next request goes out, and such a connection is never used again.
 */
export class Wire implements Keepable {
  /** By the clock that nobody sets, ms: no request goes out after that. */
  usableUntilMs = Infinity;
  readonly #line: Line;
  readonly #whenUseless: (wire: Wire) => void;
  readonly #read = new Uint8Array(READ_BYTES);
  #kept: Uint8Array | null = null;
  #hearer: Hearer | null = null;
  #isOpen = true;
  /** Bytes of the request that the other side has not taken yet. */
  #unwritten: Uint8Array | null = null;
  /** A call of the runtime has some of the request and has not come back. */
  #isWriting = false;
  #whenFree: () => void = () => {};

  /** `whenUseless` is told once when the connection ends, or is ended here because it is of no use any more. */
  constructor(readonly key: string, line: Line, whenUseless: (wire: Wire) => void) {
    this.#line = line;
    this.#whenUseless = whenUseless;
    this.#listen();
  }

  /** Whether the last request has gone out whole. */
  get hasSent(): boolean {
    return this.#unwritten === null;
  }

  /**
   * Whether an ended connection is open still: the runtime as of Deno 2.4 cannot take back a write, and keeps it until the
   * other side reads or hangs up. `whenFree` is told of that then.
   */
  isStuck(whenFree: () => void): boolean {
    if (this.#isOpen || !this.#isWriting) return false;
    this.#whenFree = whenFree;
    return true;
  }

  /** Sends a request, the head in ISO 8859-1; the answer goes to `hearer`. */
  send(head: string, body: Uint8Array, hearer: Hearer): void {
    const length = head.length + body.length;
    const whole = length <= KEPT_BYTES
      ? (this.#kept ??= new Uint8Array(KEPT_BYTES)).subarray(0, length)
      : new Uint8Array(length);
    // A call of the runtime for so few letters costs several times as much.
    for (let at = 0; at < head.length; at++) whole[at] = head.charCodeAt(at);
    whole.set(body, head.length);
    this.#hearer = hearer;
    this.#unwritten = whole;
    this.#write(whole);
  }

  /** Nobody waits for an answer any more. */
  rest(): void {
    this.#hearer = null;
  }

  /** Ends the connection; whoever waits for an answer hears why. */
  end(reason?: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeQuietly(this.#line);
    this.#whenUseless(this);
    const hearer = this.#hearer;
    this.#hearer = null;
    hearer?.ended(reason);
  }

  #write(bytes: Uint8Array): void {
    this.#isWriting = true;
    this.#line.write(bytes).then(this.#wrote, this.#notWritten);
  }

  readonly #wrote = (count: number): void => {
    this.#isWriting = false;
    const bytes = this.#unwritten;
    if (bytes === null) return;
    this.#unwritten = count < bytes.length ? bytes.subarray(count) : null;
    if (!this.#isOpen) this.#whenFree();
    else if (this.#unwritten !== null) this.#write(this.#unwritten);
  };

  /** What the other side has said before it hung up is still read, and tells more than this. */
  readonly #notWritten = (): void => {
    this.#isWriting = false;
    if (!this.#isOpen) this.#whenFree();
  };

  #listen(): void {
    this.#line.read(this.#read).then(this.#came, this.#failed);
  }

  readonly #came = (count: number | null): void => {
    if (!this.#isOpen) return;
    if (count === null || this.#hearer === null) return this.end(null);
    this.#hearer.came(this.#read.subarray(0, count));
    if (this.#isOpen) this.#listen();
  };

  readonly #failed = (error: unknown): void => this.end(error);
}
