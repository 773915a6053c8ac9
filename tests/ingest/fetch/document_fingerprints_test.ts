// A feed that comes with the very same bytes is not read again, and each case in which it has to be.
import assert from "node:assert/strict";
import { createApp } from "../../../src/app.ts";
import { NO_TRACER, type Tracer } from "../../../src/domain/ports/tracer.ts";
import { storageError } from "../../../src/store/sqlite/connection/faults.ts";
import { type SourceState, untouchedSource } from "../../../src/domain/source/source.ts";
import { createDocumentFingerprints } from "../../../src/ingest/fetch/document_fingerprints.ts";
import { fetchLater as fetch } from "../../support/collecting.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, START_MS, withWorld, type World } from "../../support/world.ts";

const FEED = "https://board.example/feed";
const HOUR = 3_600_000;
const AI: SampleItem[] = [{ id: "1" }, { id: "2" }];
const CHEESE: SampleItem = { id: "3", title: "On cheese", summary: "It is made of milk." };

/** A world whose feed answers what `serve` was given last; servers that know no 304. */
function withFeed(
  work: (serve: (answer: string | Answer) => void, world: World) => Promise<void>,
  config = boardConfig(),
): Promise<void> {
  return withWorld(config, async (world) => {
    let now: Answer = {};
    world.platform.http.serve(FEED, () => now);
    await world.app.ingest.register();
    await work((answer) => now = typeof answer === "string" ? { body: answer } : answer, world);
  });
}

Deno.test("a document with the bytes of before is not read again, and its items are known to be as they were", () =>
  withFeed(async (serve, world) => {
    serve(rss([...AI, CHEESE]));
    assert.deepEqual((await fetch(world)).new, 2);
    for (let times = 0; times < 3; times++) {
      const { looks, ok, new: fresh, revised, unchanged, passed_over } = await fetch(world);
      assert.deepEqual([looks, ok, fresh, revised, unchanged, passed_over], [0, true, 0, 0, 2, 1]);
    }
    serve(rss([...AI, CHEESE, { id: "4" }]));
    const changed = await fetch(world);
    assert.deepEqual([changed.looks > 0, changed.new, changed.unchanged], [true, 1, 2]);
    assert.equal((await fetch(world)).looks, 0);
  }));

Deno.test("what is not read is not parsed either, and the visit counts all the same", async () => {
  const world = await createWorld(boardConfig());
  const acts: string[] = [];
  const tracer: Tracer = {
    ...NO_TRACER,
    act: (name, attributes, work, options) => {
      acts.push(name);
      return NO_TRACER.act(name, attributes, work, options);
    },
  };
  const { platform, store, config } = world;
  const app = createApp({ config, platform: { ...platform, tracer }, store, version: "0.0.0-test" });
  try {
    platform.http.serve(FEED, () => ({ body: rss(AI) }));
    await app.ingest.register();
    const documents = () => acts.splice(0).filter((name) => name === "ingest document").length;
    await app.ingest.ingest(["board"]);
    assert.equal(documents(), 1);
    await platform.clock.advance(HOUR);
    await app.ingest.ingest(["board"]);
    assert.equal(documents(), 0);
    const [state] = await store.listSources();
    assert.deepEqual([state?.outcome, state?.lastSuccessAtMs], ["ok", platform.clock.nowMs()]);
  } finally {
    await world.close();
  }
});

Deno.test("the whole of it is read once a day, and the next look is a day after that one", () =>
  withFeed(async (serve, world) => {
    serve(rss(AI));
    const looks: number[] = [];
    for (let hour = 0; hour < 50; hour++) looks.push((await fetch(world)).looks);
    assert.deepEqual([...looks.entries()].filter(([, count]) => count > 0).map(([hour]) => hour), [
      0,
      24,
      48,
    ]);
  }));

