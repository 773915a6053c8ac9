// A complete Regfeed for tests. The store is in memory, the platform is fake, and everything else is real.
import { makeKey } from "../../src/accounts/keys.ts";
import { type App, createApp, createProcessServices } from "../../src/app.ts";
import { findAdditionProblems } from "../../src/classify/check_configured_rules.ts";
import { type Config, parseConfig } from "../../src/config/config.ts";
import type { Customer } from "../../src/domain/customer/customer.ts";
import { createIds, type NewId } from "../../src/domain/event/ids.ts";
import { type Metrics, NO_METRICS } from "../../src/domain/ports/metrics.ts";
import type { WorkerThread } from "../../src/domain/ports/ports.ts";
import type { ServerActs } from "../../src/operate/operator_acts.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { checkAnswer } from "./openapi.ts";
import { type FakePlatform, fakePlatform } from "./platform.ts";
import { checkLines } from "./quiet.ts";
import { testVault } from "./vault.ts";

export const START_MS = Date.parse("2026-08-01T10:00:00Z");

export interface Reply {
  status: number;
  headers: Headers;
  // deno-lint-ignore no-explicit-any
  json: any;
  text: string;
}

export interface World extends AsyncDisposable {
  app: App;
  config: Config;
  platform: FakePlatform;
  store: Store;
  newId: NewId;
  addCustomer(change?: Partial<Customer>): Promise<{ customer: Customer; key: string }>;
  /**
   * Sends a request to the API with `key` in the Authorization header. Fails if the description has no such response.
   */
  ask(path: string, init?: RequestInit & { key?: string }): Promise<Reply>;
  /** Requests a page as a browser does. The reply's `json` is null. */
  visit(path: string, init?: RequestInit): Promise<Reply>;
  close(): Promise<void>;
}

export interface WorldOptions {
  startMs?: number;
  seed?: number;
  polite?: boolean;
  store?: Store;
  metrics?: Metrics;
  /** By default, documents are parsed on the test's thread. */
  parseWorker?: WorkerThread;
  /** What the operator's pages can do in the server process. */
  serverActs?: ServerActs;
}

/**
 * Creates a world from the text of a config. Unless `polite` is set, sources are fetched exactly on schedule and
 * without pauses between requests to a host, because the world's clock stands still.
 */
export async function createWorld(configText = "", options: WorldOptions = {}): Promise<World> {
  const platform = fakePlatform(options.startMs ?? START_MS, options.seed);
  if (options.parseWorker !== undefined) platform.parseWorker = options.parseWorker;
  const config = await parseConfig(configText, {
    file: "regfeed.toml",
    folder: "/world",
    readSecret: { file: (path) => platform.files.readText(path), env: () => undefined },
    findAdditionProblems,
  });
  if (options.polite !== true) Object.assign(config.ingest, { jitterMs: 0, hostSpacingMs: 0 });
  const store = options.store ?? openStore(":memory:", testVault);
  const { metrics = NO_METRICS, serverActs = null } = options;
  const services = createProcessServices({ platform, store, metrics });
  const app = createApp({ config, platform, store, version: "0.0.0-test", services, serverActs });
  const newId = createIds(() => platform.clock.nowMs(), (count) => platform.random.bytes(count));
  const close = async () => {
    await store.close();
    checkLines(platform.lines, spoken(platform));
  };
  return {
    app,
    config,
    platform,
    store,
    newId,
    async addCustomer(change = {}) {
      const nowMs = platform.clock.nowMs();
      const customer: Customer = {
        id: newId("customer"),
        email: "ana@example.org",
        tier: "team",
        enabled: true,
        limits: {},
        language: "en",
        declared: false,
        createdAtMs: nowMs,
        ...change,
      };
      const { key, stored } = makeKey((count) => platform.random.bytes(count), nowMs);
      await store.addCustomer(customer, stored, { actor: "cli:test", atMs: nowMs });
      return { customer, key };
    },
    async ask(path, { key, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
      if (init.body !== undefined && !headers.has("content-type")) {
        headers.set("content-type", "application/json");
      }
      const request = new Request(`http://regfeed.example${path}`, { ...init, headers });
      const response = await app.fetch(request);
      const text = await response.text();
      await checkAnswer({
        method: init.method ?? "GET",
        url: request.url,
        status: response.status,
        headers: response.headers,
        text,
      });
      const isJson = response.headers.get("content-type")?.includes("json") ?? false;
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text !== "" ? JSON.parse(text) : null,
      };
    },
    async visit(path, init = {}) {
      const headers = new Headers({ accept: "text/html", ...Object.fromEntries(new Headers(init.headers)) });
      const response = await app.fetch(
        new Request(`http://127.0.0.1:8080${path}`, { redirect: "manual", ...init, headers }),
      );
      return { status: response.status, headers: response.headers, text: await response.text(), json: null };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export async function withWorld(
  config: string,
  work: (world: World) => Promise<void>,
  options: Parameters<typeof createWorld>[1] = {},
): Promise<void> {
  await using world = await createWorld(config, options);
  await work(world);
}

/** Like {@link withWorld}, with a customer; `work` gets the customer's key. */
export function withCustomer(
  config: string,
  work: (world: World, key: string) => Promise<void>,
): Promise<void> {
  return withWorld(config, async (world) => await work(world, (await world.addCustomer()).key));
}

/** Minimum length of a text that is searched for in logs. Shorter texts may appear there for other reasons. */
const LEAST_TEXT = 20;

/** Returns what was sent: webhook bodies and paths, and emails with their recipients. */
function spoken({ http, mailer }: FakePlatform): string[] {
  const posted = http.requests.filter(({ method, headers }) => method === "POST" && "webhook-id" in headers);
  const texts = posted.flatMap(({ url, body = "" }) => {
    const { pathname, search } = new URL(url);
    return [body, `${pathname}${search}`];
  });
  const mails = mailer.taken.flatMap(({ text, subject, to }) => [to, subject, ...text.split("\n")]);
  return [...texts, ...mails].filter((text) => text.length >= LEAST_TEXT);
}
