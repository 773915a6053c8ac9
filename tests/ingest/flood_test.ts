// Floods: what a site has renumbered is held back until the operator has looked at it.
import assert from "node:assert/strict";
import { isFlood } from "../../src/ingest/flood.ts";
import { boardConfig, rss, type SampleItem } from "../support/samples.ts";
import { createWorld, type World } from "../support/world.ts";

Deno.test("isFlood() looks at how much is new, how much of it is old, and what is usual", () => {
  const rows: [
    name: string,
    expected: boolean,
    count: number,
    older: number,
    usual: number,
    items: number,
  ][] = [
    ["twenty new ones", false, 20, 0, 0, 20],
    ["more than twenty", true, 21, 0, 0, 21],
    ["less than half of the items", false, 21, 0, 0, 42],
    ["as is usual", false, 50, 0, 10, 60],
    ["more than five times what is usual", true, 51, 0, 10, 60],
    ["a small feed renumbered", true, 10, 10, 1, 10],
    ["a few old ones that were added", false, 6, 6, 1, 10],
    ["old ones count three times", true, 15, 3, 0, 15],
  ];
  for (const [name, expected, count, older, usual, items] of rows) {
    assert.equal(isFlood({ count, older, usual }, items), expected, name);
  }
});

const day = (at: number) => new Date(Date.UTC(2026, 5, at)).toUTCString();
const items = (name: string, count: number, firstDay = 1): SampleItem[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${name}-${at}`,
    title: `${name}: guidelines on the AI Act ${at}`,
    date: day(firstDay + at),
  }));

/** A world with a subscriber and a feed that has been fetched; `received` are the titles that were delivered. */
async function withSubscriber(
  work: (
    world: World,
    next: (items: readonly SampleItem[]) => Promise<void>,
    received: string[],
  ) => Promise<void>,
): Promise<void> {
  const world = await createWorld(boardConfig());
  let body = rss(items("first", 12));
  world.platform.http.serve("https://board.example/feed", () => ({ body }));
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
      body = rss(feed);
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
    assert.equal(health.ingestion.held_back, 12);
    const warning = world.platform.lines.find(({ message }) => message.includes("flood"));
    assert.deepEqual(warning?.fields, { source: "board", events: 12 });
    await next([...items("second", 12), { id: "news", title: "News on the AI Act", date: day(20) }]);
    assert.deepEqual(received, ["News on the AI Act"]);
    assert.equal(await world.store.releaseEvents("board", "deliver"), 12);
    await world.app.tick();
    assert.deepEqual(
      received.slice(1),
      items("second", 12).map(({ title }) => title),
      "in the order of storing",
    );
    assert.equal((await world.ask("/v1/health")).json.ingestion.held_back, 0);
    await world.app.tick();
    assert.equal(received.length, 13, "each once");
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
