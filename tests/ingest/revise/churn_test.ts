// Changes that are not revisions: new ids for old content, and generated dates.
import assert from "node:assert/strict";
import { fetchFeed, storedEvents, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const DATES = [28, 29, 30, 31].map((day) => `${day} Jul 2026 12:00:00 GMT`);
const ANNEX = { summary: "On Annex III of the AI Act." };

/** An item whose URL may differ from its id. */
type LinkedItem = SampleItem & { link?: string };

const feed = (items: readonly LinkedItem[]): string =>
  items.reduce(
    (text, { id, link }) => text.replace(`.example/${id}</link>`, `.example/${link ?? id}</link>`),
    rss(items),
  );

/** Calls `work` in a world that has fetched `items`. `work` gets a function that fetches other items. */
function after(
  items: readonly LinkedItem[],
  work: (ingest: (items: readonly LinkedItem[]) => Promise<number[]>, world: World) => Promise<void>,
  { source = "", hasEtag = false } = {},
): Promise<void> {
  return withSources(boardConfig({ source }), async (world) => {
    const ingest = (next: readonly LinkedItem[]) => fetchFeed(world, feed(next), { hasEtag });
    if (items.length > 0) await ingest(items);
    await work(ingest, world);
  });
}

const named = (ids: readonly string[], change: Partial<LinkedItem> = {}): LinkedItem[] =>
  ids.map((id, at) => ({ id, link: `item-${at}`, title: `Guidelines on the AI Act ${at}`, ...change }));
const dated = (ids: readonly string[], date: string | undefined): SampleItem[] =>
  ids.map((id) => ({ id, ...(date === undefined ? {} : { date }) }));

Deno.test("a publication with a new id is not new, and is recognised by both ids from then on", () =>
  after(named(["1", "2"]), async (ingest, world) => {
    const edited = { summary: "About Article 5 of the AI Act." };
    assert.deepEqual(await ingest(named(["new-1", "new-2"])), [0, 0, 2]);
    assert.deepEqual(await ingest(named(["new-1", "2"], edited)), [0, 2, 0]);
    assert.deepEqual(await ingest(named(["1", "new-2"], edited)), [0, 0, 2]);
    const ids = (await storedEvents(world)).map((event) => `${event.external_id} v${event.version}`).sort();
    assert.deepEqual(ids, ["1 v1", "1 v2", "2 v1", "2 v2"]);
  }));

Deno.test("two items with the same content are one publication until they differ", () =>
  after([], async (ingest, world) => {
    const item = (id: string, change: Partial<SampleItem> = {}): LinkedItem => ({
      ...{ id, link: "page", title: "AI Act", summary: "On the AI Act." },
      ...change,
    });
    assert.deepEqual(await ingest([item("1"), item("2")]), [1, 0, 0]);
    assert.deepEqual(await ingest([item("2"), item("1")]), [0, 0, 1], "in any order");
    const moved = ["1", "2"].map((id) => item(id, { date: DATES[1] ?? "" }));
    const others = dated(["8", "9"], DATES[0]);
    assert.deepEqual(await ingest([...moved, ...others]), [2, 0, 1]);
    assert.deepEqual(await ingest([...moved, ...others]), [0, 1, 2], "the changed date");
    const apart = [item("1"), item("2", ANNEX)];
    assert.deepEqual(await ingest(apart), [1, 0, 1]);
    assert.deepEqual(await ingest(apart), [0, 1, 1]);
    assert.deepEqual(await ingest(apart.toReversed()), [0, 0, 2]);
    assert.equal(new Set((await storedEvents(world)).map((event) => event.external_id)).size, 4);
  }));

Deno.test("a changed date is a revision when it is seen twice, even if the feed has not changed in between", () =>
  after(dated(["1", "2", "3", "4"], DATES[0]), async (ingest, world) => {
    const three = [...dated(["1", "2", "3"], DATES[1]), ...dated(["4"], DATES[0])];
    const fetches = [await ingest(three), await ingest(three), await ingest(three)];
    assert.deepEqual(fetches, [[0, 0, 4], [0, 3, 1], [0, 0, 0]]);
    const two = dated(["1", "2"], DATES[2]);
    assert.deepEqual([await ingest(two), await ingest(two)], [[0, 0, 2], [0, 2, 0]]);
    const dates = (await storedEvents(world)).filter(({ external_id }) => external_id === "1")
      .map(({ published_at }) => new Date(published_at).getUTCDate());
    assert.deepEqual(dates, [30, 29, 28]);
  }, { hasEtag: true }));

const CHURNING: Record<string, (date: string) => SampleItem[]> = {
  "one item": (date) => [{ id: "1", date }],
  "two items": (date) => [{ id: "1", date }, { id: "2", date }],
  "three items": (date) => dated(["1", "2", "3"], date),
  "with an undated item": (date) => [{ id: "1", date }, { id: "2", date }, { id: "3", date: false }],
  "with irrelevant items": (date) => [
    { id: "1", date },
    { id: "2", date: false },
    ...["3", "4", "5"].map((id) => ({ id, date, title: "Fishing quotas", summary: "Of the lakes." })),
  ],
};

for (const [name, items] of Object.entries(CHURNING)) {
  Deno.test(`dates that change with every fetch are not revisions: ${name}`, () =>
    after(items("1 Jul 2026 12:00:00 GMT"), async (ingest) => {
      for (let minute = 10; minute < 22; minute++) {
        const [fresh, revised] = await ingest(items(`31 Jul 2026 12:${minute}:00 GMT`));
        assert.deepEqual([fresh, revised], [0, 0], `fetch ${minute}`);
      }
      const [first, ...others] = items("31 Jul 2026 12:30:00 GMT");
      const [, revised] = await ingest([{ ...first, id: "1", ...ANNEX }, ...others]);
      assert.equal(revised, 1, "an edit is a revision");
    }));
}

Deno.test("a date that repeatedly changes and stays makes only two revisions", () =>
  after([{ id: "1" }, { id: "2" }], async (ingest) => {
    let revisions = 0;
    for (const day of [10, 11, 12, 13, 14, 15]) {
      const items = [{ id: "1", date: `${day} Jul 2026 00:00:00 GMT` }, { id: "2" }];
      for (let fetch = 0; fetch < 3; fetch++) revisions += (await ingest(items))[1] ?? 0;
    }
    assert.equal(revisions, 2);
  }));

Deno.test("new ids and dates with every fetch are not new publications, and edits are revisions", () =>
  after(named(["a-0", "b-0"]), async (ingest, world) => {
    const at = (round: number, change: Partial<LinkedItem> = {}) =>
      named([`a-${round}`, `b-${round}`], { date: `31 Jul 2026 12:${10 + round}:00 GMT`, ...change });
    for (let round = 1; round <= 30; round++) {
      const [fresh, revised] = await ingest(at(round));
      assert.deepEqual([fresh, revised], [0, 0], `fetch ${round}`);
    }
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.identityRule, state?.formerRules], ["link", ["guid"]]);
    assert.deepEqual(await ingest(at(31, ANNEX)), [0, 2, 0], "known by the URL");
    const publication = { key: "https://board.example/item-0", contentHash: "-" };
    await world.store.recordPublications("board", [publication], (_, stored) => {
      assert.ok((stored?.keys.length ?? 99) <= 9, "the number of aliases is limited");
      return { kind: "irrelevant" };
    });
  }));

