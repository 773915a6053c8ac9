// Floods: what a site has renumbered is held back until the operator has looked at it.
import assert from "node:assert/strict";
import type { ChangeVolume } from "../../../src/domain/source/change_volume.ts";
import { detectSpike } from "../../../src/ingest/revise/change_spike.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

Deno.test("detectSpike() looks at how much is new, how old it is, and what is expected since the last success", () => {
  const quiet = {
    older: 0,
    newer: 0,
    revised: 0,
    usualRevised: 0,
    usual: 1,
    perDay: 0.5,
    elapsedMs: 1_800_000,
  };
  const rows: [
    name: string,
    expected: boolean,
    arrivals: Partial<ChangeVolume> & { count: number },
    items: number,
  ][] = [
    ["twenty new ones", false, { count: 20 }, 20],
    ["more than twenty", true, { count: 21 }, 21],
    ["less than half of the items", false, { count: 21 }, 42],
    ["as is usual", false, { count: 50, usual: 10 }, 60],
    ["more than five times what is usual", true, { count: 51, usual: 10 }, 60],
    ["a small feed renumbered", true, { count: 10, older: 10 }, 10],
    ["a few old ones that were added", false, { count: 6, older: 6 }, 10],
    ["old ones count three times", true, { count: 15, older: 3 }, 15],
    ["thirty that are dated after all that was known", false, { count: 30, newer: 30 }, 30],
    ["news and old ones, as when all is renumbered", true, { count: 30, newer: 10, older: 20 }, 30],
    ["hundreds dated now, half an hour after the last fetch", true, { count: 200, newer: 200 }, 200],
    ["the news of ten days without a fetch", false, { count: 50, perDay: 2, elapsedMs: 10 * DAY_MS }, 50],
    ["more than ten such days can bring", true, { count: 101, perDay: 2, elapsedMs: 10 * DAY_MS }, 101],
    ["old ones after ten days", true, { count: 50, older: 50, perDay: 2, elapsedMs: 10 * DAY_MS }, 50],
    ["a busy source after half an hour", true, { count: 50, perDay: 24 }, 50],
  ];
  for (const [name, expected, arrivals, items] of rows) {
    const flood = detectSpike({ ...quiet, ...arrivals }, items);
    assert.deepEqual(flood, { isNew: expected, isRevised: false }, name);
  }
});

Deno.test("detectSpike() takes many revisions at once for a flood, unless the source often has as many", () => {
  const quiet = { count: 0, older: 0, newer: 0, usual: 0, perDay: 0, usualRevised: 0, elapsedMs: 1_800_000 };
  const rows: [
    name: string,
    expected: boolean,
    revised: number,
    items: number,
    change?: Partial<ChangeVolume>,
  ][] = [
    ["twenty", false, 20, 20],
    ["twenty-one", true, 21, 21],
    ["a quarter of the items", false, 25, 100],
    ["more than a quarter", true, 26, 100],
    ["as is usual", false, 50, 50, { usualRevised: 10 }],
    ["more than five times what is usual", true, 51, 60, { usualRevised: 10 }],
    ["a week's after a week", false, 50, 50, { usualRevised: 2, elapsedMs: 7 * DAY_MS }],
    ["beside new ones", true, 30, 60, { count: 5 }],
  ];
  for (const [name, expected, revised, items, change] of rows) {
    const flood = detectSpike({ ...quiet, revised, ...change }, items);
    assert.deepEqual(flood, { isNew: false, isRevised: expected }, name);
  }
});

