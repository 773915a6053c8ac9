// The effects of an operator's additions to the classification.
import assert from "node:assert/strict";
import { findAdditionProblems } from "../../src/classify/check_configured_rules.ts";
import {
  type ClassifyInput,
  classifyItem,
  createClassifier,
  RULES_VERSION,
  TOPICS,
} from "../../src/classify/classify.ts";
import type { AddedSeverityRule, AddedTopic, Additions } from "../../src/domain/event/classification.ts";

const NONE: Additions = { topics: [], keywords: [], severityRules: [], sources: [] };
const NO_KEYWORDS = { any: [], en: [], de: [], fr: [], other: [] };

const INSURANCE: AddedTopic = {
  id: "insurance",
  name_en: "Insurance",
  name_de: "Versicherungen",
  name_fr: "Assurances",
  parent: "rights-family",
  articles: [],
  keywords: {
    ...NO_KEYWORDS,
    any: ["EIOPA"],
    en: ["underwriting"],
    de: ["Versicherer*"],
    other: ["seguros"],
  },
};

function rule(change: Partial<AddedSeverityRule>): AddedSeverityRule {
  return {
    severity: "critical",
    why: "our rule",
    sources: [],
    eventTypes: [],
    topics: [],
    articles: [],
    words: [],
    without: [],
    ...change,
  };
}

function item(fields: Partial<ClassifyInput>): ClassifyInput {
  return { title: "", summary: "", url: "", categories: [], statedLanguages: ["en"], ...fields };
}

function classifierWith(change: Partial<Additions>) {
  const additions = { ...NONE, ...change };
  assert.deepEqual(findAdditionProblems(additions, ["board", "other"]), []);
  return createClassifier(additions);
}

Deno.test("createClassifier() without additions is the built-in classification", () => {
  const classifier = createClassifier(NONE);
  const input = item({ title: "Draft guidelines on human oversight of AI" });
  assert.deepEqual(classifier.classify(input), classifyItem(input));
  assert.deepEqual(classifier.topics, TOPICS);
  assert.equal(classifier.rulesVersion, RULES_VERSION);
});

Deno.test("createClassifier() derives its version from the additions", () => {
  const version = (change: Partial<Additions>) => createClassifier({ ...NONE, ...change }).rulesVersion;
  const versions = [
    version({ topics: [INSURANCE] }),
    version({ topics: [{ ...INSURANCE, parent: null }] }),
    version({ keywords: [{ topic: "gpai", keywords: { ...NO_KEYWORDS, en: ["zork"] } }] }),
    version({ severityRules: [rule({ words: ["zork"] })] }),
    version({ sources: [{ sourceId: "board", eventType: "faq", topics: [] }] }),
  ];
  for (const one of versions) assert.match(one, /^\d+\+[0-9a-f]{8}$/);
  assert.equal(new Set(versions).size, versions.length);
  assert.equal(version({ topics: [structuredClone(INSURANCE)] }), versions[0]);
});

Deno.test("an added topic is listed, and found by its words in the item's language and by its articles", () => {
  const { classify, topics } = classifierWith({ topics: [{ ...INSURANCE, articles: ["27"] }] });
  assert.deepEqual(topics.at(-1), {
    id: "insurance",
    name_en: "Insurance",
    name_de: "Versicherungen",
    name_fr: "Assurances",
    parent: "rights-family",
    articles: ["Art. 27"],
  });
  const rows: [expected: boolean, title: string, language: string][] = [
    [true, "AI Act guidance on underwriting", "en"],
    [true, "KI-Verordnung: Hinweise für Versicherer", "de"],
    [false, "Guidance for Versicherer on the AI Act", "en"],
    [true, "EIOPA opinion on the AI Act", "en"],
    [true, "Reglamento de IA: guía sobre la inteligencia artificial en los seguros", "es"],
    [true, "Guidelines on Article 27(1) of the AI Act", "en"],
    [false, "Guidelines on Article 50 of the AI Act", "en"],
    [false, "New rules on underwriting", "en"],
  ];
  for (const [expected, title, language] of rows) {
    const result = classify(item({ title, statedLanguages: [language] }));
    assert.equal(result.topics.includes("insurance"), expected, `${title}: ${result.topics}`);
  }
});

