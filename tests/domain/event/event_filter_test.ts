// Which events pass a filter, and which filters are the same.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import {
  canonicalFilter,
  type EventFilter,
  EVERY_EVENT,
  type Exclusions,
  type FilteredEvent,
  NO_EXCLUSIONS,
  passesOf,
  toSearch,
} from "../../../src/domain/event/event_filter.ts";
import { SEVERITIES } from "../../../src/domain/event/severity.ts";
import { expandTopics, type Topic } from "../../../src/domain/event/topic.ts";

const TAXONOMY: Topic[] = [
  { id: "transparency", parent: null },
  { id: "labels", parent: "transparency" },
  { id: "gpai", parent: null },
].map((topic) => ({ name_en: topic.id, name_de: topic.id, name_fr: topic.id, articles: [], ...topic }));

const EVENT: FilteredEvent = {
  topics: ["labels", "gpai"],
  source_id: "board",
  severity: "medium",
  event_type: "guidance",
  ai_act_articles: ["Art. 50(2)(a)", "Annex III"],
  language_versions: ["de", "en"],
  title_en: "Guidelines on labels",
  summary_en: "How to mark what models generate.",
  translations: { de: { title: "Leitlinien zur Kennzeichnung", summary: "" } },
};

const without = (exclude: Partial<Exclusions>) => ({ exclude: { ...NO_EXCLUSIONS, ...exclude } });

Deno.test("passesOf() combines filters with AND, and values within a list with OR", () => {
  const rows: [string, Partial<EventFilter>, boolean][] = [
    ["no filter", {}, true],
    ["a topic of the event", { topics: ["gpai"] }, true],
    ["one topic of several", { topics: ["unknown", "labels"] }, true],
    ["the parent of a topic", { topics: ["transparency"] }, true],
    ["other topics", { topics: ["unknown"] }, false],
    ["its source", { sources: ["board"] }, true],
    ["one source of several", { sources: ["court", "board"] }, true],
    ["other sources", { sources: ["court", "boar"] }, false],
    ["a lower severity", { severityMin: "low" }, true],
    ["its severity", { severityMin: "medium" }, true],
    ["a higher severity", { severityMin: "high" }, false],
    ["its type", { eventTypes: ["report", "guidance"] }, true],
    ["another type", { eventTypes: ["report"] }, false],
    ["its reference", { articles: ["Art. 50(2)(a)"] }, true],
    ["an article that contains its reference", { articles: ["Art. 50"] }, true],
    ["a paragraph that contains its reference", { articles: ["Art. 5", "Art. 50(2)"] }, true],
    ["an annex", { articles: ["Annex III"] }, true],
    ["a point within its reference", { articles: ["Art. 50(2)(a)(i)"] }, false],
    ["an article that only looks similar", { articles: ["Art. 5"] }, false],
    ["a language of the event", { eventLanguages: ["fr", "de"] }, true],
    ["another language", { eventLanguages: ["fr"] }, false],
    ["words of title and summary", { search: toSearch("MODELS labels") }, true],
    ["the beginning of a word in a translation", { search: toSearch("kennzeich*") }, true],
    ["a phrase", { search: toSearch('"on labels"') }, true],
    ["words in another order", { search: toSearch('"labels on"') }, false],
    ["a missing word", { search: toSearch("labels robots") }, false],
    ["all filters", { topics: ["gpai"], eventTypes: ["guidance"], search: toSearch("labels") }, true],
    ["all filters but one", { topics: ["gpai"], eventTypes: ["report"], search: toSearch("labels") }, false],
    ["an excluded topic", without({ topics: ["labels"] }), false],
    ["the parent of an excluded topic", without({ topics: ["transparency"] }), false],
    ["an excluded source", without({ sources: ["court", "board"] }), false],
    ["an excluded type", without({ eventTypes: ["guidance"] }), false],
    ["an excluded article", without({ articles: ["Art. 50"] }), false],
    ["excluded words", without({ search: toSearch("models labels") }), false],
    [
      "exclusions that do not match",
      without({
        topics: ["unknown"],
        sources: ["court"],
        eventTypes: ["report"],
        articles: ["Art. 5"],
        search: toSearch("labels robots"),
      }),
      true,
    ],
    ["an exclusion within a filter", { topics: ["gpai"], ...without({ topics: ["labels"] }) }, false],
  ];
  for (const [name, change, expected] of rows) {
    assert.equal(passesOf(EVENT, TAXONOMY)({ ...EVERY_EVENT, ...change }), expected, name);
  }
});

Deno.test("passesOf() treats a topic as if its children were listed too", () => {
  const ids = fc.uniqueArray(fc.constantFrom(...TAXONOMY.map((one) => one.id), "unknown"));
  const severity = fc.constantFrom(...SEVERITIES);
  const filters = fc.record({
    topics: ids,
    sources: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
    severityMin: severity,
  });
  const events = fc.record({ topics: ids, source_id: fc.constantFrom("a", "b"), severity });
  fc.assert(
    fc.property(filters, events, (filter, event) => {
      const { topics, sources, severityMin } = filter;
      const wanted = expandTopics(TAXONOMY, topics);
      const expected = SEVERITIES.indexOf(event.severity) >= SEVERITIES.indexOf(severityMin) &&
        (sources.length === 0 || sources.some((id) => id === event.source_id)) &&
        (topics.length === 0 || event.topics.some((id) => wanted.has(id)));
      assert.equal(passesOf({ ...EVENT, ...event }, TAXONOMY)({ ...EVERY_EVENT, ...filter }), expected);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("canonicalFilter() is equal for filters that select the same values, in any order", () => {
  const filter: EventFilter = {
    ...EVERY_EVENT,
    topics: ["gpai", "labels"],
    articles: ["Art. 50", "Art. 5"],
    search: toSearch('models "on Labels"'),
    exclude: { ...NO_EXCLUSIONS, sources: ["a", "b"] },
  };
  const rows: [change: Partial<EventFilter>, isSame: boolean][] = [
    [{}, true],
    [{ topics: ["labels", "gpai", "labels"], articles: ["Art. 5", "Art. 50"] }, true],
    [{ search: toSearch('"on labels"  MODELS') }, true],
    [without({ sources: ["b", "a"] }), true],
    [{ search: toSearch("models on labels") }, false],
    [{ search: toSearch('model* "on labels"') }, false],
    [{ search: null }, false],
    [{ eventTypes: ["report"] }, false],
    [{ eventLanguages: ["de"] }, false],
    [{ severityMin: "low" }, false],
    [{ sources: ["a", "b"], ...without({}) }, false],
    [without({ topics: ["a", "b"] }), false],
  ];
  const canonical = (change: Partial<EventFilter>) =>
    JSON.stringify(canonicalFilter({ ...filter, ...change }));
  for (const [change, isSame] of rows) {
    assert.equal(canonical(change) === canonical({}), isSame, JSON.stringify(change));
  }
});
