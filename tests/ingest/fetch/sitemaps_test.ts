// Sitemaps and SPARQL endpoints, in the complete application with a fake clock and a fake internet.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { NetworkError } from "../../../src/domain/ports/ports.ts";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";
import { API as MAP, DAY, requestedPaths } from "./lists.ts";

const HOUR = 3_600_000;

const titles = async (world: World): Promise<string[]> =>
  (await world.store.listEvents({ limit: 200 })).map(({ json }) => String(JSON.parse(json).title_en)).sort();
const requestedPages = (world: World) => requestedPaths(world).filter((path) => path.startsWith("/p"));

const sitemapConfig = (table = "") =>
  boardConfig({ source: `fetch_strategy = "sitemap"\nrelevance = "all"\n[sources.sitemap]\n${table}` });

const map = (pages: Record<string, string | null>): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
    Object.entries(pages).map(([path, lastmod]) =>
      `<url><loc>https://board.example${path}</loc>${
        lastmod === null ? "" : `<lastmod>${lastmod}</lastmod>`
      }</url>`
    ).join("")
  }</urlset>`;

const PAGE = (title: string) =>
  `<!doctype html><html lang="en"><head><title>${title} | Board</title><meta property="og:title" content="${title}">
<meta name="description" content="About ${title}."><meta property="article:published_time" content="2026-07-30T09:00:00Z">`;

/** Serves a sitemap and its pages. A page has its path as the title, unless `responseTo` returns another response. */
function serveSite(
  world: World,
  pages: Record<string, string | null> | string,
  responseTo: (path: string) => Answer | null = () => null,
): void {
  const body = typeof pages === "string" ? pages : map(pages);
  world.platform.http.serve(
    "https://board.example",
    ({ url: { pathname } }) =>
      pathname === "/feed" ? { body } : responseTo(pathname) ?? { body: PAGE(pathname.slice(1)) },
  );
}

Deno.test("new and changed pages of a sitemap are read, and no others", () =>
  withSources(sitemapConfig('include = ["/p"]\nexclude = ["/p-old"]'), async (world) => {
    const pages: Record<string, string | null> = {
      "/p1": "2026-07-31T10:00:00Z",
      "/p2": "2026-07-30T10:00:00Z",
      "/p-archive": "2019-01-01",
      "/p-old": "2026-07-31",
      "/about": "2026-07-31",
    };
    serveSite(world, pages);
    const first = await ingestBoard(world);
    assert.deepEqual([first.ok, first.new, first.refused], [true, 2, []]);
    assert.deepEqual(requestedPages(world), ["/p1", "/p2"]);
    assert.deepEqual(await titles(world), ["p1", "p2"]);
    assert.equal((await ingestBoard(world)).unchanged, 0);
    assert.deepEqual(requestedPages(world), [], "nothing has changed");
    pages["/p2"] = "2026-08-01T09:00:00Z";
    pages["/p3"] = "2026-07-25T09:00:00Z"; // a new page with an older date
    serveSite(world, pages);
    const next = await ingestBoard(world);
    assert.deepEqual([next.new, next.unchanged], [1, 1], "p2 has the same content with a new date");
    assert.deepEqual(requestedPages(world), ["/p3", "/p2"]);
  }));

Deno.test("the next fetch reads pages beyond max_pages and pages that failed", () =>
  withSources(sitemapConfig("max_pages = 2"), async (world) => {
    serveSite(world, { "/p0": "2026-07-31T10:00:00Z" });
    assert.equal((await ingestBoard(world)).new, 1);
    const pages = Object.fromEntries([1, 2, 3, 4].map((n) => [`/p${n}`, `2026-08-01T0${n}:00:00Z`]));
    serveSite(world, pages);
    world.platform.http.serve("https://board.example/p1", () => ({ status: 503 }));
    requestedPages(world);
    const first = await ingestBoard(world);
    assert.deepEqual([first.ok, first.new], [true, 1]);
    assert.deepEqual(first.refused, [{ item: "https://board.example/p1", reason: "responded with 503" }]);
    assert.deepEqual(requestedPages(world), ["/p1", "/p2"]);
    world.platform.http.serve("https://board.example/p1", () => ({ body: PAGE("p1") }));
    const news: number[] = [];
    for (let fetch = 0; fetch < 3; fetch++) news.push((await ingestBoard(world)).new);
    assert.deepEqual(news, [2, 1, 0]);
    assert.deepEqual(await titles(world), ["p0", "p1", "p2", "p3", "p4"]);
  }));

Deno.test("a removed page is reported once, and a page dated only by day is read again after that day", () =>
  withSources(sitemapConfig(), async (world) => {
    serveSite(
      world,
      { "/p1": "2026-08-01", "/p2": "2026-07-20T00:00:00Z" },
      (path) => path === "/p2" ? { status: 404 } : null,
    );
    const first = await ingestBoard(world);
    assert.deepEqual([first.new, first.refused.map(({ reason }) => reason)], [1, [
      "responded with 404: not found; look for the document's new URL on the publisher's site",
    ]]);
    const again = await ingestBoard(world);
    assert.deepEqual([again.new, again.refused], [0, []]);
    requestedPages(world);
    await world.platform.clock.advance(2 * DAY);
    await ingestBoard(world);
    assert.deepEqual(requestedPages(world), ["/p1"]);
    await world.platform.clock.advance(DAY);
    await ingestBoard(world);
    assert.deepEqual(requestedPages(world), []);
  }));

Deno.test("the changed sitemaps of an index are read, compressed or not, and one that fails does not affect others", () =>
  withSources(sitemapConfig('maps = ["news"]\nmax_maps = 3'), async (world) => {
    const entry = (name: string, date = "2026-07-31") =>
      `<sitemap><loc>https://board.example/${name}</loc><lastmod>${date}</lastmod></sitemap>`;
    const entries = [
      entry("news-1.xml.gz"),
      entry("news-2.xml"),
      entry("news-0.xml", "2020-01-01"),
      entry("shop.xml"),
    ];
    serveSite(world, {});
    world.platform.http.serve(MAP, () => ({ body: `<sitemapindex>${entries.join("")}</sitemapindex>` }));
    const packed = new Uint8Array(gzipSync(map({ "/p1": "2026-07-31T01:00:00Z" })));
    world.platform.http.serve("https://board.example/news-1.xml.gz", () => ({ body: packed }));
    world.platform.http.serve("https://board.example/news-2.xml", () => ({ status: 500 }));
    const first = await ingestBoard(world);
    assert.deepEqual([first.ok, first.new], [true, 1]);
    const second = "https://board.example/news-2.xml";
    assert.deepEqual(first.refused, [{ item: second, reason: "responded with 500" }]);
    assert.deepEqual(
      requestedPaths(world),
      ["/feed", "/news-1.xml.gz", "/news-2.xml", "/p1"],
      "without shop and archive",
    );
    world.platform.http.serve(second, () => ({ body: map({ "/p2": "2026-07-15T00:00:00Z" }) }));
    assert.equal((await ingestBoard(world)).new, 1, "older changes are still read");
  }));

