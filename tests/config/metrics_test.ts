// The settings for metrics and the log in the config.
import assert from "node:assert/strict";
import { describeConfig, summariseConfig } from "../../src/config/describe/describe.ts";
import { configOf, linesOf } from "./given.ts";

const LISTEN = '[metrics]\nlisten = "127.0.0.1:9464"\n';

Deno.test("the token of the metrics is a secret, and is rejected without metrics.listen", async () => {
  const given = { files: { "/run/token": "scrape-me\n" }, env: { TOKEN: "scrape-me" } };
  for (const form of ['token = "scrape-me"', 'token_file = "/run/token"', 'token_env = "TOKEN"']) {
    const config = await configOf(LISTEN + form, given);
    assert.equal(config.metrics.token, "scrape-me", form);
    const shown = describeConfig(config, 0) + JSON.stringify(summariseConfig(config, 0));
    assert.ok(!shown.includes("scrape-me"), form);
    assert.match(shown, /http:\/\/127\.0\.0\.1:9464\/metrics, with a token/);
  }
  const byFile = await configOf(`${LISTEN}token_file = "/run/token"`, given);
  assert.deepEqual(byFile.secretFiles, [{ key: "metrics.token_file", path: "/run/token" }]);
  const rows: [text: string, expected: RegExp][] = [
    [`${LISTEN}token = "two words"`, /^regfeed\.toml:3: metrics\.token: is not a valid token/],
    [`${LISTEN}token = ""`, /:3: metrics\.token: is empty/],
    [`${LISTEN}token_env = "NONE"`, /:3: metrics\.token_env: .*NONE, which is not set/],
    ['[metrics]\ntoken = "scrape-me"', /:2: metrics\.token: has no effect without metrics\.listen/],
  ];
  for (const [text, expected] of rows) {
    const lines = (await linesOf(text)).join("\n");
    assert.match(lines, expected, text);
    assert.doesNotMatch(lines, /scrape-me|two words/);
  }
});

Deno.test("API and metrics cannot listen on the same address", async () => {
  const shared = /:2: metrics\.listen: is 127\.0\.0\.1:8080, which conflicts with server\.listen/;
  assert.match((await linesOf('[metrics]\nlisten = "127.0.0.1:8080"\n')).join("\n"), shared);
  const said = '[metrics]\nlisten = "127.0.0.1:9464"\n[server]\nlisten = "127.0.0.1:9464"\n';
  assert.match(
    (await linesOf(said)).join("\n"),
    /:2: metrics\.listen: is 127\.0\.0\.1:9464, which conflicts/,
  );
  for (const listen of ["127.0.0.1:9464", "127.0.0.1:0"]) {
    const given = `[metrics]\nlisten = "${listen}"\n[server]\nlisten = "127.0.0.1:0"\n`;
    assert.notEqual((await configOf(given)).metrics.listen, null, listen);
  }
});

Deno.test("listeners conflict if the system rejects the second one", async () => {
  // Linux rejects the second listener of each of these pairs (EADDRINUSE).
  const clashes: [string, string][] = [
    ["0.0.0.0", "127.0.0.1"],
    ["", "127.0.0.2"],
    ["[::]", "127.0.0.1"],
    ["[::]", "[::1]"],
    ["[::]", "example.org"],
    ["localhost", "127.0.0.1"],
    ["LOCALHOST", "localhost"],
    ["0.0.0.0", "localhost"],
    ["[::ffff:127.0.0.1]", "127.0.0.1"],
    ["[0:0:0:0:0:0:0:1]", "[::1]"],
  ];
  const given = (api: string, own: string) =>
    `[metrics]\nlisten = "${own}:9464"\n[server]\nlisten = "${api}:9464"\npublic_url = "http://a.example"\n`;
  for (const pair of clashes) {
    for (const [api = "", own = ""] of [pair, pair.toReversed()]) {
      const lines = (await linesOf(given(api, own))).join("\n");
      assert.match(lines, /:2: metrics\.listen: is .*:9464, which conflicts with server\.listen/, lines);
    }
  }
  const beside: [string, string][] = [
    ["127.0.0.1", "127.0.0.2"],
    ["127.0.0.1", "[::1]"],
    ["0.0.0.0", "[::1]"],
    ["example.org", "127.0.0.1"],
  ];
  for (const [api, own] of beside) assert.notEqual((await configOf(given(api, own))).metrics.listen, null);
});

Deno.test("each area of the log can have its own level", async () => {
  const config = await configOf('[log]\nlevels = { delivery = "debug", mail = "error" }');
  assert.deepEqual(config.log, {
    format: "text",
    level: "info",
    levels: { delivery: "debug", mail: "error" },
  });
  assert.match(describeConfig(config, 0), /^log +text, info and above, delivery: debug, mail: error$/m);
  const rows: [text: string, expected: RegExp][] = [
    [
      '[log]\nlevels = { deliveries = "debug" }',
      /:2: log\.levels\.deliveries: is not a log area.*Did you mean "delivery"\?/,
    ],
    ['[log.levels]\napi = "warning"', /:2: log\.levels\.api: cannot be "warning": .*Did you mean "warn"\?/],
    ['[log]\nlevels = "debug"', /:2: log\.levels: needs a table of levels by area/],
  ];
  for (const [text, expected] of rows) assert.match((await linesOf(text)).join("\n"), expected, text);
});
