// Backlogs beyond the limits of one fetch are reported, and later fetches read the rest, each item once.
import assert from "node:assert/strict";
import { isHopeless, noKnownItem, restAfter, tooManyPages } from "../../../src/ingest/fetch/list_cursor.ts";
import type { ListRules, SitemapRules } from "../../../src/domain/source/extraction_rules.ts";
import type { SourceSettings } from "../../../src/domain/source/source.ts";
import { describeCursors } from "../../../src/ingest/fetch/describe_cursor.ts";
import { rulesKey } from "../../../src/ingest/fetch/pagination.ts";
import { ingestBoard, previewBoard, sampleSource, withSources } from "../../support/collecting.ts";
import { boardConfig } from "../../support/samples.ts";
import { START_MS, type World } from "../../support/world.ts";
import {
  API,
  DAY,
  dayConfig,
  listConfig,
  newestFirst,
  page,
  range,
  requestedDays,
  servePages,
  storedIds,
} from "./lists.ts";

/** Lists in pages of five, newest items first. */
const PAGINGS: Record<string, { table: string; serve(world: World, newest: () => number): void }> = {
  page: { table: 'paging = "page"', serve: (world, newest) => servePages(world, newest, 5) },
  cursor: {
    table: 'paging = "cursor"\nparameter = "before"\nnext = "next"',
    serve: (world, newest) =>
      world.platform.http.serve(API, ({ url }) => {
        const from = Number(url.searchParams.get("before") ?? newest() + 1) - 1;
        return page(newestFirst(from, 5), from > 5 ? { next: from - 4 } : {});
      }),
  },
};

const PAGES_OF_THREE = 'paging = "page"\nnewest_first = true\nmax_pages = 3';

for (const [kind, { table, serve }] of Object.entries(PAGINGS)) {
  Deno.test(`${kind}: several fetches read a backlog beyond max_pages, each item once, while more items appear`, () =>
    withSources(listConfig(`${table}\nnewest_first = true\nmax_pages = 3`), async (world) => {
      let newest = 100;
      serve(world, () => newest);
      assert.equal((await ingestBoard(world)).new, 15);
      newest = 170;
      const reasons: string[] = [];
      for (let fetches = 0; fetches < 20 && reasons.at(-1) !== ""; fetches++) {
        const report = await ingestBoard(world);
        assert.equal(report.ok, true);
        reasons.push(report.refused[0]?.reason.slice(0, 35) ?? "");
        const [state] = await world.store.listSources();
        assert.equal(state?.partialFailures.length, report.refused.length);
        newest += 2;
      }
      assert.deepEqual(await storedIds(world), range(86, newest - 2));
      assert.equal(reasons.at(-1), "", "known items were reached");
      assert.deepEqual([...new Set(reasons.slice(0, -1))], ["there are more new items than fit o"]);
      world.platform.http.requests.length = 0;
      await ingestBoard(world);
      assert.equal(world.platform.http.requests.length, 2, "then only new items are read");
    }));
}

Deno.test("a list without known items is read back to items older than the last fetch", () =>
  withSources(listConfig(`${PAGES_OF_THREE}\npublished = "date"`), async (world) => {
    // There are four documents a day. Number 100 is on the world's first day.
    const dated = (id: number) => ({ date: new Date(START_MS + (id - 100) * DAY / 4).toISOString() });
    let ids = range(2_000, 1);
    world.platform.http.serve(API, ({ url }) => {
      const number = Number(url.searchParams.get("page"));
      return page(ids.slice((number - 1) * 5, number * 5), {}, dated);
    });
    await world.platform.clock.advance(500 * DAY);
    assert.equal((await ingestBoard(world)).new, 15);
    // The items of the first fetch and of the year before it are removed. Ten days add forty documents.
    await world.platform.clock.advance(10 * DAY);
    ids = [...range(2_040, 2_001), ...range(500, 1)];
    for (let fetches = 0; fetches < 20; fetches++) await ingestBoard(world);
    const stored = await storedIds(world);
    assert.deepEqual(stored.filter((id) => id > 2_000), range(2_001, 2_040), "nothing is missing");
    assert.ok(stored.filter((id) => id <= 500).length <= 5, "the archive is not read");
    assert.deepEqual((await world.store.listSources())[0]?.partialFailures, []);
  }));

