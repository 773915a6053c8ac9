// Promises about lists of events: their order, their filters, walks through their pages.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../../src/domain/event/event.ts";
import { SEVERITIES, severityRank } from "../../../../src/domain/event/severity.ts";
import type { EventQuery } from "../../../../src/domain/ports/store/events.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { anEvent, first, PROVENANCE, publish, recordIt, T0 } from "../given.ts";
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

test("listEvents() gives newest first by published_at, then by id, whatever the order of storing", async (store) => {
  const order = [["evt_c", 2], ["evt_a", 2], ["evt_d", 1], ["evt_b", 2], ["evt_e", 3]] as const;
  await publish(store, order.map(([id, published_at]) => anEvent(id, { published_at })));
  assert.deepEqual(await ids(store), ["evt_e", "evt_c", "evt_b", "evt_a", "evt_d"]);
  assert.deepEqual(await ids(store, { limit: 2 }), ["evt_e", "evt_c"]);
});

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

test("listEvents() gives an event's place and its stored JSON", async (store) => {
  const event = anEvent("evt_1", { published_at: 7 });
  await publish(store, [event]);
  const listed = first(await store.listEvents({ limit: 1 }));
  assert.equal(listed.id, "evt_1");
  assert.equal(listed.publishedAtMs, 7);
  assert.deepEqual(JSON.parse(listed.json), event);
  assert.equal(listed.json, (await store.findEvent("evt_1"))?.json);
});

test("listEvents() keeps what was published at `since` and at `until` themselves", async (store) => {
  await publish(store, [4, 5, 6, 7].map((at) => anEvent(`evt_${at}`, { published_at: at })));
  assert.deepEqual(await ids(store, { since: 5 }), ["evt_7", "evt_6", "evt_5"]);
  assert.deepEqual(await ids(store, { until: 6 }), ["evt_6", "evt_5", "evt_4"]);
  assert.deepEqual(await ids(store, { since: 5, until: 6 }), ["evt_6", "evt_5"]);
  assert.deepEqual(await ids(store, { since: 6, until: 5 }), []);
});

test("listEvents() keeps events at the least severity and above", async (store) => {
  await publish(
    store,
    SEVERITIES.map((severity) => anEvent(`evt_${severityRank(severity)}`, { severity })),
  );
  const counts = [];
  for (const severityMin of SEVERITIES) counts.push((await ids(store, { severityMin })).length);
  assert.deepEqual(counts, [5, 4, 3, 2, 1]);
  assert.deepEqual(await ids(store, { severityMin: "critical" }), ["evt_4"]);
});

test("listEvents() keeps events with any of the topics, each once", async (store) => {
  await publish(store, [
    anEvent("evt_1", { topics: ["gpai", "transparency"] }),
    anEvent("evt_2", { topics: ["high-risk"] }),
    anEvent("evt_3", { topics: [] }),
  ]);
  assert.deepEqual(await ids(store, { topics: ["transparency", "gpai"] }), ["evt_1"]);
  assert.deepEqual(await ids(store, { topics: ["high-risk", "gpai"] }), ["evt_2", "evt_1"]);
  assert.deepEqual(await ids(store, { topics: ["unknown"] }), []);
  // Among many others, where an engine may look the topics up one by one.
  await publish(
    store,
    Array.from({ length: 30 }, (_, at) => anEvent(`other_${at}`, { published_at: 0 })),
  );
  const query = { topics: ["gpai", "high-risk", "unknown"], since: 1 };
  assert.deepEqual(await ids(store, query), ["evt_2", "evt_1"]);
  await publish(store, [anEvent("evt_4", { topics: ["gpai", "high-risk"] })]);
  assert.deepEqual(await ids(store, query), ["evt_4", "evt_2", "evt_1"]);
  assert.deepEqual(await ids(store, { ...query, limit: 2 }), ["evt_4", "evt_2"]);
});

