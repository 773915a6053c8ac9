// Citations of the AI Act have one canonical form.
import assert from "node:assert/strict";
import { canonicalArticle } from "../../../src/domain/event/article.ts";

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
