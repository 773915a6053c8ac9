// Citations of the AI Act have one canonical form.
import assert from "node:assert/strict";
import { articleProblem, canonicalArticle, citation } from "../../../src/domain/event/article.ts";

Deno.test("canonicalArticle() returns the canonical form of usual spellings, and null for other text", () => {
  const rows: [text: string, expected: string | null][] = [
    ["Art. 50", "Art. 50"],
    ["Art. 50(2)", "Art. 50(2)"],
    ["Art. 5(1)(f)", "Art. 5(1)(f)"],
    ["50", "Art. 50"],
    ["75a", "Art. 75a"],
    ["Article 50 (2)", "Art. 50(2)"],
    ["artikel 4", "Art. 4"],
    ["art.6", "Art. 6"],
    ["Annex III", "Annex III"],
    ["annex iii(5)(b)", "Annex III(5)(b)"],
    ["Anhang IV", "Annex IV"],
    ["annexe I", "Annex I"],
    ["Recital 60", "Recital 60"],
    ["Annex I(A)(11)", "Annex I(A)(11)"],
    ["considérant 60", "Recital 60"],
    ["", null],
    ["Art.", null],
    ["GDPR", null],
    ["Art. 50 GDPR", null],
    ["Art. 50(", null],
    ["Annex", null],
    ["Annex 3", null],
  ];
  for (const [text, expected] of rows) assert.equal(canonicalArticle(text), expected, text);
});

Deno.test("articleProblem() accepts only articles, annexes and recitals of the Act", () => {
  for (const text of ["1", "4a", "Art. 113(2)", "Annex XIV", "Annex I(A)", "Recital 1", "Recital 180"]) {
    assert.equal(articleProblem(text), null, text);
  }
  for (
    const text of [
      "0",
      "4b",
      "05",
      "114",
      "Art. 200(1)",
      "Annex XV",
      "Annex IIII",
      "Recital 0",
      "Recital 181",
    ]
  ) {
    assert.match(
      articleProblem(text) ?? "",
      /^is not in the AI Act, which has Art\. 1 to 113, .*Annex I to XIV, /,
      text,
    );
  }
  assert.match(articleProblem("GDPR") ?? "", /^is not a valid reference; use the form /);
});

Deno.test("citation() leads to the place in the Official Journal, and names what was changed in 2026", () => {
  const oj = "https://eur-lex.europa.eu/eli/reg/2024/1689/oj";
  const rows: [reference: string, language: string, url: string, change: string | null][] = [
    ["Art. 53", "en", `${oj}/eng#art_53`, null],
    ["Art. 53(1)(d)", "de", `${oj}/deu#053.001`, null],
    ["Art. 5(1a)", "fr", `${oj}/fra#art_5`, "amended"],
    ["Annex III", "it", `${oj}/eng#anx_III`, null],
    ["Recital 60", "constructor", `${oj}/eng#rct_60`, null],
    ["Art. 4a(1)", "en", "https://eur-lex.europa.eu/eli/reg/2026/1744/oj/eng", "inserted"],
  ];
  for (const [reference, language, url, change] of rows) {
    const found = citation(reference, language);
    assert.deepEqual([found.url, found.change], [url, change], reference);
  }
  assert.equal(citation("Art. 4(1)", "de").title, "AI literacy");
  assert.equal(citation("Recital 60", "en").title, "");
});
