// Rate limits, pauses, leases and the order of fetches if sources share a host or two processes share a store.
import assert from "node:assert/strict";
import type { Answer } from "../../support/platform.ts";
import { rss } from "../../support/samples.ts";
import { START_MS, withWorld, type World } from "../../support/world.ts";
import { withTwoProcesses } from "./two_processes.ts";

const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;
const DAY = 86_400_000;

/** Returns a config. `sources` contains the URL and more lines of each source, by its id. */
const sourcesConfig = (sources: Record<string, [url: string, lines?: string]>, rest = ""): string =>
  rest + Object.entries(sources).map(([id, [url, lines = ""]]) => `
[[sources]]
id = "${id}"
name_en = "${id}"
url = "${url}"
schedule = "*/30 * * * *"
relevance = "all"
${lines}
`).join("");

const THREE = sourcesConfig({
  a1: ["https://a.example/1"],
  a2: ["https://a.example/2"],
  b1: ["https://b.example/1"],
});

const serve = (world: World, origin: string, answer: () => Answer | Promise<Answer>) =>
  world.platform.http.serve(origin, answer);
const feed = (): Answer => ({ body: rss([{ id: "1" }]) });
/** Returns the hosts and paths that were requested since the last call. */
function requested(world: World): string[] {
  return world.platform.http.requests.splice(0).map(({ url }) => url.replace(/^https:\/\/|\.example/g, ""));
}
/** Advances the clock, fetches the sources that are due, and returns their requests. */
async function requestedAfter(world: World, ms: number): Promise<string[]> {
  await world.platform.clock.advance(ms);
  await world.app.tick();
  return requested(world);
}
async function stateOf(world: World, id: string) {
  const { json } = await world.ask("/v1/sources");
  // deno-lint-ignore no-explicit-any
  const { state, state_since } = json.sources.find((source: any) => source.id === id);
  return [state, state_since];
}

Deno.test("a host gets one request at a time with pauses, and other hosts do not wait", () =>
  withWorld(THREE, async (world) => {
    serve(world, "https://a.example", feed);
    serve(world, "https://b.example", feed);
    assert.deepEqual(await requestedAfter(world, 0), ["a/1", "b/1"]);
    assert.deepEqual(await requestedAfter(world, 999), []);
    assert.deepEqual(await requestedAfter(world, 1), ["a/2"]);
  }, { polite: true }));

Deno.test("crawl_delay applies to every source of its host", () =>
  withWorld(
    sourcesConfig({ a1: ["https://a.example/1", 'crawl_delay = "10s"'], a2: ["https://a.example/2"] }),
    async (world) => {
      serve(world, "https://a.example", feed);
      await world.app.tick();
      assert.deepEqual(await requestedAfter(world, 9_999), ["a/1"]);
      assert.deepEqual(await requestedAfter(world, 1), ["a/2"]);
    },
    { polite: true },
  ));

Deno.test("Retry-After of one source pauses all sources of its host, and no others", () =>
  withWorld(THREE, async (world) => {
    serve(world, "https://a.example", () => ({ status: 429, headers: { "retry-after": "3600" } }));
    serve(world, "https://b.example", feed);
    assert.deepEqual(await requestedAfter(world, 0), ["a/1", "b/1"]);
    serve(world, "https://a.example", feed);
    assert.deepEqual(await requestedAfter(world, 59 * MINUTE), ["b/1"]);
    assert.deepEqual(await requestedAfter(world, MINUTE), ["a/2", "b/1", "a/1"], "the longest due first");
    assert.deepEqual(await stateOf(world, "a1"), ["ok", START_MS + 60 * MINUTE], "recovered");
  }));

for (const [retryAfter, isOver] of [[null, true], ["1500", false]] as const) {
  const how = `${retryAfter === null ? "without" : "with"} Retry-After`;
  Deno.test(`a successful manual fetch ${isOver ? "ends" : "does not end"} a pause ${how}`, () =>
    withWorld(THREE, async (world) => {
      serve(world, "https://b.example", feed);
      serve(world, "https://a.example", () => ({
        status: 403,
        headers: retryAfter === null ? {} : { "retry-after": retryAfter },
      }));
      assert.deepEqual(await requestedAfter(world, 0), ["a/1", "b/1"]);
      const hostPaused = async () =>
        (await world.store.listSources()).map(({ hostPausedUntilMs }) => hostPausedUntilMs !== null);
      assert.deepEqual(await hostPaused(), [true, true, false]);
      serve(world, "https://a.example", feed);
      await world.platform.clock.advance(MINUTE);
      const [report] = await world.app.ingest.ingest(["a1"]);
      assert.equal(report?.ok, true);
      assert.deepEqual(await hostPaused(), [!isOver, !isOver, false]);
      requested(world);
      assert.deepEqual(await requestedAfter(world, 0), isOver ? ["a/2"] : []);
    }));
}

