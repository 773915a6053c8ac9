// Subscriptions: which events a filter lets pass, and when anything goes out at all.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { isEnabled, passesOf, type SubscriptionFilter } from "../../../src/domain/delivery/subscription.ts";
import { SEVERITIES } from "../../../src/domain/event/severity.ts";
import { expandTopics, type Topic } from "../../../src/domain/event/topic.ts";

const TAXONOMY: Topic[] = [
  { id: "transparency", parent: null },
  { id: "labels", parent: "transparency" },
  { id: "gpai", parent: null },
].map((topic) => ({ name_en: topic.id, name_de: topic.id, name_fr: topic.id, articles: [], ...topic }));

const EVENT = { topics: ["labels", "gpai"], source_id: "board", severity: "medium" } as const;

Deno.test("passesOf() combines the filters with and, and takes each list as any of", () => {
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
    ["everything right", { topics: ["labels"], sourceFilter: ["board"], severityMin: "medium" }, true],
    ["all right but the topic", { topics: ["x"], sourceFilter: ["board"], severityMin: "info" }, false],
    ["all right but the source", { topics: ["labels"], sourceFilter: ["court"], severityMin: "info" }, false],
    [
      "all right but the severity",
      { topics: ["gpai"], sourceFilter: ["board"], severityMin: "critical" },
      false,
    ],
  ];
  for (const [name, change, expected] of rows) {
    const filter: SubscriptionFilter = { topics: [], sourceFilter: [], severityMin: "info", ...change };
    const event: Pick<RegEvent, "topics" | "source_id" | "severity"> = {
      ...EVENT,
      topics: [...EVENT.topics],
    };
    assert.equal(passesOf(event, TAXONOMY)(filter), expected, name);
  }
});

Deno.test("passesOf() lets a child stand for itself and not for its parent", () => {
  const filter: SubscriptionFilter = { topics: ["labels"], sourceFilter: [], severityMin: "info" };
  const parentOnly = { topics: ["transparency"], source_id: "board", severity: "high" } as const;
  assert.equal(passesOf({ ...parentOnly, topics: [...parentOnly.topics] }, TAXONOMY)(filter), false);
});

Deno.test("passesOf() lets an event without topics pass only where no topic is asked for", () => {
  const event: Pick<RegEvent, "topics" | "source_id" | "severity"> = {
    topics: [],
    source_id: "board",
    severity: "info",
  };
  assert.equal(passesOf(event, TAXONOMY)({ topics: [], sourceFilter: [], severityMin: "info" }), true);
  assert.equal(passesOf(event, TAXONOMY)({ topics: ["gpai"], sourceFilter: [], severityMin: "info" }), false);
});

Deno.test("passesOf() widens the event where the lists widen the filter, with the same verdict on all of both", () => {
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

Deno.test("isEnabled() is true while a subscription is neither switched off nor deleted", () => {
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: null }), true);
  assert.equal(isEnabled({ disabledAtMs: 0, deletedAtMs: null }), false);
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: 0 }), false);
  assert.equal(isEnabled({ disabledAtMs: 1, deletedAtMs: 2 }), false);
});
