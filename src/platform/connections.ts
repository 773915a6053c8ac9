// Connections to somewhere else: made to addresses that were checked, kept for the next request, bounded.
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Client } from "undici";
import { NetworkError } from "../domain/ports.ts";
import { ADDRESS_TIMEOUT_MS, CONNECT_TIMEOUT_MS } from "./dial.ts";
import { IdlePool, type Keepable } from "./idle_pool.ts";

/** How long a connection is kept for the next request, ms. */
const KEEP_ALIVE_MS = 10_000;
/** The same where the other side offers longer, ms. */
const MAX_KEEP_ALIVE_MS = 60_000;
/** The answer's headers, bytes. */
const MAX_HEADER_BYTES = 32_768;

/**
 * Who is believed over TLS: whom an authority vouches for, or `anybody`, which is for a process on this machine alone
 * that nothing secret is told to.
 */
export type Trust = "authorities" | "anybody";

/** Where a connection leads. */
export interface Target {
  origin: string;
  /** It goes to one of these and nothing is looked up; undefined: to what the host name resolves to. */
  addresses: readonly string[] | undefined;
  /** PEM certificates that are trusted beside the system's. */
  authorities: string | undefined;
}

/** One connection, used by one request at a time. */
export interface Connection extends Keepable {
  client: Client;
  /** Ends it, standing or not, and whatever is under way on it. */
  destroy(reason: NetworkError): Promise<void>;
}

/** The connections of a client. */
export interface Connections {
  /** A kept connection to the target, or a new one. It belongs to the caller until it is given back or dropped. */
  take(target: Target): Connection;
  /** Keeps it for the next request to the same target. */
  giveBack(connection: Connection): void;
  /** Ends it. */
  drop(connection: Connection): void;
  /** Ends all, in use or not. */
  close(): Promise<void>;
}

/** No connections yet. */
export function createConnections(trust: Trust): Connections {
  const idle = new IdlePool<Connection>();
  /** In use or not. */
  const all = new Set<Connection>();

  function end(connection: Connection | undefined): void {
    if (connection !== undefined && all.delete(connection)) connection.destroy(CLOSED);
  }

  return {
    take(target) {
      const key = keyOf(target);
      const kept = idle.take(key);
      if (kept !== undefined) return kept;
      // A connection that the other side closed while it was idle is of no use any more.
      const connection = connect(key, target, trust, () => {
        if (idle.forget(connection)) end(connection);
      });
      all.add(connection);
      return connection;
    },
    giveBack: (connection) => end(idle.giveBack(connection)),
    drop: end,
    async close() {
      const ending = [...all];
      all.clear();
      idle.clear();
      await Promise.all(ending.map((connection) => connection.destroy(CLOSED)));
    },
  };
}

const CLOSED = new NetworkError("the connection was closed here");

function keyOf({ origin, addresses, authorities }: Target): string {
  const known = addresses === undefined || addresses.length < 2 ? addresses : addresses.toSorted();
  return `${origin} ${known?.join(" ") ?? ""} ${authorities ?? ""}`;
}

function connect(
  key: string,
  { origin, addresses, authorities }: Target,
  trust: Trust,
  whenClosed: () => void,
): Connection {
  let connecting: Socket | undefined;
  const client = new Client(origin, {
    connect: connectorTo({ addresses, authorities, trust }, (socket) => connecting = socket),
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The caller's signal bounds the whole; undici's own timers are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  client.on("disconnect", whenClosed);
  return {
    key,
    client,
    async destroy(reason) {
      // undici does not end a connection that does not stand yet.
      connecting?.destroy(reason);
      await client.destroy(reason);
    },
  };
}

/** Connects to one of the addresses and to nothing else, and tells the socket as long as it does not stand. */
function connectorTo(
  { addresses, authorities, trust }: Pick<Target, "addresses" | "authorities"> & { trust: Trust },
  tell: (connecting: Socket | undefined) => void,
): buildConnector.connector {
  const connectSocket = buildConnector({
    timeout: 0, // off: undici's timer is coarse and outlives the connection
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    ...(addresses === undefined ? {} : { lookup: answerWith(addresses) }),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(trust === "anybody" ? { rejectUnauthorized: false } : {}),
  } as buildConnector.BuildOptions) as ReturnsSocket;
  return (options, callback) => {
    const socket = connectSocket(atChecked(options, addresses), (...outcome) => {
      clearTimeout(timer);
      tell(undefined);
      callback(...outcome);
    });
    tell(socket);
    const tooSlow = new NetworkError(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`);
    const timer = setTimeout(() => socket.destroy(tooSlow), CONNECT_TIMEOUT_MS);
  };
}

/** undici's connector gives the socket back, which its types leave out. */
type ReturnsSocket = (...call: Parameters<buildConnector.connector>) => Socket;

/** A literal address is never looked up, so it is replaced here by one that was checked. */
function atChecked(
  options: buildConnector.Options,
  addresses: readonly string[] | undefined,
): buildConnector.Options {
  const [first] = addresses ?? [];
  return first === undefined || isIP(options.hostname) === 0 ? options : { ...options, hostname: first };
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
