// A config error names the table by its id and shows the part of the file that is wrong, but never a secret.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { showProblem } from "../../../src/config/toml/problems.ts";
import { problemsOf, source } from "../given.ts";

const LONG = `"${"10.0.0.0/8".repeat(9)}"`;

/** Each config and the lines of its excerpts, without the margin. */
const EXCERPTS: readonly (readonly [name: string, text: string, excerpt: string[]])[] = [
  ["a value", '[server]\n  listen = "x" # note', ['2 | listen = "x"', "|          ^^^"]],
  ["an unknown key", 'server.lisen = "hush"', ["1 | server.lisen = …", "| ^^^^^^^^^^^^"]],
  ["an unknown table", "[serverr]  # note", ["1 | [serverr]", "|  ^^^^^^^"]],
  ["an unknown list of tables", "[[source]]", ["1 | [[source]]", "|   ^^^^^^"]],
  ["a missing key", source().replace(/^url.*\n/m, ""), []],
  ["a key that does not apply", source('path = "in"'), ['5 | path = "in"', "| ^^^^"]],
  ["an element", '[server]\ntrusted_proxies = ["::1/128", "x"]', [
    '2 | trusted_proxies = ["::1/128", "x"]',
    "|                               ^^^",
  ]],
  ["an element on its own line", '[server]\ntrusted_proxies = [\n\t"x", # note\n]', ['3 |  "x"', "|  ^^^"]],
  ["a value of several lines", '[server]\nlisten = """\na"""', ['2 | listen = """', "|          ^^^"]],
  ["a long line", `[server]\ntrusted_proxies = ["::1/128", ${LONG}]`, [
    `2 | trusted_proxies = ["::1/128", ${LONG.slice(0, 37)}…`,
    `|                               ${"^".repeat(38)}`,
  ]],
  ["a long line with the problem at its end", `[server]\ntrusted_proxies = [${"'::1/128', ".repeat(9)}'x']`, [
    "2 | …28', '::1/128', 'x']",
    "|                  ^^^",
  ]],
  ["an inline table", 'log = { level = "loud", levels = {} }', ['1 | level = "loud"', "|         ^^^^^^"]],
  ["a byte order mark and CRLF", '\uFEFFlog.level = "loud"\r\n', [
    '1 | log.level = "loud"',
    "|             ^^^^^^",
  ]],
  ["a control character", 'log.level = "\x7f"', []],
  ["a secret", '[metrics]\ntoken = "a b"\nlisten = ":1"', ["2 | token = …", "| ^^^^^"]],
  ["a URL with a password", source('url = "htp://a:hush@b.org"'), ["4 | url = …", "| ^^^"]],
  ["invalid TOML", "[server]\nlisten = 127.0.0.1", ["2 | listen = 127.0.0.1", "|               ^"]],
  ["invalid TOML in a header", "[server", ["1 | [server", "|  ^"]],
  ["invalid TOML in a secret", '[metrics]\ntoken = "hush', ["2 | token = …", "| ^^^^^"]],
  ["two keys on one line", '[log]\nlevel = "x" tokn = "hush"', ["2 | level = …", "| ^^^^^"]],
  ["text after a value", '[log]\nlevel = "info" hush', ['2 | level = "info" …', "|                ^"]],
  ["invalid TOML in a list of several lines", "[server]\ntrusted_proxies = [\n  listen = hush", []],
  ["invalid TOML that may be a part of a secret", '[metrics]\nhush hush"', []],
];

Deno.test("a config error shows the line with a caret below the key or value", async () => {
  for (const [name, text, expected] of EXCERPTS) {
    const [problem] = await problemsOf(text);
    assert.ok(problem, name);
    const lines = problem.excerpt === "" ? [] : problem.excerpt.split("\n");
    assert.deepEqual(lines.map((line) => line.replace(/^ +/, "")), expected, name);
    assert.ok(lines.every((line) => line.length <= 80), name);
    const [bar, caretBar] = lines.map((line) => line.indexOf("|"));
    assert.equal(bar, caretBar, name);
  }
});

