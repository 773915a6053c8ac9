// Change spikes: the events of a renumbered site are held until the operator releases them.
import assert from "node:assert/strict";
import type { ChangeVolume } from "../../../src/domain/source/change_volume.ts";
import { detectSpike } from "../../../src/ingest/revise/change_spike.ts";
import { checkSources } from "../../../src/server/checks/store.ts";
import { FEED, fetchFeed, subscribe } from "../../support/collecting.ts";
import { boardConfig, type SampleItem } from "../../support/samples.ts";
import { BY } from "../../store/contract/given.ts";
import { withWorld, type World } from "../../support/world.ts";

const DAY_MS = 86_400_000;
const QUIET: ChangeVolume = {
  ...{ count: 0, older: 0, newer: 0, usual: 1, perDay: 0.5 },
  ...{ revised: 0, usualRevised: 0, elapsedMs: 1_800_000 },
};

Deno.test("detectSpike() compares new publications and revisions with the items and the source's history", () => {
  const rows: [
    name: string,
    spike: "new" | "revised" | null,
    items: number,
    volume: Partial<ChangeVolume>,
  ][] = [
    ["twenty", null, 20, { count: 20 }],
    ["more than twenty", "new", 21, { count: 21 }],
    ["less than half of the items", null, 42, { count: 21 }],
    ["the usual number", null, 60, { count: 50, usual: 10 }],
    ["more than five times the usual number", "new", 60, { count: 51, usual: 10 }],
    ["a small feed with new ids", "new", 10, { count: 10, older: 10 }],
    ["a few old ones", null, 10, { count: 6, older: 6 }],
    ["old ones count three times", "new", 15, { count: 15, older: 3 }],
    ["thirty that are dated after all known ones", null, 30, { count: 30, newer: 30 }],
    ["new and old ones, as when all ids change", "new", 30, { count: 30, newer: 10, older: 20 }],
    ["hundreds half an hour after the last fetch", "new", 200, { count: 200, newer: 200 }],
    ["the news of ten days", null, 50, { count: 50, perDay: 2, elapsedMs: 10 * DAY_MS }],
    ["more than the news of ten days", "new", 101, { count: 101, perDay: 2, elapsedMs: 10 * DAY_MS }],
    ["old ones after ten days", "new", 50, { count: 50, older: 50, perDay: 2, elapsedMs: 10 * DAY_MS }],
    ["a busy source after half an hour", "new", 50, { count: 50, perDay: 24 }],
    ["twenty revisions", null, 20, { revised: 20 }],
    ["twenty-one revisions", "revised", 21, { revised: 21 }],
    ["revisions of a quarter of the items", null, 100, { revised: 25 }],
    ["revisions of more than a quarter", "revised", 100, { revised: 26 }],
    ["the usual number of revisions", null, 50, { revised: 50, usualRevised: 10 }],
    ["more than five times the usual revisions", "revised", 60, { revised: 51, usualRevised: 10 }],
    ["a week's revisions after a week", null, 50, { revised: 50, usualRevised: 2, elapsedMs: 7 * DAY_MS }],
    ["revisions beside new ones", "revised", 60, { revised: 30, count: 5 }],
  ];
  for (const [name, spike, items, volume] of rows) {
    const found = detectSpike({ ...QUIET, ...volume }, items);
    assert.deepEqual(found, { isNew: spike === "new", isRevised: spike === "revised" }, name);
  }
});

