// Lists of events: order, filters, paging.
import assert from "node:assert/strict";
import { EVENT_TYPES, type RegEvent } from "../../../../src/domain/event/event.ts";
import type { EventQuery, ListedEvent } from "../../../../src/domain/ports/store/events.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  type EventFilter,
  EVERY_EVENT,
  passesOf,
  toSearch,
} from "../../../../src/domain/event/event_filter.ts";
import { searchMatcher } from "../../../../src/domain/event/search.ts";
import { searchedText } from "../../../../src/domain/plans/search_text.ts";
import { anEvent, PROVENANCE, publish, recordIt, T0 } from "../given.ts";
import { test } from "../contract.ts";
import fc from "npm:fast-check@4.10.2";
import { SEVERITIES, severityRank } from "../../../../src/domain/event/severity.ts";

async function ids(store: Store, query: Partial<EventQuery> = {}): Promise<string[]> {
  return (await store.listEvents({ limit: 100, ...query })).map((event) => event.id);
}

function worded(
  id: string,
  title: string,
  summary: string,
  translations: RegEvent["translations"] = {},
): RegEvent {
  return anEvent(id, { title_en: title, summary_en: summary, translations });
}

test("listEvents() orders events of the same time by id, even if ids descend between recordings", async (store) => {
  const stored = ["evt_05", "evt_03", "evt_08", "evt_01", "evt_09", "evt_02", "evt_04", "evt_07", "evt_06"];
  for (const id of stored) {
    const title_en = `${id < "evt_05" ? "risk" : "models"} labels`;
    await publish(store, [anEvent(id, { published_at: 2, external_id: id, title_en, topics: ["gpai"] })]);
  }
  await publish(store, [1, 3].map((at) => anEvent(`evt_${at}x`, { published_at: at, external_id: `${at}` })));
  const equal = stored.toSorted().reverse();
  assert.deepEqual(await ids(store), ["evt_3x", ...equal, "evt_1x"]);
  const filters: [Filters, string[]][] = [
    [{ topics: ["gpai"] }, equal],
    [{ search: toSearch("labels") }, equal],
    [{ search: toSearch("risk labels"), since: 2, until: 2 }, ["evt_04", "evt_03", "evt_02", "evt_01"]],
  ];
  for (const [filter, expected] of filters) {
    assert.deepEqual(await ids(store, filter), expected);
    // A publication with the same time arrives between two pages. No event may be lost or repeated.
    let arrived = 0;
    const arrive = async () => {
      const id = `evt_00${Object.keys(filter).join("")}${arrived++}`;
      await publish(store, [anEvent(id, { published_at: 2, external_id: id, topics: [], title_en: "none" })]);
    };
    assert.deepEqual(await walkNewestFirst(store, { ...filter, limit: 2 }, arrive), expected);
  }
});

test("a later language is found once, after an event of the same time with a smaller id was recorded", async (store) => {
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
  assert.deepEqual(await ids(store, { eventLanguages: ["de"] }), ["evt_1"]);
  assert.deepEqual(await ids(store, { eventLanguages: ["de"], after: { seq: 0 } }), ["evt_1"]);
  assert.deepEqual(await ids(store, { search: toSearch("leitlinien") }), ["evt_1"]);
  assert.deepEqual(await ids(store, { topics: ["transparency"] }), ["evt_1", "evt_0"]);
  assert.deepEqual(await ids(store, { search: toSearch("guidelines evt") }), ["evt_1", "evt_0"]);
});

test("listEvents() finds events with all words in titles and summaries, in every language and in any case", async (store) => {
  await publish(store, [
    worded("evt_1", "Labelling of pictures", "Duties of providers."),
    worded("evt_2", "Labelling of texts", "", {
      de: { title: "Kennzeichnung von Texten", summary: "Prüfung" },
    }),
  ]);
  assert.deepEqual(await ids(store, { search: toSearch("labelling") }), ["evt_2", "evt_1"]);
  assert.deepEqual(await ids(store, { search: toSearch("LABELLING duties") }), ["evt_1"]);
  assert.deepEqual(await ids(store, { search: toSearch("prüfung labelling") }), ["evt_2"]);
  assert.deepEqual(await ids(store, { search: toSearch("labelling unknown") }), []);
});

