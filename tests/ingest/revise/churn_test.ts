// What is no news: new ids for old content, and dates that move with every fetch.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

const DATES = [28, 29, 30, 31].map((day) => `${day} Jul 2026 12:00:00 GMT`);

type Counts = [fresh: number, revised: number, unchanged: number];

/** An item whose address is not made from its id. */
type LinkedItem = SampleItem & { link?: string };

const feed = (items: readonly LinkedItem[]): string =>
  items.reduce(
    (text, { id, link }) => text.replace(`.example/${id}</link>`, `.example/${link ?? id}</link>`),
    rss(items),
  );

/** A world with the items ingested, and how to ingest others. */
async function after(
  items: readonly LinkedItem[],
  work: (ingest: (items: readonly LinkedItem[]) => Promise<Counts>, world: World) => Promise<void>,
): Promise<void> {
  const world = await createWorld(boardConfig());
  let body = feed(items);
  world.platform.http.serve("https://board.example/feed", () => ({ body }));
  try {
    await world.app.tick();
    await work(async (next) => {
      body = feed(next);
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.ok(report?.ok);
      assert.deepEqual(report.refused, []);
      return [report.new, report.revised, report.unchanged];
    }, world);
  } finally {
    await world.close();
  }
}

async function storedEvents(world: World): Promise<RegEvent[]> {
  return (await world.store.listEvents({ limit: 200 })).map(({ json }) => JSON.parse(json));
}

/** Items of one content each, whatever their ids. */
const named = (ids: readonly string[], change: Partial<LinkedItem> = {}): LinkedItem[] =>
  ids.map((id, at) => ({ id, link: `item-${at}`, title: `Guidelines on the AI Act ${at}`, ...change }));
const dated = (ids: readonly string[], date: string | undefined): SampleItem[] =>
  ids.map((id) => ({ id, ...(date === undefined ? {} : { date }) }));

Deno.test("new ids for old content give nothing new, and the publication is known by both ids from then on", () =>
  after(named(["1", "2"]), async (ingest, world) => {
    assert.deepEqual(await ingest(named(["new-1", "new-2"])), [0, 0, 2]);
    assert.deepEqual(await ingest(named(["new-1", "2"], { summary: "About Article 5 of the AI Act." })), [
      0,
      2,
      0,
    ]);
    assert.deepEqual(await ingest(named(["1", "new-2"], { summary: "About Article 5 of the AI Act." })), [
      0,
      0,
      2,
    ]);
    const ids = (await storedEvents(world)).map((event) => `${event.external_id} v${event.version}`).sort();
    assert.deepEqual(ids, ["1 v1", "1 v2", "2 v1", "2 v2"]);
  }));

Deno.test("two items of one content are one publication, and two as soon as they differ, for good", () =>
  after([], async (ingest, world) => {
    const item = (id: string, summary = "On the AI Act."): LinkedItem => ({
      id,
      link: "page",
      title: "AI Act",
      summary,
    });
    assert.deepEqual(await ingest([item("1"), item("2")]), [1, 0, 0]);
    assert.deepEqual(await ingest([item("2"), item("1")]), [0, 0, 1], "in any order");
    const apart = [item("1"), item("2", "On Annex III of the AI Act.")];
    assert.deepEqual(await ingest(apart), [1, 0, 1]);
    assert.deepEqual(await ingest(apart), [0, 0, 2]);
    assert.deepEqual(await ingest([...apart].reverse()), [0, 0, 2]);
    assert.deepEqual((await storedEvents(world)).map((event) => event.version), [1, 1]);
  }));

Deno.test("two items of one content stay one publication when their date moves", () =>
  after([], async (ingest, world) => {
    const item = (id: string, date: string | undefined): LinkedItem => ({
      id,
      link: "page",
      title: "AI Act",
      ...(date === undefined ? {} : { date }),
    });
    const others = dated(["8", "9"], DATES[0]);
    assert.deepEqual(await ingest([item("1", DATES[0]), item("2", DATES[0]), ...others]), [3, 0, 0]);
    const moved = [item("1", DATES[1]), item("2", DATES[1]), ...others];
    assert.deepEqual([await ingest(moved), await ingest(moved), await ingest(moved)], [
      [0, 0, 3],
      [0, 1, 2],
      [0, 0, 3],
    ]);
    assert.equal((await storedEvents(world)).length, 4);
  }));

