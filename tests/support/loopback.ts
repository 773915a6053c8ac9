// Servers on loopback for tests, and configs that permit requests to them.

export const LOOPBACK = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

/** The config of a server on a free port that may deliver to loopback. More keys of `[delivery]` may be appended. */
export const LOCAL_CONFIG = `[server]
listen = "127.0.0.1:0"
[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
`;

/** Returns a port of loopback that was free a moment ago. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

export interface Board {
  source: string;
  publish(title: string): void;
  close(): Promise<void>;
}

export function openBoard(): Board {
  const items: string[] = [];
  const server = Deno.serve(
    LOOPBACK,
    () => new Response(`<rss version="2.0"><channel><title>Board</title>${items.join("")}</channel></rss>`),
  );
  return {
    source: `
[[sources]]
id = "board"
name_en = "Board"
url = "http://127.0.0.1:${server.addr.port}/feed"
schedule = "* * * * * *"
relevance = "all"
notify_first_fetch = true
min_items = 0
`,
    publish: (title) =>
      void items.push(
        `<item><guid isPermaLink="false">item-${items.length}</guid><title>${title}</title>` +
          `<link>https://board.example/${items.length}</link><description>${title}.</description>` +
          `<pubDate>${new Date().toUTCString()}</pubDate></item>`,
      ),
    close: () => server.shutdown(),
  };
}

export interface Arrival {
  /** The delivery's id, the same for every attempt. */
  id: string;
  title: string;
}

export interface Hook {
  url: string;
  /** The deliveries in order of arrival. */
  arrivals: Arrival[];
  close(): Promise<void>;
}

export function openHook(
  answer: (arrival: Arrival) => Response | Promise<Response> = () => new Response(null, { status: 204 }),
): Hook {
  const arrivals: Arrival[] = [];
  const server = Deno.serve(LOOPBACK, async (request) => {
    const { title } = await request.json() as { title: string };
    const arrival = { id: request.headers.get("webhook-id") ?? "", title };
    arrivals.push(arrival);
    return await answer(arrival);
  });
  return { url: `http://127.0.0.1:${server.addr.port}/hook`, arrivals, close: () => server.shutdown() };
}
