// A connection to one of some addresses that were checked, over TLS or in clear: nothing is looked up.
import { isIP, isIPv6 } from "node:net";
import { NetworkError } from "../domain/ports.ts";
import { firstOf, type Stop, Stopper } from "../domain/stop.ts";
import { toNetworkError } from "./network_errors.ts";

/** How long one connection may take to stand, TLS included, ms. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long one of several addresses is tried before the next one is, ms. */
export const ADDRESS_TIMEOUT_MS = 1_000;

/** Bytes to and from somewhere else. */
export type Line = Deno.TcpConn | Deno.TlsConn;

/** Where to. */
export interface Destination {
  /** Its host is what a certificate has to be for; of its address nothing but the port counts. */
  url: URL;
  addresses: readonly string[];
  /** PEM certificates that are trusted beside the system's. */
  authorities: string | undefined;
}

/**
 * Connects to the first address that lets itself be connected to. Rejects with a {@link NetworkError}, or with the reason
 * of `stop` as soon as that comes; nothing is left open then.
 */
export async function dial(destination: Destination, stop: Stop): Promise<Line> {
  const tooSlow = new NetworkError(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`);
  const late = new Stopper();
  const timer = setTimeout(() => late.abort(tooSlow), CONNECT_TIMEOUT_MS);
  const { stop: either, leave } = firstOf([stop, late]);
  try {
    if (either.aborted) throw either.reason;
    const line = await connectToFirst(destination, either);
    return destination.url.protocol === "https:" ? await secure(line, destination, either) : line;
  } finally {
    leave();
    clearTimeout(timer);
  }
}

async function connectToFirst({ url, addresses }: Destination, stop: Stop): Promise<Deno.TcpConn> {
  const port = Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port);
  const inTurn = familiesInTurn(addresses);
  let first: unknown = new NetworkError("host name not found");
  for (const [at, address] of inTurn.entries()) {
    try {
      return await connect(address, port, { stop, patient: at === inTurn.length - 1 });
    } catch (error) {
      if (stop.aborted) throw stop.reason;
      if (at === 0) first = error;
    }
  }
  throw toNetworkError(first, "connecting");
}

async function connect(
  hostname: string,
  port: number,
  { stop, patient }: { stop: Stop; patient: boolean },
): Promise<Deno.TcpConn> {
  if (isIP(hostname) === 0) throw new NetworkError("host name not found"); // the runtime would look a name up
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(new NetworkError("no connection in time"));
  const timer = patient ? undefined : setTimeout(giveUp, ADDRESS_TIMEOUT_MS);
  const { signal } = controller;
  // The runtime throws this when it has connected and the signal has aborted by then: the connection would stay open.
  signal.throwIfAborted = () => {};
  let line: Deno.TcpConn | null = null;
  stop.addEventListener("abort", giveUp);
  try {
    line = await Deno.connect({ hostname, port, signal });
    if (signal.aborted) throw signal.reason;
    line.setNoDelay(true);
    return line;
  } catch (error) {
    if (line !== null) closeQuietly(line);
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", giveUp);
  }
}

async function secure(tcp: Deno.TcpConn, { url, authorities }: Destination, stop: Stop): Promise<Line> {
  let line: Deno.TcpConn | Deno.TlsConn = tcp;
  const hangUp = (): void => closeQuietly(line);
  stop.addEventListener("abort", hangUp);
  try {
    const tls = await Deno.startTls(tcp, {
      hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      alpnProtocols: ["http/1.1"],
      ...(authorities === undefined ? {} : { caCerts: [authorities] }),
    });
    line = tls;
    if (stop.aborted) throw stop.reason;
    await tls.handshake();
    if (stop.aborted) throw stop.reason;
    return tls;
  } catch (error) {
    hangUp();
    throw stop.aborted ? stop.reason : toNetworkError(error, "connecting");
  } finally {
    stop.removeEventListener("abort", hangUp);
  }
}

/** Ends it, whatever state it is in. */
export function closeQuietly(line: Line): void {
  try {
    line.close();
  } catch {
    // It was closed already, or has become a TLS connection meanwhile.
  }
}

/** The addresses, those of the two families in turn (RFC 8305, section 4): one family alone may be out of reach. */
export function familiesInTurn(addresses: readonly string[]): string[] {
  const [first] = addresses;
  if (first === undefined || addresses.length < 3) return [...addresses];
  const isLikeFirst = (address: string): boolean => isIPv6(address) === isIPv6(first);
  const [same, other] = [addresses.filter(isLikeFirst), addresses.filter((one) => !isLikeFirst(one))];
  const longer = Math.max(same.length, other.length);
  return Array.from({ length: longer }, (_, at) => [...same.slice(at, at + 1), ...other.slice(at, at + 1)])
    .flat();
}