Deno.test("added keywords extend those of the topic", () => {
  const keywords = [{ topic: "financial-services", keywords: { ...NO_KEYWORDS, en: ["robo-advi*"] } }];
  const { classify } = classifierWith({ keywords });
  const title = "Guidance on the AI Act for robo-advisers";
  assert.ok(!classifyItem(item({ title })).topics.includes("financial-services"));
  const result = classify(item({ title }));
  assert.ok(result.topics.includes("financial-services"));
  const reason = result.reasons.find(({ value }) => value === "financial-services");
  assert.deepEqual(reason?.words, ["robo-advi*"]);
  const own = item({ title: "Guidance on AI and credit scoring" });
  assert.deepEqual(classify(own), classifyItem(own));
});

Deno.test("a configured severity rule applies only if every condition is met", () => {
  const guidance = item({
    title: "Guidelines on Article 26(5) of the AI Act for employers",
    sourceId: "board",
  });
  const rows: [fits: boolean, change: Partial<AddedSeverityRule>][] = [
    [true, { sources: ["other", "board"] }],
    [false, { sources: ["other"] }],
    [true, { eventTypes: ["faq", "guidance"] }],
    [false, { eventTypes: ["faq"] }],
    [true, { topics: ["employment"] }],
    [true, { topics: ["rights-family"] }],
    [false, { topics: ["gpai-family"] }],
    [true, { articles: ["Art. 26"] }],
    [true, { articles: ["Art. 26(5)"] }],
    [false, { articles: ["Art. 26(1)"] }],
    [false, { articles: ["Annex III"] }],
    [true, { words: ["employer*"] }],
    [false, { words: ["employee*"] }],
    [false, { words: ["employer*"], without: ["AI Act"] }],
    [true, { words: ["employer*"], without: ["draft"], sources: ["board"], articles: ["Art. 26"] }],
    [false, { words: ["employer*"], sources: ["board"], articles: ["Art. 27"] }],
  ];
  for (const [fits, change] of rows) {
    const result = classifierWith({ severityRules: [rule(change)] }).classify(guidance);
    const reason = result.reasons.find(({ field }) => field === "severity");
    assert.equal(result.severity === "critical", fits, JSON.stringify(change));
    assert.equal(reason?.why === "our rule", fits, JSON.stringify(change));
  }
});

Deno.test("the first matching severity rule of the config applies, but only to relevant items", () => {
  const { classify } = classifierWith({
    severityRules: [
      rule({ words: ["ferries", "guidelines"], without: ["draft"] }),
      rule({ severity: "info", words: ["guidelines"] }),
    ],
  });
  assert.equal(classify(item({ title: "Guidelines on AI" })).severity, "critical");
  assert.equal(classify(item({ title: "Draft guidelines on AI" })).severity, "info");
  assert.equal(classify(item({ title: "Timetable of the ferries" })).severity, "info");
  const summary = `${"The authority reports on AI and the AI Act. ".repeat(12)} See the guidelines.`;
  assert.equal(classify(item({ title: "AI Act: annual report", summary })).severity, "low", "far behind");
});

Deno.test("a source's event type is the default, and its topics apply to every relevant item", () => {
  const { classify } = classifierWith({
    sources: [{ sourceId: "board", eventType: "decision", topics: ["education", "rights-family"] }],
  });
  const plain = item({ title: "AI Act and museums", sourceId: "board" });
  const result = classify(plain);
  assert.equal(result.eventType, "decision");
  assert.match(result.reasons.find(({ field }) => field === "event_type")?.why ?? "", /config/);
  assert.deepEqual([...result.topics].sort(), ["education", "rights-family"]);
  const guidelines = item({ title: "Guidelines on the AI Act", sourceId: "board" });
  assert.equal(classify(guidelines).eventType, "guidance");
  const elsewhere = { ...plain, sourceId: "other" };
  assert.deepEqual(classify(elsewhere), classifyItem(plain));

  const crowded = item({
    title:
      "Guidelines: biometrics, sandboxes, copyright, cybersecurity, AI literacy, human oversight and the AI Act",
    sourceId: "board",
  });
  const topics = classify(crowded).topics;
  assert.equal(topics.length, 5);
  assert.ok(topics.includes("education") && topics.includes("rights-family"), topics.join());

  const off = classify(item({ title: "Summer timetable of artificial lakes", sourceId: "board" }));
  assert.deepEqual([off.relevant, off.topics, off.severity], [false, [], "info"]);
});

Deno.test("a source's event type does not make an item relevant", () => {
  const { classify } = classifierWith({
    sources: [{ sourceId: "board", eventType: "guidance", topics: [] }],
  });
  const title = "AI helps farmers save water";
  assert.equal(classify(item({ title, sourceId: "board" })).relevant, classifyItem(item({ title })).relevant);
});