Deno.test("no more sitemaps are read after 50,000 changed pages", () =>
  withSources(sitemapConfig("max_pages = 1"), async (world) => {
    const { http } = world.platform;
    const pages = Array.from({ length: 50_000 }, (_, at) => [`/p${at}`, "2026-07-31T01:00:00Z"]);
    const index = "<sitemap><loc>/map-1</loc></sitemap><sitemap><loc>/map-2</loc></sitemap>";
    http.serve(MAP, () => ({ body: `<sitemapindex>${index}</sitemapindex>` }));
    http.serve("https://board.example/map-1", () => ({ body: map(Object.fromEntries(pages)) }));
    assert.match(
      JSON.stringify((await ingestBoard(world)).refused),
      /map-2".*have 50000 changed pages or more"}/,
    );
  }));

Deno.test("a sitemap that is too large or lacks lastmod is a failure with a reason", () =>
  withSources(`ingest.max_document_bytes = 20000\n${sitemapConfig()}`, async (world) => {
    const bomb = gzipSync(new Uint8Array(5_000_000));
    assert.ok(bomb.length < 20_000);
    world.platform.http.serve(MAP, () => ({ body: new Uint8Array(bomb) }));
    const error = async () => (await ingestBoard(world)).error ?? "";
    assert.match(await error(), /^the file has more than 20000 bytes when inflated$/);
    world.platform.http.serve(MAP, () => ({ body: map({ "/p1": null, "/p2": null }) }));
    assert.match(await error(), /^the sitemap has no lastmod for any page/);
    world.platform.http.serve(MAP, () => ({ body: "<rss><channel/></rss>" }));
    assert.match(await error(), /^this is a feed, not a sitemap; fetch_strategy = "feed" reads it$/);
  }));

