// A feed, or the first page of a list, is not read again if its bytes are the same, with some exceptions.
import assert from "node:assert/strict";
import { storageError } from "../../../src/store/sqlite/connection/faults.ts";
import { fetchLater as fetch, previewBoard, withSources } from "../../support/collecting.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";
import { API as FEED, listConfig, pageText, servePages } from "./lists.ts";

const HOUR = 3_600_000;
const URLS = `urls = { en = "${FEED}/en", de = "${FEED}/de" }`;
const AI: SampleItem[] = [{ id: "1" }, { id: "2" }];
const CHEESE: SampleItem = { id: "3", title: "On cheese", summary: "It is made of milk." };

/**
 * Runs the work in a world whose server ignores conditional headers. It responds with what was last passed to
 * `serve`.
 */
function withFeed(
  work: (serve: (answer: string | Answer) => void, world: World) => Promise<void>,
  config = boardConfig(),
): Promise<void> {
  return withSources(config, async (world) => {
    let now: Answer = {};
    world.platform.http.serve(FEED, () => now);
    await work((answer) => now = typeof answer === "string" ? { body: answer } : answer, world);
  });
}

Deno.test("a document with the same bytes is not read again, and its items count as unchanged", () =>
  withFeed(async (serve, world) => {
    serve(rss([...AI, CHEESE]));
    assert.deepEqual((await fetch(world)).new, 2);
    for (let times = 0; times < 3; times++) {
      const { isRead, ok, new: fresh, revised, unchanged, passed_over } = await fetch(world);
      assert.deepEqual([isRead, ok, fresh, revised, unchanged, passed_over], [false, true, 0, 0, 2, 1]);
    }
    serve(rss([...AI, CHEESE, { id: "4" }]));
    const changed = await fetch(world);
    assert.deepEqual([changed.isRead, changed.new, changed.unchanged], [true, 1, 2]);
    assert.equal((await fetch(world)).isRead, false);
  }));

for (
  const [what, config, body] of [["feed", boardConfig(), rss(AI)], ["list", listConfig(), pageText([1, 2])]]
) {
  for (const knows304 of [false, true]) {
    Deno.test(`a ${what} ${knows304 ? "with 304 responses" : "with the same bytes"} is read once a day`, () =>
      withSources(config ?? "", async (world) => {
        let sent = 0;
        world.platform.http.serve(FEED, ({ headers }) => {
          if (knows304 && headers["if-none-match"] !== undefined) return { status: 304 };
          sent++;
          return { headers: knows304 ? { etag: 'W/"always"' } : {}, body: body ?? "" };
        });
        const readAt: number[] = [];
        for (let hour = 0; hour < 50; hour++) if ((await fetch(world)).isRead) readAt.push(hour);
        assert.deepEqual([readAt, sent], [[0, 24, 48], knows304 ? 3 : 50]);
      }));
  }
}

Deno.test("a change that must be confirmed is confirmed by the same bytes", async (t) => {
  const date = (day: number) => `${day} Jul 2026 12:00:00 GMT`;
  await t.step("a missing publication", () =>
    withFeed(async (serve, world) => {
      const of = (...ids: number[]) => rss(ids.map((id) => ({ id: String(id), date: date(id) })));
      serve(of(1, 2, 3, 4));
      await fetch(world);
      serve(of(1, 2, 4));
      assert.equal((await fetch(world)).revised, 0);
      assert.equal((await fetch(world)).revised, 1, "withdrawn");
      assert.deepEqual(await fetch(world).then(({ isRead, revised }) => [isRead, revised]), [false, 0]);
    }, boardConfig({ source: "removals = true" })));
  await t.step("a changed date", () =>
    withFeed(async (serve, world) => {
      serve(rss([{ id: "1", date: date(1) }, { id: "2", date: date(2) }]));
      await fetch(world);
      serve(rss([{ id: "1", date: date(3) }, { id: "2", date: date(2) }]));
      assert.equal((await fetch(world)).revised, 0);
      assert.equal((await fetch(world)).revised, 1);
    }));
});

