// APIs and listings, from pages to events, in the complete application with a fake clock and a fake internet.
import assert from "node:assert/strict";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig } from "../../support/samples.ts";
import {
  API,
  DAY,
  dayConfig,
  listConfig,
  newestFirst,
  page,
  requestedDays,
  requestedQueries,
  servePages,
  storedIds,
} from "./lists.ts";

/** Returns a page that lists at most two of the documents 1 to 5, after the first `from` documents. */
const two = (from: number, more: Record<string, unknown> = {}): Answer =>
  page([1, 2, 3, 4, 5].slice(from, from + 2), more);

const PAGINGS: [kind: string, table: string, queries: string, serve: (query: URLSearchParams) => Answer][] = [
  [
    "page",
    'paging = "page"',
    "?page=1 ?page=2 ?page=3 ?page=4",
    (query) => two((Number(query.get("page")) - 1) * 2),
  ],
  [
    "offset",
    'paging = "offset"\nparameter = "skip"\npage_size = 2',
    "?skip=0 ?skip=2 ?skip=4 ?skip=6",
    (query) => two(Number(query.get("skip"))),
  ],
  [
    "cursor",
    'paging = "cursor"\nparameter = "c"\nnext = "meta.cursor"',
    "- ?c=c2 ?c=c4",
    (query) => {
      const from = Number(query.get("c")?.slice(1) ?? 0);
      // The last page repeats its own cursor, as some APIs do.
      return two(from, { meta: { cursor: `c${Math.min(from + 2, 4)}` } });
    },
  ],
  [
    "link in the document",
    'paging = "link"\nnext = "next"',
    "- ?from=2 ?from=4",
    (query) => {
      const next = Number(query.get("from")) + 2;
      return two(next - 2, { next: next < 5 ? `?from=${next}` : null });
    },
  ],
  [
    "link in the header",
    'paging = "link"',
    "- ?from=2 ?from=4",
    (query) => {
      const next = Number(query.get("from")) + 2;
      const link = `<${API}>; rel="first", <${API}?from=${next}>; title="more"; rel="next"`;
      return { ...two(next - 2), headers: next < 5 ? { link } : {} };
    },
  ],
];

for (const [kind, table, queries, serve] of PAGINGS) {
  Deno.test(`a list is read to its end by ${kind}`, () =>
    withSources(listConfig(table), async (world) => {
      world.platform.http.serve(API, ({ url }) => serve(url.searchParams));
      const report = await ingestBoard(world);
      assert.deepEqual([report.ok, report.new, report.refused], [true, 5, []]);
      assert.equal(requestedQueries(world).join(" "), queries);
      assert.equal((await ingestBoard(world)).unchanged, 5);
    }));
}

Deno.test("reading ends if pages of a list repeat or form a circle", () =>
  withSources(listConfig('paging = "page"\nmax_pages = 50'), async (world) => {
    world.platform.http.serve(API, () => page([1, 2]));
    assert.equal((await ingestBoard(world)).new, 2);
    assert.deepEqual(requestedQueries(world), ["?page=1", "?page=2"]);
  }));

Deno.test("after a failed page, earlier items are kept, the fetch fails, and the next one reads the rest", () =>
  withSources(listConfig('paging = "link"\nnext = "next"\nnewest_first = true'), async (world) => {
    let newest = 2;
    let isBroken = false;
    world.platform.http.serve(API, ({ url, headers }) => {
      const from = Number(url.searchParams.get("from"));
      if (isBroken && from > 0) return { status: 500 };
      const etag = `"${newest}"`;
      if (from === 0 && headers["if-none-match"] === etag) return { status: 304 };
      const next = from + 2 < newest ? { next: `?from=${from + 2}` } : {};
      return { ...page(newestFirst(newest, 2, from), next), headers: { etag } };
    });
    assert.equal((await ingestBoard(world)).new, 2);
    newest = 7;
    isBroken = true;
    const failed = await ingestBoard(world);
    assert.deepEqual([failed.ok, failed.new, failed.error], [false, 2, "page 2: responded with 500"]);
    assert.deepEqual(await storedIds(world), [1, 2, 6, 7]);
    // The first page has no new items. A fetch that stopped there would lose three items.
    isBroken = false;
    const recovered = await ingestBoard(world);
    assert.deepEqual([recovered.ok, recovered.new], [true, 3]);
    assert.deepEqual(await storedIds(world), [1, 2, 3, 4, 5, 6, 7]);
    requestedQueries(world);
    assert.equal((await ingestBoard(world)).unchanged, 0, "304");
    assert.deepEqual(requestedQueries(world), ["-"]);
  }));

