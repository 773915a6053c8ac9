// Creates a world with a customer, a subscription and a source that publishes.
import assert from "node:assert/strict";
import { boardConfig, rss } from "../support/samples.ts";
import { type Reply, withWorld, type World } from "../support/world.ts";
import type { Answer, SeenRequest } from "../support/platform.ts";

/** Webhook URLs at a public host. */
export const HOOK = "https://hooks.example.org/ai";
export const NEW_HOOK = "https://hooks.example.org/new";

// deno-lint-ignore no-explicit-any -- responses whose fields the tests check
export type Json = any;

interface Sent {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A world with a subscription to {@link HOOK}. */
export interface Given {
  world: World;
  key: string;
  otherKey: string;
  subscription: { id: string; webhook_secret: string };
  ask(method: string, path: string, sent?: Sent): Promise<Reply>;
  /** Returns the JSON of a 200 response. */
  get(path: string): Promise<Json>;
  subscribe(body: unknown): Promise<Reply>;
  patch(body: unknown, id?: string): Promise<Reply>;
  /** Publishes, fetches and delivers events with these ids. */
  publish(...ids: string[]): Promise<void>;
  /** Advances the clock and does the work that is due. */
  pass(ms: number): Promise<void>;
  sentTo(hook: string): SeenRequest[];
  bodiesTo(hook: string): Json[];
}

/** Runs a test in a world with these hosts: a receiver, a private host, the service and a source. */
export function withHosts(work: (world: World) => Promise<void>, config = boardConfig()): Promise<void> {
  return withWorld(config, async (world) => {
    const addresses = { hooks: "93.184.215.14", inside: "10.0.0.7", feed: "93.184.215.15" };
    for (const [name, address] of Object.entries(addresses)) {
      world.platform.hosts.set(`${name}.example.org`, [address]);
    }
    world.platform.hosts.set("board.example", ["93.184.215.15"]);
    await work(world);
  });
}

/** Makes the source publish these items from now on. */
export function publishFeed({ platform }: World, ...items: Parameters<typeof rss>[0]): void {
  platform.http.serve("https://board.example/feed", () => ({ body: rss(items) }));
}

/** Sends POST /v1/subscriptions. A string is sent unchanged. */
export function subscribe(
  world: World,
  key: string,
  body: unknown,
  headers: HeadersInit = {},
): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return world.ask("/v1/subscriptions", { method: "POST", key, headers, body: text });
}

export const nextPath = ({ headers }: Reply): string | null =>
  /^<http:\/\/127\.0\.0\.1:8080(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? null;

/** Runs a test in a world with a {@link Given}. `respond` determines the receiver's response. */
export function withSubscription(
  work: (given: Given) => Promise<void>,
  { config = "", respond = () => ({ status: 204 }) }: { config?: string; respond?: () => Answer } = {},
): Promise<void> {
  return withHosts(async (world) => {
    const { platform } = world;
    platform.http.serve("https://hooks.example.org", respond);
    const published: string[] = [];
    platform.http.serve("https://board.example/feed", () => ({ body: rss(published.map((id) => ({ id }))) }));
    const { key } = await world.addCustomer();
    const { key: otherKey } = await world.addCustomer({ email: "bo@example.org" });
    const ask: Given["ask"] = (method, path, { body, key: by = key, headers = {} } = {}) =>
      world.ask(path, {
        method,
        key: by,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const subscribe: Given["subscribe"] = (body) => ask("POST", "/v1/subscriptions", { body });
    const pass: Given["pass"] = async (ms) => {
      await platform.clock.advance(ms);
      await world.app.tick();
    };
    const { subscription } = (await subscribe({ webhook_url: HOOK })).json;
    const sentTo: Given["sentTo"] = (hook) => platform.http.requests.filter(({ url }) => url === hook);
    await work({
      world,
      key,
      otherKey,
      subscription,
      ask,
      async get(path) {
        const reply = await ask("GET", path);
        assert.equal(reply.status, 200, reply.text);
        return reply.json;
      },
      subscribe,
      patch: (body, id = subscription.id) => ask("PATCH", `/v1/subscriptions/${id}`, { body }),
      async publish(...ids) {
        published.push(...ids);
        await pass(30 * 60_000);
      },
      pass,
      sentTo,
      bodiesTo: (hook) => sentTo(hook).map(({ body }) => JSON.parse(body ?? "")),
    });
  }, config + boardConfig());
}

/** Asserts a response that names exactly these fields. */
export function assertFields(reply: Reply, status: number, fields: readonly string[], what = ""): void {
  assert.equal(reply.status, status, `${what} ${reply.text}`);
  assert.deepEqual(reply.json.errors.map((error: Json) => error.field).sort(), [...fields].sort(), what);
}
