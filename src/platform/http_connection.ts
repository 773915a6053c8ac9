// One connection to somewhere else: a socket to an address that was checked, and the exchange that is under way on it.
import { Buffer } from "node:buffer";
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { NetworkError } from "../domain/ports.ts";
import { type AnswerListener, AnswerReader } from "./http_answer.ts";
import { toNetworkError } from "./network_errors.ts";

/** How long one connection may take to stand, TLS included, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long one of several addresses is tried before the next one is, ms. */
const ADDRESS_TIMEOUT_MS = 1_000;

/**
 * Who is believed over TLS: whom an authority vouches for, or `anybody`, which is for a process on this machine alone
 * that nothing secret is told to.
 */
export type Trust = "authorities" | "anybody";

/** Where a connection leads. */
export interface Target {
  url: URL;
  /** It goes to one of these and nothing is looked up; undefined: to what the host name resolves to. */
  addresses: readonly string[] | undefined;
  /** PEM certificates that are trusted beside the system's. */
  authorities: string | undefined;
}

/** Hears of an exchange: of its end or of what went wrong, once. */
export interface ExchangeListener extends AnswerListener {
  /** The answer is whole; whether the connection may serve another request. */
  onEnd(isReusable: boolean): void;
  onError(error: NetworkError): void;
}

/** A connection, made at once; it serves one exchange after the other. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #whenClosed: () => void;
  readonly #closed = Promise.withResolvers<void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stands = false;
  #isClosed = false;
  /** A request that goes out as soon as it stands. */
  #request: readonly Uint8Array[] = [];
  #exchange: { reader: AnswerReader; listener: ExchangeListener } | null = null;
  /** How long the other side keeps it for the next request, as the last answer said, ms; null where it said nothing. */
  keepAliveMs: number | null = null;

  /** `whenClosed` is called once, when it has ended, whoever ended it. */
  constructor(target: Target, trust: Trust, whenClosed: () => void) {
    this.#whenClosed = whenClosed;
    this.#timer = setTimeout(
      () => this.destroy(new NetworkError(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`)),
      CONNECT_TIMEOUT_MS,
    );
    this.#socket = openSocket(target, trust, () => this.#stand());
    this.#socket.on("data", (bytes: Buffer) => this.#take(bytes));
    this.#socket.on("end", () => this.#finish());
    this.#socket.on("error", (error: Error) => this.#fail(error));
    this.#socket.on("close", () => this.#close());
  }

  /** Whether it has ended. */
  get isClosed(): boolean {
    return this.#isClosed || this.#socket.destroyed;
  }

  /** Sends a request, the bytes one after the other, and reads its answer. No other exchange may be under way. */
  exchange(request: readonly Uint8Array[], listener: ExchangeListener): void {
    this.#exchange = { reader: new AnswerReader(listener), listener };
    if (this.#isClosed) this.#fail(new NetworkError("connection reset"));
    else if (this.#stands) this.#send(request);
    else this.#request = request;
  }

  /** Reads nothing until it is resumed. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads on. */
  resume(): void {
    this.#socket.resume();
  }

  /** Ends it, standing or not, and what is under way on it for that reason; settles when it has ended. */
  destroy(reason: NetworkError): Promise<void> {
    this.#fail(reason);
    this.#socket.destroy();
    return this.#closed.promise;
  }

  #stand(): void {
    clearTimeout(this.#timer);
    this.#stands = true;
    this.#send(this.#request);
    this.#request = [];
  }

  #send(request: readonly Uint8Array[]): void {
    for (const bytes of request) this.#socket.write(bytes);
  }

  #take(bytes: Buffer): void {
    if (this.#exchange === null) {
      this.#socket.destroy(); // nobody has asked for anything
      return;
    }
    this.#read(this.#exchange.reader, (reader) => reader.take(bytes));
  }

  /** The other side has said all that it says. */
  #finish(): void {
    if (this.#exchange !== null) this.#read(this.#exchange.reader, (reader) => reader.finish());
    this.#socket.destroy();
  }

  #read(reader: AnswerReader, read: (reader: AnswerReader) => void): void {
    try {
      read(reader);
    } catch (error) {
      this.#fail(error);
      this.#socket.destroy();
      return;
    }
    if (!reader.isWhole || this.#exchange?.reader !== reader) return;
    const { listener } = this.#exchange;
    this.#exchange = null;
    this.keepAliveMs = reader.keepAliveMs;
    // An answer to what has not gone out whole is one to what was never read.
    listener.onEnd(reader.isReusable && this.#socket.writableLength === 0);
  }

  #fail(error: unknown): void {
    if (this.#exchange === null) return;
    const { reader, listener } = this.#exchange;
    if (reader.endsWithConnection && (error as { code?: unknown }).code === "ECONNRESET") {
      this.#read(reader, () => reader.finish());
      return;
    }
    this.#exchange = null;
    listener.onError(toNetworkError(error, reader.hasHead ? "reading" : "connecting"));
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#fail(new NetworkError("connection reset"));
    this.#closed.resolve();
    this.#whenClosed();
  }
}

/** Connects to one of the addresses and to nothing else. */
function openSocket({ url, addresses, authorities }: Target, trust: Trust, stand: () => void): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isLiteral = isIP(host) !== 0;
  const isTls = url.protocol === "https:";
  const options: TcpNetConnectOpts = {
    // A literal address is never looked up, so it is replaced here by one that was checked.
    host: isLiteral ? addresses?.[0] ?? host : host,
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    ...(addresses === undefined ? {} : { lookup: answerWith(addresses) }),
  };
  const socket = isTls
    ? connectTls({
      ...options,
      servername: isLiteral ? "" : host,
      ALPNProtocols: ["http/1.1"],
      ...(authorities === undefined ? {} : { ca: authorities }),
      ...(trust === "anybody" ? { rejectUnauthorized: false } : {}),
    } as ConnectionOptions)
    : connect(options);
  socket.setNoDelay(true);
  socket.once(isTls ? "secureConnect" : "connect", stand);
  return socket;
}

/** A look-up that knows these addresses for every name. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all === true || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
}
