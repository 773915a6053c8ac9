// Markup is reduced to plain text.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { cutText, textFromMarkup } from "../../../src/ingest/normalise/text.ts";

Deno.test("textFromMarkup() returns the text of markup", () => {
  const rows: [markup: string, expected: string][] = [
    ["", ""],
    ["Plain words.", "Plain words."],
    ["  Plain \t words  ", "Plain words"],
    ["Two lines\n\n  of text", "Two lines\nof text"],
    ["Two lines\nand &amp;", "Two lines\nand &"],
    ["AT&amp;T &lt; 5 &#8211; &eacute;&nbsp;x", "AT&T < 5 – é x"],
    ["R&D and Q&A;", "R&D and Q&A;"],
    ["<p>One</p><p>Two <b>bold</b>er</p>", "One\nTwo bolder"],
    ["One<br>two<br/>three", "One\ntwo\nthree"],
    ["<p>wrapped\nin the\nsource</p>", "wrapped in the source"],
    ["<ul><li>a</li><li>b</li></ul>c", "a\nb\nc"],
    ["<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1 2\n3"],
    ["a<script>alert(1 < 2)</script>b<style>p{}</style>c", "abc"],
    ["a<iframe src='x'>no</iframe><template><p>no</p></template>b", "ab"],
    ['a<iframe src="x"/>b', "ab"],
    ["a<!-- <p>no</p> -->b", "ab"],
    ["<![CDATA[in a section]]>", "in a section"],
    ["<xh:div><xh:p>One</xh:p><xh:p>Two</xh:p></xh:div>", "One\nTwo"],
    ["5 < 6 and 7 > 3", "5 < 6 and 7 > 3"],
    ["if a<b then", "if a<b then"],
    ["a<b <i>c</i>", "a<b c"],
    ['cut in <a href="https://board.exa', "cut in"],
    ["cut in </p", "cut in"],
    ["&lt;p&gt;escaped &amp;amp; twice&lt;/p&gt;", "escaped & twice"],
    ["&amp;lt;p&amp;gt;three times&amp;lt;/p&amp;gt;", "three times"],
    ["Fees &amp;nbsp; costs", "Fees costs"],
    ["so\u00adft zero\u200bwidth \ufeffmark \u202eturned\u202c", "soft zerowidth mark turned"],
    ["bell\u0007 and nul\u0000", "bell and nul"],
    ["e\u0301 \u00c4", "é Ä"],
    ["a\u00a0b\u2003c", "a b c"],
    ["half a pair: \ud83d", "half a pair: \ufffd"],
    ["<p>&#146;quoted&#148;</p>", "’quoted”"],
    ["<b>open <i>and <u>not closed", "open and not closed"],
    ["</p>closed</div></div>", "closed"],
    ["<p>The consultation ends on <time>31 July 2026</time>.</p>", "The consultation ends on 31 July 2026."],
  ];
  for (const [markup, expected] of rows) {
    assert.equal(textFromMarkup(markup), expected, JSON.stringify(markup));
  }
});

Deno.test("textFromMarkup() omits text that a content management system repeats", () => {
  const repeats = ["Guidelines on labels", "A. Body", "A. Body (not verified)"];
  const chrome = `<span>Guidelines on
    labels</span>

    <span><span>A. Body (not verified)</span></span>

    <span><time datetime="2026-07-27T10:22:54+02:00" title="Monday">Mon, 07/27/2026 - 10:22</time>
    </span>`;
  const rows: [markup: string, expected: string][] = [
    [chrome, ""],
    [`${chrome}<div><p>The board has adopted them.</p></div>`, "The board has adopted them."],
    ["<div><h2>Date</h2><time>27/07/2026</time></div><p>Words</p>", "Words"],
    ["<div><h2>Topic</h2><p>Labels</p></div>", "Topic\nLabels"],
    ["<p>Guidelines on labels were adopted.</p>", "Guidelines on labels were adopted."],
    ["<p>Words.</p><p>A. Body</p>", "Words.\nA. Body"],
    ["Guidelines on labels", "Guidelines on labels"],
  ];
  for (const [markup, expected] of rows) assert.equal(textFromMarkup(markup, { repeats }), expected, markup);
});

