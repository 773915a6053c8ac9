// The glance at a text, beside the search that folds it: it may say yes too often, and no never wrongly.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { mayHavePhrase } from "../../../src/classify/phrases/glance.ts";
import { buildPhraseIndex, hasPhrase } from "../../../src/classify/phrases/find_phrases.ts";
import { foldText } from "../../../src/classify/phrases/fold_text.ts";

const PHRASES = [
  "AI",
  "KI",
  "l'IA",
  "künstliche* Intelligenz",
  "machine learning",
  "op",
  "gpt*",
  "foie gras",
  "strasse",
];
const INDEX = buildPhraseIndex(PHRASES.map((phrase) => ({ phrase, value: true })));

/** Whole words, parts of them, and what folding leaves out, joins, parts or makes of others. */
const PIECES = [
  ...[
    "AI",
    "ai",
    "A.I.",
    "Á.I.",
    "I.A.",
    "KI",
    "l’IA",
    "l'",
    "IA",
    "ia",
    "künstlicher",
    "Kunstliche",
    "KÜNSTLICHE",
  ],
  ...[
    "u\u0308",
    "Intelligenz",
    "machine",
    "learning",
    "op",
    "opt",
    "gpt",
    "GPT4",
    "foie",
    "gras",
    "œ",
    "fœtus",
  ],
  ...[
    "Straße",
    "STRASSE",
    "æ",
    "à",
    "À",
    "a\u0300",
    "İ",
    "\u212a",
    "ſ",
    "Σ",
    "Ω",
    "ﬁ",
    "½",
    "ł",
    "д",
    "日",
    "😀",
    "\ud83d",
  ],
  ...[
    " ",
    "  ",
    "\t",
    "\u00a0",
    "\u2003",
    "\ufeff",
    "\u200b",
    "\u00ad",
    "\u2028",
    ".",
    ",",
    "-",
    "–",
    "(",
    ")",
    "[",
    "'",
  ],
  ...['"', "“", "´", "`", "\u0301", "/", "&", "\0", "1", "x"],
];

Deno.test("mayHavePhrase() never says no where a phrase is found in the folded text", () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(""));
  let found = 0;
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, limit) => {
      if (!hasPhrase(INDEX, foldText(text, limit))) return;
      found++;
      assert.ok(mayHavePhrase(INDEX, text, limit), JSON.stringify(text));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(found > 2_000, `${found} of the texts hold a phrase`);
});

Deno.test("mayHavePhrase() says no where a text plainly holds no phrase, whatever was looked at before", () => {
  const rows: [text: string, may: boolean][] = [
    ["Machine learning and more, at great length", true],
    ["Fishing in the lakes of the north – the board’s “opinion” (2026)", false],
    ["", false],
    ["l", false],
    ["machine", false],
    ["machine\u00a0\n learning", true],
    ["machine-learning", true],
    ["machine, learning", false],
    ["machines learning", false],
    ["künstlichen Intelligenzen", false],
    ["Künstlichen „Intelligenz“", true],
    ["die Straße", true],
    ["über die Gruße", false],
    ["Σ", true],
    ["gp", false],
    ["the ai", true],
  ];
  for (const [text, may] of rows) assert.equal(mayHavePhrase(INDEX, text, 100), may, text);
  assert.equal(mayHavePhrase(INDEX, "on machine learning", 13), false);
});