Deno.test("the same bytes with another charset or URL are read again", () =>
  withFeed(async (serve, world) => {
    const { http } = world.platform;
    const text = rss([{ id: "1", summary: "Ueberwachung, Article 50 of the AI Act." }])
      .replace("https://board.example/1", "papers/1").replace('<?xml version="1.0"?>', "");
    // Not valid UTF-8: only the content type names the charset.
    const body = new TextEncoder().encode(text).map((byte, at, all) =>
      all[at + 1] === 0x65 && byte === 0x55 ? 0xdc : byte
    );
    const typed = (charset: string) => ({
      headers: { "content-type": `application/rss+xml; charset=${charset}` },
      body,
    });
    serve(typed("windows-1252"));
    assert.equal((await fetch(world)).new, 1);
    assert.equal((await fetch(world)).isRead, false);
    serve(typed("windows-1251"));
    assert.equal((await fetch(world)).revised, 1);
    http.serve("https://board.example/new/feed", () => typed("windows-1251"));
    serve({ status: 302, headers: { location: "/new/feed" } });
    assert.equal((await fetch(world)).revised, 1, "a relative link has another target");
    assert.equal((await fetch(world)).isRead, false);
  }));

Deno.test("a document that is truncated or has a refused item is read and reported at each fetch", () =>
  withFeed(async (serve, world) => {
    const truncated = rss(AI).replace("</channel></rss>", "");
    const refused = rss(AI).replace("</channel>", "<item><guid>empty</guid></item></channel>");
    for (const [body, failures] of [[truncated, 1], [refused, 0]] as const) {
      serve(body);
      for (let times = 0; times < 3; times++) {
        const { isRead, refused } = await fetch(world);
        assert.deepEqual([isRead, refused.length], [true, 1]);
        assert.equal((await world.store.listSources())[0]?.partialFailures.length, failures);
      }
    }
  }));

Deno.test("a fetch that failed or was not stored leaves no fingerprint", () =>
  withFeed(async (serve, world) => {
    const { store } = world;
    const edited = rss([{ id: "1", summary: "Annex III of the AI Act." }]);
    serve(rss(AI));
    await fetch(world);
    serve(edited);
    const failed = await fetch(world);
    assert.deepEqual([failed.ok, failed.revised], [false, 1], "its recorded items stay");
    serve(rss(AI));
    assert.equal((await fetch(world)).revised, 1, "the earlier bytes are read again");
    serve(edited.replace("</channel>", rss([{ id: "2" }]).match(/<item>.*<\/item>/)?.[0] + "</channel>"));
    const { finishFetch } = store;
    store.finishFetch = () => Promise.reject(storageError("full"));
    assert.match((await fetch(world)).error ?? "", /could not be stored/);
    store.finishFetch = finishFetch;
    await world.platform.clock.advance(HOUR);
    serve(rss(AI));
    assert.equal((await fetch(world)).revised, 1);
  }, boardConfig({ source: "min_items = 2" })));

Deno.test("a fetch by another process invalidates the fingerprint, with the same or another config", async () => {
  await using first = await createWorld(boardConfig());
  const config = boardConfig().replace('base_url = "https://board.', 'base_url = "https://other.');
  const second = await createWorld(config, { store: first.store, seed: 2 });
  const noLink = (items: readonly SampleItem[]) => rss(items).replaceAll(/<link>.*?<\/link>/g, "");
  for (const { platform } of [first, second]) platform.http.serve(FEED, () => ({ body: noLink(AI) }));
  await first.app.ingest.register();
  await fetch(first);
  assert.equal((await fetch(first)).isRead, false);
  await second.platform.clock.advance(3 * HOUR);
  assert.equal((await fetch(second)).revised, 2, "the links have another base");
  await first.platform.clock.advance(3 * HOUR);
  assert.equal((await fetch(first)).revised, 2, "the links have the first base again");
  assert.equal((await fetch(first)).isRead, false);
  const options = { store: first.store, seed: 3 };
  const third = await createWorld(boardConfig({ source: "min_items = 2" }), options);
  const body = noLink([{ id: "1", summary: "Annex III of the AI Act." }]);
  third.platform.http.serve(FEED, () => ({ body }));
  await third.platform.clock.advance(8 * HOUR);
  assert.deepEqual(await fetch(third).then(({ ok, revised }) => [ok, revised]), [false, 1]);
  await first.platform.clock.advance(8 * HOUR);
  assert.equal((await fetch(first)).revised, 1);
});

Deno.test("`source test` reads an unchanged document, and keeps the fingerprint for the next fetch", () =>
  withFeed(async (serve, world) => {
    serve(rss(AI));
    await fetch(world);
    const { decided, documents } = await previewBoard(world);
    assert.deepEqual([decided.length, documents.length], [2, 1]);
    assert.equal((await fetch(world)).isRead, false);
  }));

