// Which events pass a subscription's filters, and when a subscription is enabled.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { isEnabled, passesOf, type SubscriptionFilter } from "../../../src/domain/delivery/subscription.ts";
import { SEVERITIES } from "../../../src/domain/event/severity.ts";
import { expandTopics, type Topic } from "../../../src/domain/event/topic.ts";

const TAXONOMY: Topic[] = [
  { id: "transparency", parent: null },
  { id: "labels", parent: "transparency" },
  { id: "gpai", parent: null },
].map((topic) => ({ name_en: topic.id, name_de: topic.id, name_fr: topic.id, articles: [], ...topic }));

const EVENT: Parameters<typeof passesOf>[0] = {
  topics: ["labels", "gpai"],
  source_id: "board",
  severity: "medium",
};

Deno.test("passesOf() combines filters with AND, and values within a list with OR", () => {
  const rows: [string, Partial<SubscriptionFilter>, boolean][] = [
    ["no filter", {}, true],
    ["a topic of the event", { topics: ["gpai"] }, true],
    ["one topic of several", { topics: ["unknown", "labels"] }, true],
    ["the parent of a topic", { topics: ["transparency"] }, true],
    ["other topics", { topics: ["unknown"] }, false],
    ["its source", { sourceFilter: ["board"] }, true],
    ["one source of several", { sourceFilter: ["court", "board"] }, true],
    ["other sources", { sourceFilter: ["court", "boar"] }, false],
    ["a lower severity", { severityMin: "low" }, true],
    ["its severity", { severityMin: "medium" }, true],
    ["a higher severity", { severityMin: "high" }, false],
  ];
  for (const [name, change, expected] of rows) {
    const filter: SubscriptionFilter = { topics: [], sourceFilter: [], severityMin: "info", ...change };
    assert.equal(passesOf(EVENT, TAXONOMY)(filter), expected, name);
  }
});

Deno.test("passesOf() treats a topic as if its children were listed too", () => {
  const ids = fc.uniqueArray(fc.constantFrom(...TAXONOMY.map((one) => one.id), "unknown"));
  const severity = fc.constantFrom(...SEVERITIES);
  const filters = fc.record({
    topics: ids,
    sourceFilter: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
    severityMin: severity,
  });
  const events = fc.record({ topics: ids, source_id: fc.constantFrom("a", "b"), severity });
  fc.assert(
    fc.property(filters, events, (filter, event) => {
      const { topics, sourceFilter, severityMin } = filter;
      const wanted = expandTopics(TAXONOMY, topics);
      const expected = SEVERITIES.indexOf(event.severity) >= SEVERITIES.indexOf(severityMin) &&
        (sourceFilter.length === 0 || sourceFilter.some((id) => id === event.source_id)) &&
        (topics.length === 0 || event.topics.some((id) => wanted.has(id)));
      assert.equal(passesOf(event, TAXONOMY)(filter), expected);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("isEnabled() is true while a subscription is neither disabled nor deleted", () => {
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: null }), true);
  assert.equal(isEnabled({ disabledAtMs: 0, deletedAtMs: null }), false);
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: 0 }), false);
});
