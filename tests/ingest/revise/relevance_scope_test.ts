// Sources whose relevance changes from "ai" to "all": items that were skipped before are stored without notification.
import assert from "node:assert/strict";
import { narrowUntilAfter, wasIrrelevantBefore } from "../../../src/ingest/revise/relevance_scope.ts";
import { updateCadence } from "../../../src/ingest/schedule/publication_cadence.ts";
import type { DecidedItem } from "../../../src/ingest/model.ts";
import { fetchFeed, storedEvents, subscribe, withSources } from "../../support/collecting.ts";
import { boardConfig, type SampleItem } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const NOW = Date.UTC(2026, 7, 1, 12);
const DAY = 86_400_000;

const item = (id: string, publishedAtMs: number | null = null) => ({
  title: `On cheese ${id}`,
  link: `https://board.example/${id}`,
  publishedAtMs,
  updatedAtMs: null,
});
const newsOf = (items: readonly ReturnType<typeof item>[]) =>
  updateCadence(
    { lastAtMs: null, days: [], seen: "" },
    items.map((one) => ({ item: one, decision: { kind: "irrelevant" } }) as unknown as DecidedItem),
    NOW,
  );

Deno.test("wasIrrelevantBefore() compares an item with the last document, then with dates; otherwise, the item is old", () => {
  const few = newsOf([item("seen"), item("seen, dated now", NOW)]);
  const many = newsOf(Array.from({ length: 400 }, (_, at) => item(`${at}`)));
  const feed = { relevance: "all", fetchStrategy: "feed" } as const;
  const list = { relevance: "all", fetchStrategy: "html" } as const;
  const rows: [
    what: string,
    expected: boolean,
    source: Parameters<typeof wasIrrelevantBefore>[0],
    news: typeof few,
    one: ReturnType<typeof item>,
  ][] = [
    ["in the last document", true, feed, few, item("seen")],
    ["in the last document with a new date", true, feed, few, item("seen, dated now", NOW)],
    ["new without a date", false, feed, few, item("new")],
    ["new", false, feed, few, item("new", NOW + 1)],
    ["dated on the day of the last fetch", false, feed, few, item("new", NOW - DAY / 2)],
    ["dated long before", true, feed, few, item("new", NOW - 2 * DAY)],
    ["no date, and only a part of the last document is known", true, feed, many, item("x")],
    ["no date, on a page that may be unread", true, list, few, item("new")],
    ["no date, in a language that may be unread", true, { ...feed, urls: { en: "" } }, few, item("new")],
    ["the source has relevance = ai", false, { ...feed, relevance: "ai" }, few, item("seen")],
  ];
  for (const [what, expected, source, news, one] of rows) {
    assert.equal(wasIrrelevantBefore(source, { narrowUntilMs: NOW, cadence: news })(one), expected, what);
    assert.equal(
      wasIrrelevantBefore(source, { narrowUntilMs: null, cadence: news })(one),
      false,
      `${what}: never narrow`,
    );
  }
});

Deno.test("narrowUntilAfter() returns the last success with relevance = ai, until the first complete fetch with all", () => {
  const at = (relevance: "ai" | "all", narrowUntilMs: number | null, isWhole: boolean) =>
    narrowUntilAfter({ relevance }, { narrowUntilMs }, { isWhole, nowMs: 9 });
  assert.deepEqual([at("ai", null, true), at("ai", 5, false)], [9, 9]);
  assert.deepEqual([at("all", 5, false), at("all", 5, true), at("all", null, true)], [5, null, null]);
});

const cheese = (count: number): SampleItem[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `cheese-${at}`,
    title: `On cheese ${at}`,
    summary: "It is made of milk.",
    date: new Date(Date.UTC(2026, 6, 1 + at % 28)).toUTCString(),
  }));

/**
 * Runs the work with a source that has fetched these items with relevance = "ai". Relevance is then set to "all", and a
 * day passes.
 */
function afterEdit(
  items: readonly SampleItem[],
  work: (world: World, deliver: (items: readonly SampleItem[]) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  return withSources(boardConfig({ source: 'relevance = "ai"' }), async (world) => {
    await fetchFeed(world, items, { hasEtag: true });
    await world.app.tick();
    const received = await subscribe(world);
    const [source] = world.config.sources;
    assert.ok(source);
    source.relevance = "all";
    await world.platform.clock.advance(DAY);
    await work(world, async (items) => {
      await fetchFeed(world, items, { hasEtag: true });
      await world.app.tick();
      return received.splice(0).map(({ title }) => title);
    });
  });
}

for (const count of [8, 300]) {
  const items = [{ id: "ai" }, ...cheese(count)];
  Deno.test(`relevance = "all" stores ${count} skipped items without notification, and delivers new ones`, () =>
    afterEdit(items, async (world, deliver) => {
      assert.deepEqual(await deliver(items), []);
      const report = world.platform.lines.findLast(({ message }) => message === "source fetched");
      assert.deepEqual([report?.fields["new"], report?.fields["unnotified"]], [count, count]);
      assert.equal((await storedEvents(world)).length, count + 1);
      assert.equal((await world.ask("/v1/health")).json.ingestion.held_back, 0, "not a change spike");
      const date = "Sun, 02 Aug 2026 10:10:00 GMT";
      const fresh = { id: "fresh", title: "Fresh cheese", summary: "Of today.", date };
      assert.deepEqual(await deliver([fresh, ...items]), ["Fresh cheese"]);
    }));
}

Deno.test("items that were published since the last fetch with relevance = ai are delivered", () =>
  afterEdit(cheese(5), async (_, deliver) => {
    const items = [
      { id: "day", title: "Cheese of the day", summary: "Milk.", date: "Sat, 01 Aug 2026 00:00:00 GMT" },
      { id: "none", title: "Cheese without a date", summary: "Milk.", date: false as const },
      { id: "late", title: "Guidelines on the AI Act", date: "Mon, 01 Jun 2026 00:00:00 GMT" },
      ...cheese(5),
    ];
    assert.deepEqual((await deliver(items)).sort(), [
      "Cheese of the day",
      "Cheese without a date",
      "Guidelines on the AI Act",
    ]);
  }));
