// HTTP to somewhere else: one request, one answer, bounded while it is read.
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../domain/ports.ts";
import { orAborted } from "../domain/stop.ts";
import type { Connection, Connections, Trust } from "./connections.ts";
import { GatheredBody, isPlain, type ReadBody, readBody } from "./http_body.ts";
import { removeLongValues } from "./header_values.ts";
import { FAULT, toNetworkError } from "./network_errors.ts";
import { partsOf, type UrlParts } from "./url_parts.ts";

/** A client of this process. */
export interface RealHttpClient extends HttpClient {
  /**
   * Loads what requests need. The first request does that too, but it takes a part of the time that the request has:
   * who has short bounds prepares first. Loading is done once, whoever asks for it.
   */
  prepare(): Promise<void>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * An HTTP/1.1 client. It takes no proxy from the environment and follows no redirect. It asks for no compression
 * unless the request's headers do, and inflates gzip and deflate. Over TLS it believes whom the system's authorities
 * vouch for, unless told otherwise.
 */
export function createHttpClient(trust: Trust = "authorities"): RealHttpClient {
  // Loading undici costs as much as all the rest of a start, and many a command asks nobody.
  let loading: Promise<Connections> | null = null;
  let loaded: Connections | null = null;
  const load = () =>
    loading ??= import("./connections.ts").then(({ createConnections }) => loaded = createConnections(trust));
  const request = (connections: Connections, outgoing: OutgoingRequest): Promise<IncomingResponse> =>
    new Promise((settle, refuse) => {
      const { addresses, signal } = outgoing;
      signal.throwIfAborted();
      if (addresses?.length === 0) throw new NetworkError("host name not found");
      new Exchange(connections, outgoing, settle, refuse).start();
    });
  return {
    request: (outgoing) =>
      loaded === null
        ? orAborted(load(), outgoing.signal).then((connections) => request(connections, outgoing))
        : request(loaded, outgoing),
    async prepare() {
      await load();
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

/** Answers that end with their head, whatever length it names (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const NO_BODY: ReadBody = { body: new Uint8Array(), truncated: false };

/** Header fields that an answer may have: undici bounds their bytes, of which ten thousand short ones have few. */
const MAX_HEADERS = 256;

/**
 * A request on a connection of its own, and its answer: rejects with the signal's reason as soon as that aborts. A plain
 * body is gathered as it comes: a stream for each answer costs more than the rest of it. Only when the answer was read
 * to its end, the connection serves another request.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #where: UrlParts;
  readonly #connection: Connection;
  readonly #outgoing: OutgoingRequest;
  readonly #settle: (response: IncomingResponse) => void;
  readonly #refuse: (error: unknown) => void;
  readonly #abort = (): void => this.#reject(this.#outgoing.signal.reason);
  #isOver = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #plain: GatheredBody | null = null;
  #coded: Readable | null = null;

  constructor(
    connections: Connections,
    outgoing: OutgoingRequest,
    settle: (response: IncomingResponse) => void,
    refuse: (error: unknown) => void,
  ) {
    const { url, addresses, authorities } = outgoing;
    this.#connections = connections;
    this.#outgoing = outgoing;
    this.#settle = settle;
    this.#refuse = refuse;
    this.#where = partsOf(url);
    this.#connection = connections.take({ origin: this.#where.origin, addresses, authorities });
  }

  start(): void {
    const { method, headers, body, signal } = this.#outgoing;
    const { path } = this.#where;
    signal.addEventListener("abort", this.#abort);
    try {
      this.#connection.client.dispatch({ method, path, headers, body: body ?? null }, this);
    } catch (error) {
      this.#reject(error);
    }
  }

  onRequestStart(): void {} // undici takes a handler without it for one of its older kind

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    given: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // informational: the answer follows
    this.#status = status;
    const headers = this.#headers = joinValues(given);
    const coding = headers["content-encoding"] ?? "";
    const { maxBodyBytes } = this.#outgoing;
    if (isPlain(coding)) {
      this.#plain = new GatheredBody(maxBodyBytes);
      return;
    }
    const stream = this.#coded = new Readable({ read: () => controller.resume() });
    readBody(stream, coding, maxBodyBytes).then(
      (read) => this.#resolve(read, stream.readableEnded),
      (error) => this.#reject(error),
    );
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#coded?.push(chunk) === false) controller.pause();
    if (this.#plain === null || this.#plain.add(chunk)) return;
    // The connection is dropped: nothing more is read.
    controller.pause();
    this.#resolve(this.#plain.read(), false);
  }

  onResponseEnd(): void {
    this.#coded?.push(null);
    if (this.#plain !== null) this.#resolve(this.#plain.read(), true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // What follows such a head, against the rule, is no part of the answer.
    if (BODILESS.has(this.#status)) this.#resolve(NO_BODY, false);
    else if (this.#coded !== null) this.#coded.destroy(error);
    else this.#reject(toNetworkError(error, this.#status === 0 ? "connecting" : "reading"));
  }

  #resolve({ body, truncated }: ReadBody, isWhole: boolean): void {
    if (!this.#end(isWhole)) return;
    this.#settle({ status: this.#status, headers: this.#headers, body, truncated });
  }

  #reject(error: unknown): void {
    if (this.#end(false)) this.#refuse(error);
  }

  #end(isWhole: boolean): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#outgoing.signal.removeEventListener("abort", this.#abort);
    if (isWhole) this.#connections.giveBack(this.#connection);
    else this.#connections.drop(this.#connection);
    return true;
  }
}

/** A header that came more than once is one text; a cookie's date holds a comma. */
function joinValues(given: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  let fields = 0;
  for (const name in given) {
    const value = given[name] ?? "";
    fields += typeof value === "string" ? 1 : value.length;
    joined[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  if (fields > MAX_HEADERS) throw new NetworkError(FAULT.tooLargeHead);
  removeLongValues(joined);
  return joined;
}