Deno.test("what must be seen twice is seen twice, in the same bytes", async (t) => {
  const date = (day: number) => `${day} Jul 2026 12:00:00 GMT`;
  await t.step("a publication that is missing", () =>
    withFeed(async (serve, world) => {
      const of = (...ids: number[]) => rss(ids.map((id) => ({ id: String(id), date: date(id) })));
      serve(of(1, 2, 3, 4));
      await fetch(world);
      serve(of(1, 2, 4));
      assert.equal((await fetch(world)).revised, 0);
      assert.equal((await fetch(world)).revised, 1, "withdrawn");
      assert.deepEqual(await fetch(world).then(({ looks, revised }) => [looks, revised]), [0, 0]);
    }, boardConfig({ source: "removals = true" })));
  await t.step("a date that moved", () =>
    withFeed(async (serve, world) => {
      serve(rss([{ id: "1", date: date(1) }, { id: "2", date: date(2) }]));
      await fetch(world);
      serve(rss([{ id: "1", date: date(3) }, { id: "2", date: date(2) }]));
      assert.equal((await fetch(world)).revised, 0);
      assert.equal((await fetch(world)).revised, 1);
    }));
});

Deno.test("another answer with the same bytes is read again: its character set, its address", () =>
  withFeed(async (serve, world) => {
    const { http } = world.platform;
    const text = rss([{ id: "1", summary: "Ueberwachung, Article 50 of the AI Act." }])
      .replace("https://board.example/1", "papers/1").replace('<?xml version="1.0"?>', "");
    // No UTF-8: the type alone says what the byte stands for.
    const body = new TextEncoder().encode(text).map((byte, at, all) =>
      all[at + 1] === 0x65 && byte === 0x55 ? 0xdc : byte
    );
    const typed = (charset: string) => ({
      headers: { "content-type": `application/rss+xml; charset=${charset}` },
      body,
    });
    serve(typed("windows-1252"));
    assert.equal((await fetch(world)).new, 1);
    assert.equal((await fetch(world)).looks, 0);
    serve(typed("windows-1251"));
    assert.equal((await fetch(world)).revised, 1);
    http.serve("https://board.example/new/feed", () => typed("windows-1251"));
    serve({ status: 302, headers: { location: "/new/feed" } });
    assert.equal((await fetch(world)).revised, 1, "a link relative to the document leads elsewhere");
    assert.equal((await fetch(world)).looks, 0);
  }));

const DATED = "<lastBuildDate>Sat, 01 Aug 2026 10:00:00 GMT</lastBuildDate>";
const built = (body: string, date: string, text = DATED) =>
  body.replace("<channel>", `<channel>${text}`).replace("10:00:00 GMT", date);

Deno.test("a feed of which only the date differs at which it was built is the same, and one that differs in more is not", () =>
  withFeed(async (serve, world) => {
    serve(built(rss(AI), "10:00:00 GMT"));
    await fetch(world);
    for (const date of ["10:00:01 GMT", "11:59:59 GMT"]) {
      serve(built(rss(AI), date));
      const { looks, unchanged } = await fetch(world);
      assert.deepEqual([looks, unchanged], [0, 2], date);
    }
    serve(built(rss([{ id: "1", summary: "Annex III of the AI Act." }, { id: "2" }]), "12:00:00 GMT"));
    assert.equal((await fetch(world)).revised, 1, "behind it");
    serve(built(rss(AI), "12:00:00 GMT"));
    await fetch(world);
    serve(built(rss(AI).replace('version="2.0"', 'version="2.0" xml:lang="de"'), "12:00:00 GMT"));
    assert.ok((await fetch(world)).looks > 0, "before it");
  }));

Deno.test("what only looks like the date of a feed is read: in an item, in the text of another format, or where it is no date", () =>
  withFeed(async (serve, world) => {
    const json = (date: string) =>
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "Board",
        items: [{
          id: "1",
          title: "On the AI Act",
          content_text: `${DATED} of the AI Act`.replace("10:00:00 GMT", date),
        }],
      });
    const inItem = (date: string) =>
      rss(AI).replace("<item>", `<item>${DATED.replace("10:00:00 GMT", date)}`);
    const other = (date: string) => built(rss(AI), date, "<lastBuildDate>At 10:00:00 GMT</lastBuildDate>");
    for (const write of [json, inItem, other]) {
      serve(write("10:00:00 GMT"));
      await fetch(world);
      serve(write("10:00:01 GMT"));
      assert.ok((await fetch(world)).looks > 0, write("…"));
    }
  }));

