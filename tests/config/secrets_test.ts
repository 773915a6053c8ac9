// A secret in the config comes from one of three places and is never shown.
import assert from "node:assert/strict";
import { configOf, linesOf, source } from "./given.ts";

Deno.test("parseConfig() reads a secret inline, from a file or from the environment", async () => {
  const files = { "/run/secrets/a": "Bearer hush\r\n\n", "/etc/regfeed/secrets/b": "hush" };
  const given = { files, env: { A_SOURCE: "Bearer env" } };
  const rows: [string, string][] = [
    ['authorization = "Bearer here"', "Bearer here"],
    ['authorization_file = "/run/secrets/a"', "Bearer hush"],
    ['authorization_file = "secrets/b"', "hush"],
    ['authorization_env = "A_SOURCE"', "Bearer env"],
  ];
  for (const [line, secret] of rows) {
    assert.equal((await configOf(source(line), given)).sources[0]?.authorization, secret, line);
  }
  assert.equal("authorization" in ((await configOf(source())).sources[0] ?? {}), false);
});

Deno.test("parseConfig() lists the files that secrets were read from", async () => {
  const text = source() + source('id = "b"', 'authorization_file = "b"') +
    source('id = "c"', 'authorization = "x"');
  const config = await configOf(text, { files: { "/etc/regfeed/b": "hush" } });
  assert.deepEqual(config.secretFiles, [{
    key: '[[sources]] "b" authorization_file',
    path: "/etc/regfeed/b",
  }]);
});

Deno.test("parseConfig() reports problems of a secret by key and line, and never the secret", async () => {
  const given = {
    files: {
      "/etc/regfeed/empty": "\n",
      "/etc/regfeed/lines": "hush\nhush",
      "/etc/regfeed/denied": Object.assign(new Error("x"), { name: "PermissionDenied" }),
      "/etc/regfeed/folder": Object.assign(new Error("x"), { code: "EISDIR" }),
      "/etc/regfeed/nodes": Object.assign(new Error("x"), { code: "ENOENT" }),
      "/etc/regfeed/odd": new Error("the disk is on fire"),
    },
    env: { EMPTY: "", LINES: "hush\nhush" },
  };
  const rows: [string, RegExp][] = [
    ['authorization = ""', / authorization: is empty: set the secret or remove the key$/],
    ["authorization = 5", / authorization: needs a string, such as "…"; found a number$/],
    ['authorization = ["hush"]', / authorization: needs a string, such as "…"; found a list$/],
    ['authorization = "hush\\u00fc"', / authorization: is not a valid header value/],
    [
      'authorization_file = "none"',
      /_file: refers to the file \/etc\/regfeed\/none, which does not exist: create it/,
    ],
    ['authorization_file = "nodes"', /_file: refers to the file \/etc\/regfeed\/nodes, which does not exist/],
    ['authorization_file = "empty"', /_file: refers to the file \/etc\/regfeed\/empty, which is empty/],
    [
      'authorization_file = "denied"',
      /_file: .*which the service's user is not allowed to read: change its owner or mode$/,
    ],
    ['authorization_file = "folder"', /_file: .*which is a folder: set the path of a file$/],
    ['authorization_file = "odd"', /_file: .*which cannot be read: the disk is on fire$/],
    ['authorization_file = "lines"', /_file: is not a valid header value: use one line/],
    ['authorization_file = ""', /_file: is not a valid path/],
    ["authorization_file = 5", /_file: needs the path of a file, .*found the number 5$/],
    ['authorization_env = "NONE"', /_env: refers to the environment variable NONE, which is not set$/],
    ['authorization_env = "EMPTY"', /_env: refers to the environment variable EMPTY, which is empty/],
    ['authorization_env = "LINES"', /_env: is not a valid header value/],
    ['authorization_env = "Bearer hush"', /_env: is not a valid environment variable name/],
  ];
  for (const [line, expected] of rows) {
    const lines = await linesOf(source(line), given);
    assert.equal(lines.length, 1, `${line}\n${lines.join("\n")}`);
    assert.match(lines[0] ?? "", /^regfeed\.toml:5: \[\[sources\]\] "a-source" /);
    assert.match(lines[0] ?? "", expected);
    assert.doesNotMatch(lines[0] ?? "", /hush/);
  }
});

Deno.test("parseConfig() accepts only one form of a secret", async () => {
  const text = source('authorization = "hush"', 'authorization_file = "none"', 'authorization_env = "NONE"');
  const expected =
    'regfeed.toml:6: [[sources]] "a-source" authorization_file: cannot be combined with authorization and ' +
    "authorization_env: keep only one";
  assert.deepEqual(await linesOf(text), [expected]);
});
