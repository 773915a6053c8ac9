// Attacked by every hostile source, endpoint and customer at once, a server still serves the good ones. `deno task
// test:attack` asserts strict times for five minutes; `deno task test` runs for ten seconds, with loose limits.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { scaled } from "../../support/effort.ts";
import { serve, type Serving, withFolder, writeConfig } from "../../support/process.ts";
import { type Customer, hostileCustomers, subscribeGood } from "../attack/clients.ts";
import type { Arrival } from "../attack/endpoints.ts";
import { GOOD_SOURCES, goodConfig, hostileConfig } from "../attack/sources.ts";
import type { StageMessage, StageRequest } from "../attack/stage.ts";
import { pause } from "../../support/pause.ts";

const SECONDS = Number(Deno.env.get("REGFEED_ATTACK_SECONDS") ?? scaled(10, 300));
/** Interval at which all hostile sources are replaced by new ones, ms. */
const GENERATION_MS = 30_000;
/** Interval of the actions of a hostile customer, ms. */
const ACT_EVERY_MS = 200;
/** Maximum time in ms until the last items are stored and delivered. All fetch slots may first wait for a timeout. */
const COLLECTED_WITHIN_MS = 60_000;
/** Limits in ms. They are looser if other tests run at the same time. */
const LIVEZ_P999_MS = scaled(10_000, 100);
const DELIVERY_MS = scaled(30_000, 2_000);
const EXIT_MS = scaled(60_000, 8_000);

const PROBE = fileURLToPath(new URL("../attack/probe.ts", import.meta.url));
const SETTINGS = `
[server]
listen = "127.0.0.1:0"
[ingest]
host_spacing = "0s"
jitter = "0s"
[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
[tiers.embedded]
api_requests_per_day = 1_000_000
`;

/** Runs the publishers and endpoints around the server in a worker. */
class Stage {
  readonly #worker = new Worker(new URL("../attack/stage.ts", import.meta.url), { type: "module" });
  readonly opened = this.#next("open");

  #next<K extends StageMessage["kind"]>(kind: K): Promise<Extract<StageMessage, { kind: K }>> {
    return new Promise((resolve, reject) => {
      this.#worker.addEventListener("error", (event) => reject(new Error(event.message)));
      this.#worker.addEventListener("message", ({ data }: MessageEvent<StageMessage>) => {
        if (data.kind === kind) resolve(data as Extract<StageMessage, { kind: K }>);
      });
    });
  }

  tell(request: StageRequest): void {
    this.#worker.postMessage(request);
  }

  results(): Promise<Extract<StageMessage, { kind: "results" }>> {
    const results = this.#next("results");
    this.tell({ kind: "results" });
    return results;
  }

  close(): void {
    this.#worker.terminate();
  }
}

/** Requests /livez in another process. The returned function ends it and returns the response times, ms. */
function startProbe(address: string): () => Promise<number[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", PROBE, address],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  return async () => {
    child.kill("SIGTERM");
    const { success, stdout } = await child.output();
    assert.ok(success, "every request to /livez got a response");
    return JSON.parse(new TextDecoder().decode(stdout));
  };
}

async function repeat(act: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await Promise.all([
      act().catch((error) => {
        if (!signal.aborted) throw error;
      }),
      pause(ACT_EVERY_MS),
    ]);
  }
}

function percentile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? NaN;
}

/** Returns the number of listed events of each good source. */
async function countStored({ address }: Serving, { key }: Customer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const source of GOOD_SOURCES) {
    let next = `/v1/events?limit=200&source=${source}`;
    counts[source] = 0;
    while (next !== "") {
      const response = await fetch(address + next, { headers: { authorization: `Bearer ${key}` } });
      counts[source] += (await response.json()).count;
      const link = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      next = link === undefined ? "" : new URL(link).pathname + new URL(link).search;
    }
  }
  return counts;
}

interface Outcome {
  /** Times of /livez, ms, ascending. */
  livezMs: number[];
  endpoints: string[];
  arrivals: Arrival[];
  /** Numbers of published and stored items by good source. */
  published: Record<string, number>;
  stored: Record<string, number>;
  hostile: Customer[];
  code: number;
  exitMs: number;
  log: string;
}

