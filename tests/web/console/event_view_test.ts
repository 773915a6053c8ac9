// What the page of an event shows: the comparison of versions, and dates.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import {
  comparedLanguage,
  compareVersions,
  datesOf,
  textLanguageOf,
} from "../../../src/web/console/event/event_view.ts";
import { sampleEvent } from "../../support/samples.ts";
import { aVocabulary } from "./given.ts";

const words = (title: string, summary: string) => ({ title, summary });

const before = sampleEvent({
  id: "evt_1",
  severity: "medium",
  topics: ["gpai"],
  title_en: "Draft code",
  summary_en: "Reply by 2 May.",
  language_versions: ["en", "de", "fr"],
  translations: {
    en: words("Draft code", "Reply by 2 May."),
    de: words("Entwurf", "Bis 2. Mai."),
    fr: words("Projet", "Avant le 2 mai."),
  },
});
const after: RegEvent = {
  ...before,
  id: "evt_2",
  version: 2,
  severity: "high",
  topics: ["gpai", "other"],
  title_en: "Final code",
  summary_en: "Reply by 9 May.",
  translations: {
    en: words("Final code", "Reply by 9 May."),
    de: words("Entwurf", "Bis 9. Mai."),
    fr: words("Projet", "Avant le 2 mai."),
  },
};

const compare = (shownLanguage: string, language: "en" | "de" = "en") =>
  compareVersions(before, after, {
    language,
    shownLanguage,
    vocabulary: aVocabulary(language),
    dateText: ({ published_on }) => String(published_on),
  });

Deno.test("compareVersions() compares the texts of one language by word, and values by name", () => {
  const english = compare("en");
  assert.deepEqual(english.title, [
    { kind: "removed", text: "Draft" },
    { kind: "added", text: "Final" },
    { kind: "same", text: " code" },
  ]);
  assert.equal(
    english.summaryText.filter(({ kind }) => kind !== "removed").map(({ text }) => text).join(""),
    "Reply by 9 May.",
  );
  assert.deepEqual(english.fields, [
    { field: "severity", removed: ["Medium"], added: ["High"] },
    { field: "topics", removed: [], added: ["other"] },
  ]);
  assert.deepEqual(english.otherLanguages, ["de"]);
  const german = compare("de", "de");
  assert.deepEqual(german.title, [{ kind: "same", text: "Entwurf" }]);
  assert.deepEqual(german.otherLanguages, ["en"]);
  assert.match(german.summary, /Schweregrad/);
});

Deno.test("the compared language is one that both versions have, if possible", () => {
  const onlyGerman = { ...before, translations: { de: words("Entwurf", "") }, language: "de" };
  const rows: [before: RegEvent, wanted: string, language: "en" | "de" | "fr", expected: string][] = [
    [before, "", "de", "de"],
    [before, "fr", "de", "fr"],
    [before, "it", "de", "de"],
    [before, "__proto__", "en", "en"],
    [onlyGerman, "", "en", "en"],
    [{ ...before, translations: { en: words("x", "") } }, "de", "de", "en"],
  ];
  for (const [old, wanted, language, expected] of rows) {
    assert.equal(comparedLanguage(old, after, wanted, language), expected);
  }
  assert.equal(textLanguageOf(onlyGerman, "", "en"), "de");
  assert.equal(textLanguageOf(before, "constructor", "fr"), "fr");
});

Deno.test("datesOf() finds later dates in the text, and the Act's dates for citations or else for topics", () => {
  const context = { today: "2026-11-18", language: "en" as const, vocabulary: aVocabulary() };
  const text = words("Guidelines of 1 July 2026", "Reply by 2 December 2026.");
  const event = sampleEvent({
    id: "evt_1",
    topics: ["gpai"],
    ai_act_articles: ["Art. 50(2)"],
    published_on: "2026-07-31",
  });
  const cited = datesOf(event, text, context);
  assert.deepEqual(cited.named.map(({ on }) => on), ["2026-12-02"]);
  assert.deepEqual(cited.act.map(({ on, isPast, references }) => [on, isPast, ...references]), [
    ["2026-08-02", true, "Art. 50(2)"],
    ["2026-12-02", false, "Art. 50(2)"],
  ]);
  assert.equal(cited.articlesFrom, "citations");

  const byTopic = datesOf({ ...event, ai_act_articles: [] }, text, context);
  assert.deepEqual(byTopic.act.map(({ on }) => on), ["2025-08-02", "2027-08-02"]);
  assert.deepEqual([byTopic.articlesFrom, byTopic.act[0]?.references], ["topics", []]);
  const nothing = datesOf({ ...event, ai_act_articles: [], topics: [] }, words("", ""), context);
  assert.deepEqual(nothing, { named: [], act: [], articlesFrom: null });
});
