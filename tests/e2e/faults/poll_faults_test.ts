// Thousands of polls of recorded feeds, with faults of all kinds: nothing is lost, duplicated or leaked.
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { NetworkError, type OutgoingRequest } from "../../../src/domain/ports/ports.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { createChance, seedOfRun } from "../../support/chance.ts";
import type { Answer } from "../../support/platform.ts";
import { testVault } from "../../support/vault.ts";
import { createWorld, type World } from "../../support/world.ts";
import { type GrowingFeed, growingFeeds, RECORDINGS } from "../recorded_feeds.ts";
import { needs } from "../../support/needs.ts";
import { scaled } from "../../support/effort.ts";

/** Number of polls. Expected counts are proportional to it. REGFEED_POLLS can set fewer, to try many seeds. */
const POLLS = Number(Deno.env.get("REGFEED_POLLS") ?? scaled(1_000, 10_000));
const WARM_UP_POLLS = POLLS / 5;
const STEP_MS = 10 * 60_000;
/** Long enough for every back-off, which lasts at most a day, and then for a permanent redirect to be adopted. */
const QUIET_STEPS = 5 * 24 * 6;
const FAULTY_PERCENT = 40;
/** Maximum growth of the heap, bytes. In 10,000 polls, a leak of 1 kB per poll after the warm-up would be 8 MB. */
const HEAP_SLACK = 8_000_000;

/** A source that redirects permanently from the start. */
const MOVED = "ecb";
const hostOf = (id: string): string => id.startsWith("gov-uk") ? "gov-uk.example" : `${id}.example`;
const addressOf = (id: string): string => `https://${hostOf(id)}/${id}.xml`;

type Fault = (served: { feed: GrowingFeed; request: OutgoingRequest; world: World; random: () => number }) =>
  | Answer
  | Promise<Answer>;

const fail = (reason: string): Fault => () => Promise.reject(new NetworkError(reason));
const redirect = (status: number): Fault => ({ feed }) => ({
  status,
  headers: { location: `https://elsewhere.example/${feed.id}.xml` },
});
const never: Fault = ({ world }) => {
  void world.platform.clock.advance(30_000);
  return new Promise(() => {});
};

const FAULTS: Readonly<Record<string, Fault>> = {
  timeout: never,
  "slow bytes": never,
  reset: fail("connection reset"),
  "no such host": fail("host name not found"),
  "wrong length": fail("the response does not match its Content-Length"),
  "broken gzip": fail("the response was cut off"),
  "gzip bomb": () => ({ body: "<rss>", truncated: true }),
  "cut in the middle": ({ feed, random }) => ({
    headers: { etag: '"cut"' },
    body: feed.body.slice(0, Math.floor(feed.body.length * random())),
  }),
  "server error": () => ({ status: 500, body: "oops" }),
  busy: () => ({ status: 503, headers: { "retry-after": "1800" } }),
  forbidden: () => ({ status: 403, body: "no" }),
  "too many requests": () => ({ status: 429, headers: { "retry-after": "3600" } }),
  "far too many requests": () => ({ status: 429, headers: { "retry-after": "99999999" } }),
  "202 without a body": () => ({ status: 202 }),
  "200 without a body": () => ({ body: "" }),
  challenge: () => ({ body: "<!doctype html><html><title>Just a moment...</title></html>" }),
  "a page in its place": () => ({ body: "<!doctype html><html><title>Maintenance</title></html>" }),
  "a feed without items": () => ({ body: "<rss version='2.0'><channel><title>x</title></channel></rss>" }),
  "moved for an hour": redirect(301),
  "moved for an hour (308)": redirect(308),
  "found elsewhere": redirect(302),
  "redirected into a private network": () => ({ status: 302, headers: { location: "https://10.0.0.1/" } }),
  "redirected in a circle": ({ request }) => ({ status: 307, headers: { location: request.url.href } }),
};

const config = (feeds: readonly GrowingFeed[]): string =>
  feeds.map(({ id }) => `
[[sources]]
id = "${id}"
name_en = "${id}"
url = "${addressOf(id)}"
schedule = "*/30 * * * *"
timezone = "Europe/Brussels"
relevance = "all"
silent_after = "365d"
`).join("");

/** Returns the stored events: source, title, URL and version. */
async function storedIn(world: World): Promise<string[]> {
  const stored: string[] = [];
  for (let before = undefined;;) {
    const page = await world.store.listEvents({ limit: 200, ...(before === undefined ? {} : { before }) });
    for (const { json } of page) {
      const event = JSON.parse(json) as RegEvent;
      stored.push([event.source_id, event.version, event.title_en, event.url_official].join(" | "));
    }
    const last = page.at(-1);
    const place = last === undefined ? null : await world.store.findPosition(last.id);
    if (place === null) return stored.sort();
    before = place;
  }
}

/** Returns the events that one fetch of every complete feed stores. */
async function storedAtOnce(): Promise<string[]> {
  const feeds = await growingFeeds(1);
  await using world = await createWorld(config(feeds));
  for (const feed of feeds) world.platform.http.serve(addressOf(feed.id), () => ({ body: feed.body }));
  await world.app.tick();
  return await storedIn(world);
}

