// The data files are consistent: every name used in one of them is defined.
import assert from "node:assert/strict";
import {
  EVENT_TYPE_DATA,
  LAW_DATA,
  PUBLISHER_DATA,
  PUBLISHER_KINDS,
  RELEVANCE_DATA,
  SEVERITY_DATA,
  TOPIC_RULES,
} from "../../src/classify/data.ts";
import { foldPhrase } from "../../src/classify/phrases/fold_text.ts";
import { AI_ACT } from "../../src/domain/event/article.ts";
import { DEFINED_EVENT_TYPES } from "../../src/domain/event/definitions.ts";
import { EVENT_TYPES } from "../../src/domain/event/event.ts";
import { SEVERITIES } from "../../src/domain/event/severity.ts";
import { needs, present } from "../support/needs.ts";

const TAXONOMY = new URL("../../../shared/facts/taxonomy.json", import.meta.url);

Deno.test("the data of the Act have 119 articles, 14 annexes and 180 recitals", () => {
  const { articles, annexes, recitals } = AI_ACT;
  assert.deepEqual([articles.size, annexes.size, recitals], [119, 14, 180]);
});

Deno.test("the data files contain only known kinds, types, severities and fields", () => {
  const known: Record<string, readonly unknown[]> = {
    type: EVENT_TYPES,
    types: EVENT_TYPES,
    event_types: EVENT_TYPES,
    severity: SEVERITIES,
    kind: PUBLISHER_KINDS,
    publishers: PUBLISHER_KINDS,
    fallback_for: PUBLISHER_KINDS,
    from_publishers: [...PUBLISHER_KINDS, "data-protection"],
  };
  const rules = [
    ...TOPIC_RULES,
    ...PUBLISHER_DATA.hosts,
    ...PUBLISHER_DATA.names,
    ...EVENT_TYPE_DATA.rules,
    EVENT_TYPE_DATA.otherwise,
    ...SEVERITY_DATA.rules,
  ];
  for (const rule of rules) {
    for (const [field, value] of Object.entries(rule)) {
      const values: unknown[] = [value].flat();
      if (known[field] !== undefined) {
        assert.ok(values.every((one) => known[field]?.includes(one)), `${value}`);
      } else if (Array.isArray(value)) assert.ok(values.every((one) => typeof one === "string"), field);
    }
  }
  const fields = (all: readonly object[]) => [...new Set(all.flatMap((one) => Object.keys(one)))].sort();
  const patterns = ["category", "celex", "summary", "title"];
  assert.deepEqual(fields(EVENT_TYPE_DATA.rules), [...patterns, "type", "unless", "url", "why"]);
  const signals = [...SEVERITY_DATA.signals.values()];
  assert.deepEqual(fields(signals), ["also_in_summary", ...patterns, "url", "why"]);
  assert.deepEqual(
    fields(SEVERITY_DATA.rules),
    ["data_protection", "names_the_act", "publishers", "severity", "types", "why", "with", "without"],
  );
  assert.deepEqual(
    fields([...PUBLISHER_DATA.hosts, ...PUBLISHER_DATA.names]),
    ["data_protection", "hosts", "kind", "names", "supervises"],
  );
});

Deno.test("topics refer only to articles and annexes of the Act", () => {
  for (const topic of TOPIC_RULES) {
    for (const article of topic.articles) {
      assert.ok(AI_ACT.articles.has(article), `${topic.id} ${article}`);
    }
    for (const reference of topic.led_by) {
      const whole = reference.replace(/\(.*/, "");
      const known = whole.startsWith("Annex ")
        ? AI_ACT.annexes.has(whole.slice("Annex ".length))
        : AI_ACT.articles.has(whole);
      assert.ok(known, `${topic.id} ${reference}`);
    }
  }
});

Deno.test("severity rules use only defined signals, and every signal is used", () => {
  const asked = new Set(SEVERITY_DATA.rules.flatMap((rule) => [...rule.with, ...rule.without]));
  assert.deepEqual([...asked].sort(), [...SEVERITY_DATA.signals.keys()].sort());
});

Deno.test("every event type has rules, and a severity for every kind of publisher", () => {
  const types = new Set([...EVENT_TYPE_DATA.rules.map((rule) => rule.type), EVENT_TYPE_DATA.otherwise.type]);
  assert.deepEqual([...types].sort(), [...EVENT_TYPES].sort());
  const free = SEVERITY_DATA.rules.filter((rule) => !rule.data_protection && !rule.names_the_act);
  for (const type of EVENT_TYPES) {
    for (const kind of PUBLISHER_KINDS) {
      const own = free.filter(({ types, publishers }) =>
        types.includes(type) && (publishers.length === 0 || publishers.includes(kind))
      );
      // If a signal excludes one rule, another rule must require that signal.
      const taken = (name: string) =>
        own.some((rule) => rule.with.includes(name) && rule.without.length === 0);
      assert.ok(
        own.some((rule) => rule.with.length === 0 && rule.without.every(taken)),
        `${type} by ${kind}`,
      );
    }
  }
});

Deno.test("no list has duplicates (ignoring hyphens, accents and, except in words in capitals, case)", () => {
  const lists: [name: string, words: readonly string[]][] = [
    ...TOPIC_RULES.flatMap(({ id, words }) =>
      [...words].map(([list, all]) => [`${id}.${list}`, all] as const)
    ),
    ...[RELEVANCE_DATA.terms, RELEVANCE_DATA.weakTerms, RELEVANCE_DATA.ruleWords, RELEVANCE_DATA.otherMatters]
      .flatMap((words, place) =>
        [...words].map(([list, all]) => [`relevance ${place} ${list}`, all] as const)
      ),
    ["act", LAW_DATA.act],
    ["others", LAW_DATA.others],
  ].map(([name, words]) => [name as string, words as readonly string[]]);
  for (const [name, words] of lists) {
    const folded = words.map((word) => {
      const phrase = foldPhrase(word);
      return /^[A-Z][A-Z0-9]+s?\*?$/.test(phrase) ? phrase : phrase.toLowerCase();
    });
    assert.deepEqual(folded.filter((word, at) => folded.indexOf(word) !== at), [], name);
  }
});

Deno.test("each host belongs to one kind of publisher", () => {
  const hosts = PUBLISHER_DATA.hosts.flatMap((rule) => rule.hosts);
  assert.equal(new Set(hosts).size, hosts.length);
});

Deno.test(
  needs("the topics are those of the taxonomy, in its order, with its names and articles", present(TAXONOMY)),
  () => {
    const taxonomy = JSON.parse(Deno.readTextFileSync(TAXONOMY));
    const fields = ["id", "parent", "name_en", "name_de", "name_fr", "articles"] as const;
    const pick = (topic: Record<string, unknown>) => fields.map((field) => topic[field]);
    const topics = TOPIC_RULES.map((topic) => fields.map((field) => topic[field]));
    assert.deepEqual(topics, taxonomy.topics.map(pick));
  },
);

Deno.test(needs("the event types have the names of the taxonomy, in its order", present(TAXONOMY)), () => {
  const taxonomy = JSON.parse(Deno.readTextFileSync(TAXONOMY));
  const pick = ({ id, name_de, name_fr }: Record<string, unknown>) => [id, name_de, name_fr];
  assert.deepEqual(
    DEFINED_EVENT_TYPES.map(({ id, name_de, name_fr }) => [id, name_de, name_fr]),
    taxonomy.event_types.map(pick),
  );
});
