// Lists of words and tags that many events have, against a plain array.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../../src/domain/event/event.ts";
import type { EventQuery } from "../../../../src/domain/ports/store/events.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import type { PublicationKey } from "../../../../src/domain/ports/store/publications.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { testVault } from "../../../support/vault.ts";
import { anEvent, recordIt, T0 } from "../../contract/given.ts";

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
): Promise<void> {
  const store = openStore(":memory:", testVault);
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
  const { search: words = [], languages, topics, since = -Infinity, until = Infinity, asOf, after, before } =
    query;
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
    const before = await store.findPosition("evt_03000");
    assert.ok(before !== null);
    const places: Pick<EventQuery, "before" | "after">[] = [
      {},
      { before },
      { after: { seq: 0 } },
      { after: { seq: 5_500 } },
    ];
    for (const words of WORDS) {
      for (const filter of FILTERS) {
        for (const place of places) {
          const query = { ...filter, ...place, search: words, limit: 20 };
          const listed = (await store.listEvents(query)).map((event) => event.id);
          assert.deepEqual(listed, expected(events, query), JSON.stringify(query));
        }
      }
    }
  }));
