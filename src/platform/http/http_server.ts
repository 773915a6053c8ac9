// The HTTP server, which listens, responds, and stops within a time limit.
import { createClock } from "../clock.ts";
import type { CertificatePair } from "../tls/certificate.ts";

/** Pause before a failed listener is restarted, ms. */
const RETRY_MS = 100;
/** Time limit for sending complete responses to slow clients during the shutdown, ms. */
const FLUSH_MS = 1_000;
/** Minimum time between two reports of a failed listener, ms. */
const REPORT_AGAIN_MS = 60_000;
/** How long a retired listener asks its clients to reconnect, ms. */
const RETIRE_MS = 10_000;
/**
 * Maximum size of an unread request body that is received at full speed, in bytes. The rest is received with pauses,
 * because a client may send an endless body.
 */
const UNWANTED_BYTES = 16_777_216;
/** The pause before each further chunk (about 64 kB), ms. */
const UNWANTED_PAUSE_MS = 1_000;

export interface ListenOptions {
  /** An IP address or host name of this machine. */
  hostname: string;
  /** The port, or 0 for any free port. */
  port: number;
  /** The certificate and key. If set, the server uses TLS. */
  pair?: CertificatePair;
  /** Whether several listeners may share the port. The system distributes new connections among them. */
  reusePort?: boolean;
  retireMs?: number;
  /** Responds to a request. Must not throw. */
  handler(request: Request, client: ConnectedClient): Response | Promise<Response>;
  /** Responds to requests during the shutdown (default: an empty 503). */
  refuse?(request: Request): Response;
  /** Called at most once a minute when the listener has failed. The listener restarts and keeps its connections. */
  onLost?(reason: string): void;
}

/** The client that sent a request. Its properties can be read only until the response is sent. */
interface ConnectedClient {
  /** The client's IP address, or that of the proxy if the request was forwarded. */
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** Reads the address on demand, because the runtime looks it up at each access and most requests do not need it. */
class RuntimeClient implements ConnectedClient {
  constructor(private readonly info: Deno.ServeHandlerInfo<Deno.NetAddr>) {}

  get remoteAddress(): string {
    return this.info.remoteAddr.hostname;
  }

  get remotePort(): number {
    return this.info.remoteAddr.port;
  }
}

export interface RunningServer {
  /** The server's URL, such as "http://127.0.0.1:8080". */
  readonly address: string;
  readonly port: number;
  /** Refuses new requests, waits up to `graceMs` for those in progress, then closes every connection. */
  shutdown(graceMs: number): Promise<void>;
  /**
   * Closes the listener after `retireMs` (default: 10 s), so that its clients can move to another listener on the same
   * port. Until then, responses ask clients to reconnect; then idle connections are closed. No request is refused.
   */
  retire(): void;
}

/** Starts to listen. Rejects with an error that names the address, the port and the cause. */
export function listen(options: ListenOptions): Promise<RunningServer> {
  return Promise.resolve().then(() => new Server(options));
}

class Server implements RunningServer {
  readonly address: string;
  readonly port: number;
  readonly #options: ListenOptions;
  readonly #abort = new AbortController();
  readonly #stopping = new AbortController();
  readonly #drained = Promise.withResolvers<void>();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #underWay = 0;
  #isStopping = false;
  #isRetired = false;
  #retiring: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#server = this.#serve(options.port);
    const { hostname, pair } = options;
    const { port } = this.#server.addr;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    this.address = `${pair === undefined ? "http" : "https"}://${host}:${port}`;
    this.port = port;
    void this.#keepListening();
  }

