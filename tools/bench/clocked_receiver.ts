// The receivers of the lag rows, a process of its own: one that notes when which event came, a dead and a slow one.
import { answerLines } from "./lines.ts";

/** Where they listen. */
export interface Ports {
  /** Takes every POST and answers 204. */
  good: number;
  /** Takes every connection and never answers. */
  dead: number;
  /** Answers a byte a second. */
  slow: number;
}

/** What a line on stdout says: which event came when (Unix ms with a fraction), since the line before. */
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

/** Takes connections, reads whatever comes, and does that; each ends when the other side closes it. */
async function hold(
  listener: Deno.TcpListener,
  work: (connection: Deno.TcpConn) => Promise<void>,
): Promise<void> {
  for await (const connection of listener) {
    work(connection).catch(() => {}); // the other side has closed it
    connection.readable.pipeTo(new WritableStream()).catch(() => {});
  }
}
