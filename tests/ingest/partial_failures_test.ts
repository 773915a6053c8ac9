// Partial failures: what a source lacks although its fetch succeeded.
import assert from "node:assert/strict";
import { checkSources } from "../../src/server/checks/store.ts";
import { listSources } from "../../src/domain/source/listed_source.ts";
import { decidePartialFailures } from "../../src/ingest/partial_failures.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { START_MS, withWorld, type World } from "../support/world.ts";

const HOUR = 3_600_000;
const DE = "https://board.example/de/feed";

Deno.test("decidePartialFailures() keeps the time of each part, and lists each part once, within limits", () => {
  const before = [{ part: "de", reason: "responded with 500", sinceMs: 5 }, {
    part: "fr",
    reason: "x",
    sinceMs: 5,
  }];
  assert.deepEqual(
    decidePartialFailures(before, [
      { part: "de", reason: "responded with 404" },
      { part: "de", reason: "again" },
      { part: "it", reason: "x".repeat(400) },
    ], 9),
    [
      { part: "de", reason: "responded with 404", sinceMs: 5 },
      { part: "it", reason: `${"x".repeat(299)}…`, sinceMs: 9 },
    ],
  );
  assert.deepEqual(decidePartialFailures(before, [], 9), []);
  const rewound = decidePartialFailures(before, [{ part: "de", reason: "" }], 3)[0];
  assert.equal(rewound?.sinceMs, 3, "the clock was set back");
  const many = Array.from({ length: 50 }, (_, at) => ({ part: `file ${at}`, reason: "no feed" }));
  const gaps = decidePartialFailures([], many, 9);
  assert.equal(gaps.length, 21);
  assert.deepEqual(gaps[20], { part: "others", reason: "30 more parts", sinceMs: 9 });
});

/** Returns the state of the source an hour later, from every interface that reports it. */
async function anHourLater(world: World) {
  await world.platform.clock.advance(HOUR);
  await world.app.tick();
  const nowMs = world.platform.clock.nowMs();
  const states = await world.store.listSources();
  const [listed] = listSources(world.config, states, nowMs);
  const { json: health } = await world.ask("/v1/health");
  const { json: sources } = await world.ask("/v1/sources");
  return {
    state: sources.sources[0].state,
    sinceMs: sources.sources[0].state_since - START_MS,
    gaps: listed?.gaps,
    health: [health.status, health.ingestion.partial],
    doctor: checkSources(world.config, states).map(({ level, seen }) => `${level}: ${seen}`),
  };
}

Deno.test("every interface reports a URL that keeps failing, and since when, until the URL works again", () =>
  withWorld(
    boardConfig({ source: `urls = { en = "https://board.example/en/feed", de = "${DE}" }` })
      .replace('url = "https://board.example/feed"\n', ""),
    async (world) => {
      const { http } = world.platform;
      const feed = (language: string) => ({
        headers: { etag: '"1"' },
        body: rss([{ id: "1" }]).replaceAll("board.example/", `board.example/${language}/`),
      });
      http.serve(
        "https://board.example/en/feed",
        ({ headers }) => headers["if-none-match"] === '"1"' ? { status: 304 } : feed("en"),
      );
      http.serve(DE, () => ({ status: 500 }));
      const first = await anHourLater(world);
      const gap = { part: `de: ${DE}`, reason: "responded with 500", since: START_MS + HOUR };
      assert.deepEqual(first, {
        state: "partial",
        sinceMs: HOUR,
        gaps: [gap],
        health: ["degraded", 1],
        doctor: ["warning: 1 fetched only in part: board"],
      });
      http.serve(DE, () => ({ body: "<html><title>Sign in</title>" }));
      const later = await anHourLater(world);
      const reason = 'this is an HTML page, not a feed; fetch_strategy = "html" reads it (title: "Sign in")';
      assert.deepEqual([later.state, later.sinceMs, later.gaps], ["partial", HOUR, [{ ...gap, reason }]]);
      const warned = world.platform.lines.filter(({ message }) => message.startsWith("a part of a source"));
      assert.deepEqual(warned.map(({ fields }) => fields["part"]), [`de: ${DE}`], "once");
      http.serve(DE, () => feed("de"));
      const recovered = await anHourLater(world);
      assert.deepEqual(recovered, {
        state: "ok",
        sinceMs: 3 * HOUR,
        gaps: [],
        health: ["ok", 0],
        doctor: ["good: fetched completely last time: 1"],
      });
    },
  ));

