// Subscriptions: which events a filter lets pass, and when anything goes out at all.
import assert from "node:assert/strict";
import type { RegEvent } from "../../src/domain/event.ts";
import { isEnabled, matches, type SubscriptionFilter } from "../../src/domain/subscription.ts";
import type { Topic } from "../../src/domain/topic.ts";

const TAXONOMY: Topic[] = [
  { id: "transparency", parent: null },
  { id: "labels", parent: "transparency" },
  { id: "gpai", parent: null },
].map((topic) => ({ name_en: topic.id, name_de: topic.id, name_fr: topic.id, articles: [], ...topic }));

const EVENT = { topics: ["labels", "gpai"], source_id: "board", severity: "medium" } as const;

Deno.test("matches() combines the filters with and, and takes each list as any of", () => {
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
    assert.equal(matches(filter, event, TAXONOMY), expected, name);
  }
});

Deno.test("matches() lets a child stand for itself and not for its parent", () => {
  const filter: SubscriptionFilter = { topics: ["labels"], sourceFilter: [], severityMin: "info" };
  const parentOnly = { topics: ["transparency"], source_id: "board", severity: "high" } as const;
  assert.equal(matches(filter, { ...parentOnly, topics: [...parentOnly.topics] }, TAXONOMY), false);
});

Deno.test("matches() lets an event without topics pass only where no topic is asked for", () => {
  const event: Pick<RegEvent, "topics" | "source_id" | "severity"> = {
    topics: [],
    source_id: "board",
    severity: "info",
  };
  assert.equal(matches({ topics: [], sourceFilter: [], severityMin: "info" }, event, TAXONOMY), true);
  assert.equal(matches({ topics: ["gpai"], sourceFilter: [], severityMin: "info" }, event, TAXONOMY), false);
});

Deno.test("isEnabled() is true while a subscription is neither switched off nor deleted", () => {
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: null }), true);
  assert.equal(isEnabled({ disabledAtMs: 0, deletedAtMs: null }), false);
  assert.equal(isEnabled({ disabledAtMs: null, deletedAtMs: 0 }), false);
  assert.equal(isEnabled({ disabledAtMs: 1, deletedAtMs: 2 }), false);
});
