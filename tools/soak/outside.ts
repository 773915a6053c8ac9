// The publisher in a soak test, and the receiver, which checks every delivery.
import { Webhook } from "standardwebhooks";

/** About one in this many attempts gets the response 503, so that Regfeed retries it. */
const REFUSES_EVERY = 7;

export interface Publisher {
  address: string;
  published: number;
  close(): Promise<void>;
}

/** Starts a publisher whose feed contains everything that it has published. */
export function startPublisher(): Publisher {
  const state = { published: 1 }; // an empty feed would count as a failure and delay the next fetch
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    const items = Array.from(
      { length: state.published },
      (_, at) =>
        `<item><guid isPermaLink="false">notice-${at}</guid><link>https://soak.example/${at}</link>` +
        `<title>Notice ${at} on the AI Act</title><description>Obligations of deployers, part ${at}.</description></item>`,
    );
    return new Response(`<rss version="2.0"><channel><title>Soak</title>${items.join("")}</channel></rss>`);
  });
  return Object.assign(state, {
    address: `http://127.0.0.1:${server.addr.port}`,
    close: () => server.shutdown(),
  });
}

export interface Receiver {
  address: string;
  /** Signing secrets by path. */
  secrets: Map<string, string>;
  /** The ids of accepted events, by path. */
  taken: Map<string, Set<string>>;
  /** Bodies by webhook-id. */
  bodies: Map<string, string>;
  /** Number of deliveries received again, because the server was killed before it recorded the previous attempt. */
  repeated: number;
  /** Number of events with two webhook-ids, which must never occur. */
  doubled: number;
  /** Number of deliveries with an invalid signature or with a body that changed between attempts. */
  wrong: number;
  close(): Promise<void>;
}

/** Starts a receiver that verifies signatures with the official library. */
export function startReceiver(): Receiver {
  const state = {
    secrets: new Map<string, string>(),
    taken: new Map<string, Set<string>>(),
    bodies: new Map<string, string>(),
    repeated: 0,
    doubled: 0,
    wrong: 0,
  };
  const deliveries = new Map<string, string>();
  const refused = new Set<string>();
  let seen = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const path = new URL(request.url).pathname;
    const body = await request.text().catch(() => null);
    if (body === null) return new Response(null, { status: 400 }); // the sender was killed while it sent
    const delivery = request.headers.get("webhook-id") ?? "";
    // Refuses each delivery only once, because a second retry would come after the end of the test.
    if (++seen % REFUSES_EVERY === 0 && !refused.has(delivery)) {
      refused.add(delivery);
      return new Response(null, { status: 503 });
    }
    try {
      const headers = Object.fromEntries(request.headers);
      const { event } = new Webhook(state.secrets.get(path) ?? "").verify(body, headers) as {
        event: { id: string };
      };
      if ((state.bodies.get(delivery) ?? body) !== body) state.wrong++;
      if (state.bodies.has(delivery)) state.repeated++;
      state.bodies.set(delivery, body);
      const place = `${path} ${event.id}`;
      if ((deliveries.get(place) ?? delivery) !== delivery) state.doubled++;
      deliveries.set(place, delivery);
      state.taken.set(path, (state.taken.get(path) ?? new Set()).add(event.id));
      return new Response(null, { status: 204 });
    } catch {
      state.wrong++;
      return new Response(null, { status: 401 });
    }
  });
  return Object.assign(state, {
    address: `http://127.0.0.1:${server.addr.port}`,
    close: () => server.shutdown(),
  });
}