Deno.test("max_pages is reported if items may be missing, until it is raised", () =>
  withSources(listConfig('paging = "page"\nnewest_first = true\nmax_pages = 2'), async (world) => {
    let newest = 100;
    servePages(world, () => newest);
    const first = await ingestBoard(world);
    assert.deepEqual([first.new, first.refused], [4, []], "the archive is bounded on purpose");
    assert.deepEqual(first.notes, [
      "the first fetch reads 2 pages of the list (max_pages) and skips older items",
    ]);
    newest = 1000;
    const reason = async () => (await ingestBoard(world)).refused[0]?.reason ?? "";
    assert.match(await reason(), /^there are more new items than fit on 2 pages: the next fetch continues/);
    for (let fetches = 0; fetches < 30; fetches++) await ingestBoard(world);
    assert.match(await reason(), /^no known item within 22 pages, so items may be missing/);
  }));

Deno.test("windows request the days since the last fetch with an overlap, and 404 means an empty day", () =>
  withSources(dayConfig("overlap_days = 1\nfirst_days = 2\nnot_found_is_empty = true"), async (world) => {
    world.platform.http.serve("https://board.example", ({ url }) => {
      const day = url.pathname.slice(5);
      return day === "20260731" ? { status: 404 } : page([day]);
    });
    const first = await ingestBoard(world);
    assert.deepEqual([first.ok, first.new], [true, 2]);
    assert.deepEqual(requestedDays(world), [20260730, 20260731, 20260801]);
    await world.platform.clock.advance(3 * DAY);
    assert.equal((await ingestBoard(world)).new, 3);
    assert.deepEqual(requestedDays(world), [20260731, 20260801, 20260802, 20260803, 20260804]);
  }));

Deno.test("secret headers are sent to the source's own host only", () =>
  withSources(
    listConfig(
      `paging = "link"\nnext = "next"\nbody = '{"from": "{since}"}'\noverlap_days = 0`,
      'headers = { x-key = "s3cret" }',
    ),
    async (world) => {
      world.platform.http.serve(API, () => page([1], { next: "https://elsewhere.example/2" }));
      world.platform.http.serve("https://elsewhere.example", () => page([2]));
      assert.equal((await ingestBoard(world)).new, 2);
      const seen = world.platform.http.requests.map((
        { method, headers, body },
      ) => [method, headers["x-key"], body]);
      assert.deepEqual(seen, [
        ["POST", "s3cret", '{"from": "2026-07-02"}'],
        ["POST", undefined, '{"from": "2026-07-02"}'],
      ]);
      assert.doesNotMatch(JSON.stringify(world.platform.lines), /s3cret/);
    },
  ));

const HTML = boardConfig({
  source: `fetch_strategy = "html"
relevance = "all"
timezone = "Europe/Berlin"
languages = ["de"]
min_items = 2
[sources.html]
item = "li.news"
title = "h3"
link = "a@href"
summary = "p"
published = ".date"`,
});

Deno.test("items of a listing can have dates in words and relative links, and invalid ones are refused", () =>
  withSources(HTML, async (world) => {
    world.platform.http.serve(API, () => ({
      headers: { "content-type": "text/html; charset=utf-8" },
      body: `<!doctype html><html lang="de"><base href="/aktuell/"><ul>
<li class=news><span class=date>3. März 2026, 14:30 Uhr</span><a href="eins"><h3>Eins &amp; Zwei</h3></a><p>Mit <b>Wort</b>
<li class=news><b></b>
<li class="news x"><time class=date>31.07.2026</time><h3><a href="https://board.example/zwei">Zwei</a></h3></ul>`,
    }));
    const report = await ingestBoard(world);
    assert.deepEqual([report.ok, report.new], [true, 2]);
    assert.deepEqual(report.refused, [{ item: "item 2", reason: "it has no id, link, title or summary" }]);
    const events = (await world.store.listEvents({ limit: 9 })).map(({ json }) => JSON.parse(json));
    assert.deepEqual(
      events.map(({ title_en, url_official, published_at }) => [title_en, url_official, published_at]),
      [
        ["Zwei", "https://board.example/zwei", Date.parse("2026-07-31T00:00:00+02:00")],
        ["Eins & Zwei", "https://board.example/aktuell/eins", Date.parse("2026-03-03T14:30:00+01:00")],
      ],
    );
  }));

