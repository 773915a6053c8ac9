// Opens TCP and TLS connections to checked IP addresses as Node streams. In Deno 2.4, node:tls loses data if a server
// closes without a close_notify, as many do.
import { Buffer } from "node:buffer";
import { isIP, isIPv6 } from "node:net";
import { Duplex } from "node:stream";
import { networkOf } from "../../domain/ip_address.ts";
import { NetworkError } from "../../domain/ports/ports.ts";
import { orAborted } from "../../domain/abort_work.ts";
import { FAULT, toNetworkError } from "./network_errors.ts";
import { createResolver } from "./resolver.ts";

/** Time limit for opening a connection, including lookup and TLS handshake, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Time limit for connecting to each IP address except the last one, ms. */
const ADDRESS_TIMEOUT_MS = 1_000;
const READ_BYTES = 16_384;

/** Maximum number of unfinished TLS handshakes with one network. At this number, no new TLS connection is opened. */
export const MAX_UNFINISHED_HANDSHAKES = 16;
/** The prefix length of the largest IPv6 network that a provider assigns to one customer. */
const HANDSHAKE_NETWORK_BITS = 48;

export interface Destination {
  /** The name for which the certificate must be valid. */
  hostname: string;
  port: number;
  /** Checked IP addresses. The first one that accepts is used. If undefined, the host name is looked up. */
  addresses: readonly string[] | undefined;
  /** Null for a connection without TLS. */
  tls:
    | { /** PEM certificates trusted in addition to the system's. */ authorities: string | undefined }
    | null;
}

/**
 * Connects. Rejects with a {@link NetworkError}, or with the signal's reason as soon as the signal aborts. After a
 * rejection, nothing stays open except perhaps an unfinished TLS handshake.
 */
export async function dial(destination: Destination, signal: AbortSignal): Promise<ConnectionStream> {
  const late = new AbortController();
  const tooSlow = new NetworkError(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`);
  const timer = setTimeout(() => late.abort(tooSlow), CONNECT_TIMEOUT_MS);
  const stop = AbortSignal.any([signal, late.signal]);
  const { hostname, tls } = destination;
  try {
    const addresses = destination.addresses ?? await createResolver().resolve(hostname, stop);
    if (tls !== null && addresses.some(hasUnfinishedHandshakes)) {
      throw new NetworkError("too many TLS handshakes with the host are unfinished");
    }
    const tcp = await connectToFirst(alternateFamilies(addresses), destination.port, stop);
    return new ConnectionStream(
      tls === null ? tcp : await startTls(tcp, { hostname, ...tls, signal: stop }),
    );
  } catch (error) {
    throw stop.aborted ? stop.reason : toNetworkError(error, "connecting");
  } finally {
    clearTimeout(timer);
  }
}

function handshakeNetwork(address: string): string {
  return networkOf(address, HANDSHAKE_NETWORK_BITS);
}

function hasUnfinishedHandshakes(address: string): boolean {
  return (unfinished.get(handshakeNetwork(address)) ?? 0) >= MAX_UNFINISHED_HANDSHAKES;
}

async function connectToFirst(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Deno.TcpConn> {
  let firstError: unknown = new NetworkError("host name not found");
  for (const [at, address] of addresses.entries()) {
    try {
      return await connect(address, port, { signal, isLast: at === addresses.length - 1 });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (at === 0) firstError = error;
    }
  }
  throw firstError;
}

async function connect(
  hostname: string,
  port: number,
  { signal, isLast }: { signal: AbortSignal; isLast: boolean },
): Promise<Deno.TcpConn> {
  if (isIP(hostname) === 0) throw new NetworkError("host name not found"); // the runtime would look it up
  const controller = new AbortController();
  const giveUp = () => controller.abort(new NetworkError("the connection timed out"));
  const timer = isLast ? undefined : setTimeout(giveUp, ADDRESS_TIMEOUT_MS);
  signal.addEventListener("abort", giveUp);
  // The runtime calls this if the signal aborts after connecting. If this threw, the connection would stay open.
  controller.signal.throwIfAborted = () => {};
  try {
    const connection = await Deno.connect({ hostname, port, signal: controller.signal });
    if (controller.signal.aborted) {
      connection.close();
      throw controller.signal.reason;
    }
    connection.setNoDelay(true);
    connection.setKeepAlive(true); // ends an unfinished handshake if the host is gone
    return connection;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

/** The number of abandoned TLS handshakes that are still open, by network; see {@link startTls}. */
const unfinished = new Map<string, number>();

function countUnfinished(network: string, change: 1 | -1): void {
  const count = (unfinished.get(network) ?? 0) + change;
  if (count === 0) unfinished.delete(network);
  else unfinished.set(network, count);
}

/**
 * Starts TLS. The runtime (Deno 2.4 and 2.9) cannot cancel a handshake, so the connection of an abandoned handshake
 * stays open until the server closes it. Such connections are counted, because an endpoint that never closes them would
 * cost one open file per attempt.
 */
async function startTls(
  tcp: Deno.TcpConn,
  { hostname, authorities, signal }: {
    hostname: string;
    authorities: string | undefined;
    signal: AbortSignal;
  },
): Promise<Deno.TlsConn> {
  const network = handshakeNetwork(tcp.remoteAddr.hostname);
  let connection: Deno.Conn = tcp;
  try {
    const caCerts = authorities === undefined ? [] : [authorities];
    const tls = connection = await Deno.startTls(tcp, { hostname, alpnProtocols: ["http/1.1"], caCerts });
    const handshake = tls.handshake();
    await orAborted(handshake, signal).catch((error) => {
      if (!signal.aborted) throw error;
      countUnfinished(network, 1);
      void handshake.catch(() => {}).finally(() => {
        countUnfinished(network, -1);
        closeQuietly(tls);
      });
      throw error;
    });
    return tls;
  } catch (error) {
    if (!signal.aborted) closeQuietly(connection);
    throw error;
  }
}

/** Alternates IPv4 and IPv6 (RFC 8305, section 4), because one of the two networks may be unreachable. */
function alternateFamilies(addresses: readonly string[]): string[] {
  const startsWithV6 = isIPv6(addresses[0] ?? "");
  const first = addresses.filter((address) => isIPv6(address) === startsWithV6);
  const second = addresses.filter((address) => isIPv6(address) !== startsWithV6);
  return first.flatMap((address, at) => [address, ...second.slice(at, at + 1)])
    .concat(second.slice(first.length));
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // The connection is already closed, or has become a TLS connection.
  }
}

export class ConnectionStream extends Duplex {
  readonly #connection: Deno.Conn;
  #bytesLeft = Infinity;
  readonly #buffer = new Uint8Array(READ_BYTES);

  constructor(connection: Deno.Conn) {
    super({ allowHalfOpen: false });
    this.#connection = connection;
  }

  /** Sets how many more bytes may be received. If more arrive, the stream fails. */
  limit(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  override _read(): void {
    this.#connection.read(this.#buffer).then(
      (count) => {
        this.#bytesLeft -= count ?? 0;
        if (this.#bytesLeft < 0) this.destroy(new NetworkError(FAULT.endless));
        else this.push(count === null ? null : Buffer.from(this.#buffer.subarray(0, count)));
      },
      // Many servers close without TLS's close_notify. HTTP shows whether the response is complete.
      (error) => error instanceof Deno.errors.UnexpectedEof ? this.push(null) : this.destroy(error),
    );
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.#writeAll(chunk).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Uint8Array }[], done: (error?: Error) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "", done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#connection.closeWrite().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    closeQuietly(this.#connection);
    done(error);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }
}
