// How the problems of a config are worded.
import assert from "node:assert/strict";
import {
  ConfigError,
  describeFound,
  describeKind,
  formatProblem,
  quote,
} from "../../../src/config/toml/problems.ts";

Deno.test("formatProblem() names file, line, column and key on one line", () => {
  const rows: [Parameters<typeof formatProblem>[0], string][] = [
    [
      { file: "a.toml", line: 12, key: "b[2].c", message: "is wrong", excerpt: "" },
      "a.toml:12: b[2].c: is wrong",
    ],
    [{ file: "a.toml", line: 1, column: 7, key: null, message: "no", excerpt: "" }, "a.toml:1:7: no"],
    [
      { file: "a.toml", line: null, key: "b", message: "no", excerpt: "  1 | b = 1\n    |     ^" },
      "a.toml: b: no",
    ],
  ];
  for (const [problem, text] of rows) assert.equal(formatProblem(problem), text);
  const error = new ConfigError(rows.map(([problem]) => problem));
  assert.equal(error.message, rows.map(([, text]) => text).join("\n"));
  assert.equal(error.name, "ConfigError");
});

Deno.test("quote() shortens a string and removes secrets in URLs", () => {
  const rows: [string, string][] = [
    ["abc", '"abc"'],
    ['a"b\n', '"a\\"b\\n"'],
    ["https://user:hush@example.org/a", '"https://…@example.org/a"'],
    ["htps://example.org/a?token=hush#x", '"htps://example.org/a?…"'],
    ["x https:/user:hush@example.org/a&token=hush", '"…@example.org/a?…"'],
    ["a?b=c@d", '"a?b=c@d"'],
    ["x".repeat(61), `"${"x".repeat(60)}…"`],
  ];
  for (const [text, quoted] of rows) assert.equal(quote(text), quoted);
});

Deno.test("describeFound() shows a value, and describeKind() only its type", () => {
  const rows: [unknown, string, string][] = [
    ["abc", 'the string "abc"', "a string"],
    ["", "an empty string", "a string"],
    [5, "the number 5", "a number"],
    [NaN, "the number NaN", "a number"],
    [true, "true", "a boolean"],
    [[1], "a list", "a list"],
    [{ a: 1 }, "a table", "a table"],
    [new Date(0), "a date or time", "a date or time"],
  ];
  for (const [value, found, kind] of rows) {
    assert.equal(describeFound(value), found);
    assert.equal(describeKind(value), kind);
  }
});
