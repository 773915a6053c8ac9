// The texts of the pages are complete in each language.
import assert from "node:assert/strict";
import { chooseLanguage, LANGUAGES, TEXTS } from "../../src/web/texts/texts.ts";
import { formatFor } from "../../src/web/texts/format.ts";

/** Texts that are the same in English and another language. */
const SHARED = new Set([
  "Status",
  "Feed",
  "Sessions",
  "Sources",
  "Console",
  "Pages",
  "Message",
  "Documentation",
  "Types",
  "Source",
  "Type",
  "Date",
  "Version 2",
  "Version 2, 3",
  "Versions",
  "Article",
  "Provenance",
  "Document",
  "Name",
  "Filter",
  "Test",
  "Secret",
  "Header",
  "optional",
  "Actions",
  "Cause",
  "urgent",
  "version 2",
]);

/** Lists the texts by path. A function is called with numbers and with its own arguments' names. */
function listTexts(part: unknown, path = ""): [path: string, text: string][] {
  if (typeof part === "string") return [[path, part]];
  if (typeof part === "function") {
    const names = Array.from({ length: part.length }, (_, at) => at + 2);
    return [[`${path}()`, String(part(...names))]];
  }
  assert.ok(typeof part === "object" && part !== null, `${path} is a text, a function or a group`);
  return Object.entries(part).flatMap(([name, inner]) =>
    listTexts(inner, path === "" ? name : `${path}.${name}`)
  );
}

Deno.test("each language has every text, and none is left in English", () => {
  const english = new Map(Object.entries(TEXTS.en).flatMap(([area, part]) => listTexts(part, area)));
  for (const language of LANGUAGES) {
    const texts = new Map(Object.entries(TEXTS[language]).flatMap(([area, part]) => listTexts(part, area)));
    assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort(), language);
    for (const [path, text] of texts) {
      assert.notEqual(text.trim(), "", `${language} ${path}`);
      assert.doesNotMatch(text, /undefined|\[object|NaN| {2}| $|^ /, `${language} ${path}: ${text}`);
      if (language === "en" || SHARED.has(text) || !/[a-z]{4}/i.test(text)) continue;
      assert.notEqual(text, english.get(path), `${language} ${path}`);
    }
  }
});

Deno.test("texts have the quotation marks, apostrophes and spaces of their language", () => {
  const wrong = {
    en: /[„«»]|\w'\w|"/,
    de: /”|«|»|"|\w'\w|\d %|[^\d…] [:;?!]/,
    fr: /[„“”"]|\p{L}'\p{L}|\d %|[^\u202f][;?!»](?!\w)|[ \u00a0]:|«(?!\u202f)/u,
  };
  for (const language of LANGUAGES) {
    for (
      const [path, text] of Object.entries(TEXTS[language]).flatMap(([area, part]) => listTexts(part, area))
    ) {
      assert.doesNotMatch(text, wrong[language], `${language} ${path}`);
    }
  }
});

Deno.test("chooseLanguage() prefers the visitor's choice, then Accept-Language, then English", () => {
  const rows: [chosen: string | undefined, accepted: string | null, language: string][] = [
    ["de", "fr", "de"],
    ["xx", "fr", "fr"],
    [undefined, null, "en"],
    [undefined, "de;q=0.2, fr;q=0.8", "fr"],
    [undefined, "DE-ch", "de"],
    [undefined, "de;q=0, fr;q=x", "en"],
    [undefined, ";;;,,q=1", "en"],
  ];
  for (const [chosen, accepted, language] of rows) {
    assert.equal(chooseLanguage(chosen, accepted), language, `${chosen} ${accepted}`);
  }
});

Deno.test("formatFor() writes numbers, dates and times as each language does", () => {
  const atMs = Date.parse("2026-08-02T09:05:00Z");
  const rows = LANGUAGES.map((language) => {
    const format = formatFor(language);
    return [
      format.number(12_345.5),
      format.date("2026-08-02"),
      format.dateTime(atMs),
      format.relative(atMs, atMs + 3 * 3_600_000),
      format.relative(atMs, atMs + 45 * 86_400_000),
      format.relative(atMs, atMs + 999),
      format.duration(90_000),
      format.bytes(1_500_000),
      format.plural(0, { one: "one", other: "other" }),
    ].map((text) => text.replaceAll(/[\u00a0\u202f]/g, " "));
  });
  assert.deepEqual(rows, [
    [
      "12,345.5",
      "2 August 2026",
      "2 Aug 2026, 09:05 UTC",
      "3 hours ago",
      "45 days ago",
      "now",
      "1 minute",
      "1.5 MB",
      "other",
    ],
    [
      "12.345,5",
      "2. August 2026",
      "2. Aug. 2026, 09:05 UTC",
      "vor 3 Stunden",
      "vor 45 Tagen",
      "jetzt",
      "1 Minute",
      "1,5 MB",
      "other",
    ],
    [
      "12 345,5",
      "2 août 2026",
      "2 août 2026, 09:05 UTC",
      "il y a 3 heures",
      "il y a 45 jours",
      "maintenant",
      "1 minute",
      "1,5 Mo",
      "one",
    ],
  ]);
});
