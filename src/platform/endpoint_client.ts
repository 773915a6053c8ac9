// HTTP to endpoints of webhooks: only to addresses that were checked, with little around each request.
import { Readable } from "node:stream";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../domain/ports.ts";
import { firstOf, Stopper } from "../domain/stop.ts";
import { AnswerReader } from "./answer_reader.ts";
import { closeQuietly, dial } from "./dial.ts";
import { isPlain, type ReadBody, readBody } from "./http_body.ts";
import { IdlePool } from "./idle_pool.ts";
import { FAULT, toNetworkError } from "./network_errors.ts";
import { partsOf } from "./url_parts.ts";
import { type Hearer, Wire } from "./wire.ts";

/** How often idle connections are looked through for those that are kept long enough, ms. */
const SWEEP_MS = 10_000;

/** Connections to one target that are ended and cannot be closed, because it does not read what was sent. */
const MAX_STUCK = 4;

/** A client of this process for endpoints. */
export interface EndpointClient extends HttpClient {
  /** Ends every connection, and what is under way on it. */
  close(): Promise<void>;
}

/**
 * An HTTP/1.1 client that goes to the addresses which a request names and can look nothing up; one that names none is
 * refused. It takes no proxy from the environment and follows no redirect. A connection is shared by requests of one URL
 * with the same addresses alone: what one of an endpoint's neighbours makes its server say never meets another's request.
 * `connect` makes its connections.
 */
export function createEndpointClient(connect: typeof dial = dial): EndpointClient {
  return new Client(connect);
}

const CLOSED = new NetworkError("the connection was closed here");
const NO_BODY = new Uint8Array();
const encoder = new TextEncoder();

class Client implements EndpointClient {
  readonly #idle = new IdlePool<Wire>();
  /** In use or not. */
  readonly #wires = new Set<Wire>();
  readonly #closing = new Stopper();
  /** By target: connections that are ended and stay open. */
  readonly #stuck = new Map<string, number>();
  readonly #connect: typeof dial;
  #sweep: ReturnType<typeof setTimeout> | undefined;

  constructor(connect: typeof dial) {
    this.#connect = connect;
  }