Deno.test("a document with a fault as a whole is read each time, and says so each time", () =>
  withFeed(async (serve, world) => {
    serve(rss(AI).replace("</channel></rss>", ""));
    for (let times = 0; times < 3; times++) {
      const { looks, refused } = await fetch(world);
      assert.deepEqual([looks > 0, refused.length], [true, 1]);
      assert.equal((await world.store.listSources())[0]?.partialFailures.length, 1);
    }
  }));

Deno.test("what was refused of a document is refused of the same again, and one with much is read each time", () =>
  withFeed(async (serve, world) => {
    const empty = "<item><guid>empty</guid></item>";
    const broken = (count: number) => rss(AI).replace("</channel>", `${empty.repeat(count)}</channel>`);
    for (const [count, isRead] of [[20, false], [21, true]] as const) {
      serve(broken(count));
      const first = await fetch(world);
      const again = await fetch(world);
      assert.equal(first.refused.length, count);
      assert.deepEqual(again.refused, first.refused);
      assert.equal(again.looks > 0, isRead, `${count}`);
    }
  }));

Deno.test("a fetch that failed, or that the store did not keep, leaves nothing to go by", () =>
  withFeed(async (serve, world) => {
    const { store } = world;
    const edited = rss([{ id: "1", summary: "Annex III of the AI Act." }]);
    serve(rss(AI));
    await fetch(world);
    serve(edited);
    const failed = await fetch(world);
    assert.deepEqual([failed.ok, failed.revised], [false, 1], "what was recorded of it stays");
    serve(rss(AI));
    assert.equal((await fetch(world)).revised, 1, "and is as before, with the bytes of before");
    serve(edited.replace("</channel>", rss([{ id: "2" }]).match(/<item>.*<\/item>/)?.[0] + "</channel>"));
    const { finishFetch } = store;
    store.finishFetch = () => Promise.reject(storageError("full"));
    assert.match((await fetch(world)).error ?? "", /could be stored/);
    store.finishFetch = finishFetch;
    await world.platform.clock.advance(HOUR);
    serve(rss(AI));
    assert.equal((await fetch(world)).revised, 1);
  }, boardConfig({ source: "min_items = 2" })));

Deno.test("another process, another config or other rules look for themselves", async () => {
  const first = await createWorld(boardConfig());
  const config = boardConfig().replace(
    'base_url = "https://board.example"',
    'base_url = "https://other.example"',
  );
  const second = await createWorld(config, { store: first.store, seed: 2 });
  try {
    const noLink = (items: readonly SampleItem[]) => rss(items).replaceAll(/<link>.*?<\/link>/g, "");
    const body = noLink(AI);
    for (const { platform } of [first, second]) platform.http.serve(FEED, () => ({ body }));
    await first.app.ingest.register();
    await fetch(first);
    assert.equal((await fetch(first)).looks, 0);
    await second.platform.clock.advance(3 * HOUR);
    assert.equal((await fetch(second)).revised, 2, "its addresses are others");
    await first.platform.clock.advance(3 * HOUR);
    assert.equal((await fetch(first)).revised, 2, "and were given back by whoever has them otherwise");
    assert.equal((await fetch(first)).looks, 0);
    // Another process, with the same config, that has failed halfway.
    const third = await createWorld(boardConfig({ source: "min_items = 2" }), {
      store: first.store,
      seed: 3,
    });
    third.platform.http.serve(
      FEED,
      () => ({ body: noLink([{ id: "1", summary: "Annex III of the AI Act." }]) }),
    );
    await third.platform.clock.advance(8 * HOUR);
    assert.deepEqual(await fetch(third).then(({ ok, revised }) => [ok, revised]), [false, 1]);
    await first.platform.clock.advance(8 * HOUR);
    assert.equal((await fetch(first)).revised, 1);
  } finally {
    await first.close();
  }
});