Deno.test("dates that move with every fetch are no revisions, not even when an item joins or one is edited", () =>
  after(dated(["1", "2", "3"], DATES[0]), async (ingest, world) => {
    assert.deepEqual(await ingest(dated(["1", "2", "3"], DATES[1])), [0, 0, 3]);
    assert.deepEqual(await ingest(dated(["1", "2", "3", "4"], DATES[2])), [1, 0, 3], "an item joins");
    assert.deepEqual(await ingest(dated(["1", "2", "3", "4"], DATES[2])), [0, 0, 4], "the date of the day");
    const edited = dated(["1", "2", "3", "4"], DATES[3])
      .map((item) => item.id === "1" ? { ...item, summary: "On Annex III of the AI Act." } : item);
    assert.deepEqual(await ingest(edited), [0, 1, 3], "one is edited");
    const events = await storedEvents(world);
    assert.deepEqual(events.filter(({ version }) => version > 1).map((event) => event.external_id), ["1"]);
  }));

Deno.test("a date that moves is a revision once it was seen twice, where others stand still or where it is one of two", () =>
  after(dated(["1", "2", "3", "4"], DATES[0]), async (ingest, world) => {
    const three = [...dated(["1", "2", "3"], DATES[1]), ...dated(["4"], DATES[0])];
    assert.deepEqual(await ingest(three), [0, 0, 4]);
    assert.deepEqual(await ingest(three), [0, 3, 1]);
    assert.deepEqual(await ingest(three), [0, 0, 4]);
    assert.deepEqual([await ingest(dated(["1", "2"], DATES[2])), await ingest(dated(["1", "2"], DATES[2]))], [
      [0, 0, 2],
      [0, 2, 0],
    ]);
    const dates = (await storedEvents(world)).filter(({ external_id }) => external_id === "1")
      .map(({ published_at }) => new Date(published_at).getUTCDate());
    assert.deepEqual(dates, [30, 29, 28]);
  }));

Deno.test("a date that moves is asked for again, although the feed says that it has not changed", async () => {
  const world = await createWorld(boardConfig());
  let date = DATES[0] ?? "";
  world.platform.http.serve(
    "https://board.example/feed",
    (request) =>
      request.headers["if-none-match"] === `"${date}"`
        ? { status: 304 }
        : { headers: { etag: `"${date}"` }, body: rss([{ id: "1", date }]) },
  );
  const revised = async () => (await world.app.ingest.ingest(["board"]))[0]?.revised;
  try {
    await world.app.tick();
    date = DATES[1] ?? "";
    assert.deepEqual([await revised(), await revised(), await revised()], [0, 1, 0]);
    assert.equal(world.platform.http.requests.at(-1)?.headers["if-none-match"], `"${DATES[1]}"`);
  } finally {
    await world.close();
  }
});

Deno.test("a date that moves with every fetch is no revision, however small the feed, whatever else it holds", async () => {
  const feeds: [name: string, items: (date: string) => SampleItem[]][] = [
    ["one item", (date) => [{ id: "1", date }]],
    ["two items", (date) => [{ id: "1", date }, { id: "2", date }]],
    ["with an undated one", (date) => [{ id: "1", date }, { id: "2", date }, { id: "3", date: false }]],
    [
      "most of it about other matters",
      (date) => [
        { id: "1", date },
        { id: "2", date: false },
        ...["3", "4", "5"].map((id) => ({ id, date, title: "Fishing quotas", summary: "Of the lakes." })),
      ],
    ],
  ];
  for (const [name, items] of feeds) {
    await after(items("1 Jul 2026 12:00:00 GMT"), async (ingest) => {
      for (let minute = 0; minute < 12; minute++) {
        const [fresh, revised] = await ingest(items(`31 Jul 2026 12:${minute + 10}:00 GMT`));
        assert.deepEqual([fresh, revised], [0, 0], `${name}, fetch ${minute}`);
      }
    });
  }
});

Deno.test("a date that stands for a while and moves on is a revision twice, and then made up", () =>
  after([{ id: "1" }, { id: "2" }], async (ingest) => {
    let revisions = 0;
    for (const day of [10, 11, 12, 13, 14, 15]) {
      for (let fetch = 0; fetch < 3; fetch++) {
        const [, revised] = await ingest([{ id: "1", date: `${day} Jul 2026 00:00:00 GMT` }, { id: "2" }]);
        revisions += revised;
      }
    }
    assert.equal(revisions, 2);
    const edited = [{ id: "1", date: "16 Jul 2026 00:00:00 GMT", summary: "On Annex III of the AI Act." }];
    assert.deepEqual(await ingest(edited), [0, 1, 0], "its words still count");
  }));