  request(outgoing: OutgoingRequest): Promise<IncomingResponse> {
    return new Promise((settle, refuse) => {
      const { url, addresses, authorities, signal } = outgoing;
      signal.throwIfAborted();
      if (addresses === undefined || addresses.length === 0) throw new NetworkError("host name not found");
      const head = headOf(outgoing); // what cannot be sent needs no connection
      const key = keyOf(url, addresses, authorities);
      const send = (wire: Wire) => new Exchange(this, wire, { outgoing, settle, refuse }).start(head);
      const wire = this.#takeIdle(key);
      if (wire !== null) return send(wire);
      if ((this.#stuck.get(key) ?? 0) >= MAX_STUCK) throw new NetworkError(FAULT.notTaken);
      const { stop, leave } = firstOf([signal, this.#closing]);
      this.#connect({ url, addresses, authorities }, stop).then((line) => {
        if (stop.aborted) {
          closeQuietly(line);
          throw stop.reason;
        }
        const made = new Wire(key, line, this.#forget);
        this.#wires.add(made);
        send(made);
      }).catch(refuse).finally(leave);
    });
  }

  /** Keeps it for the next request. */
  giveBack(wire: Wire, forMs: number): void {
    wire.rest();
    wire.usableUntilMs = performance.now() + forMs;
    this.#idle.giveBack(wire)?.end();
    this.#sweep ??= setTimeout(this.#endOld, SWEEP_MS);
  }

  close(): Promise<void> {
    clearTimeout(this.#sweep);
    this.#closing.abort(CLOSED);
    for (const wire of [...this.#wires]) wire.end(CLOSED);
    return Promise.resolve();
  }

  #takeIdle(key: string): Wire | null {
    for (let wire = this.#idle.take(key); wire !== undefined; wire = this.#idle.take(key)) {
      if (performance.now() < wire.usableUntilMs) return wire;
      wire.end();
    }
    return null;
  }

  readonly #forget = (wire: Wire): void => {
    this.#wires.delete(wire);
    this.#idle.forget(wire);
    const { key } = wire;
    if (wire.isStuck(() => this.#countStuck(key, -1))) this.#countStuck(key, 1);
  };

  #countStuck(key: string, change: 1 | -1): void {
    const count = (this.#stuck.get(key) ?? 0) + change;
    if (count > 0) this.#stuck.set(key, count);
    else this.#stuck.delete(key);
  }

  readonly #endOld = (): void => {
    const nowMs = performance.now();
    const idle = this.#idle.all();
    for (const wire of idle) if (nowMs >= wire.usableUntilMs) wire.end();
    this.#sweep = idle.length === 0 ? undefined : setTimeout(this.#endOld, SWEEP_MS);
  };
}

/** What an exchange is for. */
interface Asked {
  outgoing: OutgoingRequest;
  settle: (response: IncomingResponse) => void;
  refuse: (error: unknown) => void;
}

/**
 * A request on a connection of its own, and its answer: rejects with the signal's reason as soon as that aborts. Only when
 * the request went out whole and the answer was read to its end, the connection serves another one.
 */
class Exchange implements Hearer {
  readonly #client: Client;
  readonly #wire: Wire;
  readonly #asked: Asked;
  readonly #answer: AnswerReader;
  #isOver = false;

  constructor(client: Client, wire: Wire, asked: Asked) {
    this.#client = client;
    this.#wire = wire;
    this.#asked = asked;
    this.#answer = new AnswerReader(asked.outgoing.maxBodyBytes);
  }

  start(head: string): void {
    const { signal, body } = this.#asked.outgoing;
    if (signal.aborted) return this.#fail(signal.reason);
    signal.addEventListener("abort", this.#abort);
    const bytes = body === undefined ? NO_BODY : typeof body === "string" ? encoder.encode(body) : body;
    const length = body === undefined ? "" : `content-length: ${bytes.length}\r\n`;
    this.#wire.send(`${head}${length}\r\n`, bytes, this);
  }

  came(bytes: Uint8Array): void {
    try {
      if (this.#answer.take(bytes)) this.#finish();
    } catch (error) {
      this.#fail(error);
    }
  }

  ended(error: unknown): void {
    if (this.#isOver) return;
    try {
      // Many servers hang up without TLS' word for it. The head was whole by then, and nothing hangs on a body that may be cut.
      if (error instanceof Error && !(error instanceof Deno.errors.UnexpectedEof)) {
        throw toNetworkError(error, this.#answer.status === 0 ? "connecting" : "reading");
      }
      this.#answer.end();
      this.#finish();
    } catch (failure) {
      this.#fail(failure);
    }
  }

  readonly #abort = (): void => this.#fail(this.#asked.outgoing.signal.reason);

  #finish(): void {
    const { status, headers, keepMs } = this.#answer;
    const coding = headers["content-encoding"] ?? "";
    const isPlainBody = isPlain(coding);
    if (!this.#end(isPlainBody ? keepMs : 0)) return;
    const read = this.#answer.body();
    const { settle, refuse, outgoing } = this.#asked;
    if (isPlainBody || (read.body.length === 0 && !read.truncated)) settle({ status, headers, ...read });
    else {inflate(read, coding, outgoing.maxBodyBytes).then((body) =>
        settle({ status, headers, ...body }), refuse);}
  }

  #fail(error: unknown): void {
    if (this.#end(0)) this.#asked.refuse(error);
  }

  /** False when it was over before. */
  #end(keepMs: number): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#asked.outgoing.signal.removeEventListener("abort", this.#abort);
    if (keepMs > 0 && this.#wire.hasSent) this.#client.giveBack(this.#wire, keepMs);
    else this.#wire.end();
    return true;
  }
}

/**
 * What a body with a coding is. Nobody asked for one, and the status has been said: of a body that cannot be read nothing
 * is kept, for what an endpoint has taken is not to go to it again.
 */
async function inflate({ body, truncated }: ReadBody, coding: string, maxBytes: number): Promise<ReadBody> {
  try {
    const read = await readBody(Readable.from([body]), coding, maxBytes);
    return { ...read, truncated: read.truncated || truncated };
  } catch (error) {
    if (error instanceof NetworkError) return { body: NO_BODY, truncated };
    throw error;
  }
}

function keyOf(url: URL, addresses: readonly string[], authorities: string | undefined): string {
  const known = addresses.length < 2 ? addresses : addresses.toSorted();
  return `${url.href} ${known.join(" ")} ${authorities ?? ""}`;
}

/** A field of a head: a name, and a value without what would end it. */
const FIELD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t\x20-\x7e\x80-\xff]*$/;

/** The head of a request, but for its length and the empty line at its end. */
function headOf({ method, url, headers }: OutgoingRequest): string {
  const { path, host } = partsOf(url);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const field = `${name}: ${headers[name]}`;
    if (!FIELD.test(field)) throw new NetworkError(FAULT.notSendable);
    head += `${field}\r\n`;
  }
  return head;
}
