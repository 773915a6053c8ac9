// A parent topic includes its children.
import assert from "node:assert/strict";
import { expandTopics, type Topic } from "../../../src/domain/event/topic.ts";

function topic(id: string, parent: string | null = null): Topic {
  return { id, name_en: id, name_de: id, name_fr: id, parent, articles: [] };
}

/** Children come before and after their parents. */
const TOPICS = [
  topic("labels", "transparency"),
  topic("transparency"),
  topic("chatbots", "transparency"),
  topic("gpai"),
  topic("systemic-risk", "gpai"),
];

Deno.test("expandTopics() adds only the children of parents", () => {
  const rows: [string[], string[]][] = [
    [[], []],
    [["transparency"], ["transparency", "labels", "chatbots"]],
    [["labels"], ["labels"]],
    [["gpai", "labels"], ["gpai", "systemic-risk", "labels"]],
    [["labels", "gpai"], ["labels", "gpai", "systemic-risk"]],
    [["gpai", "systemic-risk", "gpai"], ["gpai", "systemic-risk"]],
    [["unknown"], ["unknown"]],
  ];
  for (const [given, expected] of rows) {
    assert.deepEqual([...expandTopics(TOPICS, given)].toSorted(), expected.toSorted(), given.join(", "));
  }
});
