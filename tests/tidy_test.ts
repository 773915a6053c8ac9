// Tests that the house rules are followed (imports, access to the outside world, the form of files), and tests of the
// rules.
import assert from "node:assert/strict";
import { worldRule } from "../tools/tidy/bans.ts";
import { madeExpressionRule } from "../tools/tidy/expressions.ts";
import {
  fileLengthRule,
  fileNameRule,
  folderSizeRule,
  functionLengthRule,
  laterRule,
  mirrorRule,
  nameRule,
  openingRule,
  strictRule,
} from "../tools/tidy/form.ts";
import { addressRule, cycleRule, moduleRule, packageRule } from "../tools/tidy/imports.ts";
import { type Offence, parseSource, readRepository, type Source } from "../tools/tidy/source.ts";

type Rule = (sources: readonly Source[]) => Offence[];

/** Files by path, with the lines of the offences that a rule must find. */
type Samples = Record<string, { text: string; lines: number[] }>;

interface House {
  promise: string;
  rule: Rule;
  /** Whether offences are only listed and do not fail the test. */
  isWarning?: true;
  samples: Samples;
}

const good = (text: string) => ({ text, lines: [] });
const bad = (text: string, lines = [1]) => ({ text, lines });
const lines = (count: number) => "x;\n".repeat(count);