const WORD = fc.constantFrom(
  "Article",
  "50",
  "R&amp;D",
  "5 &lt; 6",
  "ü",
  "&nbsp;",
  "\n",
  "\u200b",
  "\u0007",
  "a < b",
  "&#8220;",
);
const TAG = fc.constantFrom(..."p div span b a td li time h2 em script iframe x:y".split(" "));
const { markup: MARKUP } = fc.letrec<{ markup: string }>((tie) => ({
  markup: fc.oneof(
    { depthSize: "small" },
    WORD,
    fc.tuple(TAG, fc.array(tie("markup"), { maxLength: 3 })).map(([tag, inner]) =>
      `<${tag} class="c">${inner.join(" ")}</${tag}>`
    ),
    fc.tuple(TAG, tie("markup")).map(([tag, inner]) => `<${tag}>${inner}`),
    tie("markup").map((inner) => `${inner}<br/><!-- <p>no</p> -->`),
  ),
}));

Deno.test("textFromMarkup() removes tags, control characters and repeated spaces", () => {
  fc.assert(
    fc.property(fc.array(MARKUP, { maxLength: 5 }), (parts) => {
      const text = textFromMarkup(parts.join(""));
      assert.doesNotMatch(text, /<\/?[a-z]+[\s>]|<!--|class="c"/i);
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u200b]|\s\s|^\s|\s$/);
      assert.equal(text, text.normalize("NFC"));
    }),
    { numRuns: 500 },
  );
});

Deno.test("textFromMarkup() returns well-formed text for any string", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    assert.ok(textFromMarkup(text, { repeats: ["x"] }).isWellFormed());
  }));
});

Deno.test("textFromMarkup() keeps plain text", () => {
  fc.assert(fc.property(fc.array(fc.stringMatching(/^[A-Za-z0-9.,;:()äöüßéè§–“”-]{1,12}$/)), (words) => {
    assert.equal(textFromMarkup(words.join("  ")), words.join(" "));
  }));
});

Deno.test("textFromMarkup() reads markup at any depth", () => {
  assert.equal(textFromMarkup(`${"<b>".repeat(20_000)}deep${"</b>".repeat(20_000)}`), "deep");
});

Deno.test("cutText() shortens a text after a complete word", () => {
  const rows: [text: string, limit: number, expected: string][] = [
    ["short", 5, "short"],
    ["one two three", 12, "one two…"],
    ["one two three", 8, "one two…"],
    ["one two, three", 10, "one two,…"],
    ["unbreakable", 6, "unbre…"],
    ["a unbreakable", 8, "a unbre…"],
    ["ab😀cd", 4, "ab…"],
  ];
  for (const [text, limit, expected] of rows) assert.equal(cutText(text, limit), expected, text);
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 40 }), (text, limit) => {
    const cut = cutText(text, limit);
    assert.ok(cut.length <= limit && cut.isWellFormed());
    assert.ok(cut === text || text.startsWith(cut.slice(0, -1)));
  }));
});

Deno.test("a character keeps at most 30 combining marks, in linear time", () => {
  assert.equal(textFromMarkup("e\u0301cole"), "école");
  const marks = "\u0316".repeat(15) + "\u0317".repeat(15);
  assert.equal(textFromMarkup(`a${marks}`), `a${marks}`);
  const started = performance.now();
  const hostile = `a${"\u0300".repeat(40_000)}${"\u0316".repeat(40_000)}b`;
  assert.equal(textFromMarkup(hostile).length, 1 + 30 + 1 - 1); // "à" is one character
  assert.ok(performance.now() - started < 2_000, "took 15 s before");
});