const day = (at: number) => new Date(Date.UTC(2026, 5, at)).toUTCString();
const items = (name: string, count: number, firstDay = 1): SampleItem[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${name}-${at}`,
    title: `${name}: guidelines on the AI Act ${at}`,
    date: day(firstDay + at),
  }));

/**
 * Runs the work with a feed of 12 items. `next` fetches the given items, or gets a 503 if they are null. `received`
 * contains the titles that a subscriber has received.
 */
function withSubscriber(
  work: (
    world: World,
    next: (items: readonly SampleItem[] | null) => Promise<void>,
    received: string[],
  ) => Promise<void>,
): Promise<void> {
  return withWorld(boardConfig(), async (world) => {
    await world.app.ingest.register();
    await fetchFeed(world, items("first", 12));
    const payloads = await subscribe(world);
    const received: string[] = [];
    await work(world, async (feed) => {
      if (feed !== null) await fetchFeed(world, feed);
      else {
        world.platform.http.serve(FEED, () => ({ status: 503 }));
        await world.platform.clock.advance(1_800_000);
      }
      await world.app.tick();
      received.push(...payloads.splice(0).map(({ title }) => title));
    }, received);
  });
}

Deno.test("a feed in which every id and text changes is stored and held, and new items are delivered", () =>
  withSubscriber(async (world, next, received) => {
    await next(items("second", 12));
    assert.deepEqual(received, []);
    const { key } = await world.addCustomer();
    assert.equal((await world.ask("/v1/events", { key })).json.count, 24, "stored");
    const health = (await world.ask("/v1/health")).json;
    assert.deepEqual([health.status, health.ingestion.held_back], ["degraded", 12]);
    const [finding] = checkSources(world.config, await world.store.listSources());
    assert.equal(finding?.seen, "change spikes hold events of 1: board");
    const warning = world.platform.lines.find(({ message }) => message.includes("change spike"));
    assert.deepEqual(warning?.fields, { source: "board", events: 12, of: "new publications" });
    await next([...items("second", 12), { id: "news", title: "News on the AI Act", date: day(20) }]);
    assert.deepEqual(received, ["News on the AI Act"]);
    assert.equal(await world.store.releaseEvents("board", "deliver", BY), 12);
    await next([{ id: "news", title: "News on the AI Act", date: day(20) }]);
    await next([{ id: "news", title: "News on the AI Act", date: day(20) }]);
    assert.deepEqual(received.slice(1), items("second", 12).map(({ title }) => title), "once, in order");
    const after = (await world.ask("/v1/health")).json;
    assert.deepEqual([after.status, after.ingestion.held_back], ["ok", 0]);
  }));

Deno.test("the publications of twelve days during which a feed failed are delivered afterwards", () =>
  withSubscriber(async (world, next, received) => {
    for (let days = 0; days < 12; days++) {
      await world.platform.clock.advance(DAY_MS);
      await next(null);
    }
    assert.equal((await world.ask("/v1/health")).json.ingestion.failing, 1);
    const news = items("news", 40, 11);
    for (let tries = 0; tries < 48; tries++) await next([...items("first", 12), ...news]);
    assert.equal((await world.ask("/v1/health")).json.ingestion.held_back, 0);
    assert.deepEqual(received.toSorted(), news.map(({ title }) => title).toSorted(), "each once");
  }));

Deno.test("a feed with the time in every text is held; new items and a few edits are delivered", () =>
  withSubscriber(async (world, next, received) => {
    const known = items("first", 12).concat(items("more", 20, 12));
    for (let shown = 14; shown <= known.length; shown += 2) await next(known.slice(0, shown));
    received.length = 0;
    const edited = known.map((item, at) =>
      at < 2 ? { ...item, summary: "Corrected: on Annex III of the AI Act." } : item
    );
    await next(edited);
    assert.equal(received.length, 2, "corrections");
    received.length = 0;
    const churned = edited.map((item) => ({ ...item, summary: "AI Act. Read at 10:31." }));
    await next([...churned, { id: "news", title: "News on the AI Act", date: day(60) }]);
    assert.deepEqual(received, ["News on the AI Act"]);
    const warning = world.platform.lines.findLast(({ message }) => message.includes("change spike"));
    assert.deepEqual(warning?.fields, { source: "board", events: 32, of: "revisions" });
    const { json } = await world.ask("/v1/health");
    assert.equal(json.ingestion.held_back, 32);
    await next(churned.map((item) => ({ ...item, summary: "AI Act. Read at 11:01." })));
    assert.equal(received.length, 1, "their further revisions are held too");
    assert.equal(await world.store.releaseEvents("board", "discard", BY), 64);
    await next(
      churned.map((item, at) =>
        at === 0 ? { ...item, summary: "AI Act, Article 5." } : { ...item, summary: "AI Act. Read at 11:01." }
      ),
    );
    assert.equal(received.length, 2, "later revisions are delivered");
  }));

for (const [release, expected] of [["deliver", 13], ["discard", 0]] as const) {
  Deno.test(`${release}: held events and their revisions share the release, and later revisions are delivered`, () =>
    withSubscriber(async (world, next, received) => {
      await next(items("second", 12));
      const [first, ...others] = items("second", 12);
      const edited = { ...first, id: "second-0", summary: "On Annex III of the AI Act." };
      await next([edited, ...others]);
      assert.deepEqual(received, []);
      await world.store.releaseEvents("board", release, BY);
      await next([edited, ...others]);
      assert.equal(received.length, expected);
      await next([{ ...edited, title: "AI Act, corrected" }, ...others]);
      assert.equal(received.at(-1), "AI Act, corrected");
    }));
}

Deno.test("a process that is killed before its fetch is finished loses no event and delivers none twice", () =>
  withSubscriber(async (world, next, received) => {
    const { finishFetch } = world.store;
    let dies = true;
    world.store.finishFetch = (end, isFlood) =>
      dies ? Promise.reject(new Error("killed")) : finishFetch.call(world.store, end, isFlood);
    const news = [...items("first", 12), { id: "news", title: "News on the AI Act", date: day(20) }];
    await next(news).catch(() => {});
    assert.deepEqual(received, []);
    dies = false;
    await world.platform.clock.advance(3_600_000);
    await next(news);
    assert.deepEqual(received, ["News on the AI Act"]);
  }));
