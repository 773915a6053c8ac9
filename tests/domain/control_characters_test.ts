// Control characters in text are removed or escaped.
import assert from "node:assert/strict";
import { escapeControls, escapeToLine, harmless } from "../../src/domain/control_characters.ts";

const CASES: [text: string, harmless: string, escaped: string][] = [
  ["a\tb\nc", "a\tb\nc", "a\tb\nc"],
  ["\x1b[31mred\x1b[0m", "[31mred[0m", "\\u001b[31mred\\u001b[0m"],
  ["\x1b]0;title\x07", "]0;title", "\\u001b]0;title\\u0007"],
  ["\x9b2J\x90q\x9c", "2Jq", "\\u009b2J\\u0090q\\u009c"],
  ["a\rb\x7f\0", "ab", "a\\u000db\\u007f\\u0000"],
  ["\u202egnp.exe\u2066x\u2069\u200f", "gnp.exex", "\\u202egnp.exe\\u2066x\\u2069\\u200f"],
  ["a\u2028b", "ab", "a\\u2028b"],
  ["Grüße – 規則 😀", "Grüße – 規則 😀", "Grüße – 規則 😀"],
];

Deno.test("harmless() removes control characters, and escapeControls() shows them", () => {
  for (const [text, plain, escaped] of CASES) {
    assert.equal(harmless(text), plain);
    assert.equal(escapeControls(text), escaped);
  }
});

Deno.test("escapeControls() does not change the data of JSON", () => {
  const data = CASES.map(([text]) => text);
  assert.deepEqual(JSON.parse(escapeControls(JSON.stringify(data))), data);
});

Deno.test("escapeToLine() escapes line breaks and tabs too", () => {
  assert.equal(escapeToLine("a\tb\nc\x1b"), "a\\u0009b\\u000ac\\u001b");
});