Deno.test("each language has its own fingerprint, and all languages are read if a publication is new in one", async () => {
  const config = boardConfig().replace(`url = "${FEED}"`, URLS);
  await withSources(config, async (world) => {
    const feed = (language: string, items: readonly SampleItem[]) =>
      rss(items).replaceAll("example/", `example/${language}/`);
    const bodies = new Map([["en", feed("en", AI)], ["de", feed("de", AI)]]);
    for (const language of ["en", "de"]) {
      world.platform.http.serve(`${FEED}/${language}`, () => ({ body: bodies.get(language) ?? "" }));
    }
    await fetch(world);
    await fetch(world); // a new publication may already be in the document of the other language
    const same = await fetch(world);
    assert.deepEqual([same.isRead, same.unchanged], [false, 4]);
    const summary = "Anhang III, Article 50 of the AI Act.";
    bodies.set("de", feed("de", [{ id: "1", summary }, { id: "2" }]));
    const edited = await fetch(world);
    assert.deepEqual([edited.isRead, edited.unchanged], [true, 2 + 1]);
    bodies.set("en", bodies.get("de") ?? "");
    assert.ok((await fetch(world)).isRead, "the fingerprint of one URL is not used for another");
  });
});

Deno.test("a list with one page, or with the newest items first, is unchanged if its first page is unchanged", async () => {
  for (const table of ["", 'paging = "page"\nnewest_first = true']) {
    await withSources(listConfig(table), async (world) => {
      servePages(world, () => 4);
      assert.ok((await fetch(world)).new >= 2);
      const { requests } = world.platform.http;
      requests.length = 0;
      const { isRead, unchanged } = await fetch(world);
      assert.deepEqual([isRead, unchanged, requests.length], [false, 2, 1], table);
    });
  }
});

for (const knows304 of [false, true]) {
  const how = knows304 ? "by a 304 response" : "with the same bytes";
  Deno.test(`a language without items is reported while its page is unchanged ${how}`, () => {
    const config = listConfig("", "min_items = 1").replace(`url = "${FEED}"`, URLS);
    return withSources(config, async (world) => {
      let english = pageText([1, 2]);
      const answer = (body: string) => ({ headers }: { headers: Record<string, string> }): Answer => {
        const etag = `"${body.length}"`;
        if (!knows304) return { body };
        return headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body };
      };
      const { http } = world.platform;
      http.serve(`${FEED}/en`, (request) => answer(english)(request));
      http.serve(`${FEED}/de`, answer(pageText([])));
      const failures = async () => {
        const { ok, refused } = await fetch(world);
        const [state] = await world.store.listSources();
        return [ok, refused.length, state?.partialFailures.map(({ part }) => part)];
      };
      for (let times = 0; times < 4; times++) assert.deepEqual(await failures(), [true, 1, ["de"]]);
      english = pageText([1, 2, 3]);
      for (let times = 0; times < 4; times++) assert.deepEqual(await failures(), [true, 1, ["de"]]);
      http.serve(`${FEED}/de`, answer(pageText([7])));
      for (let times = 0; times < 4; times++) assert.deepEqual(await failures(), [true, 0, []]);
    });
  });
}

Deno.test("every page and window is read if an unchanged first page proves nothing about the others", async () => {
  const tables: [table: string, at: string, isFirst: (url: URL) => boolean][] = [
    ['paging = "page"', FEED, ({ searchParams }) => searchParams.get("page") === "1"],
    [
      "window_days = 1\nfirst_days = 2",
      `${FEED}?day={since}`,
      ({ searchParams }) => searchParams.get("day") === "2026-07-31",
    ],
  ];
  for (const [table, at, isFirst] of tables) {
    await withSources(listConfig(table).replace(`"${FEED}"`, `"${at}"`), async (world) => {
      let later = pageText([]);
      world.platform.http.serve(FEED, ({ url }) => ({ body: isFirst(url) ? pageText([1, 2]) : later }));
      assert.equal((await fetch(world)).new, 2);
      later = pageText([3]);
      assert.equal((await fetch(world)).new, 1, table);
    });
  }
});

Deno.test("a list that is read in parts continues even if its first page is unchanged", () =>
  withSources(listConfig('paging = "page"\nnewest_first = true\nmax_pages = 2'), async (world) => {
    let newest = 2;
    servePages(world, () => newest);
    await fetch(world);
    newest = 20;
    let fresh = 0;
    for (let times = 0; times < 12; times++) fresh += (await fetch(world)).new;
    assert.equal(fresh, 18);
    assert.equal((await fetch(world)).isRead, false);
  }));
