// A source that is told to take everything: what it passed over before is stored, and is no news.
import assert from "node:assert/strict";
import { narrowUntilAfter, wasIrrelevantBefore } from "../../../src/ingest/revise/relevance_scope.ts";
import { updateCadence } from "../../../src/ingest/schedule/publication_cadence.ts";
import type { DecidedItem } from "../../../src/ingest/model.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

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

Deno.test("wasIrrelevantBefore() goes by the last document, then by dates, and takes what nothing tells for old", () => {
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
    ["it stood there", true, feed, few, item("seen")],
    ["it stood there, whatever its date", true, feed, few, item("seen, dated now", NOW)],
    ["it is new and has no date", false, feed, few, item("new")],
    ["it is new", false, feed, few, item("new", NOW + 1)],
    ["dated by the day of the last fetch", false, feed, few, item("new", NOW - DAY / 2)],
    ["dated long before", true, feed, few, item("new", NOW - 2 * DAY)],
    ["no date, and not all of the last document is known", true, feed, many, item("x")],
    ["no date, on a page that may not have been read", true, list, few, item("new")],
    [
      "no date, in a language that may not have been read",
      true,
      { ...feed, urls: { en: "" } },
      few,
      item("new"),
    ],
    ["the source is narrow", false, { ...feed, relevance: "ai" }, few, item("seen")],
  ];
  for (const [what, expected, source, news, one] of rows) {
    assert.equal(wasIrrelevantBefore(source, { narrowUntilMs: NOW, cadence: news })(one), expected, what);
    assert.equal(
      wasIrrelevantBefore(source, { narrowUntilMs: null, cadence: news })(one),
      false,
      `${what}: long wide`,
    );
  }
});

Deno.test("narrowUntilAfter() moves with each narrow success, and ends with the first wide one that is whole", () => {
  const at = (relevance: "ai" | "all", narrowUntilMs: number | null, isWhole: boolean) =>
    narrowUntilAfter({ relevance }, { narrowUntilMs }, { isWhole, nowMs: 9 });
  assert.deepEqual([at("ai", null, true), at("ai", 5, false)], [9, 9]);
  assert.deepEqual([at("all", 5, false), at("all", 5, true), at("all", null, true)], [5, null, null]);
});

/** Two worlds on one store, before and after the operator's edit, with a subscriber; `received` are the delivered titles. */
async function withEdit(
  work: (worlds: Record<"narrow" | "wide", World>, received: string[]) => Promise<void>,
): Promise<void> {
  const narrow = await createWorld(boardConfig({ source: 'relevance = "ai"' }));
  const later = { store: narrow.store, seed: 2, startMs: narrow.platform.clock.nowMs() + DAY };
  const wide = await createWorld(boardConfig({ source: 'relevance = "all"' }), later);
  const received: string[] = [];
  for (const { platform } of [narrow, wide]) {
    platform.http.serve("https://hook.example/", (request) => {
      received.push(JSON.parse(request.body ?? "").title);
      return { status: 204 };
    });
  }
  try {
    await work({ narrow, wide }, received);
  } finally {
    await narrow.close();
  }
}

const cheese = (count: number, from = 0): SampleItem[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `cheese-${from + at}`,
    title: `On cheese ${from + at}`,
    summary: "It is made of milk.",
    date: new Date(Date.UTC(2026, 6, 1 + (from + at) % 28)).toUTCString(),
  }));

for (const count of [8, 300]) {
  Deno.test(`relevance = "all" stores ${count} old items that were passed over, tells nobody of them, and goes on with news`, () =>
    withEdit(async ({ narrow, wide }, received) => {
      let items: SampleItem[] = [{ id: "ai" }, ...cheese(count)];
      for (const { platform } of [narrow, wide]) {
        platform.http.serve(
          "https://board.example/feed",
          ({ headers }) =>
            headers["if-none-match"] === `"${items.length}"`
              ? { status: 304 }
              : { headers: { etag: `"${items.length}"` }, body: rss(items) },
        );
      }
      await narrow.app.tick();
      const { key } = await narrow.addCustomer();
      const body = JSON.stringify({ webhook_url: "https://hook.example/" });
      assert.equal((await narrow.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
      await wide.app.tick();
      const report = wide.platform.lines.findLast(({ message }) => message === "source fetched");
      assert.deepEqual([report?.fields["new"], report?.fields["unnotified"]], [count, count]);
      assert.deepEqual(received, []);
      assert.equal((await wide.store.listEvents({ limit: 999 })).length, count + 1, "stored all the same");
      assert.equal((await wide.ask("/v1/health")).json.ingestion.held_back, 0, "no flood to be released");
      items = [
        { id: "fresh", title: "Fresh cheese", summary: "Of today.", date: "Sun, 02 Aug 2026 10:10:00 GMT" },
        ...items,
      ];
      await wide.platform.clock.advance(1_800_000);
      await wide.app.tick();
      assert.deepEqual(received, ["Fresh cheese"]);
    }));
}

Deno.test("what was published between the last narrow fetch and the first wide one is told, with what concerns AI", () =>
  withEdit(async ({ narrow, wide }, received) => {
    let items: SampleItem[] = cheese(5);
    for (const { platform } of [narrow, wide]) {
      platform.http.serve("https://board.example/feed", () => ({ body: rss(items) }));
    }
    await narrow.app.tick();
    const { key } = await narrow.addCustomer();
    const body = JSON.stringify({ webhook_url: "https://hook.example/" });
    assert.equal((await narrow.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
    items = [
      { id: "day", title: "Cheese of the day", summary: "Milk.", date: "Sat, 01 Aug 2026 00:00:00 GMT" },
      { id: "none", title: "Cheese without a date", summary: "Milk.", date: false },
      { id: "late", title: "Guidelines on the AI Act", date: "Mon, 01 Jun 2026 00:00:00 GMT" },
      ...items,
    ];
    await wide.app.tick();
    assert.deepEqual(received.toSorted(), [
      "Cheese of the day",
      "Cheese without a date",
      "Guidelines on the AI Act",
    ]);
  }));
