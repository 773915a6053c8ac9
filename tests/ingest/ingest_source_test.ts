// From a source's document to its events, in the complete application with a fake clock and a fake internet.
import assert from "node:assert/strict";
import { FEED, fetchFeed, ingestBoard, storedEvents, subscribe, withSources } from "../support/collecting.ts";
import { boardConfig, rss } from "../support/samples.ts";
import type { World } from "../support/world.ts";

const HALF_HOUR = 1_800_000;

const withBoard = (work: (world: World) => Promise<void>) => withSources(boardConfig(), work);

async function preview(world: World) {
  const [source] = world.config.sources;
  const [state] = await world.store.listSources();
  assert.ok(source && state);
  return await world.app.ingest.preview(source, state);
}

Deno.test("ingest() skips irrelevant items until their text changes", () =>
  withBoard(async (world) => {
    const fishing = { id: "1", title: "Fishing quotas", summary: "The quotas of the northern lakes." };
    for (const expected of [[0, 0, 0], [0, 0, 0]]) {
      assert.deepEqual(await fetchFeed(world, [fishing]), expected);
    }
    assert.equal((await ingestBoard(world)).passed_over, 1);
    const edited = { ...fishing, summary: "Article 50 of the AI Act applies to fishing apps." };
    assert.deepEqual(await fetchFeed(world, [edited]), [1, 0, 0]);
  }));

Deno.test('with relevance = "all" ingest() stores every item', () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const items = [{ id: "1", title: "Summer opening hours", summary: "We are open." }, { id: "2" }];
    assert.deepEqual(await fetchFeed(world, items), [2, 0, 0]);
  }));

Deno.test("ingest() fetches at the scheduled times", () =>
  withBoard(async (world) => {
    world.platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
    for (const [waitMs, fetches] of [[0, 1], [0, 1], [HALF_HOUR - 1, 1], [1, 2]] as const) {
      await world.platform.clock.advance(waitMs);
      await world.app.tick();
      assert.equal(world.platform.http.requests.length, fetches);
    }
  }));

Deno.test("ingest() refuses an invalid item with a reason, and stores the others", () =>
  withBoard(async (world) => {
    const body = `<rss version="2.0"><channel><item><guid>x</guid></item>
      <item><guid>y</guid><title>AI Act notice</title><link>https://board.example/y</link></item></channel></rss>`;
    assert.deepEqual(await fetchFeed(world, body), [1, 0, 0]);
    const { refused } = await ingestBoard(world);
    assert.deepEqual(refused, [{ item: "x", reason: "it has neither title nor summary" }]);
  }));

Deno.test("ingest() sends the previous validators until every item is recorded", () =>
  withBoard(async (world) => {
    world.platform.http.serve(FEED, () => ({ headers: { etag: '"1"' }, body: rss([{ id: "1" }]) }));
    const { recordPublications } = world.store;
    world.store.recordPublications = () => Promise.reject(new Error("disk full"));
    await world.app.tick();
    world.store.recordPublications = recordPublications;
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.cursor, state?.consecutiveFailures], [null, 1]);
    assert.equal((await ingestBoard(world)).new, 1);
    assert.equal(world.platform.http.requests.at(-1)?.headers["if-none-match"], undefined);
  }));

Deno.test("ingest() names the cause of a failure, backs off and recovers by itself", () =>
  withBoard(async (world) => {
    world.platform.http.serve(FEED, () => ({ body: "<!doctype html><title>Just a moment</title>" }));
    for (const failures of [1, 2, 3]) {
      await world.app.tick();
      const [state] = await world.store.listSources();
      assert.equal(state?.consecutiveFailures, failures);
      assert.match(state?.lastError ?? "", /^responded with 200 and a challenge page \(Cloudflare\)/);
      await world.platform.clock.advance(HALF_HOUR);
    }
    world.platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
    await world.app.tick();
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.consecutiveFailures, state?.lastError], [0, null]);
    assert.equal((await storedEvents(world)).length, 1);
  }));

Deno.test("ingest() sends notifications, but for the first fetch only if the config says so", () =>
  withSources(
    boardConfig().replace("notify_first_fetch = true", "notify_first_fetch = false"),
    async (world) => {
      const received = await subscribe(world);
      await fetchFeed(world, [{ id: "1" }]);
      await fetchFeed(world, [{ id: "1" }, { id: "2" }]);
      await world.app.tick();
      assert.deepEqual(received.map(({ event }) => event.external_id), ["2"]);
    },
  ));

Deno.test("preview() returns what a fetch would store, with notes, and stores nothing", () =>
  withBoard(async (world) => {
    await fetchFeed(world, [{ id: "1" }]);
    const [state] = await world.store.listSources();
    const items = [{ id: "1", title: "Revised guidelines on the AI Act" }, { id: "2", date: "some day" }];
    world.platform.http.serve(FEED, () => ({ body: rss(items) }));
    const { report, decided } = await preview(world);
    assert.deepEqual([report.new, report.revised, report.refused], [1, 1, []]);
    assert.deepEqual(decided.map(({ notes }) => notes), [[], ['date not recognised: "some day"']]);
    assert.equal((await storedEvents(world)).length, 1);
    assert.deepEqual((await world.store.listSources())[0], state);
  }));

Deno.test("if a source starts giving all items the same id, its items are identified by their links", () =>
  withBoard(async (world) => {
    const item = (name: string) =>
      `<item><guid isPermaLink="false">feed</guid><title>AI Act notice ${name}</title>
       <link>https://board.example/${name}</link><pubDate>Fri, 31 Jul 2026 12:00:00 GMT</pubDate></item>`;
    const feed = (...names: string[]) =>
      `<rss version="2.0"><channel>${names.map(item).join("")}</channel></rss>`;
    assert.deepEqual(await fetchFeed(world, feed("a")), [1, 0, 0]);
    assert.deepEqual(await fetchFeed(world, feed("c", "b", "a")), [2, 0, 1]);
    assert.deepEqual(await fetchFeed(world, feed("c", "b", "a")), [0, 0, 3]);
  }));

Deno.test("ingest() stores the complete items of a truncated document, and fetches the document again", () =>
  withBoard(async (world) => {
    const whole = rss([{ id: "1" }, { id: "2" }]);
    const cut = whole.slice(0, whole.lastIndexOf("</item>"));
    assert.deepEqual(await fetchFeed(world, cut, { hasEtag: true }), [1, 0, 0]);
    const { refused } = await ingestBoard(world);
    assert.match(refused[0]?.reason ?? "", /is truncated/);
    assert.equal(world.platform.http.requests.at(-1)?.headers["if-none-match"], undefined);
    assert.deepEqual(await fetchFeed(world, whole, { hasEtag: true }), [1, 0, 1]);
  }));

Deno.test("ingest() drops an exact repetition in a document, and refuses an older edition", () =>
  withBoard(async (world) => {
    const older = { id: "1", date: "Thu, 30 Jul 2026 12:00:00 GMT" };
    assert.deepEqual(await fetchFeed(world, [{ id: "1" }, { id: "1" }, older]), [1, 0, 0]);
    assert.deepEqual((await ingestBoard(world)).refused, [{
      item: "Guidelines on the AI Act 1",
      reason: "the same document contains another version, which is used instead",
    }]);
  }));
