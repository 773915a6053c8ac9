// The difference between two versions: which fields it names, and with what.
import assert from "node:assert/strict";
import { diffEvents, type FieldChange } from "../../src/domain/diff.ts";
import type { RegEvent } from "../../src/domain/event.ts";

const BEFORE: RegEvent = {
  id: "evt_1",
  source_id: "board",
  external_id: "publication 1",
  version: 3,
  supersedes: "evt_0",
  event_type: "guidance",
  topics: ["transparency", "gpai"],
  severity: "medium",
  title_en: "Guidelines",
  summary_en: "How to label.",
  url_official: "https://board.example/1",
  ai_act_articles: ["Art. 50"],
  published_at: 1_000,
  published_at_estimated: false,
  ingested_at: 2_000,
  language: "en",
  language_versions: ["de", "en"],
  translations: {
    de: { title: "Leitlinien", summary: "Wie man kennzeichnet." },
    en: { title: "Guidelines", summary: "How to label." },
  },
};

/** The next version, with changes. */
function next(change: Partial<RegEvent>): RegEvent {
  return { ...BEFORE, id: "evt_2", version: 4, supersedes: "evt_1", ingested_at: 3_000, ...change };
}

const { de, en } = BEFORE.translations as Record<"de" | "en", { title: string; summary: string }>;

const ROWS: [string, Partial<RegEvent>, FieldChange[]][] = [
  ["nothing but what every version changes", {}, []],
  [
    "the English words, which the translations repeat",
    { title_en: "New guidelines", translations: { de, en: { ...en, title: "New guidelines" } } },
    [{ field: "title_en", before: "Guidelines", after: "New guidelines" }],
  ],
  ["the summary gone", { summary_en: "", translations: { de, en: { ...en, summary: "" } } }, [
    { field: "summary_en", before: "How to label.", after: "" },
  ]],
  ["the address", { url_official: "https://board.example/2" }, [
    { field: "url_official", before: "https://board.example/1", after: "https://board.example/2" },
  ]],
  ["type and severity", { event_type: "standard", severity: "high" }, [
    { field: "event_type", before: "guidance", after: "standard" },
    { field: "severity", before: "medium", after: "high" },
  ]],
  ["the stated date", { published_at: 1_001 }, [{ field: "published_at", before: 1_000, after: 1_001 }]],
  ["the language", { language: "de" }, [{ field: "language", before: "en", after: "de" }]],
  ["a list that gained and lost", { topics: ["gpai", "labels"] }, [
    { field: "topics", added: ["labels"], removed: ["transparency"] },
  ]],
  ["a list in another order", { topics: ["gpai", "transparency"] }, []],
  ["an article more", { ai_act_articles: ["Art. 50", "Art. 50(2)"] }, [
    { field: "ai_act_articles", added: ["Art. 50(2)"], removed: [] },
  ]],
  ["words of another language", { translations: { de: { title: "Neu", summary: de.summary }, en } }, [
    { field: "translations.de.title", before: "Leitlinien", after: "Neu" },
  ]],
  [
    "a language more, and one gone",
    { language_versions: ["en", "fr"], translations: { en, fr: { title: "Lignes", summary: "" } } },
    [
      { field: "language_versions", added: ["fr"], removed: ["de"] },
      { field: "translations.de.title", before: "Leitlinien", after: null },
      { field: "translations.de.summary", before: "Wie man kennzeichnet.", after: null },
      { field: "translations.fr.title", before: null, after: "Lignes" },
      { field: "translations.fr.summary", before: null, after: "" },
    ],
  ],
];

Deno.test("diffEvents() names the fields that changed, with what they were and are", () => {
  for (const [name, change, expected] of ROWS) {
    assert.deepEqual(diffEvents(BEFORE, next(change)).changes, expected, name);
  }
});

Deno.test("diffEvents() names the previous version and says in words what changed", () => {
  const diff = diffEvents(BEFORE, next({ severity: "high", topics: ["gpai"] }));
  assert.equal(diff.previous_id, "evt_1");
  assert.equal(diff.previous_version, 3);
  assert.equal(diff.summary, "severity, topics changed");
  assert.equal(diffEvents(BEFORE, next({})).summary, "no field changed");
});

Deno.test("diffEvents() tells the words of a source without English once", () => {
  const german = { ...BEFORE, language: "de", language_versions: ["de"], translations: { de } };
  const before: RegEvent = { ...german, title_en: de.title, summary_en: de.summary };
  const after: RegEvent = {
    ...before,
    id: "evt_2",
    title_en: "Neue Leitlinien",
    translations: { de: { ...de, title: "Neue Leitlinien" } },
  };
  assert.deepEqual(diffEvents(before, after).changes, [
    { field: "title_en", before: "Leitlinien", after: "Neue Leitlinien" },
  ]);
});
