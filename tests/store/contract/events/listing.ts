// Promises about lists of events: their order, their filters, walks through their pages.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../../src/domain/event/event.ts";
import type { EventQuery } from "../../../../src/domain/ports/store/events.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { anEvent, PROVENANCE, publish, recordIt, T0 } from "../given.ts";
import { walkNewestFirst } from "./list_model.ts";
import { test } from "../contract.ts";

async function ids(store: Store, query: Partial<EventQuery> = {}): Promise<string[]> {
  return (await store.listEvents({ limit: 100, ...query })).map((event) => event.id);
}

/** An event whose words are these. */
function worded(
  id: string,
  title: string,
  summary: string,
  translations: RegEvent["translations"] = {},
): RegEvent {
  return anEvent(id, { title_en: title, summary_en: summary, translations });
}

test("listEvents() orders events of one time by id, also when ids descend from one recording to the next", async (store) => {
  const stored = [
    "evt_05",
    "evt_03",
    "evt_08",
    "evt_01",
    "evt_09",
    "evt_02",
    "evt_04",
    "evt_07",
    "evt_06",
  ];
  for (const id of stored) {
    const title_en = `${id < "evt_05" ? "risk" : "models"} labels`;
    await publish(store, [anEvent(id, { published_at: 2, external_id: id, title_en, topics: ["gpai"] })]);
  }
  await publish(
    store,
    [1, 3].map((at) => anEvent(`evt_${at}x`, { published_at: at, external_id: `${at}` })),
  );
  const equal = stored.toSorted().reverse();
  assert.deepEqual(await ids(store), ["evt_3x", ...equal, "evt_1x"]);
  const filters = [[{ topics: ["gpai"] }, equal], [{ search: ["labels"] }, equal], [
    { search: ["risk", "labels"], since: 2, until: 2 },
    ["evt_04", "evt_03", "evt_02", "evt_01"],
  ]] as const;
  for (const [filter, expected] of filters) {
    assert.deepEqual(await ids(store, filter), expected);
    // A publication of the same time arrives between two pages: no event is lost or repeated.
    let arrived = 0;
    const arrive = async () => {
      const id = `evt_00${Object.keys(filter).join("")}${arrived++}`;
      await publish(store, [
        anEvent(id, { published_at: 2, external_id: id, topics: [], title_en: "none" }),
      ]);
    };
    assert.deepEqual(await walkNewestFirst(store, { ...filter, limit: 2 }, arrive), expected);
  }
});

test("a later language is found after an event of the same time with a smaller id was recorded, and once", async (store) => {
  const key = { key: "publication of evt_1", contentHash: "h", textHash: "en text", language: "en" };
  await store.recordPublications("board", [key], recordIt(anEvent("evt_1")));
  await store.recordPublications("board", [{ ...key, textHash: "de text", language: "de" }], () => ({
    kind: "translated",
    words: { title: "Leitlinien", summary: "Zur Kennzeichnung." },
    url: "https://board.example/de",
    provenance: PROVENANCE,
    atMs: T0,
  }));
  await publish(store, [anEvent("evt_0", { external_id: "another" })]);
  assert.deepEqual(await ids(store, { languages: ["de"] }), ["evt_1"]);
  assert.deepEqual(await ids(store, { languages: ["de"], after: { seq: 0 } }), ["evt_1"]);
  assert.deepEqual(await ids(store, { search: ["leitlinien"] }), ["evt_1"]);
  assert.deepEqual(await ids(store, { topics: ["transparency"] }), ["evt_1", "evt_0"]);
  assert.deepEqual(await ids(store, { search: ["guidelines", "evt"] }), ["evt_1", "evt_0"]);
});

