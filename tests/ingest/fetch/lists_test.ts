// APIs and listings from page to event, with the whole application, a fake clock and a fake internet.
import assert from "node:assert/strict";
import type { OutgoingRequest } from "../../../src/domain/ports/ports.ts";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const API = "https://board.example/feed";

const jsonConfig = (table: string, lines = "") =>
  boardConfig({
    source: `fetch_strategy = "json"\nrelevance = "all"\n${lines}
[sources.json]
items = "results"
id = "id"
title = "title"
link = "https://board.example/documents/{id}"
${table}`,
  });

interface Row {
  id: string;
  title?: string;
}

const page = (rows: readonly Row[], more: Record<string, unknown> = {}): Answer => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    results: rows.map(({ id, title }) => ({ id, title: title ?? `Document ${id}` })),
    ...more,
  }),
});

const storedIds = async (world: World): Promise<string[]> =>
  (await world.store.listEvents({ limit: 200 })).map(({ json }) => String(JSON.parse(json).external_id))
    .sort();
const searches = (world: World): string[] =>
  world.platform.http.requests.splice(0).map(({ url }) => new URL(url).search || "-");

/** A list in pages of two for each kind of paging. */
const PAGINGS: [string, string, (request: OutgoingRequest, rows: readonly Row[]) => Answer, string[]][] = [
  [
    "page",
    'paging = "page"',
    ({ url }, rows) => {
      const number = Number(url.searchParams.get("page"));
      return page(rows.slice((number - 1) * 2, number * 2));
    },
    ["?page=1", "?page=2", "?page=3", "?page=4"],
  ],
  [
    "offset",
    'paging = "offset"\nparameter = "skip"\npage_size = 2',
    ({ url }, rows) => {
      const skip = Number(url.searchParams.get("skip"));
      return page(rows.slice(skip, skip + 2));
    },
    ["?skip=0", "?skip=2", "?skip=4", "?skip=6"],
  ],
  [
    "cursor",
    'paging = "cursor"\nparameter = "c"\nnext = "meta.cursor"',
    ({ url }, rows) => {
      const from = Number(url.searchParams.get("c")?.slice(1) ?? 0);
      // The last page repeats its own cursor, as some APIs do.
      return page(rows.slice(from, from + 2), { meta: { cursor: `c${Math.min(from + 2, 4)}` } });
    },
    ["-", "?c=c2", "?c=c4"],
  ],
  [
    "link in the document",
    'paging = "link"\nnext = "next"',
    ({ url }, rows) => {
      const from = Number(url.searchParams.get("from"));
      return page(
        rows.slice(from, from + 2),
        from + 2 < rows.length ? { next: `?from=${from + 2}` } : { next: null },
      );
    },
    ["-", "?from=2", "?from=4"],
  ],
  [
    "link in the header",
    'paging = "link"',
    ({ url }, rows) => {
      const from = Number(url.searchParams.get("from"));
      const link = `<https://board.example/feed>; rel="first", <${API}?from=${
        from + 2
      }>; title="more"; rel="next"`;
      const answer = page(rows.slice(from, from + 2));
      return from + 2 < rows.length ? { ...answer, headers: { link } } : answer;
    },
    ["-", "?from=2", "?from=4"],
  ],
];

for (const [kind, table, answer, requests] of PAGINGS) {
  Deno.test(`a list is read to its end by ${kind}`, () =>
    withSources(jsonConfig(table), async (world) => {
      const rows = ["1", "2", "3", "4", "5"].map((id) => ({ id }));
      world.platform.http.serve(API, (request) => answer(request, rows));
      const report = await ingestBoard(world);
      assert.deepEqual([report.ok, report.new, report.refused], [true, 5, []]);
      assert.deepEqual(searches(world), requests);
      assert.equal((await ingestBoard(world)).unchanged, 5);
    }));
}

Deno.test("a list whose pages repeat or form a circle ends", () =>
  withSources(jsonConfig('paging = "page"\nmax_pages = 50'), async (world) => {
    world.platform.http.serve(API, () => page([{ id: "1" }, { id: "2" }]));
    assert.equal((await ingestBoard(world)).new, 2);
    assert.deepEqual(searches(world), ["?page=1", "?page=2"]);
  }));