Deno.test("a host that keeps responding with 403 is requested as often as one of its sources is scheduled", () =>
  withWorld(THREE, async (world) => {
    serve(world, "https://b.example", feed);
    const rounds: number[] = [];
    serve(world, "https://a.example", () => ({ status: 403 }));
    await world.app.tick();
    assert.deepEqual(await stateOf(world, "a1"), ["blocked", START_MS]);
    for (let round = 0; round < 400; round++) {
      if ((await requestedAfter(world, HALF_HOUR)).includes("a/1")) rounds.push(round);
    }
    const gaps = rounds.slice(1).map((round, index) => round - (rounds[index] ?? 0));
    assert.equal(Math.max(...gaps), 2, "the two sources take turns, because each refusal pauses the host");
    assert.deepEqual(await stateOf(world, "a1"), ["blocked", START_MS], "since the first response");
    const health = await world.ask("/v1/health");
    assert.deepEqual([health.json.status, health.json.ingestion.blocked], ["degraded", 2]);
    serve(world, "https://a.example", feed);
    await world.platform.clock.advance(2 * DAY);
    await world.app.tick();
    assert.equal((await stateOf(world, "a1"))[0], "ok");
    assert.equal((await world.ask("/v1/health")).json.status, "ok");
  }));

Deno.test("the source that has been due longest is fetched first, and every source is fetched", () => {
  const many: Record<string, [string]> = {};
  for (let number = 10; number < 40; number++) many[`s${number}`] = [`https://h${number}.example/f`];
  return withWorld(sourcesConfig(many, "[ingest]\nconcurrency = 2\n"), async (world) => {
    for (const [url] of Object.values(many)) serve(world, new URL(url).origin, feed);
    assert.equal((await requestedAfter(world, 0)).length, 30);
    await world.app.ingest.ingest(["s20"]);
    requested(world);
    assert.equal(new Set(await requestedAfter(world, 10 * HALF_HOUR)).size, 30, "each once");
    for (let round = 1; round <= 5; round++) {
      assert.equal((await requestedAfter(world, HALF_HOUR)).length, 30);
    }
    const due = (await world.store.listSources()).map(({ nextDueAtMs }) => nextDueAtMs);
    assert.deepEqual(new Set(due), new Set([world.platform.clock.nowMs() + HALF_HOUR]), "no drift");
  });
});

Deno.test("two processes never fetch one source at once, and the lease of a killed process expires", () =>
  withTwoProcesses(
    sourcesConfig({ a1: ["https://a.example/1"], b1: ["https://b.example/1"] }),
    async (one, two) => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      for (const origin of ["https://a.example", "https://b.example"]) {
        serve(one, origin, () => held.then(feed));
        serve(two, origin, feed);
      }
      const slow = one.app.tick();
      while (one.platform.http.requests.length < 2) await new Promise((resolve) => setTimeout(resolve));
      assert.deepEqual(await requestedAfter(two, 0), [], "leased, although a second process has started");
      // The fetch takes longer than a lease.
      for (let beat = 0; beat < 7; beat++) {
        await one.platform.clock.advance(3_100);
        await two.platform.clock.advance(3_100);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.deepEqual(await requestedAfter(two, 0), [], "the lease is extended");
      // The first process does nothing more, as if it had been killed.
      assert.deepEqual((await requestedAfter(two, 31_000)).sort(), ["a/1", "b/1"]);
      release();
      await slow;
      assert.equal((await two.store.listEvents({ limit: 9 })).length, 2, "nothing is stored twice");
    },
  ));

Deno.test("after the clock is set ahead and back, a source waits at most for its schedule", () =>
  withWorld(sourcesConfig({ a1: ["https://a.example/1"] }), async (world) => {
    serve(world, "https://a.example", feed);
    const { clock } = world.platform;
    await world.app.tick();
    clock.set(START_MS + 400 * DAY);
    await world.app.tick();
    assert.equal(requested(world).length, 2);
    clock.set(START_MS + MINUTE);
    await world.app.tick();
    assert.equal(requested(world).length, 0, "not earlier");
    clock.set(START_MS + HALF_HOUR);
    assert.deepEqual(await requestedAfter(world, 0), ["a/1"]);
    clock.set(START_MS - 400 * DAY);
    await world.app.tick();
    clock.set(START_MS - 400 * DAY + HALF_HOUR);
    assert.deepEqual(await requestedAfter(world, 0), ["a/1"]);
  }));

Deno.test("a schedule is in the time zone of its source", () =>
  withWorld(
    sourcesConfig({ a1: ["https://a.example/1", 'timezone = "Europe/Brussels"'] }).replace("*/30 *", "0 8"),
    async (world) => {
      serve(world, "https://a.example", feed);
      await world.app.tick();
      const [state] = await world.store.listSources();
      assert.equal(new Date(state?.nextDueAtMs ?? 0).toISOString(), "2026-08-02T06:00:00.000Z");
    },
  ));
