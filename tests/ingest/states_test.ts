// States of sources in the complete application: how each begins, its message, and how it ends by itself.
import assert from "node:assert/strict";
import type { Answer } from "../support/platform.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { FEED, fetchFeed, ingestBoard, withSources } from "../support/collecting.ts";
import { START_MS, withWorld, type World } from "../support/world.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

const serve = (world: World, answer: Answer) => world.platform.http.serve(FEED, () => answer);
async function after(world: World, ms: number) {
  await world.platform.clock.advance(ms);
  await world.app.tick();
  const { json } = await world.ask("/v1/sources");
  const { json: health } = await world.ask("/v1/health");
  const [{ state, state_since }] = json.sources;
  return { state, since: state_since - START_MS, counted: health.ingestion[state], status: health.status };
}
/** Returns the minutes from now to the next fetch. */
async function nextIn(world: World): Promise<number> {
  const [state] = await world.store.listSources();
  return ((state?.nextDueAtMs ?? 0) - world.platform.clock.nowMs()) / MINUTE;
}

Deno.test("a source with fewer items than its minimum is empty until it has enough; its items are stored", () =>
  withWorld(boardConfig({ source: 'min_items = 2\nrelevance = "all"' }), async (world) => {
    serve(world, { body: rss([{ id: "1" }]) });
    assert.deepEqual(await after(world, 0), { state: "empty", since: 0, counted: 1, status: "degraded" });
    const [state] = await world.store.listSources();
    assert.match(state?.lastError ?? "", /^has only 1 of the required 2 items/);
    assert.equal(state?.lastSuccessAtMs, null);
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 1);
    serve(world, { body: rss([{ id: "1" }, { id: "2" }]) });
    const recovered = await after(world, 30 * MINUTE);
    assert.deepEqual([recovered.state, recovered.since, recovered.status], ["ok", 30 * MINUTE, "ok"]);
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 2, "each once");
  }));

Deno.test("a feed without new items for longer than silent_after is silent until it has one", () =>
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
    const shown = [healed.state, healed.since, healed.status];
    assert.deepEqual(shown, ["ok", 12 * DAY, "ok"], "irrelevant items count too");
  }));

Deno.test("a source that states its freshness is not fetched earlier, up to the maximum", () =>
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
    assert.equal(await nextIn(world), 90, "also when it is unchanged");
    serve(world, { headers: { "cache-control": "max-age=999999" }, body: rss([{ id: "1" }]) });
    await after(world, 90 * MINUTE);
    assert.equal(await nextIn(world), 240);
    serve(world, { headers: { "cache-control": "max-age=60" }, body: rss([{ id: "1" }]) });
    await after(world, 240 * MINUTE);
    assert.equal(await nextIn(world), 30, "never sooner than the schedule");
  }));

Deno.test("a higher minimum applies even if the feed has not changed", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const [source] = world.config.sources;
    assert.ok(source);
    await fetchFeed(world, [{ id: "1" }], { hasEtag: true });
    source.minItems = 2;
    for (let round = 0; round < 2; round++) {
      assert.match((await ingestBoard(world)).error ?? "", /only 1 of the required 2 items/);
    }
    delete source.minItems;
    assert.equal((await ingestBoard(world)).ok, true);
  }));
