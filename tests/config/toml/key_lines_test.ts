// The line of each key in a TOML text is found.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { findKeyLines, type KeyPath } from "../../../src/config/toml/key_lines.ts";

const DOCUMENT = `# [not.a.table]
top = 1
"quoted key" = 'a = 2' # b = 3
'lit.eral'.dotted."\\u00e9 \\"x\\"" = true

[server]
listen = "127.0.0.1:8080"
text = """
[fake]
listen = 5 \\"""
""""
raw = '''
[[fake]]
it''s'''''
proxies = [ # one
  "10.0.0.0/8", # two ]
  [
    1,
    2 ],
]
point = { x = 1, y.z = [1, 2], "w" = { v = 0 } }

[a.b.c]
d = 1979-05-27 07:32:00
  [a]
  e = -1e5

[[sources]]
id = "one"
[sources.more]
deep = 1
[[sources.parts]]
n = 1
[[sources.parts]]
n = 2
[[ "sources" ]]
id = "two"
[sources.parts] # of the second one
n = 3
`;

Deno.test("findKeyLines() finds the line of tables, keys and list elements", () => {
  const lines = findKeyLines(DOCUMENT);
  const rows: [KeyPath, string][] = [
    [["top"], "top = 1"],
    [["quoted key"], '"quoted key"'],
    [["lit.eral"], "'lit.eral'"],
    [["lit.eral", "dotted", 'é "x"'], "'lit.eral'"],
    [["server"], "[server]"],
    [["server", "listen"], 'listen = "127'],
    [["server", "text"], "text ="],
    [["server", "raw"], "raw ="],
    [["server", "proxies"], "proxies ="],
    [["server", "proxies", 0], '  "10.0.0.0/8"'],
    [["server", "proxies", 1], "  ["],
    [["server", "proxies", 1, 0], "    1,"],
    [["server", "proxies", 1, 1], "    2 ],"],
    [["server", "point", "x"], "point ="],
    [["server", "point", "y", "z", 1], "point ="],
    [["server", "point", "w", "v"], "point ="],
    [["a"], "  [a]"],
    [["a", "b"], "[a.b.c]"],
    [["a", "b", "c", "d"], "d = 1979"],
    [["a", "e"], "  e ="],
    [["sources"], "[[sources]]"],
    [["sources", 0], "[[sources]]"],
    [["sources", 0, "id"], 'id = "one"'],
    [["sources", 0, "more", "deep"], "deep = 1"],
    [["sources", 0, "parts"], "[[sources.parts]]"],
    [["sources", 0, "parts", 0, "n"], "n = 1"],
    [["sources", 0, "parts", 1, "n"], "n = 2"],
    [["sources", 1], '[[ "sources" ]]'],
    [["sources", 1, "id"], 'id = "two"'],
    [["sources", 1, "parts", "n"], "n = 3"],
  ];
  const texts = DOCUMENT.split("\n");
  for (const [path, start] of rows) {
    const expected = texts.findIndex((line) => line.startsWith(start)) + 1;
    assert.notEqual(expected, 0, start);
    assert.equal(lines.lineOf(path), expected, path.join(" > "));
  }
  assert.deepEqual(pathsOf(parse(DOCUMENT)).filter((path) => lines.lineOf(path) === null), []);
});

Deno.test("findKeyLines() returns null for missing paths, and the line of the innermost table around them", () => {
  const lines = findKeyLines(DOCUMENT);
  for (const path of [["fake"], ["server", "fake"], ["not"], ["sources", 2], ["sources", "0"], ["top", 0]]) {
    assert.equal(lines.lineOf(path), null, path.join(" > "));
  }
  assert.equal(lines.nearestLineOf(["server", "port"]), lines.lineOf(["server"]));
  assert.equal(lines.nearestLineOf(["sources", 1, "schedule"]), lines.lineOf(["sources", 1]));
  assert.equal(lines.nearestLineOf(["fake", "a"]), null);
  assert.equal(lines.lineOf([]), null);
});

Deno.test("findKeyLines() counts lines in texts with a byte order mark and CRLF", () => {
  const lines = findKeyLines('\uFEFFa = 1\r\n\r\n# x\r\n[b]\r\nc = """\r\n\r\n"""\r\nd = [\r\n1]\r\n');
  assert.deepEqual(
    [["a"], ["b"], ["b", "c"], ["b", "d"], ["b", "d", 0]].map((path) => lines.lineOf(path)),
    [1, 4, 5, 8, 9],
  );
});

function pathsOf(value: unknown, path: KeyPath = []): KeyPath[] {
  const own = path.length === 0 ? [] : [path];
  if (typeof value !== "object" || value === null || value instanceof Date) return own;
  const parts: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [...own, ...parts.flatMap(([key, part]) => pathsOf(part, [...path, key]))];
}

Deno.test("findKeyLines() takes linear time for repeated tokens", () => {
  const size = 256 * 1024;
  const documents = [
    "a" + ".b".repeat(size / 2) + " = 1",
    "[[a]]\n".repeat(size / 6),
    "a = [" + "'x',".repeat(size / 4) + "]",
  ];
  for (const document of documents) {
    const start = performance.now();
    assert.equal(findKeyLines(document).lineOf(["a"]), 1);
    // Under 2 s on a busy machine; quadratic growth would take over 30 s.
    assert.ok(performance.now() - start < 15_000, document.slice(0, 20));
  }
});

Deno.test("findKeyLines() returns no lines for an unparsable document of 512 KB", () => {
  const size = 512 * 1024;
  const documents = [
    "a = " + "[".repeat(size / 2) + "]".repeat(size / 2),
    "a = " + "{a=".repeat(size / 4) + "1" + "}".repeat(size / 4),
    'a = "' + '\\"'.repeat(size / 2) + '"',
    "a = " + " ".repeat(size) + "x",
  ];
  for (const document of documents) assert.equal(findKeyLines(document).nearestLineOf(["a"]), null);
});