const SEARCHES: [search: string, expected: string[]][] = [
  // Operators of the search engine are words or separate words.
  ["labels NOT", ["evt_1"]],
  ["labels or near", ["evt_1"]],
  ["words:labels", []],
  ["^labels) -here + {not}", ["evt_1"]],
  ["lab", []],
  ["lab*", ["evt_2", "evt_1"]],
  ["LABÉLL*", ["evt_2"]],
  ["lab*elling", []],
  ["*labels", ["evt_1"]],
  ["prüfp* labelling", ["evt_2"]],
  ['"here or"', ["evt_1"]],
  ['"or here"', []],
  ['"high-risk SYSTEMES" lab*', ["evt_2"]],
  ['"high risk syst"', []],
  ['"risk systemes label*"', []],
  // The tag of the topic "transparency" is not a word.
  ["ptransp*", []],
  // More words have this beginning than are replaced.
  ["wide*", ["evt_3"]],
  ["wide* labels", []],
];

test("listEvents() finds words, beginnings of words and phrases, and no other syntax", async (store) => {
  const wide = Array.from({ length: 150 }, (_, at) => `wide${at}`).join(" ");
  const events = [
    worded("evt_1", 'Labels NOT "here" or near', ""),
    worded("evt_2", "Labelling", "High-risk systèmes: Prüfpflichten."),
    worded("evt_3", wide, ""),
  ];
  await publish(store, events.map((event) => ({ ...event, topics: ["transparency"] })));
  for (const [search, expected] of SEARCHES) {
    for (const query of [{}, { after: { seq: 0 } }]) {
      const found = await ids(store, { search: toSearch(search), ...query });
      assert.deepEqual(found.toSorted().reverse(), expected, search);
    }
    const matching = events.filter((event) =>
      searchMatcher(searchedText(event))(toSearch(search)?.terms ?? [])
    );
    assert.deepEqual(matching.map(({ id }) => id).reverse(), expected, `searchMatcher(): ${search}`);
  }
});

test("listByUrl() finds the newest version of each publication that has or had one of the URLs", async (store) => {
  const second = {
    external_id: "publication of evt_1",
    version: 2,
    url_official: "https://board.example/new",
  };
  await publish(store, [
    anEvent("evt_1"),
    anEvent("evt_2", second),
    anEvent("evt_3", { published_at: T0 + 1 }),
  ]);
  const german = { title: "Leitlinien", summary: 'Wie "url_official":"https://board.example/evt_9"' };
  const key = { key: "publication of evt_3", contentHash: "h", textHash: "de text", language: "de" };
  await store.recordPublications("board", [key], () => ({
    kind: "translated",
    words: german,
    url: "https://board.example/de",
    provenance: PROVENANCE,
    atMs: T0,
  }));
  for (
    const [paths, expected] of [
      [["evt_1"], ["evt_2"]],
      [["new", "evt_3", "evt_1"], ["evt_3", "evt_2"]],
      [["de"], ["evt_3"]],
      [["evt_", "evt_9", "feed", ""], []],
    ] as const
  ) {
    const found = await store.listByUrl(paths.map((path) => `https://board.example/${path}`));
    assert.deepEqual(found.map(({ id }) => id), expected, paths.join());
  }
});

test("lastPosition() returns the position of the event stored last, or null in an empty store", async (store) => {
  assert.equal(await store.lastPosition(), null);
  await publish(store, [anEvent("evt_2", { published_at: 4 }), anEvent("evt_1", { published_at: 1 })]);
  assert.deepEqual(await store.lastPosition(), await store.findPosition("evt_1"));
});

test("findPosition() returns the position of an event in both orders, and null for an unknown one", async (store) => {
  assert.equal(await store.findPosition("evt_1"), null);
  await publish(store, [anEvent("evt_2", { published_at: 4 }), anEvent("evt_1", { published_at: 6 })]);
  const [one, two] = [await store.findPosition("evt_1"), await store.findPosition("evt_2")];
  assert.deepEqual([one?.id, one?.publishedAtMs], ["evt_1", 6]);
  assert.deepEqual([two?.id, two?.publishedAtMs], ["evt_2", 4]);
  assert.ok((one?.seq ?? 0) > (two?.seq ?? 0));
});