test("listEvents() finds words in titles and summaries of every language, in any case, all of them", async (store) => {
  await publish(store, [
    worded("evt_1", "Labelling of pictures", "Duties of providers."),
    worded("evt_2", "Labelling of texts", "", {
      de: { title: "Kennzeichnung von Texten", summary: "Prüfung" },
    }),
  ]);
  assert.deepEqual(await ids(store, { search: ["labelling"] }), ["evt_2", "evt_1"]);
  assert.deepEqual(await ids(store, { search: ["LABELLING", "duties"] }), ["evt_1"]);
  assert.deepEqual(await ids(store, { search: ["prüfung", "labelling"] }), ["evt_2"]);
  assert.deepEqual(await ids(store, { search: ["labelling", "unknown"] }), []);
});

test("listEvents() takes a word for a word, whatever it means to a search engine", async (store) => {
  await publish(store, [worded("evt_1", 'Labels NOT "here" or near', "")]);
  for (const word of ["NOT", "or", "near"]) {
    assert.deepEqual(await ids(store, { search: ["labels", word] }), ["evt_1"], word);
  }
  for (const word of ["label*", '"', "lab", "words:labels", "^labels x", "labels)"]) {
    const found = await ids(store, { search: [word] });
    assert.ok(found.length <= 1, word);
  }
  assert.deepEqual(await ids(store, { search: ["lab"] }), []);
});

test("lastPosition() tells where the event stands that was stored last, null in an empty store", async (store) => {
  assert.equal(await store.lastPosition(), null);
  await publish(store, [anEvent("evt_2", { published_at: 4 }), anEvent("evt_1", { published_at: 1 })]);
  assert.deepEqual(await store.lastPosition(), await store.findPosition("evt_1"));
});

test("findPosition() tells where an event stands in both orders, and null of an unknown one", async (store) => {
  assert.equal(await store.findPosition("evt_1"), null);
  await publish(store, [anEvent("evt_2", { published_at: 4 }), anEvent("evt_1", { published_at: 6 })]);
  const [one, two] = [await store.findPosition("evt_1"), await store.findPosition("evt_2")];
  assert.deepEqual([one?.id, one?.publishedAtMs], ["evt_1", 6]);
  assert.deepEqual([two?.id, two?.publishedAtMs], ["evt_2", 4]);
  assert.ok((one?.seq ?? 0) > (two?.seq ?? 0));
});

test("recordsState() is another one with every event, and with nothing else that is recorded", async (store) => {
  const none = await store.recordsState(T0);
  await publish(store, [anEvent("evt_1")]);
  const one = await store.recordsState(T0);
  assert.notEqual(one, none);
  await store.previewPublications("board", [{ key: "k", contentHash: "h" }], () => {
    return recordIt(anEvent("evt_2"), false)();
  });
  assert.equal(await store.recordsState(T0), one);
  await publish(store, [anEvent("evt_3")]);
  assert.notEqual(await store.recordsState(T0), one);
});

test("listVersions() gives every version of an event's publication, the first one first", async (store) => {
  const one = { external_id: "one" };
  const versions = [1, 2, 3].map((version) => anEvent(`evt_${version}`, { ...one, version }));
  await publish(store, [...versions, anEvent("evt_4", { ...one, source_id: "court" }), anEvent("evt_5")]);
  for (const { id } of versions) {
    const listed = await store.listVersions(id);
    assert.deepEqual(listed.map((json) => JSON.parse(json)), versions);
    const latest = await store.listVersions(id, { latest: 2 });
    assert.deepEqual(latest.map((json) => JSON.parse(json)), versions.slice(1));
    const before = await store.listVersions(id, { latest: 1, beforeId: "evt_3" });
    assert.deepEqual(before.map((json) => JSON.parse(json)), versions.slice(1, 2));
    for (const other of ["evt_1", "evt_4", "evt_5", "evt_6"]) {
      assert.deepEqual(await store.listVersions(id, { beforeId: other }), [], other);
    }
  }
  assert.equal((await store.listVersions("evt_5")).length, 1);
  assert.deepEqual(await store.listVersions("evt_6"), []);
});