Deno.test("days that the first fetch has no time for are read by the next fetches, which still count as the first", () =>
  withSources(dayConfig("overlap_days = 1\nfirst_days = 20"), async (world) => {
    world.platform.http.serve("https://board.example", async ({ url }) => {
      await world.platform.clock.advance(20_000);
      return page([url.pathname.slice(5)]);
    });
    const reasons: string[] = [];
    for (let fetches = 0; fetches < 5; fetches++) {
      const report = await ingestBoard(world);
      assert.equal(report.ok, true, report.error);
      reasons.push(report.refused[0]?.reason ?? "");
      const [state] = await world.store.listSources();
      assert.equal(state?.firstSuccessAtMs === null, reasons.at(-1) !== "", "the first fetch continues");
    }
    assert.match(reasons[0] ?? "", /^the next fetch reads the days from 2026-07-28 on, because/);
    assert.equal(reasons.at(-1), "");
    assert.deepEqual([...new Set(requestedDays(world))].sort(), [...range(20260712, 20260731), 20260801]);
    assert.equal((await storedIds(world)).length, 21);
  }));

Deno.test("days before a failed one are not requested again", () =>
  withSources(dayConfig("overlap_days = 1\nfirst_days = 3"), async (world) => {
    let broken = "";
    world.platform.http.serve("https://board.example", ({ url }) => {
      const day = url.pathname.slice(5);
      return day === broken ? { status: 500 } : page([day]);
    });
    await ingestBoard(world);
    await world.platform.clock.advance(20 * DAY);
    broken = "20260815";
    requestedDays(world);
    const failed = await ingestBoard(world);
    assert.deepEqual([failed.ok, requestedDays(world)[0]], [false, 20260731]);
    assert.equal((await ingestBoard(world)).ok, false);
    assert.deepEqual(requestedDays(world), [20260815], "continues there");
    broken = "";
    assert.equal((await ingestBoard(world)).ok, true);
    assert.deepEqual(requestedDays(world), range(20260815, 20260821));
    await ingestBoard(world);
    assert.deepEqual(requestedDays(world), [20260820, 20260821], "the overlap");
  }));

