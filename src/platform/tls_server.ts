// The HTTP server over TLS: its certificate changes while it runs, and clients that are silent are let go.
import type { CertificatePair } from "./certificate.ts";
import { listen, type ListenOptions, reasonOf, type RunningServer } from "./server.ts";

/** How long a client may take to its first byte, ms. */
const FIRST_BYTE_MS = 10_000;
/** How long a connection may be without a byte in either direction, ms. */
const IDLE_MS = 120_000;
/** Connections at most, and of one address; one more is closed at once. */
const MAX_CONNECTIONS = 4_000;
const MAX_OF_ONE_ADDRESS = 500;
/** How long the last bytes may take to reach clients once the server ends, ms. */
const FLUSH_MS = 1_000;
/** Between two looks at what is left, and after an accept that failed, ms. */
const PAUSE_MS = 20;
const BUFFER_BYTES = 32_768;

/** Where to listen, with which certificate. */
export interface TlsListenOptions extends ListenOptions {
  pair: CertificatePair;
  /** For tests; without it {@link IDLE_MS}. */
  idleMs?: number;
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
}

/**
 * Starts to listen over TLS. The runtime cannot change the certificate of a server that listens, ending a server cuts
 * off clients that are about to ask, and it lets clients be silent for ever. So a listener of our own, which never ends,
 * carries the bytes to a server on this machine that speaks TLS; with a new certificate, new connections go to a new
 * one, and the one before ends with its last connection.
 */
export async function listenTls(options: TlsListenOptions): Promise<RunningTlsServer> {
  const { hostname, port, handler, pair, idleMs = IDLE_MS } = options;
  const clients = new Clients();
  const inners = new Set<Inner>();
  const start = async (certificate: CertificatePair): Promise<Inner> => {
    const server = await listen({
      ...options,
      pair: certificate,
      hostname: "127.0.0.1",
      port: 0,
      handler(request, { remotePort }) {
        const client = clients.addressBehind(remotePort);
        if (client === null) return new Response(null, { status: 403, headers: { connection: "close" } });
        return handler(request, { remoteAddress: client.hostname, remotePort: client.port });
      },
    });
    const inner = { server, connections: 0, isRetired: false };
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
  const accepting = (async () => {
    for (;;) {
      try {
        const client = await listener.accept();
        const inner = current;
        inner.connections += 1;
        void carry(client, { clients, to: inner.server.port, idleMs }).then(() => {
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
      await clients.end(FLUSH_MS);
    },
  };
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

/** The connections that are there, by the port by which the inner server knows them. */
class Clients {
  readonly #open = new Set<Deno.TcpConn>();
  readonly #perAddress = new Map<string, number>();
  readonly #behind = new Map<number, Deno.NetAddr>();

  /** Whether there is room for one more. */
  enter(connection: Deno.TcpConn): boolean {
    const { hostname } = connection.remoteAddr as Deno.NetAddr;
    const count = this.#perAddress.get(hostname) ?? 0;
    if (this.#open.size >= MAX_CONNECTIONS || count >= MAX_OF_ONE_ADDRESS) return false;
    this.#open.add(connection);
    this.#perAddress.set(hostname, count + 1);
    return true;
  }

  leave(connection: Deno.TcpConn): void {
    const { hostname } = connection.remoteAddr as Deno.NetAddr;
    this.#open.delete(connection);
    const count = this.#perAddress.get(hostname) ?? 0;
    if (count > 1) this.#perAddress.set(hostname, count - 1);
    else this.#perAddress.delete(hostname);
  }

  link(port: number, connection: Deno.TcpConn): void {
    this.#behind.set(port, connection.remoteAddr as Deno.NetAddr);
  }

  unlink(port: number): void {
    this.#behind.delete(port);
  }

  addressBehind(port: number): Deno.NetAddr | null {
    return this.#behind.get(port) ?? null;
  }

  /** Closes what is still open after so long. */
  async end(afterMs: number): Promise<void> {
    for (let waitedMs = 0; this.#open.size > 0 && waitedMs < afterMs; waitedMs += PAUSE_MS) {
      await pause(PAUSE_MS);
    }
    for (const connection of this.#open) close(connection);
    while (this.#open.size > 0) await pause(PAUSE_MS);
  }
}

/** Carries bytes between a client and the inner server until either ends, or nothing moves for too long. */
async function carry(
  client: Deno.TcpConn,
  { clients, to, idleMs }: { clients: Clients; to: number; idleMs: number },
): Promise<void> {
  if (!clients.enter(client)) return close(client);
  let server: Deno.TcpConn | null = null;
  let port = 0;
  const end = () => {
    close(client);
    if (server !== null) close(server);
  };
  let timer = setTimeout(end, Math.min(FIRST_BYTE_MS, idleMs));
  try {
    server = await Deno.connect({ hostname: "127.0.0.1", port: to });
    port = server.localAddr.port;
    clients.link(port, client);
    const moved = () => {
      clearTimeout(timer);
      timer = setTimeout(end, idleMs);
    };
    await Promise.all([pump(client, server, moved), pump(server, client, moved)]);
  } catch {
    // That either side breaks off is its own affair; the connection ends below.
  } finally {
    clearTimeout(timer);
    end();
    clients.unlink(port);
    clients.leave(client);
  }
}

/** Hands on what comes until it ends, then says so to the other side. */
async function pump(from: Deno.Conn, to: Deno.Conn, moved: () => void): Promise<void> {
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
    moved();
    for (let at = 0; at < read;) at += await to.write(buffer.subarray(at, read));
    moved();
  }
  await to.closeWrite();
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