Deno.test("pages without lastmod are reported once, and the later of two dates of a page counts", () =>
  withSources(sitemapConfig(), async (world) => {
    const twice = map({ "/p1": "2026-07-31T10:00:00Z", "/p2": "2026-07-30", "/p3": null, "/p4": "soon" })
      .replace("</urlset>", map({ "/p1": "2026-05-01" }).replace(/^.*?<url>/, "<url>"));
    serveSite(world, twice);
    const first = await ingestBoard(world);
    assert.deepEqual([first.new, first.refused], [2, []]);
    assert.deepEqual(first.notes, [
      "changes to 2 pages of the sitemap cannot be detected without a lastmod",
    ]);
    assert.equal((await ingestBoard(world)).notes, undefined, "reported once");
  }));

const SPARQL = boardConfig({
  source: `fetch_strategy = "sparql"
relevance = "all"
[sources.sparql]
query = 'select * { ?s <urn:d> ?date ; <urn:t> ?title filter(?date >= "{since}" && ?date < "{until}") }'
id = "s"
link = "https://board.example/works/{s}"
title = "title"
published = "date"
language = "title@lang"
window_days = 8
overlap_days = 2
first_days = 16
max_rows = 10`,
});

/** Returns the window of a query as "since/until", its length in days, and its two days. */
function windowOf(url: URL): [window: string, days: number, since: string, until: string] {
  const found = url.searchParams.get("query")?.matchAll(/"(\d{4}-\d\d-\d\d)"/g) ?? [];
  const [since = "", until = ""] = [...found].map(([, day]) => day);
  return [`${since}/${until}`, (Date.parse(until) - Date.parse(since)) / DAY, since, until];
}

function results(rows: readonly (readonly [id: string, date: string])[]): Answer {
  const bindings = rows.map(([id, date]) => ({
    s: { type: "literal", value: id },
    date: { type: "literal", value: date },
    title: { type: "literal", "xml:lang": "de", value: `Werk ${id}` },
  }));
  return { body: JSON.stringify({ head: { vars: ["s", "date", "title"] }, results: { bindings } }) };
}

Deno.test("an endpoint is queried in windows of days, which are halved after a failure and overlap later", () =>
  withSources(SPARQL, async (world) => {
    const windows: string[] = [];
    world.platform.http.serve(MAP, ({ url }) => {
      const [window, days, since] = windowOf(url);
      windows.push(window);
      return days > 4 ? { status: 500, body: "Virtuoso S1T00: timeout" } : results([[`w-${since}`, since]]);
    });
    const first = await ingestBoard(world);
    assert.deepEqual([first.ok, first.new], [true, 5]);
    assert.deepEqual(windows.map((window) => window.replaceAll("2026-", "")), [
      ...["07-16/07-24", "07-16/07-20", "07-20/07-24"],
      ...["07-24/08-01", "07-24/07-28", "07-28/08-01"],
      "08-01/08-02",
    ]);
    const [event] = (await world.store.listEvents({ limit: 1 })).map(({ json }) => JSON.parse(json));
    const shown = [event.language, event.url_official];
    assert.deepEqual(shown, ["de", "https://board.example/works/w-2026-08-01"]);
    windows.length = 0;
    await world.platform.clock.advance(DAY);
    assert.equal((await ingestBoard(world)).ok, true);
    assert.deepEqual(windows, ["2026-07-30/2026-08-03"]);
  }));

Deno.test("a window with too many rows is halved, and a single day with too many is reported", () =>
  withSources(SPARQL, async (world) => {
    world.platform.http.serve(MAP, ({ url }) => {
      const [, , since, until] = windowOf(url);
      const length = since <= "2026-07-31" && until >= "2026-08-01" ? 10 : 1;
      return results(Array.from({ length }, (_, n) => [`${since}-${n}`, since]));
    });
    const { ok, refused } = await ingestBoard(world);
    assert.equal(ok, true);
    assert.deepEqual(refused, [{
      item: "document",
      reason: "2026-07-31 alone has 10 rows or more: narrow the query",
    }]);
  }));

Deno.test("a failed query makes the fetch fail, and its window is queried again", () =>
  withSources(SPARQL, async (world) => {
    let isDown = true;
    const windows: string[] = [];
    world.platform.http.serve(MAP, ({ url }) => {
      const [window, , since] = windowOf(url);
      windows.push(window);
      if (isDown && since === "2026-07-24") throw new NetworkError("connection refused");
      return results([[`w-${window}`, "2026-07-20"]]);
    });
    const failed = await ingestBoard(world);
    assert.deepEqual([failed.ok, failed.new], [false, 1]);
    assert.equal(failed.error, "2026-07-24 to 2026-08-01: connection refused (board.example)");
    isDown = false;
    windows.length = 0;
    const recovered = await ingestBoard(world);
    assert.deepEqual([recovered.ok, recovered.new], [true, 2]);
    assert.deepEqual(windows, ["2026-07-24/2026-08-01", "2026-08-01/2026-08-02"]);
  }));