/** Configs with the secret "hush" in an unusual place. */
const HIDDEN: readonly string[] = [
  '[server]\ntrusted_proxies = ["http://a:hush@b/c", 5]',
  '[server]\ntrusted_proxies = [\n["http://a:hush@b/c"], 5]',
  '[server]\nlisten = "x" hush',
  "[server]\nlisten = 127.0.0.1 # hush",
  '[server]\nlisten = "127.0.0.1 # hush',
  '[server]\nlisten = "a"\nlisten = "b" # hush',
  '[[sources]]\n[sources.headers]\nid = "hush" x',
  "[[sources]]\n[sources.headers]\nid = hush",
  "[[sources]]\nheaders = {\nid = hush }",
  '[[sources]]\nheaders = "hush"',
  '[[sources]]\nauthorization = """\nid = hush\\q"""',
  "[metrics.token]\nid = hush",
  'sources = ["hush"]',
  'metrics = "hush"',
  'mail = ["hush"]',
  '[payment]\nwebhook_secret_env = "hush"',
  'backup.secret_key = "hush"',
  '[backup]\nsecret_key = "hush"',
  '[server]\nsecret_key = "hush"',
  'server.listen.secret_key = "hush"',
  'store.access_key = "hush"',
];

Deno.test("a config error shows no secret from a list, a comment, a header, or after an error", async () => {
  for (const text of HIDDEN) {
    const problems = await problemsOf(text);
    assert.ok(problems.length > 0, text);
    const shown = problems.map(showProblem).join("\n");
    assert.ok(!shown.includes("hush"), `${text}\n${shown}`);
  }
});

const NO_RUN = 8;
const SECRETS = [
  "Qm7xKd82LpWv",
  "Zr5tHj93NsYc",
  "Bf4gVe61MuXa",
  "Tk9wRo27CiDq",
  "Jy3nSb58PhGl",
  "Ux6eAm14FzOv",
];
const CONFIG = `[server]
listen = "127.0.0.1:8080"
trusted_proxies = ["10.0.0.0/8"]
[metrics]
listen = "127.0.0.1:9464"
token = "${SECRETS[0]}"
[payment]
webhook_secret = "${SECRETS[1]}"
prices = { price_1 = "team" }
[mail]
from = "Regfeed <feed@example.org>"
smtp_url = "smtps://user:${SECRETS[2]}@mail.example.org"
keep = "90d"
[[sources]]
id = "board"
name_en = "Board"
url = "https://board.example.org/feed?key=${SECRETS[3]}"
authorization = "Bearer ${SECRETS[4]}"
schedule = "*/30 * * * *"
headers = { x-api-key = '${SECRETS[5]}', accept = "text/html" }
[sources.json]
title = "title"
`;

/** Every part of a secret that would help to guess it. */
const PARTS = SECRETS.flatMap((secret) =>
  Array.from({ length: secret.length - NO_RUN + 1 }, (_, at) => secret.slice(at, at + NO_RUN))
);

Deno.test("a config error never shows a secret, wherever the config is damaged", async () => {
  const edit = fc.record({
    at: fc.nat(CONFIG.length),
    removed: fc.nat(3),
    inserted: fc.oneof(
      fc.constant(""),
      fc.constantFrom('"', "'", "\n", "=", "[", "]", "{", "}", "#", ",", "a", " ", "\\"),
    ),
  });
  const damaged = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
    edits.reduce(
      (text, { at, removed, inserted }) => text.slice(0, at) + inserted + text.slice(at + removed),
      CONFIG,
    )
  );
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(damaged, async (text) => {
      const shown = (await problemsOf(text)).map(showProblem).join("\n");
      if (shown !== "") failures++;
      assert.equal(PARTS.find((part) => shown.includes(part)), undefined, shown);
    }),
    { numRuns: 1_000, seed: 20_240_801 },
  );
  assert.ok(failures > 800, `only ${failures} of the configs were invalid`);
});
