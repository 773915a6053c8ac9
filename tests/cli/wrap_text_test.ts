// Text is wrapped to the width of the terminal.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { wrapLines, wrapText } from "../../src/cli/wrap_text.ts";

Deno.test("wrapText() breaks at words, indents, and keeps paragraphs and long words whole", () => {
  const layout = { width: 12, indent: 2 };
  const rows: [text: string, expected: string][] = [
    ["", "\n"],
    ["one two", "  one two\n"],
    ["one two three four", "  one two\n  three four\n"],
    ["one\n\ntwo", "  one\n  two\n"],
    ["a verylongwordindeed b", "  a\n  verylongwordindeed\n  b\n"],
  ];
  for (const [text, expected] of rows) assert.equal(wrapText(text, layout), expected);
  assert.equal(wrapText("one two three", { ...layout, first: "x  " }), "x  one two\n  three\n");
});

Deno.test("wrapText() keeps every word and exceeds the width only for longer words", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,30}$/)),
      fc.integer({ min: 5, max: 40 }),
      (words, width) => {
        const wrapped = wrapText(words.join(" "), { width, indent: 3 });
        assert.deepEqual(wrapped.split(/\s+/).filter((word) => word !== ""), words);
        for (const line of wrapped.split("\n")) {
          assert.ok(line.length <= width || !/\S\s+\S/.test(line), line);
        }
      },
    ),
  );
});

Deno.test("wrapLines() wraps only lines that are too long, and indents the values of fields", () => {
  assert.equal(
    wrapLines("store     /srv/data\ndelivery  to https only, public addresses\n  a word of prose\n", 24),
    "store     /srv/data\ndelivery  to https only,\n          public\n          addresses\n  a word of prose\n",
  );
  assert.equal(wrapLines("one two three four", 10), "one two\n  three\n  four");
});
