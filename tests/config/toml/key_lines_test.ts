// The lines of keys in TOML texts.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
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

// Every scalar of a generated document contains a unique number, so that its line is found by searching the text.
type Shape =
  | { kind: "plain"; form: (mark: number) => string }
  | { kind: "list"; items: Shape[]; gap: string }
  | { kind: "table"; keys: string[]; items: Shape[]; gap: string };

const MARK = /9\d{6}/;
const FIRST_MARK = 9_000_000;
const KEYS = [
  "a",
  "b",
  "key",
  "-",
  "1",
  '"q u"',
  '"d.o]t"',
  "'l=i#t'",
  '"\\t\\u0061\\\\"',
  "a.b",
  "b . 'c'",
  '""',
];
const FORMS: ((mark: number) => string)[] = [
  (mark) => `${mark}`,
  (mark) => `-${mark}.5e3`,
  (mark) => `"${mark} # \\" [x] = \\\\"`,
  (mark) => `'${mark} # " [[x]] \\'`,
  (mark) => `"""${mark}\n[x]\na = 1 \\""" "" # \\\n   ]"""""`,
  (mark) => `'''${mark}\n\\\n[[x]]\n''b = 2''''`,
];
const GAPS = ["", " ", "\n", ' # ], } [x] "\n  ', "\r\n"];

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ kind: fc.constant("plain" as const), form: fc.constantFrom(...FORMS) }),
    fc.record({
      kind: fc.constant("list" as const),
      items: fc.array(tie("shape"), { maxLength: 3 }),
      gap: fc.constantFrom(...GAPS),
    }),
    fc.record({
      kind: fc.constant("table" as const),
      keys: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 }),
      items: fc.array(tie("shape"), { minLength: 3, maxLength: 3 }),
      gap: fc.constantFrom(...GAPS),
    }),
  ),
}));

interface Section {
  header: { list: boolean; keys: string[] } | null;
  pairs: [string, Shape][];
  after: string;
}

const section: fc.Arbitrary<Section> = fc.record({
  header: fc.option(
    fc.record({
      list: fc.boolean(),
      keys: fc.array(fc.constantFrom("t", "u", '"t u"'), { minLength: 1, maxLength: 3 }),
    }),
    { freq: 9 },
  ),
  pairs: fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), shape), {
    maxLength: 3,
    selector: ([key]) => key,
  }),
  after: fc.constantFrom("", "\n", "# [c]\n", "\r\n\t\n"),
});

function render(sections: readonly Section[]): string {
  let mark = FIRST_MARK;
  const value = (given: Shape): string => {
    if (given.kind === "plain") return given.form(mark++);
    const { gap } = given;
    if (given.kind === "list") {
      return `[${gap}${given.items.map((item) => value(item) + gap).join("," + gap)}]`;
    }
    const pairs = given.keys.map((key, index) => `${key} = ${value(given.items[index] ?? given)}${gap}`);
    return `{${gap}${pairs.join("," + gap)}}`;
  };
  return sections.map(({ header, pairs, after }) => {
    const inner = header?.keys.join(".");
    const head = !header ? "" : header.list ? `[[${inner}]] # x\n` : ` [ ${inner} ]\n`;
    return head + pairs.map(([key, given]) => `${key} = ${value(given)} # ${key}\n`).join("") + after;
  }).join("");
}

function pathsOf(value: unknown, path: KeyPath = []): KeyPath[] {
  const own = path.length === 0 ? [] : [path];
  if (typeof value !== "object" || value === null || value instanceof Date) return own;
  const parts: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [...own, ...parts.flatMap(([key, part]) => pathsOf(part, [...path, key]))];
}

function valueAt(document: unknown, path: KeyPath): unknown {
  return path.reduce((value, step) => (value as Record<string | number, unknown>)[step], document);
}

/** Undefined for text that is not TOML. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

Deno.test("findKeyLines() agrees with smol-toml on generated documents", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(section, { maxLength: 6 }), (sections) => {
      const text = render(sections);
      const document = parsed(text);
      if (document === undefined) return; // a table or key that is defined twice
      read++;
      const lines = findKeyLines(text);
      for (const path of pathsOf(document)) {
        const mark: string | undefined = MARK.exec(JSON.stringify(valueAt(document, path)))?.[0];
        const isScalar = typeof valueAt(document, path) !== "object";
        const line = lines.lineOf(path);
        assert.notEqual(line, null, JSON.stringify(path));
        if (mark === undefined || !isScalar) continue;
        assert.equal(line, text.slice(0, text.indexOf(mark)).split("\n").length, JSON.stringify(path));
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(read > 500, `only ${read} documents could be parsed`);
});

Deno.test("findKeyLines() finds exactly the paths of every document that smol-toml accepts", () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(section, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      fc.constantFrom("", '"', "'", "[", "]", "#", "\n", "\\", "=", ",", ".", "}", " "),
      fc.nat(2),
      (sections, place, put, cut) => {
        const whole = render(sections);
        const at = place % (whole.length + 1);
        const text = whole.slice(0, at) + put + whole.slice(at + cut);
        const document = parsed(text);
        if (document === undefined) return;
        read++;
        const lines = findKeyLines(text);
        for (const path of pathsOf(document)) {
          assert.notEqual(lines.lineOf(path), null, JSON.stringify(path));
          assert.equal(lines.lineOf([...path, "no such key"]), null);
        }
      },
    ),
    { numRuns: 3_000 },
  );
  assert.ok(read > 500, `only ${read} documents could be parsed`);
});

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

Deno.test("findKeyLines() returns no lines for a document of 512 KB that the parser cannot read", () => {
  const size = 512 * 1024;
  const documents = [
    "a = " + "[".repeat(size / 2) + "]".repeat(size / 2),
    "a = " + "{a=".repeat(size / 4) + "1" + "}".repeat(size / 4),
    'a = "' + '\\"'.repeat(size / 2) + '"',
    "a = " + " ".repeat(size) + "x",
  ];
  for (const document of documents) assert.equal(findKeyLines(document).nearestLineOf(["a"]), null);
});
