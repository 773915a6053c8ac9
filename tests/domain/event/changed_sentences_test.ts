// The changed sentences of long texts.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { changedSentences, OMISSION, WHOLE_UP_TO } from "../../../src/domain/event/changed_sentences.ts";

const A = "The office has published guidelines on the transparency obligations of providers and deployers.";
const B = "They say under Art. 50 GDPR and para. 2 which marks are enough, e.g. a label of its own.";
const C = "The consultation runs until the end of September and is open to everybody who is concerned by it.";
const D = "A final text is expected in the first quarter.";
const B2 = B.replace("enough", "needed");

interface Row {
  name: string;
  language?: string;
  before: readonly string[];
  after: readonly string[];
  shown: { before: string; after: string };
}

const ROWS: Row[] = [
  {
    name: "one in the middle, abbreviations and all",
    before: [A, B, C, D],
    after: [A, B2, C, D],
    shown: { before: `[…] ${B} […]`, after: `[…] ${B2} […]` },
  },
  {
    name: "the first",
    before: [B, A, C, D],
    after: [B2, A, C, D],
    shown: { before: `${B} […]`, after: `${B2} […]` },
  },
  { name: "one more", before: [A, B, C], after: [A, B, C, D], shown: { before: "[…]", after: `[…] ${D}` } },
  {
    name: "one gone",
    before: [A, B, C, D],
    after: [A, C, D],
    shown: { before: `[…] ${B} […]`, after: "[…]" },
  },
  {
    name: "two apart, what lies between left out",
    before: [A, B, C, D],
    after: [D, B, C, A],
    shown: { before: `${A} […] ${D}`, after: `${D} […] ${A}` },
  },
  {
    name: "two that changed places, which would read alike",
    before: [A, B, C, D],
    after: [A, C, B, D],
    shown: { before: `[…] ${B} ${C} […]`, after: `[…] ${C} ${B} […]` },
  },
  {
    name: "Chinese, which has no spaces",
    language: "zh",
    before: ["人工智能办公室发布了指南。".repeat(30), "截止日期是九月。", "谢谢。"],
    after: ["人工智能办公室发布了指南。".repeat(30), "截止日期是十月。", "谢谢。"],
    shown: { before: "[…] 截止日期是九月。 […]", after: "[…] 截止日期是十月。 […]" },
  },
  {
    name: "German, with its abbreviations",
    language: "de",
    before: [A, B, "Nach Art. 5 Abs. 1 Nr. 3 DSGVO gilt das nicht.", C, D],
    after: [A, B, "Nach Art. 5 Abs. 1 Nr. 4 DSGVO gilt das nicht.", C, D],
    shown: {
      before: "[…] Nach Art. 5 Abs. 1 Nr. 3 DSGVO gilt das nicht. […]",
      after: "[…] Nach Art. 5 Abs. 1 Nr. 4 DSGVO gilt das nicht. […]",
    },
  },
];

Deno.test("changedSentences() shows the changes of long texts, and marks omissions", () => {
  for (const { name, language, before, after, shown } of ROWS) {
    const found = changedSentences(before.join(" "), after.join(" "), language ?? "en");
    assert.deepEqual(found, { ...shown, isExcerpt: true }, name);
  }
});

Deno.test("changedSentences() shows short texts, and such as have nothing in common, whole", () => {
  const other = D.repeat(8);
  for (const [before, after] of [[A, B], ["", A], [A, ""], [A.repeat(4), other], ["", other]] as const) {
    assert.deepEqual(changedSentences(before, after, "en"), { before, after, isExcerpt: false });
  }
});

Deno.test("changedSentences() ends in time on hundreds of sentences that all differ", () => {
  const text = (mark: string) =>
    Array.from({ length: 400 }, (_, n) => `Sentence ${mark} ${n} is here.`).join(" ");
  const found = changedSentences(`${A} ${text("x")}`, `${A} ${text("y")}`, "en");
  assert.deepEqual([found.isExcerpt, found.before], [true, `${OMISSION} ${text("x")}`]);
});

Deno.test("changedSentences() always shows a difference, in the texts' own words and order", () => {
  const sentence = fc.constantFrom(A, B, B2, C, D, "Short.", "…", OMISSION, "No end");
  const text = fc.array(sentence, { maxLength: 12 }).map((sentences) => sentences.join(" "));
  fc.assert(
    fc.property(
      text,
      text,
      fc.constantFrom("en", "de", "zh", "xx", "not a language"),
      (before, after, language) => {
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
      },
    ),
  );
});

Deno.test("A text of very many short sentences is shown whole", () => {
  const text = (mark: string) => "A! ".repeat(3_000) + mark;
  const change = changedSentences(text("b"), text("c"), "en");
  assert.deepEqual(change, { before: text("b"), after: text("c"), isExcerpt: false });
});
