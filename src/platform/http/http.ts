// Sends HTTP/1.1 requests to other hosts through undici, with limits on the response.
import type { Transform } from "node:stream";
import type { Dispatcher } from "undici";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../../domain/ports/ports.ts";
import { orAborted } from "../../domain/abort_work.ts";
import type { Connection, Connections, Trust } from "./connections.ts";
import { removeLongValues } from "./header_values.ts";
import { BoundedBody, createDecompressor } from "./http_body.ts";
import { FAULT, toNetworkError } from "./network_errors.ts";

export interface HttpClientOptions {
  /** The accepted certificates (default: `authorities`). */
  trust?: Trust;
  /**
   * For requests to customers' URLs. The client refuses requests without checked IP addresses, decompresses no body,
   * and shares a connection only between requests to the same URL, so that no endpoint can forge another's response.
   */
  forWebhooks?: boolean;
}

interface RealHttpClient extends HttpClient {
  /** Loads undici in advance, so that loading it does not count towards the time limit of a request. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

/** Creates an HTTP/1.1 client that uses no proxy and follows no redirects. It can decompress gzip and deflate. */
export function createHttpClient(
  { trust = "authorities", forWebhooks = false }: HttpClientOptions = {},
): RealHttpClient {
  // Loaded on demand, because loading takes as long as the rest of startup.
  let loading: Promise<Connections> | null = null;
  let loaded: Connections | null = null;
  const load = () =>
    loading ??= import("./connections.ts").then(({ createConnections }) => loaded = createConnections(trust));
  const send = (connections: Connections, request: OutgoingRequest): Promise<IncomingResponse> =>
    new Promise((resolve, reject) => {
      request.signal.throwIfAborted();
      if (forWebhooks && request.addresses === undefined) throw new Error("no checked addresses");
      new Exchange({ connections, request, forWebhooks, resolve, reject }).start();
    });
  return {
    request: (request) =>
      loaded === null
        ? orAborted(load(), request.signal).then((connections) => send(connections, request))
        : send(loaded, request),
    async prepare() {
      await load();
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

/** Statuses of responses without a body (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
/** Maximum number of header fields. undici limits their total size, but ten thousand short fields would fit. */
const MAX_HEADERS = 256;
/** Maximum number of interim responses (1xx) before the final one. */
const MAX_INTERIM = 32;
/**
 * Maximum size of a response on the connection, in bytes: headers, interim responses, and a body with one chunk per
 * byte. undici limits neither chunk extensions nor leading zeros of a chunk size.
 */
const maxWireBytes = (bodyBytes: number): number => 2_097_152 + 8 * bodyBytes;

/** Number of bytes to decompress before other work runs. A small body can become a thousand times larger. */
const INFLATED_AT_ONCE = 1_048_576;

interface ExchangeOptions {
  connections: Connections;
  request: OutgoingRequest;
  forWebhooks: boolean;
  resolve: (response: IncomingResponse) => void;
  reject: (error: unknown) => void;
}

/**
 * A request and its response on their own connection. Rejects with the signal's reason as soon as the signal aborts.
 * Keeps the connection only if the request was sent and the response was read completely.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #connection: Connection;
  readonly #body: BoundedBody;
  readonly #abort = (): void => this.#reject(this.#options.request.signal.reason);
  #isOver = false;
  #interim = 0;
  #status = 0;
  #headers: Record<string, string> = {};
  #decompressor: Transform | null = null;
  #receivedBytes = 0;
  /** Number of bytes decompressed since other work last ran. */
  #inflatedBytes = 0;

  constructor(options: ExchangeOptions) {
    const { connections, forWebhooks, request: { url, addresses, authorities, maxBodyBytes } } = options;
    this.#options = options;
    this.#body = new BoundedBody(maxBodyBytes);
    const key = forWebhooks ? url.href : url.origin;
    this.#connection = connections.acquire({ key, origin: url.origin, addresses, authorities });
    this.#connection.limit(maxWireBytes(maxBodyBytes));
  }

  start(): void {
    const { url, method, headers, body, signal } = this.#options.request;
    signal.addEventListener("abort", this.#abort);
    try {
      const path = url.pathname + url.search;
      this.#connection.client.dispatch({ method, path, headers, body: body ?? null }, this);
    } catch (error) {
      this.#reject(toNetworkError(error, "connecting"));
    }
  }

  onRequestStart(): void {} // without it, undici assumes the interface of its older handlers

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) throw new NetworkError(FAULT.onlyInterim);
      return;
    }
    this.#headers = joinValues(headers);
    this.#status = status;
    if (this.#options.forWebhooks) return;
    const decompressor = createDecompressor(this.#headers["content-encoding"] ?? "");
    if (decompressor === null) return;
    this.#decompressor = decompressor;
    decompressor.on("data", (chunk: Uint8Array) => {
      this.#add(chunk);
      this.#inflatedBytes += chunk.length;
      if (this.#inflatedBytes < INFLATED_AT_ONCE) return;
      this.#inflatedBytes = 0;
      decompressor.pause();
      setTimeout(() => decompressor.resume(), 0);
    });
    decompressor.on("drain", () => controller.resume());
    decompressor.on("end", () => this.#resolve(true));
    decompressor.on("error", (error) => this.#reject(toNetworkError(error, "reading")));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#receivedBytes += chunk.length;
    if (this.#isOver) controller.pause();
    else if (this.#decompressor === null) this.#add(chunk);
    // The size is also limited before decompression, because a long gzip body can decompress to nothing.
    else if (this.#receivedBytes > this.#options.request.maxBodyBytes) this.#resolve(false);
    else if (!this.#decompressor.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#decompressor === null) this.#resolve(true);
    else this.#decompressor.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (BODILESS.has(this.#status)) this.#resolve(false); // without a body, the response is already complete
    else this.#reject(toNetworkError(error, this.#status === 0 ? "connecting" : "reading"));
  }

  #add(chunk: Uint8Array): void {
    if (!this.#body.add(chunk)) this.#resolve(false);
  }

  #resolve(isComplete: boolean): void {
    if (!this.#end(isComplete)) return;
    const { body, truncated } = this.#body.read();
    const isCut = truncated || this.#receivedBytes > this.#options.request.maxBodyBytes;
    this.#options.resolve({ status: this.#status, headers: this.#headers, body, truncated: isCut });
  }

  #reject(error: unknown): void {
    if (this.#end(false)) this.#options.reject(error);
  }

  /** Ends the exchange. Returns false if it has already ended. */
  #end(isComplete: boolean): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#decompressor?.destroy();
    const { connections, request: { signal } } = this.#options;
    signal.removeEventListener("abort", this.#abort);
    if (isComplete && this.#connection.hasSentAll()) connections.release(this.#connection);
    else connections.drop(this.#connection);
    return true;
  }
}

/** Joins a header's values with ", ". Joins those of Set-Cookie with a line feed, because they may contain commas. */
function joinValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  let count = 0;
  for (const [name, value = ""] of Object.entries(headers)) {
    count += typeof value === "string" ? 1 : value.length;
    joined[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  if (count > MAX_HEADERS) throw new NetworkError(FAULT.tooLargeHead);
  removeLongValues(joined);
  return joined;
}