async function attack(folder: string, stage: Stage, ending: AbortController): Promise<Outcome> {
  const { ports, endpoints } = await stage.opened;
  const config = (generation: number) =>
    writeConfig(folder, SETTINGS + goodConfig(ports) + hostileConfig(ports, generation));
  await config(0);
  const server = await serve(folder);
  try {
    const { address } = server;
    const good = await subscribeGood(folder, address, endpoints);
    const { customers, attacks } = await hostileCustomers(folder, address, endpoints);
    stage.tell({ kind: "publish" });
    const endProbe = startProbe(address);
    const acting = attacks.map((act) => repeat(act, ending.signal));
    const endMs = Date.now() + SECONDS * 1_000;
    for (let generation = 1;; generation++) {
      await pause(Math.min(GENERATION_MS, endMs - Date.now()));
      if (Date.now() >= endMs) break;
      await config(generation);
      server.signal("SIGHUP");
    }
    stage.tell({ kind: "stop publishing" });
    const { arrivals, published } = await complete(stage, good.length);
    const livezMs = (await endProbe()).sort((a, b) => a - b);
    const stored = await countStored(server, customers.at(-1) ?? assert.fail());
    ending.abort();
    const stopMs = Date.now();
    const { code, log } = await server.end("SIGTERM");
    const exitMs = Date.now() - stopMs;
    await Promise.all(acting);
    return { livezMs, endpoints: good, arrivals, published, stored, hostile: customers, code, exitMs, log };
  } finally {
    server.kill();
  }
}

/** Waits until every good endpoint has received all deliveries, or time runs out. Returns the final state. */
async function complete(
  stage: Stage,
  endpoints: number,
): Promise<Extract<StageMessage, { kind: "results" }>> {
  for (const endMs = Date.now() + COLLECTED_WITHIN_MS;;) {
    const results = await stage.results();
    const events = Object.values(results.published).reduce((sum, items) => sum + items, 0);
    if (results.arrivals.length >= events * endpoints || Date.now() > endMs) return results;
    await pause(500);
  }
}

function check(outcome: Outcome): void {
  const { livezMs, endpoints, arrivals, published, stored, hostile, code, exitMs, log } = outcome;
  const tookMs = arrivals.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const spread = (sorted: readonly number[]) => ({
    median: Math.round(percentile(sorted, 0.5)),
    p999: Math.round(percentile(sorted, 0.999)),
    max: Math.round(percentile(sorted, 1)),
  });
  const pauses = log.match(/.*the main thread stalled.*/g) ?? [];
  const figures = { livez: spread(livezMs), delivery: spread(tookMs), exitMs, pauses: pauses.length };
  console.log(JSON.stringify(figures));
  const told = `${JSON.stringify(figures)}\n${pauses.join("\n")}\n${log.slice(-3_000)}`;
  assert.equal(code, 0, told);
  assert.deepEqual(stored, published, told);
  const reached = Map.groupBy(arrivals, ({ endpoint }) => endpoint);
  const events = Object.values(published).reduce((sum, items) => sum + items, 0);
  for (const endpoint of endpoints) {
    const ids = new Set(reached.get(endpoint)?.map(({ eventId }) => eventId));
    assert.equal(ids.size, events, `${endpoint} lacks events\n${told}`);
  }
  for (const { statuses } of hostile) assert.equal(statuses.get(500), undefined, told);
  assert.ok(figures.livez.p999 <= LIVEZ_P999_MS, `/livez took ${figures.livez.p999} ms (p99.9)\n${told}`);
  assert.ok(figures.delivery.max <= DELIVERY_MS, `a delivery took ${figures.delivery.max} ms\n${told}`);
  assert.ok(exitMs <= EXIT_MS, `the exit took ${exitMs} ms\n${told}`);
}

Deno.test(`a server under attack for ${SECONDS} s serves all other clients`, () =>
  withFolder(async (folder) => {
    const stage = new Stage();
    const ending = new AbortController();
    try {
      check(await attack(folder, stage, ending));
    } finally {
      ending.abort();
      stage.close();
    }
  }));
