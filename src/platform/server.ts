// The HTTP server: listens, answers, and ends within a bound.

import type { CertificatePair } from "./certificate.ts";

/** After which a listener that ended by itself is made again, ms. */
const RETRY_MS = 100;
/** How long complete answers may take to reach clients that read slowly, once the server ends, ms. */
const FLUSH_MS = 1_000;

/**
 * How much of a body that nobody wanted is read at full speed, bytes. The rest is read with pauses: the runtime by itself
 * would read a body without end for ever, as fast as it comes.
 */
const UNWANTED_BYTES = 16_777_216;
/** The pause before each further piece (of some 64 kB), ms. */
const UNWANTED_PAUSE_MS = 1_000;

/** After which it is told again that the listener was lost, ms. */
const TELL_AGAIN_MS = 60_000;

/** What a listener has to say while it runs. */
export type ListenTrouble =
  /** It ended by itself, for the reason, and is made again: connections that are there go on, new ones were refused. */
  | { kind: "lost"; reason: string }
  /** The process may open no more files than for so many connections: who has waited for longest makes room. */
  | { kind: "few files"; connections: number };

/** Where to listen and what answers. */
export interface ListenOptions {
  /** A literal address or a host name of this machine. */
  hostname: string;
  /** 0 takes a free one. */
  port: number;
  /** With it the server speaks TLS, and with no other certificate for as long as it runs. */
  pair?: CertificatePair;
  /** Answers a request; it does not throw. */
  handler(request: Request, client: ConnectedClient): Response | Promise<Response>;
  /**
   * Whether every answer is text or bytes, and none a stream: one that is there at once is then out as soon as the
   * handler returns it, and nobody need look on until it is.
   */
  hasWholeAnswers?: boolean;
  /** Answers what still comes while the server ends; without it the answer is an empty 503. */
  refuse?(request: Request): Response;
  /** Is told of what hinders it; not more than once a minute of the same. */
  onTrouble?(trouble: ListenTrouble): void;
}

/** The other side of a request's connection; to be asked as long as the request is not answered. */
export interface ConnectedClient {
  /** Its address, which is not that of a forwarded client. */
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** The runtime looks up where a connection comes from each time that it is asked: most requests need not know it. */
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
  /** Its address, such as "http://127.0.0.1:8080". */
  address: string;
  port: number;
  /**
   * Refuses what still comes, lets answers under way finish for up to `graceMs`, then closes every connection. Called
   * again it does nothing.
   */
  shutdown(graceMs: number): Promise<void>;
}

/** Starts to listen. Rejects when that is not possible; the message names address, port and cause. */
export function listen(
  { hostname, port, handler, refuse = emptyRefusal, pair, onTrouble = () => {}, hasWholeAnswers = false }:
    ListenOptions,
): Promise<RunningServer> {
  const end = new AbortController();
  const stopping = new AbortController();
  let underWay = 0;
  const drained = Promise.withResolvers<void>();
  let isEnding = false;
  const finish = (): void => {
    if (--underWay === 0 && isEnding) drained.resolve();
  };
  const answer: Deno.ServeHandler<Deno.NetAddr> = (request, info) => {
    if (isEnding) return refuse(request);
    const response = handler(request, new RuntimeClient(info));
    if (!hasWholeAnswers || response instanceof Promise) {
      underWay++;
      info.completed.then(finish, finish);
    }
    return request.body === null ? response : leaveBody(request.body, response, stopping.signal);
  };
  const serve = (at: number) =>
    serveOrExplain({ hostname, port: at, signal: end.signal, onListen: () => {}, ...pair }, answer);
  let server = serve(port);
  // The runtime's listener ends when a connection finds no file left for it: anybody could make the service deaf.
  const keepUp = async (): Promise<void> => {
    for (let toldAtMs = -Infinity; !isEnding;) {
      const reason = await server.finished.then(() => "it ended by itself", reasonOf);
      if (!isEnding && performance.now() - toldAtMs >= TELL_AGAIN_MS) {
        toldAtMs = performance.now();
        onTrouble({ kind: "lost", reason });
      }
      while (!isEnding) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (isEnding) return;
        try {
          server = serve(server.addr.port);
          break;
        } catch {
          // Still no file left, or the port is not free yet: the next try comes soon.
        }
      }
    }
  };
  void keepUp();
  const shownHost = hostname.includes(":") ? `[${hostname}]` : hostname;
  return Promise.resolve({
    address: `${pair === undefined ? "http" : "https"}://${shownHost}:${server.addr.port}`,
    port: server.addr.port,
    async shutdown(graceMs) {
      if (isEnding) return;
      isEnding = true;
      stopping.abort();
      if (underWay === 0) drained.resolve();
      const isDrained = await isDoneWithin(graceMs, drained.promise);
      // The runtime's own shutdown sends what is left in its buffers, but has no bound and cannot be forced once
      // begun: it comes only when every answer is complete.
      if (isDrained) await isDoneWithin(FLUSH_MS, server.shutdown().catch(() => {}));
      else {
        end.abort();
        await server.finished.catch(() => {}); // it may have ended by itself before
      }
    },
  });
}

/** The answer; what it left of the body begins to be thrown away before it goes out, for afterwards the runtime takes it. */
async function leaveBody(
  body: ReadableStream<Uint8Array>,
  answer: Response | Promise<Response>,
  stopping: AbortSignal,
): Promise<Response> {
  const response = await answer;
  // Who reads it still, or has read it to its end, holds it.
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
    // The client has gone: that is the end of its body, and its answer is out. (Deno 2.4 gives no body after the answer
    // and reads the rest by itself.)
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
      throw new Error(`TLS takes no such certificate (${message}): get one of X.509 version 3`, {
        cause: error,
      });
    }
    throw new Error(`cannot listen on ${options.hostname} port ${options.port}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** What the runtime says of a certificate that is one, but of a kind that no client of today takes. */
const BAD_CERTIFICATE = /invalid peer certificate/i;
/** EMFILE, as the runtime words it. */
const TOO_MANY_FILES = /too many open files/i;

/** Why a listener could not be made or ended by itself, for its operator. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) return "another program listens there already";
  if (error instanceof Deno.errors.AddrNotAvailable) return "this machine has no such address";
  if (error instanceof Deno.errors.PermissionDenied) return "ports below 1024 need the right to use them";
  const { message } = error as Error;
  if (TOO_MANY_FILES.test(message)) return "this process may open no more files";
  return message;
}
