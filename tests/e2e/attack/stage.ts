// A worker that runs the publishers and endpoints of the attack test.
import { type Arrival, endpointResponse, RAW_ENDPOINTS } from "./endpoints.ts";
import { GOOD_SOURCES, goodFeed, hostileResponse, type Ports, rawOf } from "./sources.ts";

export type StageRequest = { kind: "publish" } | { kind: "stop publishing" } | { kind: "results" };

/** The messages of the worker. The first one is `open`. */
export type StageMessage =
  | { kind: "open"; ports: Ports; endpoints: { http: number; raw: number } }
  | { kind: "results"; arrivals: Arrival[]; published: Record<string, number> };

const scope = self as unknown as {
  postMessage(message: StageMessage): void;
  onmessage: (event: MessageEvent<StageRequest>) => void;
};

const PUBLISH_EVERY_MS = 3_000;

const arrivals: Arrival[] = [];
let published = 0;
let publishing: ReturnType<typeof setInterval> | undefined;

function serve(handler: (request: Request) => Response | Promise<Response>): number {
  const onError = () => new Response(null, { status: 500 });
  return Deno.serve({ hostname: "0.0.0.0", port: 0, onListen() {}, onError }, handler).addr.port;
}

/** Sends each connection the bytes for its path and keeps it open. If there are none, closes it at once. */
function serveRaw(bytesOf: (path: string) => string | null): number {
  const listener = Deno.listen({ hostname: "0.0.0.0", port: 0 });
  const talk = async (connection: Deno.Conn) => {
    try {
      const buffer = new Uint8Array(65_536);
      const read = await connection.read(buffer);
      const path = /^\w+ \/([\w-]+)/.exec(new TextDecoder().decode(buffer.subarray(0, read ?? 0)))?.[1] ?? "";
      const text = bytesOf(path);
      if (text === null) return connection.close();
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      while (await connection.read(buffer) !== null);
      connection.close();
    } catch {
      // Regfeed has closed the connection.
    }
  };
  (async () => {
    for await (const connection of listener) void talk(connection);
  })();
  return listener.addr.port;
}

const raw = serveRaw(rawOf);
const ports: Ports = {
  good: serve((request) => {
    const id = new URL(request.url).pathname.slice(1);
    return new Response(goodFeed(id, published), { headers: { "content-type": "text/xml" } });
  }),
  http: serve((request) => {
    const id = new URL(request.url).pathname.slice(1);
    return hostileResponse(id) ?? new Response(null, { status: 404 });
  }),
  raw,
};
const endpoints = {
  http: serve((request) => endpointResponse(request, (arrival) => void arrivals.push(arrival))),
  raw: serveRaw((path) => RAW_ENDPOINTS[path] ?? null),
};

scope.onmessage = ({ data }) => {
  if (data.kind === "publish") return void (publishing = setInterval(() => published++, PUBLISH_EVERY_MS));
  if (data.kind === "stop publishing") return clearInterval(publishing);
  scope.postMessage({
    kind: "results",
    arrivals,
    published: Object.fromEntries(GOOD_SOURCES.map((id) => [id, published])),
  });
};
scope.postMessage({ kind: "open", ports, endpoints });