Deno.test("a change of the source's time zone revises nothing", () =>
  after(dated(["1", "2"], "Fri, 31 Jul 2026 12:00:00"), async (ingest, world) => {
    const [source] = world.config.sources;
    assert.ok(source);
    source.timezone = "America/New_York";
    for (let fetch = 0; fetch < 4; fetch++) {
      const padded = dated(["1", "2"], "Fri, 31 Jul 2026 12:00:00" + " ".repeat(fetch + 1));
      assert.deepEqual(await ingest(padded), [0, 0, 2]);
    }
  }, { source: 'timezone = "Europe/Berlin"' }));

const same = (link: string, date: number): LinkedItem[] => [
  { id: "feed", link, title: `AI Act: ${link}`, date: DATES[date] ?? "" },
];

Deno.test("an id that every document uses does not identify publications: different URLs are different publications", () =>
  after(same("a", 0), async (ingest, world) => {
    assert.deepEqual(await ingest(same("b", 1)), [1, 0, 0]);
    assert.deepEqual(await ingest(same("c", 2)), [1, 0, 0]);
    assert.deepEqual(await ingest(same("a", 0)), [0, 0, 1]);
    assert.deepEqual((await storedEvents(world)).map(({ version }) => version), [1, 1, 1]);
    assert.equal((await world.store.listSources())[0]?.identityRule, "link");
  }));

Deno.test('with identity = "guid" an id that every document uses is one publication', () =>
  after(same("a", 0), async (ingest) => {
    assert.deepEqual(await ingest(same("b", 1)), [0, 1, 0]);
  }, { source: 'identity = "guid"' }));
