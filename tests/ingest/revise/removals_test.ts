// Removals: a publication that is missing from a complete list gets a version with the status withdrawn.
import assert from "node:assert/strict";
import { fetchFeed, ingestBoard, storedEvents, subscribe, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const items = (...ids: number[]): SampleItem[] =>
  ids.map((id) => ({ id: `${id}`, date: new Date(Date.UTC(2026, 6, id)).toUTCString() }));

/**
 * Runs the work in a world that has fetched items 1 to 4. `fetch` returns the number of revisions of the next fetch.
 */
function withFeed(
  work: (fetch: (items: readonly SampleItem[]) => Promise<number>, world: World) => Promise<void>,
  source = "removals = true",
): Promise<void> {
  return withSources(boardConfig({ source }), async (world) => {
    const fetch = async (next: readonly SampleItem[]) => (await fetchFeed(world, next, { hasEtag: true }))[1];
    await fetch(items(1, 2, 3, 4));
    await work(fetch, world);
  });
}

Deno.test("a publication that is missing from two consecutive fetches is withdrawn, and later restored, by a version", () =>
  withFeed(async (fetch, world) => {
    const received = await subscribe(world);
    const less = items(1, 2, 4);
    assert.deepEqual([await fetch(less), await fetch(less), await fetch(less)], [0, 1, 0]);
    await world.app.tick();
    const sent = received.map(({ type, event }) => [type, event.status]);
    assert.deepEqual(sent, [["event.revised", "withdrawn"]]);
    const [{ diff_to_previous }] = received;
    assert.deepEqual(diff_to_previous.changes, [{ field: "status", before: null, after: "withdrawn" }]);
    assert.deepEqual([await fetch(items(1, 2, 3, 4)), await fetch(items(1, 2, 3, 4))], [1, 0]);
    const versions = (await storedEvents(world)).filter(({ external_id }) => external_id === "3");
    assert.deepEqual(
      versions.map(({ version, status, title_en }) => [version, status, title_en]).sort(),
      [1, 2, 3].map((at) => [at, at === 2 ? "withdrawn" : null, "Guidelines on the AI Act 3"]),
    );
  }));

const KEPT: [name: string, fetches: SampleItem[][], source?: string][] = [
  ["it is listed again in between", [items(1, 2, 4), items(1, 2, 3, 4), items(1, 2, 4), items(1, 2, 3, 4)]],
  ["it left the end of the feed", [items(3, 4), items(3, 4), items(3, 4)]],
  ["the list is not complete", [items(1, 2, 4), items(1, 2, 4), items(1, 2, 4)], ""],
];

for (const [name, fetches, source] of KEPT) {
  Deno.test(`a missing publication is not withdrawn if ${name}`, () =>
    withFeed(async (fetch) => {
      for (const next of fetches) assert.equal(await fetch(next), 0);
    }, source));
}

Deno.test("a list that loses more items than it keeps, or has invalid items, causes no withdrawals", () =>
  withFeed(async (fetch, world) => {
    await fetch(items(1, 2, 3, 4, 5, 6, 7, 8, 9));
    for (let round = 0; round < 3; round++) assert.equal(await fetch(items(1, 9)), 0);
    const broken = rss(items(1, 9)).replace("<item>", "<item><guid>x</guid></item><item>");
    for (let round = 0; round < 3; round++) assert.equal((await fetchFeed(world, broken))[1], 0);
  }));

/**
 * Runs the work with a source in two languages. `fetch` returns the number of revisions. An unchanged list gets a
 * 304.
 */
function withLanguages(
  work: (
    fetch: (english: readonly SampleItem[], german: readonly SampleItem[]) => Promise<number>,
  ) => Promise<void>,
): Promise<void> {
  const urls =
    'removals = true\nurls = { en = "https://board.example/en.xml", de = "https://board.example/de.xml" }';
  const config = boardConfig({ source: urls }).replace('url = "https://board.example/feed"\n', "");
  return withSources(config, async (world) => {
    const bodies = new Map<string, string>();
    for (const language of ["en", "de"]) {
      world.platform.http.serve(`https://board.example/${language}.xml`, (request) => {
        const body = bodies.get(language) ?? "";
        const etag = `"${body.length}"`;
        return request.headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body };
      });
    }
    await work(async (english, german) => {
      bodies.set("en", rss(english).replaceAll("example/", "example/en/"));
      bodies.set("de", rss(german).replaceAll("example/", "example/de/"));
      const report = await ingestBoard(world);
      assert.ok(report.ok);
      return report.revised;
    });
  });
}

const [WHOLE, LESS, GERMAN] = [items(1, 2, 3, 4), items(1, 2, 4), items(1, 2)];

for (
  const [name, before, after] of [
    ["first from one language, then from the other", [[WHOLE, WHOLE], [LESS, WHOLE]], [LESS, LESS]],
    ["from its only language while the other never changes", [[WHOLE, GERMAN], [WHOLE, GERMAN]], [
      LESS,
      GERMAN,
    ]],
  ] as const
) {
  Deno.test(`a publication that is removed ${name} is withdrawn once`, () =>
    withLanguages(async (fetch) => {
      for (const [english, german] of before) {
        for (let round = 0; round < 2; round++) await fetch(english, german);
      }
      let revised = 0;
      for (let round = 0; round < 6; round++) revised += await fetch(...after);
      assert.equal(revised, 1);
    }));
}

Deno.test("a publication that drops off the end of its feed in one language is not withdrawn", () =>
  withLanguages(async (fetch) => {
    await fetch(items(3, 5, 7, 8), items(1, 2, 8));
    for (let round = 0; round < 4; round++) assert.equal(await fetch(items(5, 7, 8, 9), items(1, 2, 8)), 0);
  }));