test("listEvents() lets an article stand for its paragraphs and points, and for no other article", async (store) => {
  const references = ["Art. 5", "Art. 50", "Art. 50(2)", "Art. 50(2)(a)", "Art. 50a", "Annex III"];
  await publish(
    store,
    references.map((reference, at) => anEvent(`evt_${at}`, { ai_act_articles: [reference] })),
  );
  assert.deepEqual(await ids(store, { articles: ["Art. 50"] }), ["evt_3", "evt_2", "evt_1"]);
  assert.deepEqual(await ids(store, { articles: ["Art. 50(2)"] }), ["evt_3", "evt_2"]);
  assert.deepEqual(await ids(store, { articles: ["Art. 50(1)"] }), []);
  assert.deepEqual(await ids(store, { articles: ["Annex III", "Art. 5"] }), ["evt_5", "evt_0"]);
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

test("listEvents() keeps the newest version of each publication with `latest`", async (store) => {
  const one = { external_id: "one" };
  await publish(store, [
    anEvent("evt_1", one),
    anEvent("evt_2"),
    anEvent("evt_3", { ...one, version: 2, published_at: 5 }),
    anEvent("evt_4", { ...one, source_id: "court" }),
  ]);
  assert.deepEqual(await ids(store, { latest: true }), ["evt_4", "evt_2", "evt_3"]);
});

test("listEvents() gives with `asOf` the list as it was when that event was the last one stored", async (store) => {
  const one = { external_id: "one" };
  await publish(store, [anEvent("evt_1", one), anEvent("evt_2")]);
  assert.equal((await store.lastPosition())?.id, "evt_2");
  const asOf = { seq: (await store.lastPosition())?.seq ?? 0 };
  await publish(store, [
    anEvent("evt_3", { ...one, version: 2, published_at: 5 }),
    anEvent("evt_4", { published_at: 4 }),
    anEvent("evt_5", { ...one, version: 3, published_at: 3 }),
  ]);
  assert.deepEqual(await ids(store, { asOf }), ["evt_2", "evt_1"]);
  assert.deepEqual(await ids(store, { asOf, latest: true }), ["evt_2", "evt_1"]);
  const third = { seq: (await store.findPosition("evt_3"))?.seq ?? 0 };
  assert.deepEqual(await ids(store, { asOf: third, latest: true }), ["evt_2", "evt_3"]);
  assert.deepEqual(await ids(store, { asOf: third, latest: true, source: "board" }), ["evt_2", "evt_3"]);
  assert.deepEqual(await ids(store, { latest: true }), ["evt_2", "evt_4", "evt_5"]);
});

test("lastPosition() tells where the event stands that was stored last, null in an empty store", async (store) => {
  assert.equal(await store.lastPosition(), null);
  await publish(store, [anEvent("evt_2", { published_at: 4 }), anEvent("evt_1", { published_at: 1 })]);
  assert.deepEqual(await store.lastPosition(), await store.findPosition("evt_1"));
});

test("listEvents() walks by `before` over every event once although newer ones arrive meanwhile", async (store) => {
  const numbers = Array.from({ length: 9 }, (_, at) => at + 1);
  await publish(store, numbers.map((number) => anEvent(`evt_${number}`, { published_at: 5 })));
  let arrived = 0;
  const walked = await walkNewestFirst(store, { limit: 2 }, async () => {
    arrived++;
    await publish(store, [anEvent(`evt_new_${arrived}`, { published_at: 5 + arrived })]);
  });
  assert.deepEqual(walked, numbers.toReversed().map((number) => `evt_${number}`));
  assert.equal(first(await ids(store)), `evt_new_${arrived}`);
});

test("listEvents() gives with `after` what was stored later, in the order of storing, and misses nothing", async (store) => {
  await publish(store, [
    anEvent("evt_b", { published_at: 9 }),
    anEvent("evt_c", { published_at: 1 }),
    anEvent("evt_a", { published_at: 5 }),
  ]);
  assert.deepEqual(await ids(store, { after: { seq: 0 } }), ["evt_b", "evt_c", "evt_a"]);
  const place = await store.findPosition("evt_c");
  assert.deepEqual(await ids(store, { after: { seq: place?.seq ?? 0 } }), ["evt_a"]);
  const end = { seq: (await store.findPosition("evt_a"))?.seq ?? 0 };
  assert.deepEqual(await ids(store, { after: end }), []);
  await publish(store, [anEvent("evt_0", { published_at: -7 })]);
  assert.deepEqual(await ids(store, { after: end }), ["evt_0"]);
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