Deno.test("a listing with fewer items than its minimum is a failure, and its items are recorded", () =>
  withSources(HTML, async (world) => {
    const serve = (body: string) => world.platform.http.serve(API, () => ({ body }));
    const one = '<ul><li class="news"><a href="/1"><h3>Eins</h3></a>';
    serve(`${one}</ul>`);
    const short = await ingestBoard(world);
    assert.deepEqual([short.ok, short.new], [false, 1]);
    assert.match(short.error ?? "", /^has only 1 of the required 2 items: the URL or the extraction rules/);
    serve("<p>We have redesigned our website!</p>");
    assert.match((await ingestBoard(world)).error ?? "", /^has no items: /);
    serve(`${one}<li class="news"><a href="/2"><h3>Zwei</h3></a></ul>`);
    const recovered = await ingestBoard(world);
    assert.deepEqual([recovered.ok, recovered.new, recovered.unchanged], [true, 1, 1]);
  }));

Deno.test("JSON without the list is a failure if it describes an error, otherwise an empty list", () =>
  withSources(listConfig(), async (world) => {
    const rows: [body: string, error: string | undefined][] = [
      ['{"error": "invalid key", "code": 7}', 'the JSON has nothing at "results": it has error, code'],
      ['{"count": 0, "description": "Documents matching"}', undefined],
      ['{"results": null, "error": null}', undefined],
      [
        '{"results": null, "error": "invalid key"}',
        'the JSON has nothing at "results": it has results, error',
      ],
    ];
    for (const [body, error] of rows) {
      world.platform.http.serve(API, () => ({ body }));
      assert.equal((await ingestBoard(world)).error, error, body);
    }
  }));

Deno.test("a list whose last page is a 404 is complete, so missing items are withdrawn", () =>
  withSources(
    listConfig(
      'paging = "link"\nnext = "next"\nnot_found_is_empty = true\npublished = "date"',
      "removals = true",
    ),
    async (world) => {
      let ids = [1, 2, 3, 4];
      const dated = (id: number) => ({ date: `2026-07-0${id}` });
      world.platform.http.serve(
        API,
        ({ url }) => url.search === "" ? page(ids, { next: "?page=2" }, dated) : { status: 404 },
      );
      await ingestBoard(world);
      ids = [1, 2, 4];
      assert.equal((await ingestBoard(world)).revised, 0);
      assert.equal((await ingestBoard(world)).revised, 1);
    },
  ));

Deno.test("a day with a truncated response is requested again by the next fetch", () =>
  withSources(dayConfig("overlap_days = 0\nfirst_days = 1"), async (world) => {
    let truncatedDay = "";
    world.platform.http.serve("https://board.example", ({ url }) => {
      const day = url.pathname.slice(5);
      const complete = page([`1${day}`, `2${day}`]);
      return day === truncatedDay ? { ...complete, body: String(complete.body).slice(0, -20) } : complete;
    });
    await ingestBoard(world);
    await world.platform.clock.advance(10 * DAY);
    truncatedDay = "20260803";
    assert.match((await ingestBoard(world)).refused[0]?.reason ?? "", /is truncated/);
    truncatedDay = "";
    assert.equal((await ingestBoard(world)).new, 1);
    assert.ok((await storedIds(world)).includes(220260803));
  }));

Deno.test("after a truncated page, items beyond the limits are still reported", () =>
  withSources(
    listConfig('paging = "link"\nnext = "next"\nnewest_first = true\nmax_pages = 2'),
    async (world) => {
      let newest = 2;
      let isTruncated = false;
      world.platform.http.serve(API, ({ url }) => {
        const after = Number(url.searchParams.get("after"));
        const next = newest - after > 2 ? { next: `?after=${after + 2}` } : {};
        const complete = page(newestFirst(newest, 2, after), next);
        return isTruncated ? { ...complete, body: String(complete.body).slice(0, 60) } : complete;
      });
      const reason = async () => (await ingestBoard(world)).refused[0]?.reason ?? "";
      await ingestBoard(world);
      isTruncated = true;
      newest = 3;
      assert.match(await reason(), /is truncated/);
      isTruncated = false;
      newest = 12;
      assert.match(await reason(), /^there are more new items than fit on 2 pages/);
    },
  ));
