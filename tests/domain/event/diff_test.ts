// The diff between two versions: which fields it names, with which values.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { diffEvents } from "../../../src/domain/event/diff.ts";
import type { FieldChange } from "../../../src/domain/event/diff_words.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";

const BEFORE: RegEvent = {
  id: "evt_1",
  source_id: "board",
  source: { id: "board", name: "Board" },
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
  published_at_precision: "time",
  published_on: "1970-01-01",
  published_at_estimated: false,
  ingested_at: 2_000,
  language: "en",
  language_versions: ["de", "en"],
  translations: {
    de: { title: "Leitlinien", summary: "Wie man kennzeichnet." },
    en: { title: "Guidelines", summary: "How to label." },
  },
  status: null,
};

function next(change: Partial<RegEvent>): RegEvent {
  return { ...BEFORE, id: "evt_2", version: 4, supersedes: "evt_1", ingested_at: 3_000, ...change };
}

const { de, en } = BEFORE.translations as Record<"de" | "en", { title: string; summary: string }>;

const ROWS: [string, Partial<RegEvent>, FieldChange[]][] = [
  ["only the fields that every version changes", {}, []],
  [
    "the English title, which the translations repeat",
    { title_en: "New guidelines", translations: { de, en: { ...en, title: "New guidelines" } } },
    [{ field: "title_en", before: "Guidelines", after: "New guidelines" }],
  ],
  ["a removed summary", { summary_en: "", translations: { de, en: { ...en, summary: "" } } }, [
    { field: "summary_en", before: "How to label.", after: "" },
  ]],
  ["type and severity", { event_type: "standard", severity: "high" }, [
    { field: "event_type", before: "guidance", after: "standard" },
    { field: "severity", before: "medium", after: "high" },
  ]],
  [
    "another time",
    { published_at: 5_000 },
    [{ field: "published_at", before: 1_000, after: 5_000 }],
  ],
  ["only the day known", { published_at: 0, published_at_precision: "date" }, []],
  ["another day", { published_at: 86_400_000, published_at_precision: "date", published_on: "1970-01-02" }, [
    { field: "published_at", before: 1_000, after: 86_400_000 },
  ]],
  ["a renamed source", { source: { id: "board", name: "New board" } }, []],
  ["withdrawn", { status: "withdrawn" }, [{ field: "status", before: null, after: "withdrawn" }]],
  ["an added and a removed topic", { topics: ["gpai", "labels"] }, [
    { field: "topics", added: ["labels"], removed: ["transparency"] },
  ]],
  ["an added article", { ai_act_articles: ["Art. 50", "Art. 50(2)"] }, [
    { field: "ai_act_articles", added: ["Art. 50(2)"], removed: [] },
  ]],
  ["the title in another language", { translations: { de: { title: "Neu", summary: de.summary }, en } }, [
    { field: "translations.de.title", before: "Leitlinien", after: "Neu" },
  ]],
  [
    "an added and a removed language",
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

Deno.test("diffEvents() lists the changed fields with their old and new values", () => {
  for (const [name, change, expected] of ROWS) {
    assert.deepEqual(diffEvents(BEFORE, next(change)).changes, expected, name);
  }
});

Deno.test("diffEvents() contains the previous version and describes the changes in words", () => {
  const diff = diffEvents(BEFORE, next({ severity: "high", topics: ["gpai"] }));
  assert.equal(diff.previous_id, "evt_1");
  assert.equal(diff.previous_version, 3);
  assert.equal(diff.summary, "Severity raised from medium to high; 1 topic removed");
});

/** Changes, and their descriptions in each supported language. Unsupported languages get the English one. */
const IN_WORDS: [Partial<RegEvent>, Record<string, string>][] = [
  [{}, {
    en: "No field changed",
    de: "Kein Feld geändert",
    fr: "Aucun champ modifié",
    es: "No field changed",
  }],
  [{ title_en: "New", topics: ["transparency", "gpai", "labels", "audits"] }, {
    en: "Title changed; 2 topics added",
    de: "Titel geändert (Englisch); 2 Themen hinzugefügt",
    fr: "Titre modifié (anglais); 2 thématiques ajoutées",
    es: "Title changed (English); 2 topics added",
    constructor: "Title changed (English); 2 topics added",
  }],
  [{ summary_en: "", severity: "low", ai_act_articles: [], event_type: "standard" }, {
    en: "Summary removed; type changed from guidance to standard; severity lowered from medium to low; " +
      "1 article reference removed",
    de:
      "Zusammenfassung entfernt (Englisch); Art geändert von „Leitlinien, Orientierungshilfe“ zu „Norm“; Schweregrad gesenkt von mittel auf niedrig; " +
      "1 Artikelverweis entfernt",
    fr:
      "Résumé supprimé (anglais); type modifié de « Lignes directrices, recommandation » en « Norme »; gravité abaissée de moyenne à faible; " +
      "1 référence d’article supprimée",
  }],
  [{ url_official: "https://board.example/2", published_at: 1, language: "de" }, {
    en: "Official URL changed; publication date changed; language changed",
    de: "Offizielle URL geändert; Veröffentlichungsdatum geändert; Sprache geändert",
    fr: "URL officielle modifiée; date de publication modifiée; langue modifiée",
  }],
  [{ translations: { de: { title: "Neu", summary: "" }, en } }, {
    en: "Title changed (German); summary removed (German)",
    de: "Titel geändert (Deutsch); Zusammenfassung entfernt (Deutsch)",
    fr: "Titre modifié (allemand); résumé supprimé (allemand)",
  }],
  // The most important changes come first.
  [{ summary_en: "New.", translations: { de: { ...de, summary: "Neu." }, en: { ...en, summary: "New." } } }, {
    en: "Summary changed; summary changed (German)",
    de: "Zusammenfassung geändert (Deutsch); Zusammenfassung geändert (Englisch)",
    fr: "Résumé modifié (anglais); résumé modifié (allemand)",
  }],
  // A record in only one language does not name that language.
  [{ title_en: "New", language_versions: ["en"] }, {
    de: "Titel geändert; 1 Sprachfassung entfernt",
  }],
  // An added language is one change, not one per field.
  [{
    language_versions: ["de", "en", "fr"],
    translations: { de, en, fr: { title: "Lignes", summary: "Dire." } },
  }, {
    en: "1 language version added",
    de: "1 Sprachfassung hinzugefügt",
    fr: "1 version linguistique ajoutée",
  }],
];

Deno.test("diffEvents() uses the requested language, or English as a fallback", () => {
  for (const [change, expected] of IN_WORDS) {
    for (const [language, summary] of Object.entries(expected)) {
      assert.equal(diffEvents(BEFORE, next(change), language).summary, summary, language);
    }
  }
});

Deno.test("diffEvents() shows the changed sentences of a long summary, marked as an excerpt", () => {
  const sentence = (n: number) =>
    `Sentence number ${n} of a text that goes on for quite some time about labels.`;
  const summary = (last: string) => [1, 2, 3, 4, 5].map(sentence).concat(last).join(" ");
  const before: RegEvent = { ...BEFORE, summary_en: summary("Until May.") };
  assert.deepEqual(diffEvents(before, { ...before, summary_en: summary("Until June.") }).changes, [
    { field: "summary_en", before: "[…] Until May.", after: "[…] Until June.", excerpt: true },
  ]);
});

Deno.test("diffEvents() names every field that changed, and no other", () => {
  const list = fc.subarray(["a", "b", "c", "d"]);
  const text = fc.constantFrom("", "One.", "Two. ".repeat(80), `${"Two. ".repeat(80)}Three.`);
  const wording = fc.record({ title: text, summary: text });
  const event = fc.record({
    title_en: text,
    summary_en: text,
    url_official: fc.constantFrom("https://board.example/1", "https://board.example/2"),
    event_type: fc.constantFrom("guidance" as const, "standard" as const),
    severity: fc.constantFrom("low" as const, "high" as const),
    published_at: fc.nat(3),
    language: fc.constantFrom("en", "de"),
    topics: list,
    ai_act_articles: list,
    language_versions: list,
    translations: fc.dictionary(fc.constantFrom("de", "en", "fr", "__proto__", "constructor"), wording),
  });
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
  fc.assert(fc.property(event, event, (one, two) => {
    const before: RegEvent = { ...BEFORE, ...one };
    const after: RegEvent = { ...BEFORE, ...two, id: "evt_2", version: 4 };
    assert.deepEqual(diffEvents(before, { ...before, id: "evt_2" }).changes, []);
    const named = diffEvents(before, after).changes.map(({ field }) => field);
    assert.equal(new Set(named).size, named.length, "each once");
    for (const field of Object.keys(one) as (keyof typeof one)[]) {
      if (field === "translations") continue;
      assert.equal(named.includes(field), sorted(one[field]) !== sorted(two[field]), field);
    }
    for (const code of new Set([...Object.keys(one.translations), ...Object.keys(two.translations)])) {
      for (const part of ["title", "summary"] as const) {
        const [old, now] = [one, two].map(({ translations }) =>
          Object.hasOwn(translations, code) ? translations[code]?.[part] : undefined
        );
        if (old === now) continue;
        const own = named.includes(`translations.${code}.${part}`);
        assert.ok(own || named.includes(`${part}_en`), `${code} ${part}`);
      }
    }
  }));
});

Deno.test("diffEvents() lists the texts of a source without English once", () => {
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
