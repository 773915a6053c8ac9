import assert from "node:assert/strict";
import { type ClassifyInput, classifyItem, RULES_VERSION, TOPICS } from "../../src/classify/classify.ts";

function item(fields: Partial<ClassifyInput>): ClassifyInput {
  return {
    title: "",
    summary: "",
    url: "https://example.org/1",
    categories: [],
    statedLanguages: ["en"],
    ...fields,
  };
}

Deno.test("classifyItem() gives every value of a relevant item, with a reason for each", () => {
  const result = classifyItem(item({
    title: "Commission publishes guidelines on transparency under Article 50 of the AI Act",
    url: "https://digital-strategy.ec.europa.eu/en/library/guidelines-transparency",
  }));
  assert.equal(result.relevant, true);
  assert.equal(result.language, "en");
  assert.equal(result.eventType, "guidance");
  assert.deepEqual(result.topics, ["transparency", "synthetic-content"].slice(0, result.topics.length));
  assert.equal(result.severity, "high");
  assert.deepEqual(result.aiActArticles, ["Art. 50"]);
  const fields = new Set(result.reasons.map((reason) => reason.field));
  assert.deepEqual(
    fields,
    new Set(["relevant", "language", "event_type", "topics", "severity", "ai_act_articles"]),
  );
});

Deno.test("classifyItem() gives an item without AI its language and kind, no topics and severity info", () => {
  const result = classifyItem(item({
    title: "Urteil des Gerichtshofs vom 3. März 2026 in der Rechtssache C-12/25",
    url: "https://curia.europa.eu/1",
  }));
  assert.deepEqual(
    { ...result, reasons: undefined },
    {
      relevant: false,
      language: "de",
      eventType: "court-ruling",
      topics: [],
      severity: "info",
      aiActArticles: [],
      reasons: undefined,
    },
  );
});

Deno.test("TOPICS holds two levels with names in three languages, and RULES_VERSION is stated", () => {
  const ids = new Set(TOPICS.map((topic) => topic.id));
  assert.equal(ids.size, TOPICS.length);
  for (const topic of TOPICS) {
    if (topic.parent === null) continue;
    assert.ok(ids.has(topic.parent), topic.id);
    assert.equal(TOPICS.find((parent) => parent.id === topic.parent)?.parent, null, topic.id);
  }
  assert.ok(TOPICS.every((topic) => topic.name_en !== "" && topic.name_de !== "" && topic.name_fr !== ""));
  assert.match(RULES_VERSION, /^\d/);
});