test("recordsState() changes with every event, and with nothing else that is recorded", async (store) => {
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

test("listVersions() returns every version of an event's publication, oldest first", async (store) => {
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

/** More events than any test stores, as a guard against endless walks. */
const MAX_WALKED = 1_000;

type Filters = Omit<EventQuery, "limit" | "before" | "after">;

/** Filters and a page size. If `first` is set, the list contains only the events that were stored first. */
type Wish = Omit<Filters, "asOf"> & { limit: number; first?: number };

/** Walks a list to its end by `before`. `between` runs after each page. */
export async function walkNewestFirst(
  store: Store,
  query: Omit<EventQuery, "before" | "after">,
  between?: () => Promise<void>,
): Promise<string[]> {
  return await walk(store, query, async (last) => {
    await between?.();
    const before = await store.findPosition(last.id);
    return before === null ? {} : { before };
  });
}

/** Walks a list to its end by `after`. */
async function walkAsStored(store: Store, query: Filters & { limit: number }): Promise<string[]> {
  return await walk(store, { ...query, after: { seq: 0 } }, async (last) => {
    return { after: { seq: (await store.findPosition(last.id))?.seq ?? 0 } };
  });
}

async function walk(
  store: Store,
  query: EventQuery,
  next: (last: ListedEvent) => Promise<Pick<EventQuery, "before" | "after">>,
): Promise<string[]> {
  const walked: string[] = [];
  for (let page = await store.listEvents(query);;) {
    assert.ok(page.length <= query.limit, "a page is no longer than the limit");
    walked.push(...page.map((event) => event.id));
    assert.ok(walked.length <= MAX_WALKED, "the walk ends");
    const last = page.at(-1);
    if (last === undefined) return walked;
    page = await store.listEvents({ ...query, ...await next(last) });
  }
}

/** Returns the events of a plain array that match, in the order in which they were stored. */
function filtered(all: readonly RegEvent[], query: Wish): RegEvent[] {
  const events = all.slice(0, query.first);
  const {
    since,
    until,
    sources,
    severityMin,
    topics,
    eventTypes,
    articles,
    eventLanguages,
    search,
    latest,
  } = query;
  const checks: ((event: RegEvent, at: number) => boolean)[] = [
    (event) => since === undefined || event.published_at >= since,
    (event) => until === undefined || event.published_at <= until,
    (event) => sources === undefined || sources.includes(event.source_id),
    (event) => severityMin === undefined || severityRank(event.severity) >= severityRank(severityMin),
    (event) => topics === undefined || topics.some((topic) => event.topics.includes(topic)),
    (event) => eventTypes === undefined || eventTypes.includes(event.event_type),
    (event) =>
      articles === undefined ||
      articles.some((article) =>
        event.ai_act_articles.some((held) => held === article || held.startsWith(`${article}(`))
      ),
    (event) =>
      eventLanguages === undefined || eventLanguages.some((code) => event.language_versions.includes(code)),
    (event) => search === undefined || searchMatcher(searchedText(event))(search?.terms ?? []),
    (event, at) =>
      latest !== true ||
      !events.slice(at + 1).some((later) =>
        later.source_id === event.source_id && later.external_id === event.external_id
      ),
  ];
  return events.filter((event, at) => checks.every((check) => check(event, at)));
}

function newestFirst(events: readonly RegEvent[]): RegEvent[] {
  return events.toSorted((a, b) => b.published_at - a.published_at || (a.id < b.id ? 1 : -1));
}

const TOPICS = ["gpai", "high-risk", "transparency"];

const SOURCES = ["agency", "board"];

const TYPES = EVENT_TYPES.slice(0, 2);

const ARTICLES = ["Art. 5", "Art. 50", "Art. 50(2)", "Annex III"];

const LANGUAGES = ["de", "en"];

const WORDS = ["labels", "Labelling", "modèles", "RISK"];

const WISHED = [
  "labels",
  "lab*",
  "LABE*",
  "mode* risk",
  '"labels modèles"',
  '"risk modeles" lab*',
  "labelling risk",
];

/** Events with few distinct values, so that many share them. Their ids are in random order. */
const someEvents = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 0, max: 99 }),
    publication: fc.integer({ min: 0, max: 9 }),
    source_id: fc.constantFrom(...SOURCES),
    severity: fc.constantFrom(...SEVERITIES),
    topics: fc.subarray(TOPICS),
    event_type: fc.constantFrom(...TYPES),
    ai_act_articles: fc.subarray(ARTICLES),
    language_versions: fc.subarray(LANGUAGES),
    words: fc.shuffledSubarray(WORDS, { minLength: 1 }),
    published_at: fc.integer({ min: -1, max: 3 }),
  }),
  { selector: ({ number }) => number, maxLength: 30 },
).map((given) => {
  const versions = new Map<string, number>();
  return given.map(({ number, publication, words, ...change }) => {
    const key = `${change.source_id} ${publication}`;
    const version = (versions.get(key) ?? 0) + 1;
    versions.set(key, version);
    const identity = { external_id: `publication ${publication}`, version };
    const texts = { title_en: words.join(" "), summary_en: "", translations: {} };
    return anEvent(`evt_${String(number).padStart(2, "0")}`, { ...change, ...identity, ...texts });
  });
});

