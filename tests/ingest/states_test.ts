// States of sources over the whole appliance: how each begins, what it says, and that it ends by itself.
import assert from "node:assert/strict";
import type { Answer } from "../support/platform.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { createWorld, START_MS, withWorld, type World } from "../support/world.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const FEED = "https://board.example/feed";

const serve = (world: World, answer: Answer) => world.platform.http.serve(FEED, () => answer);
async function after(world: World, ms: number) {
  await world.platform.clock.advance(ms);
  await world.app.tick();
  const { json } = await world.ask("/v1/sources");
  const { json: health } = await world.ask("/v1/health");
  const [{ state, state_since }] = json.sources;
  return { state, since: state_since - START_MS, counted: health.ingestion[state], status: health.status };
}
/** Minutes from now to the next fetch. */
async function nextIn(world: World): Promise<number> {
  const [state] = await world.store.listSources();
  return ((state?.nextDueAtMs ?? 0) - world.platform.clock.nowMs()) / MINUTE;
}

Deno.test("an empty page is no success: fewer items than the minimum are an alarm, what there is is stored, and it heals", () =>
  withWorld(boardConfig({ source: 'min_items = 2\nrelevance = "all"' }), async (world) => {
    serve(world, { body: rss([{ id: "1" }]) });
    assert.deepEqual(await after(world, 0), { state: "empty", since: 0, counted: 1, status: "degraded" });
    const [state] = await world.store.listSources();
    assert.match(state?.lastError ?? "", /^has only 1 of at least 2 items/);
    assert.equal(state?.lastSuccessAtMs, null);
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 1);
    serve(world, { body: rss([{ id: "1" }, { id: "2" }]) });
    const healed = await after(world, 30 * MINUTE);
    assert.deepEqual([healed.state, healed.since, healed.status], ["ok", 30 * MINUTE, "ok"]);
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 2, "each once");
  }));

Deno.test("a feed that is fetched well and has nothing new for longer than it may is silent until something comes", () =>
  withWorld(boardConfig({ source: 'silent_after = "10d"' }), async (world) => {
    const news = (count: number) =>
      serve(world, {
        body: rss(Array.from({ length: count }, (_, at) => ({ id: `${at}`, title: `On cheese ${at}` }))),
      });
    news(1);
    assert.equal((await after(world, 0)).state, "ok");
    assert.equal((await after(world, 10 * DAY)).state, "ok");
    assert.deepEqual(await after(world, DAY), {
      state: "silent",
      since: 10 * DAY,
      counted: 1,
      status: "degraded",
    });
    news(2);
    const healed = await after(world, DAY);
    assert.deepEqual(
      [healed.state, healed.since, healed.status],
      ["ok", 12 * DAY, "ok"],
      "what is passed over counts too",
    );
  }));

Deno.test("what says how long it stays as it is, is left alone so long, within the bound, changed or not", () =>
  withWorld(boardConfig({ rest: '[ingest]\nmax_freshness = "4h"\n' }), async (world) => {
    const withTtl = rss([{ id: "1" }]).replace("<channel>", "<channel><ttl>90</ttl>");
    world.platform.http.serve(
      FEED,
      ({ headers }) =>
        headers["if-none-match"] === '"1"' ? { status: 304 } : { headers: { etag: '"1"' }, body: withTtl },
    );
    await world.app.tick();
    assert.equal(await nextIn(world), 90);
    await after(world, 90 * MINUTE);
    assert.equal(await nextIn(world), 90, "also when it has not changed");
    serve(world, { headers: { "cache-control": "max-age=999999" }, body: rss([{ id: "1" }]) });
    await after(world, 90 * MINUTE);
    assert.equal(await nextIn(world), 240);
    serve(world, { headers: { "cache-control": "max-age=60" }, body: rss([{ id: "1" }]) });
    await after(world, 240 * MINUTE);
    assert.equal(await nextIn(world), 30, "never sooner than the schedule");
  }));

Deno.test("a move for good is adopted after days of the same answer, and given up when the new address fails", () =>
  withWorld(boardConfig(), async (world) => {
    const { http } = world.platform;
    const feed = { body: rss([{ id: "1" }]) };
    http.serve(FEED, () => ({ status: 301, headers: { location: "https://new.example/feed" } }));
    http.serve("https://new.example", () => feed);
    const asked = async (ms: number) => {
      http.requests.length = 0;
      await after(world, ms);
      return http.requests.map(({ url }) => new URL(url).hostname);
    };
    assert.deepEqual(await asked(0), ["board.example", "new.example"]);
    assert.deepEqual(await asked(2 * DAY), ["board.example", "new.example"]);
    assert.deepEqual(await asked(DAY), ["board.example", "new.example"]);
    assert.deepEqual(await asked(DAY), ["new.example"], "three days of one answer");
    http.serve("https://new.example", () => ({ status: 404 }));
    http.serve(FEED, () => feed);
    assert.deepEqual(await asked(DAY), ["new.example"]);
    assert.deepEqual(await asked(DAY), ["board.example"], "the configured address is asked again");
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.moves, state?.outcome], [[], "ok"]);
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 1, "and nothing is stored twice");
  }));

Deno.test("a higher minimum is looked at although the feed says that it has not changed", async () => {
  const config = (lines: string) => boardConfig({ source: `${lines}\nrelevance = "all"` });
  const before = await createWorld(config(""));
  const later = await createWorld(config("min_items = 2"), { store: before.store, seed: 2 });
  try {
    for (const world of [before, later]) {
      world.platform.http.serve(
        FEED,
        ({ headers }) =>
          headers["if-none-match"] === '"1"'
            ? { status: 304 }
            : { headers: { etag: '"1"' }, body: rss([{ id: "1" }]) },
      );
    }
    await before.app.tick();
    assert.equal((await before.app.ingest.ingest(["board"]))[0]?.ok, true);
    for (let round = 0; round < 2; round++) {
      assert.match((await later.app.ingest.ingest(["board"]))[0]?.error ?? "", /only 1 of at least 2 items/);
    }
    assert.equal((await before.app.ingest.ingest(["board"]))[0]?.ok, true, "a lower one heals it");
  } finally {
    await before.close();
  }
});
