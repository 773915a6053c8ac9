// A TCP server for tests that sends exactly the given bytes.
import type { HttpClient, OutgoingRequest } from "../../src/domain/ports/ports.ts";
import { createHttpClient, type HttpClientOptions } from "../../src/platform/http/http.ts";

export interface RawServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  address: string;
  port: number;
  connections: { taken: number; open: number };
  received(): string;
}

/** Handles a connection whenever bytes of a request have arrived. */
export type Conversation = (connection: Deno.TcpConn) => Promise<void> | void;

/** Listens on loopback by default. Disposing of the server closes all its connections. */
export function serveRaw(talk: Conversation, hostname = "127.0.0.1"): RawServer {
  const listener = Deno.listen({ hostname, port: 0 });
  const open = new Set<Deno.TcpConn>();
  const connections = { taken: 0, open: 0 };
  let received = "";
  const hold = async (connection: Deno.TcpConn) => {
    open.add(connection);
    connections.taken++;
    connections.open++;
    try {
      const buffer = new Uint8Array(65_536);
      for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
        received += new TextDecoder().decode(buffer.subarray(0, count));
        await talk(connection);
      }
    } catch {
      // The client or the conversation has closed the connection.
    } finally {
      connections.open--;
      open.delete(connection);
      closeQuietly(connection);
    }
  };
  const serving = (async () => {
    const held: Promise<void>[] = [];
    for await (const connection of listener) held.push(hold(connection));
    await Promise.all(held);
  })();
  const { port } = listener.addr;
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    connections,
    received: () => received,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) closeQuietly(connection);
      await serving;
    },
  };
}

/** Responds to every request with these parts and keeps the connection open. */
export function saying(...parts: (string | Uint8Array)[]): Conversation {
  return async (connection) => {
    for (const part of parts) await writeAll(connection, part);
  };
}

/** Responds with these parts and closes the connection. */
export function sayingLast(...parts: (string | Uint8Array)[]): Conversation {
  return async (connection) => {
    await saying(...parts)(connection);
    connection.close();
  };
}

async function writeAll(connection: Deno.TcpConn, part: string | Uint8Array): Promise<void> {
  const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function closeQuietly(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // Already closed.
  }
}

export const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Runs the work with a client, and then closes the client. */
export async function withClient(
  work: (client: HttpClient) => Promise<void>,
  options: HttpClientOptions = {},
): Promise<void> {
  const client = createHttpClient(options);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

export function get(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  const { signal } = new AbortController();
  const own = { method: "GET" as const, url: new URL(url), headers: {}, addresses: ["127.0.0.1"] };
  return { ...own, maxBodyBytes: 1_000, signal, ...more };
}