const someQuery = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  since: fc.integer({ min: -2, max: 4 }),
  until: fc.integer({ min: -2, max: 4 }),
  sources: fc.uniqueArray(fc.constantFrom(...SOURCES, "unknown"), { minLength: 1, maxLength: 2 }),
  severityMin: fc.constantFrom(...SEVERITIES),
  topics: fc.subarray([...TOPICS, "unknown"], { minLength: 1 }),
  eventTypes: fc.subarray([...TYPES], { minLength: 1 }),
  articles: fc.subarray(ARTICLES, { minLength: 1 }),
  eventLanguages: fc.subarray([...LANGUAGES, "fr"], { minLength: 1 }),
  search: fc.constantFrom(...WISHED).map(toSearch),
  latest: fc.boolean(),
  first: fc.integer({ min: 1, max: 30 }),
}, { requiredKeys: ["limit"] });

async function queryOf(
  store: Store,
  events: readonly RegEvent[],
  { first, ...query }: Wish,
): Promise<Filters & { limit: number }> {
  const last = first === undefined ? undefined : events.slice(0, first).at(-1);
  const place = last === undefined ? null : await store.findPosition(last.id);
  return place === null ? query : { ...query, asOf: { seq: place.seq } };
}

/** Calls `expect` with stores of random events, ten random queries each. */
async function compare(
  open: () => Store,
  expect: (store: Store, events: readonly RegEvent[], wish: Wish) => Promise<void>,
): Promise<void> {
  const queries = fc.array(someQuery, { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(someEvents, queries, async (events, queries) => {
      const store = open();
      await publish(store, events, false);
      for (const query of queries) await expect(store, events, query);
      await store.close();
    }),
    { numRuns: 30 },
  );
}

test(
  "listEvents() returns the same events as a plain array, newest first, for every filter and page",
  async (_store, open) => {
    await compare(open, async (store, events, wish) => {
      const expected = newestFirst(filtered(events, wish)).map((event) => event.id);
      const query = await queryOf(store, events, wish);
      const page = (await store.listEvents(query)).map((event) => event.id);
      assert.deepEqual(page, expected.slice(0, query.limit));
      assert.equal(await store.countEvents(query), page.length);
      assert.deepEqual(await walkNewestFirst(store, query), expected);
    });
  },
);

test("a filter passes the events that a list with the same filters returns", async (_store, open) => {
  await compare(open, async (store, events, { first: _, since: _1, until: _2, latest: _3, ...wish }) => {
    const { limit: _4, ...sent } = wish;
    const filter: EventFilter = { ...EVERY_EVENT, ...sent };
    const listed = (await store.listEvents({ ...wish, limit: 100 })).map(({ id }) => id);
    const passing = events.filter((event) => passesOf(event, [])(filter));
    assert.deepEqual(newestFirst(passing).map(({ id }) => id), listed);
  });
});

test(
  "listEvents() with `after` returns the same events as a plain array, in stored order, for every filter and page",
  async (_store, open) => {
    await compare(open, async (store, events, wish) => {
      const walked = await walkAsStored(store, await queryOf(store, events, wish));
      assert.deepEqual(walked, filtered(events, wish).map((event) => event.id));
      const all = { ...await queryOf(store, events, wish), limit: 1_000, after: { seq: 0 } };
      assert.equal(await store.countEvents(all), walked.length);
    });
  },
);
