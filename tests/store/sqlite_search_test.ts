// Lists of what many events have, words and topics: what they find, and that they do not look at all events for it.
import assert from "node:assert/strict";
import type { RegEvent } from "../../src/domain/event.ts";
import type { EventQuery, ListedEvent, PublicationKey, Store } from "../../src/domain/store.ts";
import { openStore, type OpenStoreOptions } from "../../src/store/sqlite/store.ts";
import { testVault } from "../support/vault.ts";
import { anEvent, publish, recordIt, T0 } from "./contract/given.ts";
import { plansOf, statementsOf } from "./statements.ts";

const EVENTS = 6_000;

/** What the event of a place has; half have `often`, none of them in French; a third have `seldom`. */
function featuresOf(at: number): { words: string[]; topics: string[]; languages: string[] } {
  return {
    words: [
      "common",
      ...(at % 2 === 0 ? ["often"] : []),
      ...(at % 100 < 35 ? ["seldom"] : []),
      ...(at < EVENTS / 2 ? ["once"] : ["lately"]),
    ],
    topics: [...(at % 10 === 0 ? ["gpai"] : []), ...(at % 20 < 2 ? ["high-risk"] : [])],
    languages: at % 2 === 0 ? ["en"] : ["fr"],
  };
}

function eventAt(at: number): RegEvent {
  const { words, topics, languages } = featuresOf(at);
  return anEvent(`evt_${String(at).padStart(5, "0")}`, {
    title_en: words.join(" "),
    summary_en: "",
    translations: {},
    topics,
    language_versions: languages,
    // In another order than that of storing.
    published_at: T0 + (at * 7_919) % EVENTS,
  });
}

async function withStore(
  work: (store: Store, events: readonly RegEvent[]) => Promise<void>,
  options: OpenStoreOptions = {},
): Promise<void> {
  const store = openStore(":memory:", testVault, options);
  const events = Array.from({ length: EVENTS }, (_, at) => eventAt(at));
  await store.recordPublications(
    "board",
    events.map((event) => ({ key: event.id, contentHash: event.id, event })),
    ({ event }: PublicationKey & { event: RegEvent }) => recordIt(event, false)(),
  );
  await work(store, events);
  await store.close();
}

const WORDS = [["common"], ["often"], ["seldom"], ["often", "seldom"], ["once"], ["lately"], [
  "often",
  "lately",
]];
const FILTERS: Omit<EventQuery, "limit">[] = [
  {},
  { languages: ["fr"] },
  { topics: ["gpai"] },
  { topics: ["gpai", "high-risk"] },
  { until: T0 + 100 },
  { since: T0 + 5_000, topics: ["gpai", "high-risk"], languages: ["en"] },
  { latest: true, asOf: { seq: 5_000 } },
];

/** The ids of the first page of a query, from a plain array. */
function expected(events: readonly RegEvent[], query: EventQuery): string[] {
  const { words = [], languages, topics, since = -Infinity, until = Infinity, asOf, after, before } = query;
  const found = events.filter((event, at) => {
    const { published_at: date } = event;
    return words.every((word) => event.title_en.split(" ").includes(word)) &&
      (languages === undefined || event.language_versions.some((code) => languages.includes(code))) &&
      (topics === undefined || event.topics.some((topic) => topics.includes(topic))) &&
      date >= since && date <= until && at + 1 <= (asOf?.seq ?? Infinity) && at + 1 > (after?.seq ?? 0) &&
      (before === undefined || date < before.publishedAtMs); // no two have one date
  });
  const ordered = after === undefined ? found.sort((a, b) => b.published_at - a.published_at) : found;
  return ordered.slice(0, query.limit).map((event) => event.id);
}

Deno.test("listEvents() finds words that many events have, beside every filter, in both orders", () =>
  withStore(async (store, events) => {
    for (const words of WORDS) {
      for (const filter of FILTERS) {
        for (
          const place of [
            {},
            { before: { id: "evt_03000", publishedAtMs: T0 + 3_000, seq: 3_000 } },
            { after: { seq: 0 } },
            { after: { seq: 5_500 } },
          ]
        ) {
          const query = { ...filter, ...place, words, limit: 20 };
          const listed = (await store.listEvents(query)).map((event) => event.id);
          assert.deepEqual(listed, expected(events, query), JSON.stringify(query));
        }
      }
    }
  }));

