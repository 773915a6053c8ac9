// A source from document to event through the whole appliance, with a fake clock and a fake internet.
import assert from "node:assert/strict";
import type { RegEvent } from "../../src/domain/event/event.ts";
import { boardConfig, rss, type SampleItem } from "../support/samples.ts";
import { createWorld, type World } from "../support/world.ts";

const FEED = "https://board.example/feed";
const HALF_HOUR = 1_800_000;

async function withWorld(work: (world: World) => Promise<void>, config = boardConfig()): Promise<void> {
  const world = await createWorld(config);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

const publish = (world: World, items: readonly SampleItem[]) =>
  world.platform.http.serve(FEED, () => ({ body: rss(items) }));

async function storedEvents(world: World): Promise<RegEvent[]> {
  const listed = await world.store.listEvents({ limit: 200 });
  return listed.map(({ json }) => JSON.parse(json));
}

Deno.test("ingest() stores a publication once, however often it is fetched", () =>
  withWorld(async (world) => {
    publish(world, [{ id: "1" }, { id: "2" }]);
    await world.app.tick();
    const first = await storedEvents(world);
    assert.equal(first.length, 2);
    const again = await world.app.ingest.ingest(["board"]);
    assert.deepEqual(again.map(({ new: fresh, unchanged }) => [fresh, unchanged]), [[0, 2]]);
    assert.deepEqual(await storedEvents(world), first);
  }));

Deno.test("ingest() passes over what does not concern AI, until its words are others", () =>
  withWorld(async (world) => {
    const fishing = { title: "Fishing quotas", summary: "The quotas of the northern lakes." };
    const passedOver = async (): Promise<[number, number]> => {
      const [report] = await world.app.ingest.ingest(["board"]);
      return [report?.passed_over ?? -1, report?.new ?? -1];
    };
    publish(world, [{ id: "1", ...fishing }]);
    await world.app.tick();
    assert.deepEqual(await passedOver(), [1, 0]);
    assert.deepEqual(await passedOver(), [1, 0]);
    publish(world, [{ id: "1", ...fishing, summary: "Article 50 of the AI Act binds fishing apps too." }]);
    assert.deepEqual(await passedOver(), [0, 1]);
  }));

Deno.test("ingest() records an edited item as the next version and nothing else", () =>
  withWorld(async (world) => {
    publish(world, [{ id: "1" }, { id: "2" }]);
    await world.app.tick();
    publish(world, [{ id: "2" }, {
      id: "1",
      summary: "They concern Article 50 of the AI Act, and Annex III.",
    }]);
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([report?.new, report?.revised, report?.unchanged], [0, 1, 1]);
    const versions = (await storedEvents(world)).filter(({ external_id }) => external_id === "1");
    assert.deepEqual(versions.map(({ version }) => version).sort(), [1, 2]);
  }));

Deno.test("ingest() calls nothing a revision that is only white space, markup, tracking or order", () =>
  withWorld(async (world) => {
    publish(world, [{ id: "1", summary: "They concern Article 50 of the AI Act." }, { id: "2" }]);
    await world.app.tick();
    publish(world, [{ id: "2" }, {
      id: "1",
      summary: "&lt;p&gt;They  concern\n Article 50 of the AI Act.&lt;/p&gt;",
    }]);
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([report?.new, report?.revised, report?.unchanged], [0, 0, 2]);
  }));

Deno.test("ingest() fetches when the schedule says so, and not before", () =>
  withWorld(async (world) => {
    publish(world, []);
    await world.app.tick();
    await world.app.tick();
    assert.equal(world.platform.http.requests.length, 1);
    await world.platform.clock.advance(HALF_HOUR - 1);
    await world.app.tick();
    assert.equal(world.platform.http.requests.length, 1);
    await world.platform.clock.advance(1);
    await world.app.tick();
    assert.equal(world.platform.http.requests.length, 2);
  }));

Deno.test("ingest() keeps its neighbours when an item is bad, and says which it refused and why", () =>
  withWorld(async (world) => {
    world.platform.http.serve(FEED, () => ({
      body: `<rss version="2.0"><channel><item><guid>x</guid></item>
        <item><guid>y</guid><title>AI Act notice</title><link>https://board.example/y</link></item></channel></rss>`,
    }));
    await world.app.tick();
    const events = await storedEvents(world);
    assert.deepEqual(events.map(({ external_id }) => external_id), ["y"]);
    const [again] = await world.app.ingest.ingest(["board"]);
    assert.equal(again?.refused.length, 1);
    assert.match(again?.refused[0]?.reason ?? "", /neither title nor/);
  }));

Deno.test("ingest() asks with the old validators until every item is recorded", () =>
  withWorld(async (world) => {
    world.platform.http.serve(FEED, () => ({ headers: { etag: '"1"' }, body: rss([{ id: "1" }]) }));
    const { recordPublications } = world.store;
    world.store.recordPublications = () => Promise.reject(new Error("disk full"));
    await world.app.tick();
    world.store.recordPublications = recordPublications;
    const state = (await world.store.listSources())[0];
    assert.deepEqual([state?.cursor, state?.consecutiveFailures], [null, 1]);
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.equal(world.platform.http.requests.at(-1)?.headers["if-none-match"], undefined);
    assert.equal(report?.new, 1, "nothing was lost");
  }));

Deno.test("ingest() says why a source failed, backs off and heals by itself", () =>
  withWorld(async (world) => {
    world.platform.http.serve(FEED, () => ({ body: "<!doctype html><title>Just a moment</title>" }));
    const failures: number[] = [];
    for (let round = 0; round < 3; round++) {
      await world.app.tick();
      const [state] = await world.store.listSources();
      failures.push(state?.consecutiveFailures ?? 0);
      assert.match(state?.lastError ?? "", /^responded with 200 and a challenge page \(Cloudflare\)/);
      await world.platform.clock.advance(HALF_HOUR);
    }
    assert.deepEqual(failures, [1, 2, 3]);
    publish(world, [{ id: "1" }]);
    await world.app.tick();
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.consecutiveFailures, state?.lastError], [0, null]);
    assert.equal((await storedEvents(world)).length, 1);
  }));