Deno.test("after a failed page, earlier items are kept, the fetch has failed, and the next one reads the rest", () =>
  withSources(jsonConfig('paging = "link"\nnext = "next"\nnewest_first = true'), async (world) => {
    let rows: Row[] = [{ id: "1" }, { id: "2" }];
    let isBroken = false;
    world.platform.http.serve(API, ({ url, headers }) => {
      const from = Number(url.searchParams.get("from"));
      if (isBroken && from > 0) return { status: 500 };
      const etag = `"${rows.length}"`;
      if (from === 0 && headers["if-none-match"] === etag) return { status: 304 };
      const answer = page(
        rows.slice(from, from + 2),
        from + 2 < rows.length ? { next: `?from=${from + 2}` } : {},
      );
      return { ...answer, headers: { etag } };
    });
    assert.equal((await ingestBoard(world)).new, 2);
    rows = [...["7", "6", "5", "4", "3"].map((id) => ({ id })), ...rows];
    isBroken = true;
    const failed = await ingestBoard(world);
    assert.deepEqual([failed.ok, failed.new, failed.error], [false, 2, "page 2: responded with 500"]);
    assert.deepEqual(await storedIds(world), ["1", "2", "6", "7"]);
    // The first page has nothing new now; a fetch that ended there would lose three items.
    isBroken = false;
    const recovered = await ingestBoard(world);
    assert.deepEqual([recovered.ok, recovered.new], [true, 3]);
    assert.deepEqual(await storedIds(world), ["1", "2", "3", "4", "5", "6", "7"]);
    searches(world);
    assert.equal((await ingestBoard(world)).unchanged, 0, "304");
    assert.deepEqual(searches(world), ["-"]);
  }));

Deno.test("a list with the newest items first is read up to the known ones", () =>
  withSources(jsonConfig('paging = "page"\nnewest_first = true'), async (world) => {
    const serve = (ids: readonly string[]) =>
      world.platform.http.serve(API, ({ url }) => {
        const number = Number(url.searchParams.get("page"));
        return page(ids.slice((number - 1) * 2, number * 2).map((id) => ({ id })));
      });
    serve(["4", "3", "2", "1"]);
    assert.equal((await ingestBoard(world)).new, 4);
    searches(world);
    serve(["5", "4", "3", "2", "1"]);
    assert.equal((await ingestBoard(world)).new, 1);
    assert.deepEqual(searches(world), ["?page=1", "?page=2"], "the second page has nothing new");
  }));

Deno.test("max_pages is reported if items may be missing, until it is raised", () =>
  withSources(jsonConfig('paging = "page"\nnewest_first = true\nmax_pages = 2'), async (world) => {
    const serve = (newest: number) =>
      world.platform.http.serve(API, ({ url }) => {
        const from = newest - (Number(url.searchParams.get("page")) - 1) * 2;
        return page([from, from - 1].filter((id) => id > 0).map((id) => ({ id: String(id) })));
      });
    serve(100);
    const first = await ingestBoard(world);
    assert.deepEqual([first.new, first.refused], [4, []], "the archive is bounded on purpose");
    assert.deepEqual(first.notes, [
      "the first fetch reads 2 pages of the list and skips what is older: max_pages",
    ]);
    serve(1000);
    const tooMany = await ingestBoard(world);
    assert.match(
      tooMany.refused[0]?.reason ?? "",
      /^there are more new items than fit into 2 pages: the next fetch continues/,
    );
    for (let fetches = 0; fetches < 30; fetches++) await ingestBoard(world);
    const { refused } = await ingestBoard(world);
    assert.match(refused[0]?.reason ?? "", /^no known item within 22 pages, so items may be missing/);
  }));

Deno.test("windows request the days since the last fetch with an overlap, and 404 means an empty day", () =>
  withSources(
    jsonConfig("window_days = 1\noverlap_days = 1\nfirst_days = 2\nnot_found_is_empty = true").replace(
      "https://board.example/feed",
      "https://board.example/day/{since:yyyyMMdd}",
    ),
    async (world) => {
      world.platform.http.serve("https://board.example", ({ url }) => {
        const day = url.pathname.slice(5);
        return day === "20260731" ? { status: 404 } : page([{ id: day }]);
      });
      const days = () =>
        world.platform.http.requests.splice(0).map(({ url }) => new URL(url).pathname.slice(5));
      const first = await ingestBoard(world);
      assert.deepEqual([first.ok, first.new], [true, 2]);
      assert.deepEqual(days(), ["20260730", "20260731", "20260801"]);
      await world.platform.clock.advance(3 * 86_400_000);
      assert.equal((await ingestBoard(world)).new, 3);
      assert.deepEqual(days(), ["20260731", "20260801", "20260802", "20260803", "20260804"]);
    },
  ));

