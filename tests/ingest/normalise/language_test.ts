// Language tags are reduced to ISO 639-1 codes.
import assert from "node:assert/strict";
import { languageCode } from "../../../src/ingest/normalise/language.ts";

Deno.test("languageCode() returns the ISO 639-1 code of a language tag, or null", () => {
  const rows: [tag: string | null, expected: string | null][] = [
    ["en", "en"],
    ["en-GB", "en"],
    ["en_US", "en"],
    [" DE-de ", "de"],
    ["deu", "de"],
    ["ger", "de"],
    ["zh-Hant-TW", "zh"],
    ["mul", null],
    ["und", null],
    ["English", null],
    ["x-default", null],
    ["en, de", null],
    ["", null],
    [null, null],
  ];
  for (const [tag, expected] of rows) assert.equal(languageCode(tag), expected, String(tag));
});
