// The receivers of the lag rows, in a separate process: one records arrival times, one never responds, one is slow.
import { answerLines } from "./lines.ts";

export interface Ports {
  /** Responds to each POST with 204. */
  good: number;
  /** Accepts connections but never responds. */
  dead: number;
  /** Responds with one byte per second. */
  slow: number;
}

/** A line on stdout: the events since the previous line, with their arrival times (Unix ms with a fraction). */
export interface Arrivals {
  arrivals: [eventId: string, atMs: number][];
}

const SLOW_ANSWER = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
const SLOW_MS = 1_000;

if (import.meta.main) {
  let arrivals: Arrivals["arrivals"] = [];
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(quiet, async (request) => {
    const atMs = performance.timeOrigin + performance.now();
    const { event } = await request.json() as { event: { id: string } };
    arrivals.push([event.id, atMs]);
    return new Response(null, { status: 204 });
  });
  const dead = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const slow = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  hold(dead, async () => {});
  hold(slow, async (connection) => {
    for (const byte of SLOW_ANSWER) {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      await connection.write(Uint8Array.of(byte));
    }
  });
  const ports: Ports = { good: server.addr.port, dead: portOf(dead), slow: portOf(slow) };
  console.log(JSON.stringify(ports));
  await answerLines(() => {
    const answer: Arrivals = { arrivals };
    arrivals = [];
    return Promise.resolve(answer);
  });
  Deno.exit(0);
}

function portOf(listener: Deno.TcpListener): number {
  return listener.addr.port;
}

/** Accepts connections, discards what is received, and does the work for each connection until it is closed. */
async function hold(
  listener: Deno.TcpListener,
  work: (connection: Deno.TcpConn) => Promise<void>,
): Promise<void> {
  for await (const connection of listener) {
    work(connection).catch(() => {}); // the client has closed the connection
    connection.readable.pipeTo(new WritableStream()).catch(() => {});
  }
}