const FIVE: Record<string, string> = Object.fromEntries(
  [1, 2, 3, 4, 5].map((at) => [`/p${at}`, `2026-07-3${at > 2 ? 1 : 0}T1${at}:00:00Z`]),
);
const FIVE_TITLES = ["p1", "p2", "p3", "p4", "p5"];

Deno.test("a site that throttles a fetch is paused for the stated time, and the next fetch continues", () =>
  withSources(sitemapConfig(), async (world) => {
    let requests = 0;
    serveSite(
      world,
      FIVE,
      () => ++requests === 3 ? { status: 429, headers: { "retry-after": "7200" } } : null,
    );
    const first = await ingestBoard(world);
    assert.deepEqual([first.ok, first.new, requests], [false, 2, 3], "no further request");
    assert.match(first.refused.at(-1)?.reason ?? "", /^not fetched, because its host /);
    const [state] = await world.store.listSources();
    const nowMs = world.platform.clock.nowMs();
    assert.equal(state?.outcome, "blocked");
    assert.equal(state?.hostPausedUntilMs, nowMs + 2 * HOUR);
    assert.ok((state?.nextDueAtMs ?? 0) >= nowMs + 2 * HOUR);
    requestedPages(world);
    await world.platform.clock.advance(3 * HOUR);
    const second = await ingestBoard(world);
    assert.deepEqual([second.ok, second.new, second.refused], [true, 3, []]);
    assert.equal(requestedPages(world).length, 3, "pages that were read are not requested again");
    assert.deepEqual(await titles(world), FIVE_TITLES);
  }));

Deno.test("a site that refuses every page for weeks gets three requests at a time, and no page is lost", () =>
  withSources(sitemapConfig(), async (world) => {
    let isRefusing = true;
    serveSite(world, FIVE, () => isRefusing ? { status: 403 } : null);
    for (let times = 0; times < 14; times++) {
      const report = await ingestBoard(world);
      assert.deepEqual([report.ok, requestedPages(world).length], [false, 3]);
      await world.platform.clock.advance(DAY);
    }
    isRefusing = false;
    for (let times = 0; times < 3; times++) {
      await ingestBoard(world);
      await world.platform.clock.advance(DAY);
    }
    assert.deepEqual(await titles(world), FIVE_TITLES);
  }));

Deno.test("forbidden pages do not delay others", () =>
  withSources(sitemapConfig("max_pages = 3"), async (world) => {
    // These include the newest pages, with which the first fetch begins, and the oldest, with which later fetches
    // begin.
    const forbidden = ["/p3", "/p4", "/p5"];
    let pages = FIVE;
    for (let times = 0; times < 4; times++) {
      serveSite(world, pages, (path) => forbidden.includes(path) ? { status: 403 } : null);
      await ingestBoard(world);
      await world.platform.clock.advance(DAY);
      pages = { ...FIVE, "/p1": "2026-08-01T11:00:00Z", "/p2": "2026-08-01T12:00:00Z" };
    }
    assert.deepEqual(await titles(world), ["p1", "p2"]);
  }));

Deno.test("a page dated in the future is read once and does not exclude others", () =>
  withSources(sitemapConfig(), async (world) => {
    const pages: Record<string, string | null> = {
      "/p1": "2026-07-31T10:00:00Z",
      "/p-2099": "2099-01-01T00:00:00Z",
    };
    serveSite(world, pages);
    assert.equal((await ingestBoard(world)).new, 2);
    for (const [page, lastmod] of [["/p2", "2026-08-01T09:00:00Z"], ["/p3", "2026-07-25"]] as const) {
      pages[page] = lastmod;
      serveSite(world, pages);
      requestedPages(world);
      assert.equal((await ingestBoard(world)).new, 1);
      assert.deepEqual(requestedPages(world), [page]);
    }
  }));

Deno.test("a sitemap that was read while the clock was ahead is read after the clock is corrected", () =>
  withSources(sitemapConfig(), async (world) => {
    const { clock } = world.platform;
    const nowMs = clock.nowMs();
    clock.set(nowMs + 400 * DAY);
    serveSite(world, { "/p1": "2026-07-31T10:00:00Z" });
    await ingestBoard(world);
    clock.set(nowMs);
    serveSite(world, { "/p1": "2026-07-31T10:00:00Z", "/p2": "2026-08-01T09:00:00Z" });
    await ingestBoard(world);
    assert.ok((await titles(world)).includes("p2"));
  }));