Deno.test("ingest() notifies nobody of the first fetch unless the config says so, and of everything after it", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    world.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    const body = JSON.stringify({ webhook_url: "https://hooks.example.org/" });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
    publish(world, [{ id: "1" }]);
    await world.app.tick();
    publish(world, [{ id: "1" }, { id: "2" }]);
    await world.platform.clock.advance(HALF_HOUR);
    await world.app.tick();
    const posted = world.platform.http.requests.filter(({ method }) => method === "POST");
    assert.deepEqual(posted.map((request) => JSON.parse(request.body ?? "").event.external_id), ["2"]);
  }, boardConfig().replace("notify_first_fetch = true", "notify_first_fetch = false")));

Deno.test("ingest() passes over what does not concern AI regulation, unless relevance is all", async () => {
  const items = [{ id: "1", title: "Summer opening hours", summary: "We are open." }, { id: "2" }];
  await withWorld(async (world) => {
    publish(world, items);
    const [report] = await world.app.tick().then(() => world.app.ingest.ingest(["board"]));
    assert.deepEqual([report?.passed_over, report?.unchanged], [1, 1]);
  });
  await withWorld(async (world) => {
    publish(world, items);
    await world.app.tick();
    assert.equal((await storedEvents(world)).length, 2);
  }, boardConfig({ source: 'relevance = "all"' }));
});

Deno.test("preview() shows what would be stored and keeps nothing", () =>
  withWorld(async (world) => {
    publish(world, [{ id: "1" }]);
    await world.app.tick();
    publish(world, [{ id: "1", title: "Revised guidelines on the AI Act" }, { id: "2" }]);
    const [source] = world.config.sources;
    const [state] = await world.store.listSources();
    assert.ok(source && state);
    const preview = await world.app.ingest.preview(source, state);
    assert.deepEqual([preview.report.new, preview.report.revised], [1, 1]);
    assert.deepEqual(preview.decided.map(({ notes }) => notes), [[], []]);
    assert.equal((await storedEvents(world)).length, 1);
    assert.deepEqual((await world.store.listSources())[0], state);
  }));

Deno.test("a source that starts to give all items one id is told apart by links, and repeats nothing", () =>
  withWorld(async (world) => {
    const item = (guid: string, name: string) =>
      `<item><guid isPermaLink="false">${guid}</guid><title>AI Act notice ${name}</title>
       <link>https://board.example/${name}</link><pubDate>Fri, 31 Jul 2026 12:00:00 GMT</pubDate></item>`;
    const feed = (rows: string[]) => `<rss version="2.0"><channel>${rows.join("")}</channel></rss>`;
    world.platform.http.serve(FEED, () => ({ body: feed([item("feed", "a")]) }));
    await world.app.tick();
    world.platform.http.serve(
      FEED,
      () => ({ body: feed(["c", "b", "a"].map((name) => item("feed", name))) }),
    );
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([report?.new, report?.revised, report?.unchanged], [2, 0, 1]);
    const [again] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([again?.new, again?.revised, again?.unchanged], [0, 0, 3]);
    assert.equal((await storedEvents(world)).length, 3);
  }));

Deno.test("ingest() takes the whole items of a document that breaks off, and asks for it again", () =>
  withWorld(async (world) => {
    const whole = rss([{ id: "1" }, { id: "2" }]);
    let body = whole.slice(0, whole.lastIndexOf("</item>"));
    world.platform.http.serve(FEED, () => ({ headers: { etag: '"1"' }, body }));
    const [report] = await world.app.tick().then(() => world.app.ingest.ingest(["board"]));
    assert.deepEqual([report?.ok, report?.unchanged], [true, 1]);
    assert.match(report?.refused[0]?.reason ?? "", /is truncated/);
    body = whole;
    const [again] = await world.app.ingest.ingest(["board"]);
    assert.equal(world.platform.http.requests.at(-1)?.headers["if-none-match"], undefined);
    assert.deepEqual([again?.new, again?.unchanged, again?.refused], [1, 1, []]);
  }));

Deno.test("preview() tells what was odd about an item that is taken all the same", () =>
  withWorld(async (world) => {
    publish(world, [{ id: "1", date: "some day" }]);
    await world.app.tick();
    const [source] = world.config.sources;
    const [state] = await world.store.listSources();
    assert.ok(source && state);
    const preview = await world.app.ingest.preview(source, state);
    assert.deepEqual(preview.decided.map(({ notes }) => notes), [['date not recognised: "some day"']]);
    assert.deepEqual(preview.report.refused, []);
  }));

Deno.test("ingest() drops an item that stands twice in a document without a word, and names an older edition", () =>
  withWorld(async (world) => {
    const older = { id: "1", date: "Thu, 30 Jul 2026 12:00:00 GMT" };
    publish(world, [{ id: "1" }, { id: "1" }, older]);
    await world.app.tick();
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual(report?.refused, [{
      item: "Guidelines on the AI Act 1",
      reason: "the same document contains a newer version of it",
    }]);
    assert.equal((await storedEvents(world)).length, 1);
  }));