Deno.test("a page that is nested too deeply makes its source partial, and its items are stored", () =>
  withWorld(
    boardConfig({
      source:
        'fetch_strategy = "html"\nrelevance = "all"\n[sources.html]\nitem = "article"\ntitle = "a"\nlink = "a@href"',
    }),
    async (world) => {
      const items = Array.from({ length: 600 }, (_, at) => `<article><a href="/${at}">Item ${at}</a><div>`);
      world.platform.http.serve("https://board.example/feed", () => ({
        headers: { "content-type": "text/html" },
        body: `<main>${items.join("")}`,
      }));
      const found = await anHourLater(world);
      assert.equal(found.state, "partial");
      assert.match(
        found.gaps?.[0]?.reason ?? "",
        /elements nested more than 512 levels deep.*items may be missing/,
      );
      const stored = (await world.store.listEvents({ limit: 600 })).length;
      assert.ok(stored > 200 && stored < 600, `${stored}`);
    },
  ));

Deno.test("a truncated feed is a partial failure, but a refused item is not", () =>
  withWorld(boardConfig(), async (world) => {
    const whole = rss([{ id: "1" }, { id: "2" }, { id: "3" }]);
    world.platform.http.serve(
      "https://board.example/feed",
      () => ({ body: whole.slice(0, whole.length - 120) }),
    );
    const cut = await anHourLater(world);
    assert.deepEqual([cut.state, cut.gaps?.[0]?.part], ["partial", "https://board.example/feed"]);
    assert.match(cut.gaps?.[0]?.reason ?? "", /^the document is truncated after item 2/);
    const nameless = whole.replace("</channel>", "<item><category>none</category></item></channel>");
    world.platform.http.serve("https://board.example/feed", () => ({ body: nameless }));
    const refused = await anHourLater(world);
    assert.deepEqual([refused.state, refused.gaps], ["ok", []]);
  }));

Deno.test("a partial failure keeps its time through a complete failure", () =>
  withWorld(boardConfig(), async (world) => {
    const whole = rss([{ id: "1" }, { id: "2" }]);
    const serve = (answer: { status?: number; body?: string }) =>
      world.platform.http.serve("https://board.example/feed", () => answer);
    serve({ body: whole.slice(0, -120) });
    await anHourLater(world);
    serve({ status: 500 });
    assert.equal((await anHourLater(world)).state, "failing");
    serve({ body: whole.slice(0, -120) });
    const again = await anHourLater(world);
    assert.deepEqual([again.state, again.sinceMs], ["partial", HOUR]);
  }));

Deno.test("a key in the query of a URL appears in no list and no log", () =>
  withWorld(
    boardConfig({
      source:
        'urls = { en = "https://board.example/en?key=s3cret", de = "https://board.example/de?key=s3cret" }',
    }).replace('url = "https://board.example/feed"\n', ""),
    async (world) => {
      world.platform.http.serve(
        "https://board.example/en",
        () => ({ body: rss([{ id: "1" }]).slice(0, -30) }),
      );
      world.platform.http.serve("https://board.example/de", () => ({ status: 500 }));
      const { state, gaps } = await anHourLater(world);
      assert.deepEqual([state, gaps?.map(({ part }) => part)], [
        "partial",
        ["en: https://board.example/en", "de: https://board.example/de"],
      ]);
      assert.doesNotMatch(JSON.stringify([world.platform.lines, await world.store.listSources()]), /s3cret/);
    },
  ));
