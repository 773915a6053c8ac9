// What is no news: new ids for old content, and dates that move with every fetch.
import assert from "node:assert/strict";
import type { RegEvent } from "../../src/domain/event.ts";
import { boardConfig, rss, type SampleItem } from "../support/samples.ts";
import { createWorld, type World } from "../support/world.ts";

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
    assert.deepEqual(await ingest([item("1", DATES[1]), item("2", DATES[1]), ...others]), [0, 1, 2]);
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

Deno.test("a date that moves is a revision where others stand still, or where it is one of two", () =>
  after(dated(["1", "2", "3", "4"], DATES[0]), async (ingest) => {
    const three = [...dated(["1", "2", "3"], DATES[1]), ...dated(["4"], DATES[0])];
    assert.deepEqual(await ingest(three), [0, 3, 1]);
    assert.deepEqual(await ingest(dated(["1", "2"], DATES[2])), [0, 2, 0]);
    assert.deepEqual(await ingest(dated(["1"], DATES[3])), [0, 1, 0], "a page with a date of its own");
  }));

Deno.test("preview() foresees what becomes of dates that move", () =>
  after(dated(["1", "2", "3"], DATES[0]), async (_, world) => {
    const [source] = world.config.sources;
    const [state] = await world.store.listSources();
    assert.ok(source && state);
    for (const [ids, expected] of [[["1", "2", "3"], [0, 3]], [["1", "2"], [2, 0]]] as const) {
      world.platform.http.serve("https://board.example/feed", () => ({ body: rss(dated(ids, DATES[1])) }));
      const { report, decided } = await world.app.ingest.preview(source, state);
      assert.deepEqual([report.revised, report.unchanged], expected);
      assert.deepEqual(decided.map(({ item }) => item.guid), ids, "in the order of the document");
    }
  }));
