// The webhook endpoints of the attack test, including hostile ones.

/** Response time of a slow endpoint, ms: less than the timeout of an attempt. */
const SLOW_MS = 14_000;

export interface Arrival {
  /** The name of the endpoint, such as `good-1`. */
  endpoint: string;
  eventId: string;
  /** Time from storing the event to its arrival, ms. */
  tookMs: number;
}

/** Bytes that hostile endpoints send, by path. The connection then stays open; for `reset`, it is closed. */
export const RAW_ENDPOINTS: Readonly<Record<string, string | null>> = {
  spaces: `HTTP/1.1 200 OK\r\nx:${" ".repeat(32_000)}\0\r\n\r\n`,
  "endless-head": `HTTP/1.1 200 OK\r\n${"x-filler: 1234567890\r\n".repeat(20_000)}`,
  interim: "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000),
  chunks: `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${
    "1;".concat("x".repeat(500), "\r\na\r\n").repeat(2_000)
  }`,
  reset: null,
};

/** Returns the response of an endpoint. `keep` receives the deliveries of working endpoints. */
export async function endpointResponse(
  request: Request,
  keep: (arrival: Arrival) => void,
): Promise<Response> {
  const endpoint = new URL(request.url).pathname.slice(1);
  const arrivedMs = Date.now();
  const { type, event } = await request.json() as {
    type: string;
    event: { id: string; ingested_at: number };
  };
  if (endpoint.startsWith("good")) {
    if (type !== "event.test") keep({ endpoint, eventId: event.id, tookMs: arrivedMs - event.ingested_at });
    return new Response(null, { status: 204 });
  }
  if (endpoint.startsWith("slow")) {
    await new Promise((later) => setTimeout(later, SLOW_MS));
    return new Response(null, { status: 200 });
  }
  if (endpoint.startsWith("drip")) return new Response(drip());
  return new Response("no", { status: 500 });
}

function drip(): ReadableStream<Uint8Array> {
  let isRead = true;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((later) => setTimeout(later, 1_000));
      if (isRead) controller.enqueue(new Uint8Array(1));
    },
    cancel: () => void (isRead = false),
  });
}