class FaultyWeb {
  readonly met = new Map<string, number>();
  readonly outcomes = new Set<string>();
  polls = 0;
  unchanged = 0;
  isFaulty = true;

  constructor(readonly world: World, readonly feeds: readonly GrowingFeed[], readonly random: () => number) {
    const { http } = world.platform;
    for (const feed of feeds) {
      http.serve(addressOf(feed.id), (request) => this.#answer(feed, request));
      http.serve(`https://elsewhere.example/${feed.id}.xml`, (request) =>
        // Faulty redirects end with the faults. If one of them has been adopted, the 404 ends the adoption.
        this.isFaulty || feed.id === MOVED ? this.#whole(feed, request) : { status: 404 });
    }
  }

  #answer(feed: GrowingFeed, request: OutgoingRequest): Answer | Promise<Answer> {
    if (this.isFaulty && this.random() * 100 < FAULTY_PERCENT) {
      const names = Object.keys(FAULTS);
      const name = names[Math.floor(this.random() * names.length)] ?? "";
      this.met.set(name, (this.met.get(name) ?? 0) + 1);
      return FAULTS[name]?.({ feed, request, world: this.world, random: this.random }) ?? {};
    }
    if (feed.id === MOVED) {
      return { status: 301, headers: { location: `https://elsewhere.example/${feed.id}.xml` } };
    }
    return this.#whole(feed, request);
  }

  #whole(feed: GrowingFeed, { headers }: OutgoingRequest): Answer {
    if (headers["if-none-match"] === feed.etag) {
      this.unchanged++;
      return { status: 304 };
    }
    return { headers: { etag: feed.etag, "content-type": "application/xml" }, body: feed.body };
  }

  /** Advances the clock during the work, because requests to one host wait for each other. */
  async #throughout(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => isDone = true);
    for (let turn = 1; !isDone; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (!isDone && turn % 50 === 0) await this.world.platform.clock.advance(1_000);
    }
    await done;
  }

  async step(): Promise<void> {
    const { platform, app } = this.world;
    await platform.clock.advance(STEP_MS);
    if (this.random() < 0.2) this.feeds[Math.floor(this.random() * this.feeds.length)]?.grow();
    await this.#throughout(app.ingest.ingest());
    platform.http.requests.length = 0;
    platform.lines.length = 0;
  }
}

async function runFaults(web: FaultyWeb): Promise<{ warm: number; end: number }> {
  let warm: number | null = null;
  while (web.polls < POLLS) {
    await web.step();
    if (warm === null && web.polls > WARM_UP_POLLS) warm = keptBytes();
  }
  return { warm: warm ?? 0, end: keptBytes() };
}

/** Returns the size of the heap after garbage collection, bytes. */
function keptBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed;
}

Deno.test(
  needs(`${POLLS} polls through every fault lose or repeat no event, and leak no memory`, RECORDINGS),
  async () => {
    const seed = seedOfRun();
    const feeds = await growingFeeds(0.3);
    const store = openStore(":memory:", testVault);
    const finishFetch = store.finishFetch;
    await using world = await createWorld(config(feeds), { store, polite: true, seed });
    const web = new FaultyWeb(world, feeds, createChance(seed).fraction);
    store.finishFetch = (...given) => {
      web.polls++;
      web.outcomes.add(given[0].outcome);
      return finishFetch(...given);
    };
    await world.app.ingest.register();
    const heap = await runFaults(web);
    for (const feed of feeds) while (!feed.isWhole) feed.grow();
    web.isFaulty = false;
    for (let step = 0; step < QUIET_STEPS; step++) await web.step();

    assert.deepEqual(await storedIn(world), await storedAtOnce(), "each event once, as without any fault");
    for (const name of Object.keys(FAULTS)) {
      assert.ok((web.met.get(name) ?? 0) > POLLS / 1_000, `no poll had the fault ${name}`);
    }
    assert.ok(web.unchanged > POLLS / 10, "unchanged feeds are not sent again");
    assert.deepEqual([...web.outcomes].sort(), ["blocked", "empty", "failing", "ok"]);
    const { json } = await world.ask("/v1/health");
    assert.deepEqual([json.status, json.ingestion.sources], ["ok", feeds.length], "and all have recovered");
    const moved = (await store.listSources()).filter(({ moves }) =>
      moves.some(({ adoptedAtMs }) => adoptedAtMs !== null)
    );
    assert.deepEqual(moved.map(({ id }) => id), [MOVED], "only the permanent redirect is adopted");
    assert.ok(heap.end < heap.warm + HEAP_SLACK, `heap: ${JSON.stringify(heap)}`);
    const grown = ((heap.end - heap.warm) / 1e6).toFixed(1);
    console.log(
      `${web.polls} polls, ${[...web.met.values()].reduce((a, b) => a + b)} faults, heap ${grown} MB more`,
    );
  },
);