Deno.test("new ids and new dates with every fetch give nothing new, and the words of an item still count", () =>
  after(named(["a-0", "b-0"]), async (ingest, world) => {
    const at = (round: number, change: Partial<LinkedItem> = {}) =>
      named([`a-${round}`, `b-${round}`], { date: `31 Jul 2026 12:${10 + round}:00 GMT`, ...change });
    for (let round = 1; round <= 30; round++) {
      const [fresh, revised] = await ingest(at(round));
      assert.deepEqual([fresh, revised], [0, 0], `fetch ${round}`);
    }
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.identityRule, state?.formerRules], ["link", ["guid"]]);
    assert.deepEqual(
      await ingest(at(31, { summary: "On Annex III of the AI Act." })),
      [0, 2, 0],
      "known by the address, although id, date and words are others",
    );
    await world.store.recordPublications(
      "board",
      [{ key: "https://board.example/item-0", contentHash: "-" }],
      (
        _,
        stored,
      ) => {
        assert.ok((stored?.keys.length ?? 99) <= 9, "the names of a publication have an end");
        return { kind: "irrelevant" };
      },
    );
  }));

Deno.test("an edit of the source's time zone revises nothing, in a feed of two items and in a folder", async () => {
  const items: SampleItem[] = ["1", "2"].map((id) => ({ id, date: "Fri, 31 Jul 2026 12:00:00" }));
  const world = await createWorld(boardConfig({ source: 'timezone = "Europe/Berlin"' }));
  world.platform.http.serve("https://board.example/feed", () => ({ body: rss(items) }));
  try {
    await world.app.tick();
    const [source] = world.config.sources;
    assert.ok(source);
    source.timezone = "America/New_York";
    for (let fetch = 0; fetch < 4; fetch++) {
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.deepEqual([report?.new, report?.revised, report?.unchanged], [0, 0, 2]);
    }
  } finally {
    await world.close();
  }
});

Deno.test("one id for every document of one item is found out: what has another address is another publication", () =>
  after([{ id: "feed", link: "a", title: "AI Act: a", date: DATES[0] ?? "" }], async (ingest, world) => {
    const next = (link: string, date: number): LinkedItem[] => [
      { id: "feed", link, title: `AI Act: ${link}`, date: DATES[date] ?? "" },
    ];
    assert.deepEqual(await ingest(next("b", 1)), [1, 0, 0]);
    assert.deepEqual(await ingest(next("b", 1)), [0, 0, 1]);
    assert.deepEqual(await ingest(next("c", 2)), [1, 0, 0]);
    assert.deepEqual(await ingest(next("a", 0)), [0, 0, 1]);
    assert.deepEqual((await storedEvents(world)).map(({ version }) => version), [1, 1, 1]);
    assert.equal((await world.store.listSources())[0]?.identityRule, "link");
  }));

Deno.test("one id for every document stays the rule where the config says so", async () => {
  const world = await createWorld(boardConfig({ source: 'identity = "guid"' }));
  let link = "a";
  world.platform.http.serve("https://board.example/feed", () => ({
    body: feed([{
      id: "feed",
      link,
      title: `AI Act: ${link}`,
      date: (link === "a" ? DATES[0] : DATES[1]) ?? "",
    }]),
  }));
  try {
    await world.app.tick();
    link = "b";
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([report?.new, report?.revised], [0, 1]);
  } finally {
    await world.close();
  }
});

Deno.test("preview() foresees what becomes of dates that move", () =>
  after(dated(["1", "2", "3"], DATES[0]), async (_, world) => {
    const [source] = world.config.sources;
    const [state] = await world.store.listSources();
    assert.ok(source && state);
    for (const [ids, expected] of [[["1", "2", "3"], [0, 3]], [["1", "2"], [0, 2]]] as const) {
      world.platform.http.serve("https://board.example/feed", () => ({ body: rss(dated(ids, DATES[1])) }));
      const { report, decided } = await world.app.ingest.preview(source, state);
      assert.deepEqual([report.revised, report.unchanged], expected);
      assert.deepEqual(decided.map(({ item }) => item.guid), ids, "in the order of the document");
    }
  }));