const RULES: House[] = [
  {
    promise: "imports run downwards, and modules of different features never import each other",
    rule: moduleRule,
    samples: {
      "src/domain/a.ts": good('import "./b.ts";\nimport "node:path";\nimport "zod";'),
      "src/domain/b.ts": bad('import "./a.ts";\nimport { x } from "../wire/x.ts";', [2]),
      "src/config/a.ts": bad('import "../domain/a.ts";\nimport "../wire/a.ts";', [2]),
      "src/classify/a.ts": bad('import "../domain/a.ts";\nimport "../wire/a.ts";', [2]),
      "src/ingest/parse/a.ts": good(
        'import "../b.ts";\nimport "../../domain/a.ts";\nimport "../../wire/a.ts";',
      ),
      "src/ingest/a.ts": bad(
        'import type { x } from "../classify/a.ts";\nexport * from "../delivery/a.ts";',
        [1, 2],
      ),
      "src/delivery/a.ts": bad(
        'const x = await import("../accounts/x.ts");\ntype X = import("../api/x.ts").X;',
        [1, 2],
      ),
      "src/api/a.ts": bad(
        'import "../config/a.ts";\nimport "../platform/a.ts";\nimport "../store/a.ts";',
        [1, 2, 3],
      ),
      "src/web/a.ts": bad('import "../http/a.ts";\nimport "../api/a.ts";', [2]),
      "src/web/b.ts": bad('import "../../docs/use/a-b.md";\nimport "../../docs/run/a.md";', [2]),
      "src/ingest/b.ts": bad('import "../http/a.ts";'),
      "src/http/a.ts": bad('import "../wire/a.ts";\nimport "../api/a.ts";\nimport "../web/a.ts";', [2, 3]),
      "src/store/sqlite/a.ts": bad('import "../../domain/a.ts";\nimport "../../platform/a.ts";', [2]),
      "src/platform/a.ts": bad('import "../config/a.ts";'),
      "src/app.ts": bad('import "./store/sqlite/a.ts";\nimport "./cli/a.ts";', [2]),
      "src/cli/a.ts": good('import "../app.ts";\nimport a from "../../example.toml" with { type: "text" };'),
      "src/cli/b.ts": bad('import "../../tools/a.ts";\nimport "../../tests/support/a.ts";', [1, 2]),
      "src/version.ts": good('import a from "../deno.json" with { type: "json" };'),
      "src/elsewhere/a.ts": bad(""),
      "main.ts": bad('import "./src/cli/cli.ts";\nimport "./src/app.ts";', [2]),
      "tests/api/a_test.ts": good('import "../../src/store/a.ts";'),
    },
  },
  {
    promise:
      "nothing outside src/platform and main.ts uses clock, timers, randomness, network, files or console",
    rule: worldRule,
    samples: {
      "src/api/a.ts": bad(
        "const a = Date.now();\nconst b = new Date();\nconst c = Date();\nMath.random();",
        [1, 2, 3, 4],
      ),
      "src/api/b.ts": bad(
        "setTimeout(f, 1);\nsetInterval(f, 1);\nAbortSignal.timeout(1);\nperformance.now();",
        [1, 2, 3, 4],
      ),
      "src/api/c.ts": bad(
        'await fetch("x");\nglobalThis.fetch;\nconst f = { fetch };\nnew Worker("x");',
        [1, 2, 3, 4],
      ),
      "src/api/d.ts": bad("Deno.env;\nconsole.log(1);\nprocess.exit();\nlet t: Deno.Conn;", [1, 2, 3, 4]),
      "src/api/e.ts": bad("crypto.getRandomValues(a);\ncrypto.randomUUID();\nDate['now']();", [1, 2, 3]),
      "src/api/f.ts": bad(
        'import { randomBytes } from "node:crypto";\nimport { createHmac, randomUUID as id } from "node:crypto";\n' +
          'import * as all from "node:crypto";\nimport whole from "node:crypto";',
        [1, 2, 3, 4],
      ),
      "src/api/g.ts": bad(
        ["net", "http", "https", "tls", "dns", "dns/promises", "fs", "fs/promises", "child_process"]
          .map((name) => `import "node:${name}";`).join("\n"),
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
      ),
      "src/api/h.ts": bad(
        'import { request } from "undici";\nimport { DatabaseSync } from "node:sqlite";',
        [1, 2],
      ),
      "src/store/a.ts": bad(
        "const a = `insert into a values (unixepoch())`;\nconst b = \"select datetime('now')\";\n" +
          'const c = `select ${x} where a < current_timestamp`;\nconst d = "a random (but fine) text";',
        [1, 2, 3],
      ),
      "src/store/a.sql": bad("-- a\ncreate table a (b default current_timestamp) strict;", [2]),
      "src/store/b.ts": good(
        'import { DatabaseSync } from "node:sqlite";\nconst a = "select max(published_at)";',
      ),
      "src/api/good.ts": good(
        'import { createHash } from "node:crypto";\nimport { join } from "node:path";\nnew Date(0); Date.UTC(2026);\n' +
          "app.fetch(x); interface A { fetch(x: B): C; setTimeout: number }\nconst o = { fetch: 1, console: 2 };\n" +
          "// Date.now() in a comment\nconst text = 'Date.now()';",
      ),
      "src/api/own.ts": good("function f({ fetch }: A, process: () => void) {\n  fetch();\n  process();\n}"),
      "src/platform/a.ts": good("Date.now(); Deno.env; console.log();"),
      "main.ts": good("Deno.exit();"),
      "tests/api/a_test.ts": good("Date.now();"),
    },
  },
  {
    promise: "no files import each other in a cycle, types included",
    rule: cycleRule,
    samples: {
      "src/domain/a.ts": bad('import type { B } from "./b.ts";'),
      "src/domain/b.ts": good('export { c } from "../wire/c.ts";'),
      "src/wire/c.ts": good('const a = await import("../domain/a.ts");'),
      "src/wire/d.ts": good('import "./e.ts";\nimport "../domain/a.ts";'),
      "src/wire/e.ts": good('import "./f.ts";'),
      "src/wire/f.ts": good(""),
    },
  },
  {
    promise: "packages are named in deno.json with exact versions, and every one of them is used",
    rule: packageRule,
    samples: {
      "deno.json": bad(
        '{ "imports": {\n"zod": "npm:zod@4.6.7",\n"hono": "npm:hono@^4.0.0",\n"@a/b": "npm:@a/b@1.0.0",\n' +
          '"other": "npm:zod@4.6.7",\n"std": "jsr:@std/std@1.0.0",\n"left": "npm:left@1.0.0"\n} }',
        [3, 5, 6, 7],
      ),
      "src/api/a.ts": good(
        'import { z } from "zod";\nimport "zod/v4";\nimport "hono";\nimport "@a/b/c";\nimport "std";',
      ),
      "src/api/b.ts": bad(
        'import "node:path";\nimport "other";\nimport "missing";\nimport "npm:zod@4.6.7";',
        [3, 4],
      ),
      "tests/api/a_test.ts": bad('import "@a/missing";'),
      "tests/api/b_test.ts": good('import "npm:fast@1.2.3";\nimport "npm:@a/fast@2.0.0/x";\nimport "zod";'),
      "tests/api/c_test.ts": bad(
        'import "npm:fast@1.2.4";\nimport "npm:loose@^1.0.0";\nimport "npm:zod@4.6.7";',
        [1, 2, 3],
      ),
    },
  },
  {
    promise: "nothing is imported from an address or another registry",
    rule: addressRule,
    samples: {
      "src/api/a.ts": good('import "zod";\nimport "node:path";\nimport "./b.ts";'),
      "src/api/b.ts": bad(
        'import "jsr:@std/assert";\nimport "https://a.test/b.ts";\nawait import("file:///zod");',
        [1, 2, 3],
      ),
      "tools/a.ts": bad('export * from "http://a.test/b.ts";'),
    },
  },
  {
    promise: "files are at most 300 lines long",
    rule: fileLengthRule,
    isWarning: true,
    samples: { "src/api/a.ts": good(lines(300)), "tests/api/b_test.ts": bad(lines(301), [301]) },
  },
  {
    promise: "functions are at most 60 lines long",
    rule: functionLengthRule,
    isWarning: true,
    samples: {
      "src/api/a.ts": good(`/**\n${"* a\n".repeat(9)}*/\nfunction f() {\n${lines(58)}}`),
      "src/api/b.ts": bad(`function f() {\n${lines(59)}}`),
      "src/api/c.ts": bad(`\nconst f = () => {\n${lines(59)}};`, [2]),
      "tests/api/d_test.ts": bad(`class A {\nget a() {\n${lines(59)}}\n}`, [2]),
    },
  },
  {
    promise: "no folder of src contains more than 24 files",
    rule: folderSizeRule,
    samples: {
      ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`src/api/a${index}.ts`, good("")])),
      ...Object.fromEntries(
        Array.from(
          { length: 24 },
          (_, index) => [`src/api/input/b${index}.ts`, index === 0 ? bad("") : good("")],
        ),
      ),
      "src/api/input/a.ts": good(""),
    },
  },
  {
    promise: "names of files and folders are snake_case and specific",
    rule: fileNameRule,
    samples: {
      "src/api/read_events_2.ts": good(""),
      "src/api/readEvents.ts": bad(""),
      "src/api/read-events.ts": bad(""),
      "src/Api/a.ts": bad(""),
      "src/api/utils.ts": bad(""),
      "src/helpers/a.ts": bad(""),
      "src/api/types.ts": bad(""),
    },
  },
  {
    promise: "no name contains helper, manager or util",
    rule: nameRule,
    samples: {
      "src/api/a.ts": good("class Managed {}\nfunction helpText() {}\nconst useful = 1;"),
      "src/api/b.ts": bad(
        "class KeyManager {}\ninterface Utils {}\nfunction testHelper() {}\nconst dateUtil = 1;",
        [1, 2, 3, 4],
      ),
      "tests/api/c_test.ts": bad(
        "type MANAGER_OF_KEYS = 1;\nconst f = (helper: A) => 1;\nclass A { utilOf() {} }",
        [1, 2, 3],
      ),
    },
  },
  {
    promise: "every file starts with a comment on its contents",
    rule: openingRule,
    samples: {
      "src/api/a.ts": good("// Routes.\n"),
      "src/store/a.sql": good("-- Tables.\n"),
      "deno.json": good("{}"),
      "src/api/b.ts": bad('import "zod";\n// Routes.'),
      "src/api/c.ts": bad("/** Routes. */"),
      "tests/api/d_test.ts": bad("//\n"),
      "src/store/b.sql": bad("create table a (b) strict;"),
    },
  },
  {
    promise: "comments promise nothing for later",
    rule: laterRule,
    samples: {
      "src/api/a.ts": good('const a = "TODO";\nconst b = `FIXME`; // nothing to do'),
      "src/api/b.ts": bad(
        "f(); // TODO: more\n/* a\n FIXME */\nf({\n  // XXX\n});\n/** HACK */ const a = 1;",
        [1, 2, 5, 7],
      ),
    },
  },
  {
    promise: "every table is strict",
    rule: strictRule,
    samples: {
      "src/store/a.sql": good(
        "-- create table in_a_comment (a);\ncreate table a (b text check (b in ('x')), primary key (b)) strict;\n" +
          "CREATE TABLE c (d) STRICT, without rowid;\ncreate virtual table e using fts5 (f);\ncreate index g on a (b);",
      ),
      "src/store/b.sql": bad("create table a (\n  b text\n);\ncreate table strict (c) without rowid;", [
        1,
        4,
      ]),
    },
  },
  {
    promise: "regular expressions are literals, which recheck checks, or exceptions, which a test proves",
    rule: madeExpressionRule,
    samples: {
      "src/domain/a.ts": good('const a = /a/;\nconst b = "new RegExp(a)";'),
      "src/domain/b.ts": bad("const a = 1;\nexport function f(x: string) {\n  return new RegExp(x);\n}", [3]),
      "src/http/router.ts": bad("function compile() {}"),
    },
  },
  {
    promise: "tests mirror the modules of src",
    rule: mirrorRule,
    samples: {
      "src/api/a.ts": good(""),
      "src/app.ts": good(""),
      "tests/api/deep/a_test.ts": good(""),
      "tests/app_test.ts": good(""),
      "tests/e2e/a_test.ts": good(""),
      "tests/tidy_test.ts": good(""),
      "tests/support/world.ts": good(""),
      "tests/apis/a_test.ts": bad(""),
      "tests/b_test.ts": bad(""),
      "src/api/a_test.ts": bad(""),
      "tools/a_test.ts": bad(""),
    },
  },
];