Deno.test("sparql: days that one fetch has no time for are read by the next ones", () =>
  withSources(
    boardConfig({
      source: `fetch_strategy = "sparql"\nrelevance = "all"\n[sources.sparql]\n` +
        `query = "select ?id ?title where { {since} {until} }"\nid = "id"\ntitle = "title"\n` +
        `link = "https://board.example/{id}"\nwindow_days = 1\noverlap_days = 1\nfirst_days = 12`,
    }),
    async (world) => {
      const days: string[] = [];
      let broken = "";
      world.platform.http.serve(API, async ({ url }) => {
        const day = /\{ (\S+) /.exec(url.searchParams.get("query") ?? "")?.[1] ?? "";
        days.push(day);
        await world.platform.clock.advance(29_000);
        if (day === broken) return { status: 404 };
        const row = { id: { value: day }, title: { value: `Act of ${day}` } };
        return { body: JSON.stringify({ head: { vars: ["id", "title"] }, results: { bindings: [row] } }) };
      });
      const [refused] = (await ingestBoard(world)).refused;
      assert.match(refused?.reason ?? "", /^the next fetch reads the days from 2026-07-31 on/);
      await world.platform.clock.advance(5 * DAY);
      broken = "2026-08-04";
      assert.equal((await ingestBoard(world)).ok, false);
      broken = "";
      days.length = 0;
      assert.equal((await ingestBoard(world)).ok, true);
      assert.equal(days[0], "2026-08-04");
      assert.equal((await world.store.listEvents({ limit: 50 })).length, 18);
    },
  ));

const rules = { maxPages: 3, newestFirst: true } as ListRules;

Deno.test("restAfter() returns the position of the next fetch and the number of pages before it", () => {
  const cut = { url: "u", top: ["t"] };
  assert.deepEqual(restAfter(null, { ...cut, pages: { head: 3, rest: 0 } }), { ...cut, pages: 3 });
  const before = { url: "v", top: ["s"], pages: 3 };
  assert.deepEqual(restAfter(before, { ...cut, pages: { head: 1, rest: 2 } }), { ...cut, pages: 4 });
  assert.deepEqual(restAfter(before, { ...cut, pages: { head: 3, rest: 0 } }), { ...cut, pages: 6 });
  assert.deepEqual(restAfter(before, { ...cut, pages: null }), { url: "v", top: ["t"], pages: 3 });
  assert.equal(isHopeless({ ...cut, pages: 30 }, rules), false);
  assert.equal(isHopeless({ ...cut, pages: 31 }, rules), true);
  for (const [position, pages] of [[{ ...cut, pages: 31 }, 31], [null, 3]] as const) {
    const reason = `within ${pages} pages, so items may be missing: raise max_pages`;
    assert.ok(noKnownItem(rules, position).includes(reason), reason);
  }
  assert.match(tooManyPages(rules, 2), /^only 2 pages could be read in 5 minutes: request more items/);
  assert.match(tooManyPages(rules, null), /^there are more than 3 pages: raise max_pages, or/);
});

Deno.test("a dry run states where the next fetch continues", () =>
  withSources(listConfig(PAGES_OF_THREE), async (world) => {
    let newest = 100;
    PAGINGS["page"]?.serve(world, () => newest);
    const notes = async () => {
      const { report } = await previewBoard(world);
      return (report.notes ?? []).filter((note) => !note.startsWith("the first fetch reads"));
    };
    await ingestBoard(world);
    assert.deepEqual(await notes(), []);
    newest = 170;
    await ingestBoard(world);
    const inParts = (pages: number) => [
      `the list is read in parts: the next fetch continues after the ${pages} pages already read`,
    ];
    assert.deepEqual(await notes(), inParts(3));
    await ingestBoard(world);
    assert.deepEqual(await notes(), inParts(6));
    for (let fetches = 0; fetches < 5; fetches++) await ingestBoard(world);
    assert.deepEqual(await notes(), []);
  }));

Deno.test("describeCursors() names the day from which the next fetch reads, for each language", () => {
  const NOW = Date.UTC(2026, 7, 10);
  const cursorOf = (source: SourceSettings, cursor: Record<string, unknown>) =>
    JSON.stringify({ settings: rulesKey(source), ...cursor });
  const reading = { kind: "json" } as ListRules["reading"];
  const windows = { days: 1, overlapDays: 2, firstDays: 30 };
  const list = { kind: "list", reading, windows } as ListRules;
  const byDay = sampleSource({ fetchStrategy: "json", rules: list });
  const atMs = Date.UTC(2026, 6, 20, 12);
  const days = ["the next fetch starts at 2026-07-18"];
  const described = (source: SourceSettings, cursor: string | null) =>
    describeCursors(source, { cursor }, NOW);
  assert.deepEqual(described(byDay, cursorOf(byDay, { atMs })), days);
  assert.deepEqual(described(byDay, null), []);
  assert.deepEqual(described(byDay, JSON.stringify({ settings: "other", atMs })), [], "other rules");
  const map = sampleSource({ fetchStrategy: "sitemap", rules: { kind: "sitemap" } as SitemapRules });
  assert.deepEqual(described(map, cursorOf(map, { sinceMs: atMs })), [
    "the next fetch looks for pages that have changed since 2026-07-20",
  ]);
  assert.deepEqual(described(sampleSource(), JSON.stringify({ settings: "", sentMs: 1 })), [], "a feed");
  const urls = { en: byDay.location, de: "https://board.example/de" };
  const both = { ...byDay, urls };
  const german = cursorOf({ ...both, location: urls.de }, { atMs: NOW });
  assert.deepEqual(described(both, JSON.stringify({ en: cursorOf(both, { atMs }), de: german })), [
    `en: ${days[0]}`,
    "de: the next fetch starts at 2026-08-08",
  ]);
});