Deno.test("`source test` reads what it is given", () =>
  withFeed(async (serve, world) => {
    serve(rss(AI));
    await fetch(world);
    const [state] = await world.store.listSources();
    const [source] = world.config.sources;
    assert.ok(state !== undefined && source !== undefined);
    const { decided, documents } = await world.app.ingest.preview(source, state);
    assert.deepEqual([decided.length, documents.length], [2, 1]);
    assert.equal((await fetch(world)).looks, 0, "and takes nothing from the next fetch");
  }));

Deno.test("languages are known each by itself, and all are read where something must be seen together", async () => {
  const config = boardConfig({
    source: `urls = { en = "${FEED}/en", de = "${FEED}/de" }`,
  }).replace(`url = "${FEED}"\n`, "");
  await withWorld(config, async (world) => {
    const { http } = world.platform;
    const feed = (language: string, items: readonly SampleItem[]) =>
      rss(items).replaceAll("example/", `example/${language}/`);
    const bodies = new Map([["en", feed("en", AI)], ["de", feed("de", AI)]]);
    for (const language of ["en", "de"]) {
      http.serve(`${FEED}/${language}`, () => ({ body: bodies.get(language) ?? "" }));
    }
    await world.app.ingest.register();
    await fetch(world);
    await fetch(world); // what is new in one language may stand in the other since long
    const same = await fetch(world);
    assert.deepEqual([same.looks, same.unchanged], [0, 4]);
    bodies.set(
      "de",
      feed("de", [{ id: "1", summary: "Anhang III, Article 50 of the AI Act." }, { id: "2" }]),
    );
    const edited = await fetch(world);
    assert.deepEqual([edited.looks > 0, edited.unchanged], [true, 2 + 1]);
    // The bytes of one address are nothing at another.
    bodies.set("en", bodies.get("de") ?? "");
    assert.ok((await fetch(world)).looks > 0);
  });
});

Deno.test("createDocumentFingerprints() gives what was kept once, to the fetch after it alone", () => {
  const looks = new Map([["feed", {
    of: { essence: "5a", contentType: null, url: FEED },
    known: 1,
    irrelevant: 0,
    refused: [],
  }]]);
  const left = { cursor: "{}", atMs: START_MS };
  const after = (change: Partial<SourceState>) => {
    const memory = createDocumentFingerprints();
    memory.keep("board", left, looks);
    const state = { ...untouchedSource("board", START_MS), cursor: "{}", lastAttemptAtMs: START_MS };
    assert.equal(memory.take({ ...state, id: "other" }).size, 0);
    const first = memory.take({ ...state, ...change });
    assert.equal(memory.take(state).size, 0);
    return first.size;
  };
  assert.equal(after({}), 1);
  assert.equal(after({ cursor: null }), 0);
  assert.equal(after({ cursor: "{ }" }), 0);
  assert.equal(after({ lastAttemptAtMs: START_MS + 1 }), 0);
});

Deno.test("a feed that stands still is silent in time, and its time to live is kept to", () =>
  withFeed(async (serve, world) => {
    serve(rss(AI).replace("<channel>", "<channel><ttl>90</ttl>"));
    await fetch(world);
    for (let times = 0; times < 3; times++) {
      await fetch(world);
      const [state] = await world.store.listSources();
      assert.equal((state?.nextDueAtMs ?? 0) - world.platform.clock.nowMs(), 90 * 60_000);
    }
    for (let hour = 0; hour < 40; hour++) await fetch(world);
    const { json } = await world.ask("/v1/sources");
    assert.equal(json.sources[0].state, "silent");
    assert.ok(world.platform.clock.nowMs() > START_MS);
  }, boardConfig({ source: 'silent_after = "1d"', rest: '[ingest]\nmax_freshness = "4h"\n' })));