const repository = readRepository(new URL("../", import.meta.url));

for (const { promise, rule, isWarning, samples } of RULES) {
  Deno.test(`tidy: ${promise}`, () => {
    const offences = rule(repository).map(({ path, line, what }) => `${path}:${line}: ${what}`);
    if (isWarning) return console.log(offences.join("\n"));
    assert.equal(offences.length, 0, `\n${offences.join("\n")}`);
  });

  Deno.test(`${rule.name}() finds each offence and nothing else`, () => {
    const sources = Object.entries(samples).map(([path, { text }]) => parseSource(path, text));
    const found = rule(sources);
    for (const [path, { lines }] of Object.entries(samples)) {
      const foundLines = found.filter((offence) => offence.path === path).map(({ line }) => line);
      assert.deepEqual([...new Set(foundLines)].sort((a, b) => a - b), lines, path);
    }
  });
}

Deno.test("readRepository() reads every module", () => {
  const folders = new Set(repository.map(({ path }) => path.split("/").slice(0, 2).join("/")));
  for (
    const folder of ["main.ts", "src/domain", "src/platform", "src/store", "tests/tidy_test.ts", "tools/tidy"]
  ) {
    assert.ok(folders.has(folder), folder);
  }
});

interface Lock {
  npm: Record<string, { integrity: string }>;
}

Deno.test("executable.lock pins the packages of the executable, with the same hashes as deno.lock", async () => {
  const read = async (name: string): Promise<Lock> =>
    JSON.parse(await Deno.readTextFile(new URL(`../${name}`, import.meta.url)));
  const [all, embedded] = await Promise.all([read("deno.lock"), read("executable.lock")]);
  for (const [name, { integrity }] of Object.entries(embedded.npm)) {
    assert.equal(all.npm[name]?.integrity, integrity, `${name}: run \`deno task lock\``);
  }
  const names = Object.keys(embedded.npm).map((name) => name.replace(/@[^@]*$/, ""));
  for (const name of ["croner", "nodemailer", "zod"]) assert.ok(names.includes(name), name);
  for (const name of ["typescript", "fast-check", "svix"]) {
    assert.ok(!names.includes(name), `${name} is for tests only`);
  }
});
