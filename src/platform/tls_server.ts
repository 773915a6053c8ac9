// The HTTP server over TLS: its certificate changes while it runs, and clients that are silent are let go.
import type { CertificatePair } from "./certificate.ts";
import { hasFiles } from "./machine.ts";
import { listen, type ListenOptions, reasonOf, type RunningServer } from "./server.ts";
import { type Client, Clients, type Patience } from "./tls_clients.ts";

/** How long clients may be silent, ms. */
const PATIENCE: Patience = { firstMs: 10_000, idleMs: 120_000 };
/** Between two looks at who was, ms. */
const SWEEP_MS = 500;
/** How long the last bytes may take to reach clients once the server or its side of a connection ends, ms. */
const FLUSH_MS = 1_000;
/** Between two looks at what is left, and after an accept that failed, ms. */
const PAUSE_MS = 20;
/** What is read at once: little from who says little, more from who fills it. */
const LEAST_BUFFER_BYTES = 2_048;
const MOST_BUFFER_BYTES = 32_768;

/** Where to listen, with which certificate. */
export interface TlsListenOptions extends ListenOptions {
  pair: CertificatePair;
  /** For tests; without it {@link PATIENCE}. */
  patience?: Patience;
}

/** A server over TLS. */
export interface RunningTlsServer extends RunningServer {
  /** New connections get this certificate; those that are there go on with theirs. Rejects when it cannot be used. */
  renew(pair: CertificatePair): Promise<void>;
}

/** An HTTP server with one certificate, which answers nobody but the listener in front of it. */
interface Inner {
  server: RunningServer;
  connections: number;
  isRetired: boolean;
  /** Who stands behind a connection, by the port from which it comes. */
  behind: Map<number, Client>;
}

/**
 * Starts to listen over TLS. The runtime cannot change the certificate of a server that listens, ending a server cuts
 * off clients that are about to ask, and it lets clients be silent for ever. So a listener of our own, which never ends,
 * carries the bytes to a server on this machine that speaks TLS; with a new certificate, new connections go to a new
 * one, and the one before ends with its last connection.
 */
export async function listenTls(options: TlsListenOptions): Promise<RunningTlsServer> {
  const { hostname, port, pair, patience = PATIENCE, onTrouble = () => {} } = options;
  const clients = new Clients({
    patience,
    hasFiles,
    onScarce: (connections) => onTrouble({ kind: "few files", connections }),
    nowMs: () => performance.now(),
  });
  const inners = new Set<Inner>();
  const start = async (certificate: CertificatePair): Promise<Inner> => {
    const inner = await startInner(options, certificate);
    inners.add(inner);
    return inner;
  };
  const leave = async (inner: Inner): Promise<void> => {
    if (!inner.isRetired || inner.connections > 0 || !inners.delete(inner)) return;
    await inner.server.shutdown(0);
  };
  let current = await start(pair);
  let isEnding = false;
  const listener = await listenOrExplain(hostname, port, () => current.server.shutdown(0));
  const sweeping = setInterval(() => clients.sweep(), Math.min(SWEEP_MS, patience.firstMs));
  const accepting = (async () => {
    for (;;) {
      try {
        const client = await listener.accept();
        const inner = current;
        inner.connections += 1;
        void carry(client, { clients, inner }).then(() => {
          inner.connections -= 1;
          return leave(inner);
        });
      } catch {
        if (isEnding) return;
        await pause(PAUSE_MS); // the client was gone before it was accepted, or no file is left for it: others come
      }
    }
  })();
  const shownHost = hostname.includes(":") ? `[${hostname}]` : hostname;
  const { port: taken } = listener.addr as Deno.NetAddr;
  return {
    address: `https://${shownHost}:${taken}`,
    port: taken,
    async renew(certificate) {
      const before = current;
      current = await start(certificate);
      before.isRetired = true;
      await leave(before);
    },
    async shutdown(graceMs) {
      if (isEnding) return;
      isEnding = true;
      await Promise.all(Array.from(inners, ({ server }) => server.shutdown(graceMs)));
      listener.close();
      await accepting;
      await flush(clients, inners);
      clearInterval(sweeping);
    },
  };
}

async function startInner(options: TlsListenOptions, pair: CertificatePair): Promise<Inner> {
  const behind: Inner["behind"] = new Map();
  const server = await listen({
    ...options,
    pair,
    hostname: "127.0.0.1",
    port: 0,
    handler(request, { remotePort }) {
      const client = behind.get(remotePort)?.address;
      if (client === undefined) return new Response(null, { status: 403, headers: { connection: "close" } });
      return options.handler(request, { remoteAddress: client.hostname, remotePort: client.port });
    },
  });
  return { server, connections: 0, isRetired: false, behind };
}

async function listenOrExplain(
  hostname: string,
  port: number,
  giveUp: () => Promise<void>,
): Promise<Deno.TcpListener> {
  try {
    return Deno.listen({ hostname, port });
  } catch (error) {
    await giveUp();
    throw new Error(`cannot listen on ${hostname} port ${port}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Lets the last bytes reach their clients, then ends who is left. */
async function flush(clients: Clients, inners: ReadonlySet<Inner>): Promise<void> {
  const isCarrying = () => [...inners].some(({ connections }) => connections > 0);
  for (let waitedMs = 0; isCarrying() && waitedMs < FLUSH_MS; waitedMs += PAUSE_MS) await pause(PAUSE_MS);
  clients.endAll();
  while (isCarrying()) await pause(PAUSE_MS);
}

/** Carries bytes between a client and the inner server until either ends, or the client has to leave. */
async function carry(
  connection: Deno.TcpConn,
  { clients, inner }: { clients: Clients; inner: Inner },
): Promise<void> {
  let server: Deno.TcpConn | null = null;
  let port = 0;
  const end = () => {
    close(connection);
    if (server !== null) close(server);
  };
  const client = clients.enter(connection.remoteAddr as Deno.NetAddr, end);
  if (client === null) return end();
  try {
    server = await Deno.connect({ hostname: "127.0.0.1", port: inner.server.port });
    port = server.localAddr.port;
    inner.behind.set(port, client);
    const asking = pump(connection, server, () => {}).then((ended) => {
      // A client that is gone takes no answer. A server that wants no more of a request may still be giving one.
      if (ended === "not given") end();
    });
    const ended = await pump(server, connection, () => clients.answered(client));
    if (ended === "ended") await isOverWithin(FLUSH_MS, asking);
  } catch {
    // No connection to the inner server, for want of a file: this one ends, below.
  } finally {
    end();
    clients.leave(client);
    if (inner.behind.get(port) === client) inner.behind.delete(port);
  }
}

/** Hands on what comes until it ends, and then says so to the other side; tells which side broke off. */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  moved: () => void,
): Promise<"ended" | "not given" | "not taken"> {
  let buffer = new Uint8Array(LEAST_BUFFER_BYTES);
  for (;;) {
    const read = await from.read(buffer).catch(() => -1);
    if (read === -1) return "not given";
    try {
      if (read === null) {
        await to.closeWrite();
        return "ended";
      }
      for (let at = 0; at < read;) {
        at += await to.write(buffer.subarray(at, read));
        moved();
      }
    } catch {
      return "not taken";
    }
    if (read === buffer.length && read < MOST_BUFFER_BYTES) buffer = new Uint8Array(read * 4);
  }
}

async function isOverWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed already.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