Deno.test("secret headers are sent to the source's own host only", () =>
  withSources(
    jsonConfig(
      `paging = "link"\nnext = "next"\nbody = '{"from": "{since}"}'\noverlap_days = 0`,
      'headers = { x-key = "s3cret" }',
    ),
    async (world) => {
      world.platform.http.serve(API, () => page([{ id: "1" }], { next: "https://elsewhere.example/2" }));
      world.platform.http.serve("https://elsewhere.example", () => page([{ id: "2" }]));
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

Deno.test("the items of a listing are read with dates in words and relative links, and an invalid one is refused", () =>
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
    assert.deepEqual(report.refused, [{ item: "item 2", reason: "it has neither id nor link nor title" }]);
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
    serve('<ul><li class="news"><a href="/1"><h3>Eins</h3></a></ul>');
    const short = await ingestBoard(world);
    assert.deepEqual([short.ok, short.new], [false, 1]);
    assert.match(short.error ?? "", /^has only 1 of at least 2 items: the URL or the rules/);
    serve("<p>We have redesigned our website!</p>");
    assert.match((await ingestBoard(world)).error ?? "", /^has no item: /);
    serve(
      '<ul><li class="news"><a href="/1"><h3>Eins</h3></a><li class="news"><a href="/2"><h3>Zwei</h3></a></ul>',
    );
    const recovered = await ingestBoard(world);
    assert.deepEqual([recovered.ok, recovered.new, recovered.unchanged], [true, 1, 1]);
  }));

Deno.test("JSON that describes an error is a failure that names its keys", () =>
  withSources(jsonConfig(""), async (world) => {
    world.platform.http.serve(API, () => ({ body: '{"error": "invalid key", "code": 7}' }));
    const report = await ingestBoard(world);
    assert.match(report.error ?? "", /^the JSON has nothing at "results": it has error, code$/);
    world.platform.http.serve(API, () => ({ body: '{"count": 0, "description": "Documents matching"}' }));
    assert.equal((await ingestBoard(world)).ok, true, "an API that omits an empty list");
    world.platform.http.serve(API, () => ({ body: '{"results": null, "error": null}' }));
    assert.equal((await ingestBoard(world)).ok, true, "an API that writes null for an empty list");
    world.platform.http.serve(API, () => ({ body: '{"results": null, "error": "invalid key"}' }));
    assert.match((await ingestBoard(world)).error ?? "", /has nothing at "results"/);
  }));

Deno.test("a list whose last page is a 404 response is complete, so that missing items are withdrawn", () =>
  withSources(
    jsonConfig(
      'paging = "link"\nnext = "next"\nnot_found_is_empty = true\npublished = "date"',
      "removals = true",
    ),
    async (world) => {
      let ids = [1, 2, 3, 4];
      world.platform.http.serve(
        API,
        ({ url }) =>
          url.search === "" ? page([], { results: ids.map(row), next: "?page=2" }) : { status: 404 },
      );
      const row = (id: number) => ({ id, title: `Document ${id}`, date: `2026-07-0${id}` });
      await ingestBoard(world);
      ids = [1, 2, 4];
      assert.equal((await ingestBoard(world)).revised, 0);
      assert.equal((await ingestBoard(world)).revised, 1);
    },
  ));

Deno.test("a day with a truncated response is requested again by the next fetch", () =>
  withSources(
    jsonConfig("window_days = 1\noverlap_days = 0\nfirst_days = 1").replace(
      "https://board.example/feed",
      "https://board.example/day/{since:yyyyMMdd}",
    ),
    async (world) => {
      let breaksOff = "";
      world.platform.http.serve("https://board.example", ({ url }) => {
        const day = url.pathname.slice(5);
        const whole = page([{ id: `a${day}` }, { id: `b${day}` }]);
        return day === breaksOff ? { ...whole, body: String(whole.body).slice(0, -20) } : whole;
      });
      await ingestBoard(world);
      await world.platform.clock.advance(10 * 86_400_000);
      breaksOff = "20260803";
      assert.match((await ingestBoard(world)).refused[0]?.reason ?? "", /is truncated/);
      breaksOff = "";
      assert.equal((await ingestBoard(world)).new, 1);
      assert.ok((await storedIds(world)).includes("b20260803"));
    },
  ));

Deno.test("after a truncated page, items beyond the limits are still reported", () =>
  withSources(
    jsonConfig('paging = "link"\nnext = "next"\nnewest_first = true\nmax_pages = 2'),
    async (world) => {
      const rows = (from: number, to: number): Row[] => {
        const list: Row[] = [];
        for (let id = from; id > to; id--) list.push({ id: `${id}` });
        return list;
      };
      let newest = 2;
      let breaksOff = false;
      world.platform.http.serve(API, ({ url }) => {
        const from = newest - Number(url.searchParams.get("after") ?? 0);
        const whole = page(
          rows(from, Math.max(0, from - 2)),
          from > 2 ? { next: `?after=${newest - from + 2}` } : {},
        );
        return breaksOff ? { ...whole, body: String(whole.body).slice(0, 60) } : whole;
      });
      await ingestBoard(world);
      breaksOff = true;
      newest = 3;
      assert.match((await ingestBoard(world)).refused[0]?.reason ?? "", /is truncated/);
      breaksOff = false;
      newest = 12;
      assert.match(
        (await ingestBoard(world)).refused[0]?.reason ?? "",
        /^there are more new items than fit into 2 pages/,
      );
    },
  ));