  async shutdown(graceMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#retiring);
    this.#stopping.abort();
    if (this.#underWay === 0) this.#drained.resolve();
    const isDrained = await isDoneWithin(graceMs, this.#drained.promise);
    // The runtime's shutdown sends its buffers, but waits for every response without a limit and cannot be aborted. It
    // is therefore used only once every response is complete.
    if (isDrained) await isDoneWithin(FLUSH_MS, this.#server.shutdown().catch(() => {}));
    else {
      this.#abort.abort();
      await this.#server.finished.catch(() => {}); // the listener may already have failed
    }
  }

  retire(): void {
    if (this.#isStopping || this.#isRetired) return;
    this.#isRetired = true;
    const close = () => void this.#server.shutdown().catch(() => {});
    this.#retiring = setTimeout(close, this.#options.retireMs ?? RETIRE_MS);
  }

  #serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { hostname, reusePort = false, pair } = this.#options;
    const options = { hostname, port, reusePort, signal: this.#abort.signal, onListen: () => {} };
    return serveOrExplain({ ...options, ...pair }, this.#respond);
  }

  readonly #respond: Deno.ServeHandler<Deno.NetAddr> = (request, info) => {
    const { handler, refuse = emptyRefusal } = this.#options;
    if (this.#isStopping) return refuse(request);
    const response = handler(request, new RuntimeClient(info));
    this.#underWay++;
    info.completed.then(this.#finish, this.#finish);
    const sent = request.body === null ? response : leaveBody(request.body, response, this.#stopping.signal);
    return this.#isRetired ? askToReconnect(sent) : sent;
  };

  readonly #finish = (): void => {
    if (--this.#underWay === 0 && this.#isStopping) this.#drained.resolve();
  };

  /** Restarts the listener whenever it fails, for example because no file descriptor is left for a connection. */
  async #keepListening(): Promise<void> {
    const isOver = () => this.#isStopping || this.#isRetired;
    for (let reportedAtMs = -Infinity;;) {
      const reason = await this.#server.finished.then(() => "it stopped unexpectedly", reasonOf);
      if (isOver()) return;
      if (performance.now() - reportedAtMs >= REPORT_AGAIN_MS) {
        reportedAtMs = performance.now();
        this.#options.onLost?.(reason);
      }
      for (let isListening = false; !isListening;) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (isOver()) return;
        try {
          this.#server = this.#serve(this.port);
          isListening = true;
        } catch {
          // Try again: there is no file descriptor left, or the port is not free yet.
        }
      }
    }
  }
}

/** Makes an HTTP/1.1 client open a new connection after the response. */
async function askToReconnect(responding: Response | Promise<Response>): Promise<Response> {
  const response = await responding;
  response.headers.set("connection", "close");
  return response;
}

/** Starts to discard an unread body before the response is sent. Otherwise, the runtime would receive it afterwards. */
async function leaveBody(
  body: ReadableStream<Uint8Array>,
  responding: Response | Promise<Response>,
  stopping: AbortSignal,
): Promise<Response> {
  const response = await responding;
  // A locked body is still being read, or was read to its end.
  if (!body.locked) void throwAway(body, stopping);
  return response;
}

async function throwAway(body: ReadableStream<Uint8Array>, stopping: AbortSignal): Promise<void> {
  const reader = body.getReader();
  try {
    for (let length = 0; !stopping.aborted;) {
      const { done, value } = await reader.read();
      if (done) return;
      length += value.length;
      if (length > UNWANTED_BYTES) await createClock().sleep(UNWANTED_PAUSE_MS, stopping);
    }
    await reader.cancel();
  } catch {
    // The client has gone, or Deno 2.4 reads the rest itself.
  }
}

function emptyRefusal(): Response {
  return new Response(null, { status: 503, headers: { connection: "close" } });
}

async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: bound, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  const isDone = await Promise.race([work.then(() => true), bound]);
  clearTimeout(timer);
  return isDone;
}

function serveOrExplain(
  options: Deno.ServeTcpOptions & Partial<CertificatePair>,
  handler: Deno.ServeHandler<Deno.NetAddr>,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve(options, handler);
  } catch (error) {
    const { message } = error as Error;
    if (BAD_CERTIFICATE.test(message)) {
      const advice = "use an X.509 version 3 certificate";
      throw new Error(`the certificate cannot be used for TLS (${message}): ${advice}`, { cause: error });
    }
    const place = `${options.hostname} port ${options.port}`;
    throw new Error(`cannot listen on ${place}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The runtime's message for a certificate of an outdated version. */
const BAD_CERTIFICATE = /invalid peer certificate/i;
/** The runtime's message for EMFILE. */
const TOO_MANY_FILES = /too many open files/i;

/** Returns why a listener did not start or failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) return "another program is already listening there";
  if (error instanceof Deno.errors.AddrNotAvailable) return "this machine does not have that address";
  if (error instanceof Deno.errors.PermissionDenied) return "ports below 1024 require permission";
  const { message } = error as Error;
  if (TOO_MANY_FILES.test(message)) return "the limit on open files has been reached";
  return message;
}
