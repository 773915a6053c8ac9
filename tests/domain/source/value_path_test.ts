// Paths to values in JSON, and templates that contain such paths.
import assert from "node:assert/strict";
import { readTemplate, readValuePath } from "../../../src/domain/source/value_path.ts";

Deno.test("readValuePath() reads keys separated by dots, with unusual ones in quotes", () => {
  const rows: [string, string[] | null][] = [
    ["", []],
    ["results", ["results"]],
    ["a.b.0.*", ["a", "b", "0", "*"]],
    ['"a.b"."c d"', ["a.b", "c d"]],
    ["@page.#text", ["@page", "#text"]],
    ["a.", null],
    [".a", null],
    ["a..b", null],
    ["a b", null],
    ['"a"b', null],
    ['"a', null],
    ["a.{b}", null],
  ];
  for (const [text, expected] of rows) {
    const reading = readValuePath(text);
    assert.deepEqual("value" in reading ? reading.value : null, expected, text);
  }
});

Deno.test("readTemplate() reads paths in braces, and refuses single and empty braces", () => {
  assert.deepEqual(readTemplate("https://a.org/{id}/{x.y}?z"), {
    value: [{ text: "https://a.org/" }, { path: ["id"] }, { text: "/" }, { path: ["x", "y"] }, {
      text: "?z",
    }],
  });
  for (const text of ["{", "}", "a{b", "{a}}", "{}", "{a b}"]) {
    assert.ok("problem" in readTemplate(text), text);
  }
});