Deno.test("listEvents() asks event by event for words only where most have them, and only so many events", () =>
  withStore(async (store) => {
    const asking = async (query: Omit<EventQuery, "limit">): Promise<string[]> =>
      [...await statementsOf(() => store.listEvents({ ...query, limit: 20 }))]
        .filter((sql) => /event_words\.rowid = \w*\.?seq/.test(sql));
    assert.deepEqual(await asking({ words: ["seldom"] }), []);
    assert.deepEqual(await asking({ words: ["seldom"], after: { seq: 0 } }), []);
    for (const filter of FILTERS) {
      const asked = await asking({ ...filter, words: ["often"] });
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? "", /limit \?\) as candidate\s+where exists/, "of a bounded number of events");
    }
  }));

Deno.test("a search lets others have a turn again and again, and lists what was there when it began", async () => {
  const turns: (() => void)[] = [];
  const places = [{}, { after: { seq: 100 } }];
  for (const place of places) {
    await withStore(async (store, events) => {
      const query: EventQuery = { ...place, words: ["seldom"], latest: true, limit: 1_000 };
      const began = expected(events, query);
      const first = events.find(({ id }) => id === began[0]);
      assert.ok(first !== undefined && began.length === 1_000);
      const search: { listed: readonly ListedEvent[] | null } = { listed: null };
      void Promise.resolve(store.listEvents(query)).then((listed) => search.listed = listed);
      let given = 0;
      for (; search.listed === null; given++) {
        const change = { title_en: "seldom", published_at: T0 + EVENTS + given };
        const { source_id, external_id } = first;
        await publish(store, [
          anEvent(`evt_n${given}`, change), // would stand first
          anEvent(`evt_r${given}`, { ...change, source_id, external_id, version: 2 + given }), // would take a place
        ]);
        assert.notEqual(await store.findEvent(`evt_n${given}`), null);
        turns.splice(0).forEach((end) => end());
        await new Promise((resolve) => setTimeout(resolve));
      }
      assert.ok(given > 1, `${given} turns`);
      assert.deepEqual(search.listed.map(({ id }) => id), began);
    }, { afterOthers: (work) => void turns.push(work) });
  }
});

Deno.test("searches take turns: a short one does not wait for the long ones before it, nor for too many at once", () =>
  withStore(async (store, events) => {
    const ended: string[] = [];
    const ask = async (name: string, query: EventQuery): Promise<void> => {
      const listed = await store.listEvents(query);
      ended.push(name);
      assert.deepEqual(listed.map(({ id }) => id), expected(events, query), name);
    };
    // What is a topic of none that is in French: all that has the word is looked at.
    const long = { words: ["common"], languages: ["fr"], topics: ["gpai"], after: { seq: 0 } };
    const short = { words: ["common"], after: { seq: EVENTS - 10 }, limit: 1 };
    const asked = [...Array(10).keys()].map((at) => ask(`long ${at}`, { ...long, limit: 1 + at }));
    await Promise.all([...asked, ask("short", short)]);
    assert.equal(ended[0], "short");
    const many = [...Array(60).keys()].map((at) => ask(`of many ${at}`, { ...long, limit: 1 + at }));
    await Promise.all([...many, ask("last", short)]);
    assert.equal(ended.length, 72);
  }, { afterOthers: (work) => void setTimeout(work, 0) }));

Deno.test("listEvents() looks each event's topics up by their index, however many are asked for", async () => {
  const topics = Array.from({ length: 40 }, (_, at) => `topic-${at}`);
  const store = openStore(":memory:", testVault);
  await publish(store, topics.map((topic, at) => anEvent(`evt_${at}`, { topics: [topic] })), false);
  for (const query of [{ topics }, { topics, latest: true }, { topics, after: { seq: 0 } }]) {
    const statements = await statementsOf(() => store.listEvents({ ...query, limit: 20 }));
    const lines = (await plansOf(statements)).flatMap(({ lines }) => lines);
    assert.ok(lines.some((line) => /^SEARCH other .*PRIMARY KEY \(tag_id=\? AND published_at=\?/.test(line)));
    assert.deepEqual(lines.filter((line) => line.includes("AUTOMATIC")), []);
  }
  await store.close();
});
