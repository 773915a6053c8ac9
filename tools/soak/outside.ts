// What is around the server of a soak: a publisher that goes on publishing, and a receiver that checks every delivery.
import { Webhook } from "standardwebhooks";

/** Every so many attempts the receiver answers 503, so that some are made again. */
const REFUSES_EVERY = 7;

/** A publisher of notices. */
export interface Publisher {
  address: string;
  published: number;
  close(): Promise<void>;
}

/** A publisher whose feed holds all that it has published. */
export function startPublisher(): Publisher {
  const state = { published: 1 }; // an empty feed is a failing source, which is left alone for a while
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

/** What a receiver has seen. */
export interface Receiver {
  address: string;
  /** Signing secrets by path. */
  secrets: Map<string, string>;
  /** The ids of events that were taken, by path. */
  taken: Map<string, Set<string>>;
  /** Bodies by webhook-id. */
  bodies: Map<string, string>;
  /** Taken once more under the same webhook-id: a kill came before the arrival was written. */
  repeated: number;
  /** An event under two webhook-ids: what must never be. */
  doubled: number;
  /** Signatures that were not good, and bodies that changed between attempts. */
  wrong: number;
  close(): Promise<void>;
}

/** A receiver that verifies with the official library. */
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
    // Once each: the second pause of the schedule is longer than a soak.
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
