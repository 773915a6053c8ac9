// Severities, event types and topics are defined in three languages, and the documentation has the same definitions.
import assert from "node:assert/strict";
import { TOPIC_RULES } from "../../../src/classify/data.ts";
import {
  DEFINED_EVENT_TYPES,
  DEFINED_SEVERITIES,
  topicDefinition,
} from "../../../src/domain/event/definitions.ts";
import data from "../../../src/domain/event/definitions.json" with { type: "json" };
import { EVENT_TYPES } from "../../../src/domain/event/event.ts";
import { SEVERITIES } from "../../../src/domain/event/severity.ts";

const TOPICS = TOPIC_RULES.map(({ id, parent, name_en, name_de, name_fr }) => {
  const definition = topicDefinition(id);
  assert.ok(definition !== null, `${id} has no definition`);
  return { id, parent, name_en, name_de, name_fr, ...definition };
});

const PAGES = [
  ["definitions.md", "name_en", "definition_en"],
  ["definitions.de.md", "name_de", "definition_de"],
  ["definitions.fr.md", "name_fr", "definition_fr"],
] as const;

Deno.test("every severity, event type and topic has a name and a definition in three languages, and nothing else has", () => {
  assert.deepEqual(DEFINED_SEVERITIES.map(({ id }) => id), [...SEVERITIES]);
  assert.deepEqual(DEFINED_EVENT_TYPES.map(({ id }) => id), [...EVENT_TYPES]);
  assert.deepEqual(Object.keys(data.severities).sort(), SEVERITIES.toSorted());
  assert.deepEqual(Object.keys(data.event_types).sort(), EVENT_TYPES.toSorted());
  assert.deepEqual(Object.keys(data.topics).sort(), TOPICS.map(({ id }) => id).sort());
  for (const terms of [DEFINED_SEVERITIES, DEFINED_EVENT_TYPES, TOPICS]) {
    for (const { id, name_en, name_de, name_fr, definition_en, definition_de, definition_fr } of terms) {
      const definitions = [definition_en, definition_de, definition_fr];
      assert.equal(new Set(definitions).size, 3, id);
      for (const definition of definitions) assert.match(definition, /^\p{Lu}[^|]+\.$/u, id);
      for (const name of [name_en, name_de, name_fr]) assert.match(name, /^\p{Lu}[^|]+$/u, id);
    }
    for (const field of ["definition_en", "definition_de", "definition_fr"] as const) {
      assert.equal(
        new Set(terms.map((term) => term[field])).size,
        terms.length,
        `two terms have the same ${field}`,
      );
    }
  }
});

Deno.test("the guide to definitions has every severity, event type and topic, and nothing else, in each language", async () => {
  for (const [file, name, definition] of PAGES) {
    const page = await Deno.readTextFile(new URL(`../../../docs/use/${file}`, import.meta.url));
    const rows = page.split("\n").map((line) => line.replace(/ +/g, " ").trim()).filter((line) =>
      /^\| `.*\. \|$/.test(line)
    );
    const expected = [
      ...[...DEFINED_SEVERITIES].reverse(),
      ...DEFINED_EVENT_TYPES,
    ].map((term) => `| \`${term.id}\` | ${term[name]} | ${term[definition]} |`);
    const topics = TOPICS.map((topic) =>
      `| \`${topic.id}\` |${topic.parent === null ? "" : ` \`${topic.parent}\``} | ${topic[name]} | ${
        topic[definition]
      } |`
    );
    assert.deepEqual(rows, [...expected, ...topics], file);
  }
});
