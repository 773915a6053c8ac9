// The diff of long texts shows only the changed sentences.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { changedSentences, OMISSION, WHOLE_UP_TO } from "../../../src/domain/event/changed_sentences.ts";

const A = "The office has published guidelines on the transparency obligations of providers and deployers.";
const B = "They say under Art. 50 GDPR and para. 2 which marks are enough, e.g. a label of its own.";
const C = "The consultation runs until the end of September and is open to everybody who is concerned by it.";
const D = "A final text is expected in the first quarter.";
const B2 = B.replace("enough", "needed");

const GERMAN = (number: number) => `Nach Art. 5 Abs. 1 Nr. ${number} DSGVO gilt das nicht.`;
const CHINESE = (
  month: string,
) => ["人工智能办公室发布了指南。".repeat(30), `截止日期是${month}月。`, "谢谢。"];

Deno.test("changedSentences() shows the changes of long texts, and marks omissions", () => {
  const rows: [name: string, texts: [string[], string[]], shown: [string, string], language?: string][] = [
    ["one in the middle", [[A, B, C, D], [A, B2, C, D]], [`[…] ${B} […]`, `[…] ${B2} […]`]],
    ["the first one", [[B, A, C, D], [B2, A, C, D]], [`${B} […]`, `${B2} […]`]],
    ["one added", [[A, B, C], [A, B, C, D]], ["[…]", `[…] ${D}`]],
    ["one removed", [[A, B, C, D], [A, C, D]], [`[…] ${B} […]`, "[…]"]],
    ["the first and the last", [[A, B, C, D], [D, B, C, A]], [`${A} […] ${D}`, `${D} […] ${A}`]],
    ["two in another order", [[A, B, C, D], [A, C, B, D]], [`[…] ${B} ${C} […]`, `[…] ${C} ${B} […]`]],
    [
      "Chinese, which has no spaces",
      [CHINESE("九"), CHINESE("十")],
      ["[…] 截止日期是九月。 […]", "[…] 截止日期是十月。 […]"],
      "zh",
    ],
    [
      "German, with its abbreviations",
      [[A, B, GERMAN(3), C, D], [A, B, GERMAN(4), C, D]],
      [`[…] ${GERMAN(3)} […]`, `[…] ${GERMAN(4)} […]`],
      "de",
    ],
  ];
  for (const [name, [one, other], [before, after], language = "en"] of rows) {
    const found = changedSentences(one.join(" "), other.join(" "), language);
    assert.deepEqual(found, { before, after, isExcerpt: true }, name);
  }
});

Deno.test("changedSentences() shows short texts, and texts with nothing in common, completely", () => {
  const other = D.repeat(8);
  for (const [before, after] of [[A, B], ["", A], [A, ""], [A.repeat(4), other], ["", other]] as const) {
    assert.deepEqual(changedSentences(before, after, "en"), { before, after, isExcerpt: false });
  }
});

Deno.test("changedSentences() is fast for hundreds of sentences that all differ", () => {
  const text = (mark: string) =>
    Array.from({ length: 400 }, (_, n) => `Sentence ${mark} ${n} is here.`).join(" ");
  const found = changedSentences(`${A} ${text("x")}`, `${A} ${text("y")}`, "en");
  assert.deepEqual([found.isExcerpt, found.before], [true, `${OMISSION} ${text("x")}`]);
});

Deno.test("changedSentences() always shows a difference, in the texts' own words and order", () => {
  const sentence = fc.constantFrom(A, B, B2, C, D, "Short.", "…", OMISSION, "No end");
  const text = fc.array(sentence, { maxLength: 12 }).map((sentences) => sentences.join(" "));
  const language = fc.constantFrom("en", "de", "zh", "xx", "not a language");
  fc.assert(fc.property(text, text, language, (before, after, language) => {
    fc.pre(before !== after);
    const shown = changedSentences(before, after, language);
    assert.notEqual(shown.before, shown.after);
    if (!shown.isExcerpt) return assert.deepEqual([shown.before, shown.after], [before, after]);
    assert.ok(Math.max(before.length, after.length) > WHOLE_UP_TO);
    for (const [part, whole] of [[shown.before, before], [shown.after, after]] as const) {
      let from = 0;
      for (const piece of part.split(OMISSION).map((words) => words.trim())) {
        from = whole.indexOf(piece, from);
        assert.notEqual(from, -1, piece);
        from += piece.length;
      }
    }
  }));
});

Deno.test("changedSentences() shows a text of very many short sentences completely", () => {
  const text = (mark: string) => "A! ".repeat(3_000) + mark;
  const change = changedSentences(text("b"), text("c"), "en");
  assert.deepEqual(change, { before: text("b"), after: text("c"), isExcerpt: false });
});