const DAY_MS = 86_400_000;
const day = (at: number) => new Date(Date.UTC(2026, 5, at)).toUTCString();
const items = (name: string, count: number, firstDay = 1): SampleItem[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${name}-${at}`,
    title: `${name}: guidelines on the AI Act ${at}`,
    date: day(firstDay + at),
  }));

/** A world with a subscriber and a feed that has been fetched; none of its items is 503, `received` are the titles that were delivered. */
async function withSubscriber(
  work: (
    world: World,
    next: (items: readonly SampleItem[] | null) => Promise<void>,
    received: string[],
  ) => Promise<void>,
): Promise<void> {
  const world = await createWorld(boardConfig());
  let body: string | null = rss(items("first", 12));
  world.platform.http.serve("https://board.example/feed", () => body === null ? { status: 503 } : { body });
  const received: string[] = [];
  world.platform.http.serve("https://hook.example/", (request) => {
    received.push(JSON.parse(request.body ?? "").title);
    return { status: 204 };
  });
  try {
    await world.app.tick();
    const { key } = await world.addCustomer();
    const hook = JSON.stringify({ webhook_url: "https://hook.example/" });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body: hook })).status, 201);
    await work(world, async (feed) => {
      body = feed === null ? null : rss(feed);
      await world.platform.clock.advance(1_800_000);
      await world.app.tick();
    }, received);
  } finally {
    await world.close();
  }
}

Deno.test("a feed that changes every id and every word at once is stored, held back and named, and news go on", () =>
  withSubscriber(async (world, next, received) => {
    await next(items("second", 12));
    assert.deepEqual(received, []);
    const { key } = await world.addCustomer();
    assert.equal((await world.ask("/v1/events", { key })).json.count, 24, "stored all the same");
    const health = (await world.ask("/v1/health")).json;
    assert.deepEqual([health.status, health.ingestion.held_back], ["degraded", 12], "it waits for somebody");
    const warning = world.platform.lines.find(({ message }) => message.includes("change spike"));
    assert.deepEqual(warning?.fields, { source: "board", events: 12, of: "new publications" });
    await next([...items("second", 12), { id: "news", title: "News on the AI Act", date: day(20) }]);
    assert.deepEqual(received, ["News on the AI Act"]);
    assert.equal(await world.store.releaseEvents("board", "deliver"), 12);
    await world.app.tick();
    assert.deepEqual(
      received.slice(1),
      items("second", 12).map(({ title }) => title),
      "in the order of storing",
    );
    const after = (await world.ask("/v1/health")).json;
    assert.deepEqual([after.status, after.ingestion.held_back], ["ok", 0]);
    await world.app.tick();
    assert.equal(received.length, 13, "each once");
  }));

Deno.test("the news of twelve days in which a feed could not be had are delivered when it is back", () =>
  withSubscriber(async (world, next, received) => {
    for (let days = 0; days < 12; days++) {
      await world.platform.clock.advance(DAY_MS);
      await next(null);
    }
    assert.equal((await world.ask("/v1/health")).json.ingestion.failing, 1);
    // Those of the last two days that were known are dated no later than the newest one.
    const news = items("news", 40, 11);
    for (let tries = 0; tries < 48; tries++) await next([...items("first", 12), ...news]);
    assert.equal((await world.ask("/v1/health")).json.ingestion.held_back, 0);
    assert.deepEqual(received.toSorted(), news.map(({ title }) => title).toSorted(), "each once");
  }));

Deno.test("a feed that writes the time into every text is held back and named, its news go on, and a few edits do", () =>
  withSubscriber(async (world, next, received) => {
    const known = items("first", 12).concat(items("more", 20, 12));
    for (let shown = 14; shown <= known.length; shown += 2) await next(known.slice(0, shown));
    received.length = 0;
    const edited = known.map((item, at) =>
      at < 2 ? { ...item, summary: "Corrected: on Annex III of the AI Act." } : item
    );
    await next(edited);
    assert.equal(received.length, 2, "publishers correct an item or two");
    received.length = 0;
    const churned = edited.map((item) => ({ ...item, summary: "AI Act. Read at 10:31." }));
    await next([...churned, { id: "news", title: "News on the AI Act", date: day(60) }]);
    assert.deepEqual(received, ["News on the AI Act"]);
    const warning = world.platform.lines.findLast(({ message }) => message.includes("change spike"));
    assert.deepEqual(warning?.fields, { source: "board", events: 32, of: "revisions" });
    const { json } = await world.ask("/v1/health");
    assert.equal(json.ingestion.held_back, 32);
    await next(churned.map((item) => ({ ...item, summary: "AI Act. Read at 11:01." })));
    assert.equal(received.length, 1, "further revisions of them wait too");
    assert.equal(await world.store.releaseEvents("board", "discard"), 64);
    await next(
      churned.map((item, at) =>
        at === 0 ? { ...item, summary: "AI Act, Article 5." } : { ...item, summary: "AI Act. Read at 11:01." }
      ),
    );
    assert.equal(received.length, 2, "what is revised after that is told");
  }));

Deno.test("a revision of what is held back waits with it", () =>
  withSubscriber(async (world, next, received) => {
    await next(items("second", 12));
    const [first, ...others] = items("second", 12);
    await next([{ ...first, id: "second-0", summary: "On Annex III of the AI Act." }, ...others]);
    assert.deepEqual(received, []);
    await world.store.releaseEvents("board", "deliver");
    await world.app.tick();
    assert.equal(received.length, 13);
  }));

Deno.test("what is discarded is told to nobody, and its later revisions are", () =>
  withSubscriber(async (world, next, received) => {
    await next(items("second", 12));
    await world.store.releaseEvents("board", "discard");
    await world.app.tick();
    assert.deepEqual(received, []);
    const [first, ...others] = items("second", 12);
    await next([{ ...first, id: "second-0", title: "AI Act, corrected" }, ...others]);
    assert.deepEqual(received, ["AI Act, corrected"]);
  }));

Deno.test("a process that dies before its fetch is finished loses no event and tells of none twice", () =>
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
