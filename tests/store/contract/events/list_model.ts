// Lists of events against a plain array: every combination of filters, every page, both orders.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { EVENT_TYPES, type RegEvent } from "../../../../src/domain/event/event.ts";
import { SEVERITIES, severityRank } from "../../../../src/domain/event/severity.ts";
import type { EventQuery, ListedEvent } from "../../../../src/domain/ports/store/events.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { anEvent, publish } from "../given.ts";
import { test } from "../contract.ts";

/** More events than any test stores. */
const MAX_WALKED = 1_000;

type Filters = Omit<EventQuery, "limit" | "before" | "after">;

/** Filters, with how many of the events the list is about: those that were stored first. */
type Wish = Omit<Filters, "asOf"> & { limit: number; first?: number };

/** Walks a query from page to page by `before` to its end; `between` runs after each page. */
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

/** Walks a query by `after` to its end. */
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
    assert.ok(walked.length <= MAX_WALKED, "a walk comes to an end");
    const last = page.at(-1);
    if (last === undefined) return walked;
    page = await store.listEvents({ ...query, ...await next(last) });
  }
}

/** The events of a query in the order of storing, from a plain array in that order. */
function filtered(all: readonly RegEvent[], query: Wish): RegEvent[] {
  const events = all.slice(0, query.first);
  const {
    since,
    until,
    source,
    severityMin,
    topics,
    eventTypes,
    articles,
    languages,
    search: words,
    latest,
  } = query;
  const checks: ((event: RegEvent, at: number) => boolean)[] = [
    (event) => since === undefined || event.published_at >= since,
    (event) => until === undefined || event.published_at <= until,
    (event) => source === undefined || event.source_id === source,
    (event) => severityMin === undefined || severityRank(event.severity) >= severityRank(severityMin),
    (event) => topics === undefined || topics.some((topic) => event.topics.includes(topic)),
    (event) => eventTypes === undefined || eventTypes.includes(event.event_type),
    (event) =>
      articles === undefined ||
      articles.some((article) =>
        event.ai_act_articles.some((held) => held === article || held.startsWith(`${article}(`))
      ),
    (event) => languages === undefined || languages.some((code) => event.language_versions.includes(code)),
    (event) => words === undefined || words.every((word) => event.title_en.split(" ").includes(word)),
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
const WORDS = ["labels", "models", "risk"];

/** Events with few different values, so that many are equal in each; ids are in no order. */
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
    words: fc.subarray(WORDS, { minLength: 1 }),
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
  source: fc.constantFrom(...SOURCES, "unknown"),
  severityMin: fc.constantFrom(...SEVERITIES),
  topics: fc.subarray([...TOPICS, "unknown"], { minLength: 1 }),
  eventTypes: fc.subarray([...TYPES], { minLength: 1 }),
  articles: fc.subarray(ARTICLES, { minLength: 1 }),
  languages: fc.subarray([...LANGUAGES, "fr"], { minLength: 1 }),
  words: fc.subarray(WORDS, { minLength: 1 }),
  latest: fc.boolean(),
  first: fc.integer({ min: 1, max: 30 }),
}, { requiredKeys: ["limit"] });

/** The wish as the store takes it. */
async function queryOf(
  store: Store,
  events: readonly RegEvent[],
  { first, ...query }: Wish,
): Promise<Filters & { limit: number }> {
  const last = first === undefined ? undefined : events.slice(0, first).at(-1);
  const place = last === undefined ? null : await store.findPosition(last.id);
  return place === null ? query : { ...query, asOf: { seq: place.seq } };
}

/** Runs the property over fresh stores. */
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
  "listEvents() gives what a plain array gives, newest first, for every filter and every page",
  async (_store, open) => {
    await compare(open, async (store, events, wish) => {
      const expected = newestFirst(filtered(events, wish)).map((event) => event.id);
      const query = await queryOf(store, events, wish);
      const page = (await store.listEvents(query)).map((event) => event.id);
      assert.deepEqual(page, expected.slice(0, query.limit));
      assert.deepEqual(await walkNewestFirst(store, query), expected);
    });
  },
);

test(
  "listEvents() gives with `after` what a plain array gives, as stored, for every filter and every page",
  async (_store, open) => {
    await compare(open, async (store, events, wish) => {
      const walked = await walkAsStored(store, await queryOf(store, events, wish));
      assert.deepEqual(walked, filtered(events, wish).map((event) => event.id));
    });
  },
);
