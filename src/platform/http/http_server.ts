// The HTTP server: listens, responds, and stops within a time limit.
import type { CertificatePair } from "../tls/certificate.ts";

/** Pause before a listener that failed is started again, ms. */
const RETRY_MS = 100;
/** How long complete responses may take to reach slow clients at the end, ms. */
const FLUSH_MS = 1_000;
/** Minimum time between two reports of a lost listener, ms. */
const REPORT_AGAIN_MS = 60_000;
/** How long a retired listener asks its clients to reconnect, ms. */
const RETIRE_MS = 10_000;
/**
 * How much of a request body that nobody reads is received at full speed, bytes. The rest is received with pauses. The
 * runtime itself would receive an endless body forever, as fast as it comes.
 */
const UNWANTED_BYTES = 16_777_216;
/** The pause before each further chunk (about 64 kB), ms. */
const UNWANTED_PAUSE_MS = 1_000;

/** Where to listen, and what responds. */
export interface ListenOptions {
  /** A literal address or a host name of this machine. */
  hostname: string;
  /** 0 for any free port. */
  port: number;
  /** With it the server speaks TLS. */
  pair?: CertificatePair;
  /** Whether several listeners of this user may share the port. The system distributes new connections among them. */
  reusePort?: boolean;
  /** How long a retired listener asks its clients to reconnect, ms (default: {@link RETIRE_MS}). */
  retireMs?: number;
  /** Responds to a request. It does not throw. */
  handler(request: Request, client: ConnectedClient): Response | Promise<Response>;
  /** Responds to requests during the shutdown (default: an empty 503). */
  refuse?(request: Request): Response;
  /**
   * Called at most once a minute when the listener has failed. It is started again. Existing connections are kept, new
   * ones were refused meanwhile.
   */
  onLost?(reason: string): void;
}

/** The other side of a request's connection. To be asked before the response is sent. */
export interface ConnectedClient {
  /** Its address; that of a proxy for forwarded requests. */
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** The runtime looks the address up at each access, and most requests do not need it. */
class RuntimeClient implements ConnectedClient {
  constructor(private readonly info: Deno.ServeHandlerInfo<Deno.NetAddr>) {}

  get remoteAddress(): string {
    return this.info.remoteAddr.hostname;
  }

  get remotePort(): number {
    return this.info.remoteAddr.port;
  }
}

/** A server that listens. */
export interface RunningServer {
  /** Its URL, such as "http://127.0.0.1:8080". */
  readonly address: string;
  readonly port: number;
  /**
   * Refuses new requests, waits up to `graceMs` for those under way, then closes every connection. A second call does
   * nothing.
   */
  shutdown(graceMs: number): Promise<void>;
  /**
   * Closes the listener when its clients have moved to another one on the same port: its responses ask them to
   * reconnect, then idle connections are closed. Requests are not refused.
   */
  retire(): void;
}

/** Starts to listen. Rejects when that is not possible; the message names address, port and cause. */
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
    // The runtime's own shutdown sends what is left in its buffers, but it waits for every response without a limit and
    // cannot be aborted. So it is used only when every response is complete.
    if (isDrained) await isDoneWithin(FLUSH_MS, this.#server.shutdown().catch(() => {}));
    else {
      this.#abort.abort();
      await this.#server.finished.catch(() => {}); // the listener may have failed before
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

  /**
   * The runtime's listener fails when no file is left for a connection. Without a restart anybody could stop the
   * service.
   */
  async #keepListening(): Promise<void> {
    const isOver = () => this.#isStopping || this.#isRetired;
    for (let reportedAtMs = -Infinity;;) {
      const reason = await this.#server.finished.then(() => "it ended by itself", reasonOf);
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
          // Still no file left, or the port is not free yet: the next attempt follows.
        }
      }
    }
  }
}

/** The response, after which an HTTP/1.1 client opens a new connection. */
async function askToReconnect(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("connection", "close");
  return response;
}

/**
 * The response. The rest of the request body is discarded before it is sent, because afterwards the runtime takes it.
 */
async function leaveBody(
  body: ReadableStream<Uint8Array>,
  answer: Response | Promise<Response>,
  stopping: AbortSignal,
): Promise<Response> {
  const response = await answer;
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
      if (length > UNWANTED_BYTES) await pause(UNWANTED_PAUSE_MS, stopping);
    }
    await reader.cancel();
  } catch {
    // The client has gone. (Deno 2.4 provides no body after the response and reads the rest itself.)
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    stopping.addEventListener("abort", finish);
    if (stopping.aborted) finish();
  });
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
      throw new Error(
        `the certificate cannot be used for TLS (${message}): use an X.509 version 3 certificate`,
        {
          cause: error,
        },
      );
    }
    throw new Error(`cannot listen on ${options.hostname} port ${options.port}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** The runtime's message for a certificate of an outdated version. */
const BAD_CERTIFICATE = /invalid peer certificate/i;
/** The runtime's message for EMFILE. */
const TOO_MANY_FILES = /too many open files/i;

/** Why a listener could not start, or failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) return "another program already listens there";
  if (error instanceof Deno.errors.AddrNotAvailable) return "this machine has no such address";
  if (error instanceof Deno.errors.PermissionDenied) return "ports below 1024 require permission";
  const { message } = error as Error;
  if (TOO_MANY_FILES.test(message)) return "the limit of open files is reached";
  return message;
}
