// A list whose first page comes with the very same bytes is not walked again, and each case in which it has to be.
import assert from "node:assert/strict";
import { fetchLater as fetch } from "../../support/collecting.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig } from "../../support/samples.ts";
import { withWorld } from "../../support/world.ts";

const FEED = "https://board.example/feed";

const list = (table: string) =>
  boardConfig({
    source: `fetch_strategy = "json"\nrelevance = "all"\n[sources.json]\nitems = "results"\nid = "id"\n` +
      `title = "title"\nlink = "https://board.example/documents/{id}"\n${table}`,
  });
const rows = (...ids: number[]) =>
  JSON.stringify({ results: ids.map((id) => ({ id, title: `Paper ${id}` })) });

Deno.test("a list that is one page, or begins with what is new, is known by its first page", async () => {
  for (const table of ["", 'paging = "page"\nnewest_first = true']) {
    await withWorld(list(table), async (world) => {
      world.platform.http.serve(
        FEED,
        ({ url }) => ({ body: url.searchParams.get("page") === "2" ? rows(1, 2) : rows(3, 4) }),
      );
      await world.app.ingest.register();
      assert.ok((await fetch(world)).new >= 2);
      const { requests } = world.platform.http;
      requests.length = 0;
      const { looks, unchanged } = await fetch(world);
      assert.deepEqual([looks, unchanged, requests.length], [0, 2, 1], table);
    });
  }
});

Deno.test("a page is read whatever of it has changed: its rules may look for anything", () => {
  const html =
    'fetch_strategy = "html"\nrelevance = "all"\n[sources.html]\nitem = "li"\ntitle = "a"\nlink = "a@href"\n';
  return withWorld(boardConfig({ source: html }), async (world) => {
    let second = 0;
    world.platform.http.serve(FEED, () => ({
      headers: { "content-type": "text/html" },
      body:
        `<html><lastBuildDate>Sat, 01 Aug 2026 10:00:0${second++} GMT</lastBuildDate><li><a href="/1">Paper</a>`,
    }));
    await world.app.ingest.register();
    for (let times = 0; times < 3; times++) assert.ok((await fetch(world)).looks > 0);
  });
});

Deno.test("a list is read once a day too", () =>
  withWorld(list(""), async (world) => {
    world.platform.http.serve(FEED, () => ({ body: rows(1, 2) }));
    await world.app.ingest.register();
    const looks: number[] = [];
    for (let hour = 0; hour < 26; hour++) looks.push((await fetch(world)).looks);
    assert.deepEqual([...looks.entries()].filter(([, count]) => count > 0).map(([hour]) => hour), [0, 24]);
  }));

for (const knows304 of [false, true]) {
  Deno.test(`a language whose page has nothing is told of while it stands still${knows304 ? ", though it says so" : ""}`, () => {
    const config = list("").replace(`url = "${FEED}"`, `urls = { en = "${FEED}/en", de = "${FEED}/de" }`)
      .replace('relevance = "all"', 'relevance = "all"\nmin_items = 1');
    return withWorld(config, async (world) => {
      let english = rows(1, 2);
      const answer = (body: string) => ({ headers }: { headers: Record<string, string> }): Answer => {
        const etag = `"${body.length}"`;
        if (!knows304) return { body };
        return headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body };
      };
      const { http } = world.platform;
      http.serve(`${FEED}/en`, (request) => answer(english)(request));
      http.serve(`${FEED}/de`, answer(rows()));
      await world.app.ingest.register();
      const gaps = async () => {
        const { ok, refused } = await fetch(world);
        const [state] = await world.store.listSources();
        return [ok, refused.length, state?.partialFailures.map(({ part }) => part)];
      };
      for (let times = 0; times < 4; times++) assert.deepEqual(await gaps(), [true, 1, ["de"]]);
      english = rows(1, 2, 3);
      for (let times = 0; times < 4; times++) assert.deepEqual(await gaps(), [true, 1, ["de"]]);
      http.serve(`${FEED}/de`, answer(rows(7)));
      for (let times = 0; times < 4; times++) assert.deepEqual(await gaps(), [true, 0, []]);
    });
  });
}

Deno.test("a list of which the first page says nothing of the others is walked each time", () =>
  withWorld(list('paging = "page"'), async (world) => {
    let second = rows(3);
    world.platform.http.serve(FEED, ({ url }) => {
      const page = url.searchParams.get("page");
      return { body: page === "1" ? rows(1, 2) : page === "2" ? second : rows() };
    });
    await world.app.ingest.register();
    await fetch(world);
    second = rows(4);
    assert.equal((await fetch(world)).new, 1);
  }));

Deno.test("a list that is asked by days is asked for each of them, though the first stands still", () =>
  withWorld(
    list("window_days = 1\nfirst_days = 2").replace(`"${FEED}"`, `"${FEED}?day={since}"`),
    async (world) => {
      let later = rows();
      world.platform.http.serve(FEED, ({ url }) => {
        return { body: url.searchParams.get("day") === "2026-07-31" ? rows(1, 2) : later };
      });
      await world.app.ingest.register();
      assert.equal((await fetch(world)).new, 2);
      later = rows(3);
      assert.equal((await fetch(world)).new, 1);
    },
  ));

Deno.test("a walk that goes on behind the first page goes on, though that page stands still", () =>
  withWorld(list('paging = "page"\nnewest_first = true\nmax_pages = 2'), async (world) => {
    let newest = 2;
    world.platform.http.serve(FEED, ({ url }) => {
      const from = newest - (Number(url.searchParams.get("page")) - 1) * 2;
      return { body: from < 1 ? rows() : rows(...[from, from - 1].filter((id) => id > 0)) };
    });
    await world.app.ingest.register();
    await fetch(world);
    newest = 20;
    let fresh = 0;
    for (let times = 0; times < 12; times++) fresh += (await fetch(world)).new;
    assert.equal(fresh, 18);
    assert.equal((await fetch(world)).looks, 0);
  }));
