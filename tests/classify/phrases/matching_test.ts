// Folding of text, and matching of phrases and patterns.
import assert from "node:assert/strict";
import { buildPatternIndex, findPatterns } from "../../../src/classify/phrases/find_patterns.ts";
import { buildPhraseIndex, findPhrases } from "../../../src/classify/phrases/find_phrases.ts";
import { foldText } from "../../../src/classify/phrases/fold_text.ts";

Deno.test("foldText() normalises accents, quotes, dashes and spaces, and truncates at the limit", () => {
  const rows: [raw: string, text: string, words: string][] = [
    ["Règlement  sur l’IA", "Reglement sur l'IA", "Reglement sur l IA"],
    ["„Größe“ – Übersicht", '"Grosse" - Ubersicht', " Grosse Ubersicht"],
    ["articles 8\u00a0à 15", "articles 8 à 15", "articles 8 a 15"],
    ["À usage général", "à usage general", "a usage general"],
    ["« Œuvre »", '" OEuvre "', " OEuvre "],
    ["A.I. and soft\u00adware", "AI and software", "AI and software"],
    ["KI-gestützt (neu)", "KI-gestutzt (neu)", "KI gestutzt neu "],
  ];
  for (const [raw, text, words] of rows) {
    const folded = foldText(raw, 100);
    assert.deepEqual({ ...folded }, { text, words, lower: words.toLowerCase() }, raw);
  }
  assert.equal(foldText("x".repeat(50), 10).text.length, 10);
});

Deno.test("findPhrases() sorts by position, then by the length of the first word, then in the order of the data", () => {
  const phrases = ["open source AI", "AI Act", "open*", "AI", "AI Act fines", "open source", "AI model*"];
  const index = buildPhraseIndex(phrases.map((phrase, value) => ({ phrase, value })));
  const hits = findPhrases(index, foldText("Open source AI Act fines; AI modelling", 100));
  const found = hits.map(({ phrase, start, end }) => `${start}-${end} ${phrase}`);
  assert.deepEqual(found, [
    "0-14 open source AI",
    "0-4 open*",
    "0-11 open source",
    "12-18 AI Act",
    "12-14 AI",
    "12-24 AI Act fines",
    "26-28 AI",
    "26-38 AI model*",
  ]);
});

Deno.test("findPhrases() respects whole words, endings and capitals", () => {
  const phrases = ["AI", "KI", "biometr*", "high-risk", "künstliche* Intelligenz", "2024/1689", "l'IA"];
  const index = buildPhraseIndex(phrases.map((phrase) => ({ phrase, value: phrase })));
  const rows: [text: string, found: string][] = [
    ["AI, AIS and AIFMD; ai", "AI"],
    ["Ki und KI-Verordnung", "KI"],
    ["Hochrisiko-KI", "KI"],
    ["biometrics and biometrisch", "biometr*, biometr*"],
    ["high risk, high-risk, highrisk", "high-risk, high-risk"],
    ["Künstlicher Intelligenz", "künstliche* Intelligenz"],
    ["künstliche und Intelligenz", ""],
    ["(EU) 2024/1689.", "2024/1689"],
    ["12024/16890", ""],
    ["l’IA", "l'IA"],
  ];
  for (const [text, found] of rows) {
    const hits = findPhrases(index, foldText(text, 100));
    assert.equal(hits.map((hit) => hit.value).join(", "), found, text);
  }
  assert.throws(() => buildPhraseIndex([{ phrase: "x*", value: 1 }]), /"x\*" is too short/);
});

Deno.test("findPatterns() matches starts, ends, gaps, endings, numbers and alternatives", () => {
  const rows: [pattern: string, text: string, fits: boolean][] = [
    ["^report", "Report on AI", true],
    ["^report", "A report on AI", false],
    ["^report", "EDPB: report on AI", true],
    ["^report", "CELEX:52025DC0165: Report", true],
    ["^report", `${"word ".repeat(30)}: report`, false],
    ["correction$", "Forms; Correction.", true],
    ["correction$", "Correction of forms", false],
    ["publish* … guidelines", "Authority publishes its long awaited guidelines", true],
    ["publish* … guidelines", "publishes a b c d e f g h i guidelines", false],
    ["opinion #", "Opinion 13/2026", true],
    ["opinion #", "Opinion on AI", false],
    ["(fines|fined) … (company|bank)", "Authority fined a bank", true],
    ["(draft |) guidelines", "guidelines", true],
    ["^(draft |) guidelines", "Draft guidelines", true],
    ["^(draft |) guidelines", "Old guidelines", false],
    ["(jahres|)bericht", "Bericht", true],
    ["(jahres|)bericht", "Jahresbericht", true],
    ["*bericht", "Zwischenbericht", true],
    ["q&a*", "New Q&As", true],
    ["durchführung", "Durchführung", true],
    ["fine", "fines", false],
    ["*bericht … (bund*|land)", "Zwischenbericht an das Land", true],
    ["(neue |) *bericht", "Neue Zwischenberichte", false],
    ["(*behörde|amt) # fälle", "Datenschutzbehörde 12 Fälle", true],
    ["^(erste |*) fassung", "Zweite Fassung", true],
  ];
  for (const [pattern, text, fits] of rows) {
    const index = buildPatternIndex([{ pattern, value: pattern }]);
    assert.equal(findPatterns(index, foldText(text, 500)).length, fits ? 1 : 0, `${pattern}: ${text}`);
  }
  assert.throws(() => buildPatternIndex([{ pattern: "^", value: 1 }]), /has no words/);
});
