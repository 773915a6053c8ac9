// Connects to checked IP addresses of other hosts, and keeps a limited number of idle connections for further requests.
import type { Socket } from "node:net";
import { type buildConnector, Client } from "undici";
import { NetworkError } from "../../domain/ports/ports.ts";
import { type ConnectionStream, dial } from "./dial.ts";

/** How long an idle connection is kept, ms. Many servers close one after 5 s without notice. */
const KEEP_ALIVE_MS = 4_000;
/** Maximum time for which a server can ask to keep an idle connection (`Keep-Alive: timeout`), ms. */
const MAX_KEEP_ALIVE_MS = 60_000;
/** Maximum number of idle connections of one client. Above this number, the one idle longest is closed. */
export const MAX_IDLE_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 32_768;

/** The accepted certificates. `anybody` is only for a process on this machine to which no secret is sent. */
export type Trust = "authorities" | "anybody";

export interface Target {
  /** A connection is reused only for a request with the same key, addresses and authorities. */
  key: string;
  origin: string;
  /** Checked IP addresses, used without a lookup. If undefined, the host name is resolved. */
  addresses: readonly string[] | undefined;
  /** PEM certificates that are trusted in addition to the system's. */
  authorities: string | undefined;
}

/** A connection, used by one request at a time. */
export interface Connection {
  readonly key: string;
  readonly client: Client;
  /** Sets how many more bytes may be received. If more arrive, the request fails. */
  limit(bytes: number): void;
  /** Whether the last request has been handed to the operating system completely. */
  hasSentAll(): boolean;
  /** Closes the connection in any state. A request in progress fails. */
  destroy(reason: NetworkError): Promise<void>;
}

export interface Connections {
  /** Returns an idle connection to the target, or a new one. The caller must release or drop it. */
  acquire(target: Target): Connection;
  /** Keeps the connection for the next request to its target. */
  release(connection: Connection): void;
  drop(connection: Connection): void;
  close(): Promise<void>;
}

const CLOSED = new NetworkError("the connection was closed by Regfeed");

export function createConnections(trust: Trust): Connections {
  const all = new Set<Connection>();
  /** The idle connections; the one that has been idle longest is first. */
  const idle: Connection[] = [];

  function drop(connection: Connection): void {
    if (all.delete(connection)) void connection.destroy(CLOSED);
  }

  function removeIdle(at: number): Connection | undefined {
    return at === -1 ? undefined : idle.splice(at, 1)[0];
  }

  return {
    acquire(target) {
      const key = keyOf(target);
      const kept = removeIdle(idle.findLastIndex((connection) => connection.key === key));
      if (kept !== undefined) return kept;
      const connection = connect(key, target, trust, () => {
        const closed = removeIdle(idle.indexOf(connection));
        if (closed !== undefined) drop(closed);
      });
      all.add(connection);
      return connection;
    },
    release(connection) {
      if (!all.has(connection)) return;
      idle.push(connection);
      if (idle.length > MAX_IDLE_CONNECTIONS) drop(idle.shift() as Connection);
    },
    drop,
    async close() {
      const closing = [...all];
      all.clear();
      idle.length = 0;
      await Promise.all(closing.map((connection) => connection.destroy(CLOSED)));
    },
  };
}

function keyOf({ key, addresses, authorities }: Target): string {
  return JSON.stringify([key, addresses?.toSorted(), authorities]);
}

function connect(
  key: string,
  { origin, addresses, authorities }: Target,
  trust: Trust,
  onClose: () => void,
): Connection {
  let stream: ConnectionStream | undefined;
  let maxBytes = Infinity;
  const connecting = new AbortController();
  const connectToChecked: buildConnector.connector = ({ hostname, port, protocol }, callback) => {
    const tls = protocol === "https:" ? { authorities } : null;
    const usual = tls === null ? 80 : 443;
    dial({ hostname, port: port === "" ? usual : Number(port), addresses, tls }, connecting.signal).then(
      (connected) => {
        stream = connected;
        stream.limit(maxBytes);
        callback(null, stream as unknown as Socket);
      },
      (error) => callback(error, null),
    );
  };
  const client = new Client(origin, {
    connect: trust === "anybody" ? { rejectUnauthorized: false, timeout: 0 } : connectToChecked,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The request's signal limits the total time, because undici's timers are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  client.on("disconnect", onClose);
  return {
    key,
    client,
    limit(bytes) {
      maxBytes = bytes;
      stream?.limit(bytes);
    },
    hasSentAll: () => stream === undefined || stream.writableLength === 0,
    async destroy(reason) {
      connecting.abort(reason); // undici does not stop a connection attempt in progress
      await client.destroy(reason);
    },
  };
}
