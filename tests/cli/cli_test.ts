// The command line as a user sees it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { configOf } from "../config/given.ts";
import { loadCommands, loadEveryCommand } from "../../src/cli/commands.ts";
import {
  addCustomer,
  assertFails,
  callApi,
  regfeed,
  regfeedJson,
  serve,
  withConfig,
  withFolder,
  writeConfig,
} from "../support/process.ts";
import { LINUX, needs } from "../support/needs.ts";

const SOURCE = `[[sources]]
id = "board"
name_en = "Board"
url = "https://board.example/feed"
schedule = "*/30 * * * *"
`;

Deno.test("init writes a config that check accepts, and never overwrites one", () =>
  withFolder(async (folder) => {
    const made = await regfeed(folder, "init here");
    assert.equal(made.code, 0, made.stderr);
    const file = join(folder, "here", "regfeed.toml");
    assert.equal(made.stdout.trim(), await Deno.realPath(file));
    const checked = await regfeed(folder, `check --config ${file}`);
    assert.equal(checked.code, 0, checked.stderr);
    assert.match(checked.stdout, /eu-edpb-news/);
    assert.match(
      made.stderr,
      /run: regfeed check --config \S+ && regfeed serve --config/,
    );
    await assertFails(folder, "init here", 1, /already exists/);
  }));

Deno.test("init --minimal writes a short config whose sources are those of the complete one", () =>
  withFolder(async (folder) => {
    await regfeed(folder, "init complete");
    await regfeed(folder, "init short --minimal");
    const [complete, short] = await Promise.all(["complete", "short"].map(async (name) => {
      const file = join(folder, name, "regfeed.toml");
      const text = await Deno.readTextFile(file);
      const { code, stderr } = await regfeed(folder, `check --config ${file}`);
      assert.equal(code, 0, stderr);
      const listed = await regfeed(folder, `source list --config ${file}`);
      assert.equal(listed.code, 0, listed.stderr);
      return { lines: text.split("\n").length, sources: (await configOf(text)).sources };
    }));
    assert.ok(short !== undefined && complete !== undefined && short.lines <= 35, "short");
    assert.equal(short.sources.length, 2);
    for (const { nameDe: _, ...source } of short.sources) {
      assert.ok(source.enabled, source.id);
      assert.partialDeepStrictEqual(complete.sources.find(({ id }) => id === source.id), source);
    }
  }));

Deno.test("every command is loaded by its first word", async () => {
  const every = await loadEveryCommand();
  assert.ok(every.length > 20);
  const words = every.map(({ name }) => name.split(" ")[0]);
  const runs = words.filter((word, at) => word !== words[at - 1]);
  assert.equal(runs.length, new Set(words).size, `separated commands: ${runs}`);
  for (const word of new Set(every.map(({ name }) => name.split(" ")[0] ?? ""))) {
    const expected = every.filter(({ name }) => name === word || name.startsWith(`${word} `));
    assert.deepEqual(await loadCommands(word), expected, word);
  }
  assert.deepEqual(await loadCommands("constructor"), []);
});

Deno.test("an invalid config exits with code 2 and names file, line, key and the nearest known key", () =>
  withFolder(async (folder) => {
    const rows: [name: string, text: string, expected: RegExp[]][] = [
      ["bad TOML", "[server\nlisten = 1", [/regfeed\.toml:1/]],
      ["unknown key", '[server]\nlistne = "127.0.0.1:0"\n', [
        /regfeed\.toml:2/,
        /server\.listne/,
        /did you mean.*listen/i,
      ]],
      ["bad cron", SOURCE.replace("*/30 * * * *", "61 * * * *"), [
        /regfeed\.toml:5/,
        /\[\[sources\]\] "board" schedule: .*\n {2}5 \| schedule = "61 \* \* \* \*"\n {4}\| {12}\^{12}\n/,
      ]],
      ["one id twice", SOURCE + SOURCE, [/regfeed\.toml:7/, /board/]],
      ["missing secret", `${SOURCE}authorization_file = "/nowhere/secret"\n`, [
        /regfeed\.toml:6/,
        /\/nowhere\/secret/,
      ]],
    ];
    for (const [name, text, expected] of rows) {
      await writeConfig(folder, text);
      for (const command of ["check", "serve", "ingest"]) {
        const { code, stderr } = await regfeed(folder, `${command}`);
        assert.equal(code, 2, `${name} ${command}: ${stderr}`);
        for (const pattern of expected) assert.match(stderr, pattern, name);
      }
    }
    await assert.rejects(Deno.stat(join(folder, "data")), "no store is created");
  }));

Deno.test("invalid arguments print the usage and exit with code 2", () =>
  withConfig(SOURCE, async (folder) => {
    const rows: [args: string[], expected: RegExp][] = [
      [["serv"], /unknown command `serv`; did you mean `serve`\?/],
      [
        ["source", "tst"],
        /unknown command `source tst`; did you mean `source test`\? If not, use one of `source list`/,
      ],
      [["--config", "x", "check"], /put the command first/],
      [["source"], /`source list`, `source test`, `source release`, `source parse`/],
      [["check", "--jsn"], /^regfeed check: unknown option --jsn; did you mean --json\?\nusage: /],
      [["check", "-x"], /unknown option -x\n/],
      [["check", "--json=yes"], /--json takes no value/],
      [["check", "-c"], /-c needs a value: -c FILE/],
      [["check", "--config", "--json"], /--json looks like an option/],
      [["init", "--config", "x"], /unknown option --config\n/],
      [["demo", "-c", "x"], /unknown option -c\n/],
      [["source", "test"], /^regfeed source test: ID is missing\nusage: regfeed source test ID/],
      [["customer", "set-tier"], /CUSTOMER and TIER are missing/],
      [["customer", "set-tier", "x"], /: TIER is missing/],
      [["source", "test", "a", "b"], /unexpected argument "b"/],
      [["check", "a", "b"], /unexpected arguments "a", "b"\n/],
      [["check", "my.toml"], /unexpected argument "my\.toml"; to choose the config, use --config my\.toml\n/],
      [["init", "a", "my.toml"], /unexpected argument "my\.toml"\n/],
      [["customer", "add"], /--email is missing/],
      [["customer", "add", "--email", "nonsense"], /--email must be an email address/],
      [["customer", "add", "--email", "a@b.example", "--tier", "gold"], /indie, team, gpai, embedded/],
      [["check", "--config", "nowhere.toml"], /no config file nowhere\.toml/],
    ];
    for (const [args, expected] of rows) {
      await assertFails(folder, args, 2, expected);
    }
    assert.equal((await regfeed(folder, [])).code, 2);
  }));

Deno.test("an unknown id in an argument exits with code 1", () =>
  withConfig(SOURCE, async (folder) => {
    const customer = "cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB";
    const rows: [args: string[], expected: RegExp][] = [
      [["source", "test", "nobody"], /no source has the id nobody/],
      [["ingest", "bord"], /no source has the id bord; did you mean board\? `regfeed source list`/],
      [["ingest", "nobody"], /no source has the id nobody/],
      [["customer", "set-tier", customer, "team"], /no customer cus_/],
      [["customer", "disable", "nobody@b.example"], /no customer nobody@b\.example/],
      [["key", "rotate", customer], /no customer cus_/],
      [["backup", "restore", "a.tar.gz"], /there is no file \/.*\/a\.tar\.gz/],
      [["event", "show", "evt_01J9ZC3V5T8Q2W4E6R8Y0TAPNB"], /no event evt_/],
    ];
    for (const [args, expected] of rows) {
      await assertFails(folder, args, 1, expected);
    }
  }));

type Customers = {
  customers: { id: string; tier: string; enabled: boolean; keys: { disabled_at: number | null }[] }[];
};

Deno.test("a running server applies the changes of commands within a second", () =>
  withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const server = await serve(folder);
    const statusWith = async (key: string): Promise<number> => {
      const response = await callApi(server, key, "/v1/events");
      await response.body?.cancel();
      return response.status;
    };
    const second = () => new Promise((resolve) => setTimeout(resolve, 1_000));
    try {
      const { customer, key } = await addCustomer(folder, "a@b.example");
      assert.match(key, /^rgf_[0-9a-f]{64}$/);
      assert.equal(await statusWith(key), 200);
      const rotated = await regfeedJson<{ key: string }>(folder, `key rotate ${customer.id}`);
      await second();
      assert.equal(await statusWith(key), 401);
      assert.equal(await statusWith(rotated.key), 200);
      const next = await regfeedJson<{ key: string }>(folder, `key rotate ${customer.id} --overlap 1h`);
      assert.deepEqual([await statusWith(rotated.key), await statusWith(next.key)], [200, 200]);
      await regfeedJson(folder, `key disable ${customer.id} --key ${rotated.key.slice(-4)}`);
      await second();
      assert.deepEqual([await statusWith(rotated.key), await statusWith(next.key)], [401, 200]);
      const { keys } = await regfeedJson<{ keys: { last_used_at: number | null }[] }>(
        folder,
        `key list ${customer.id}`,
      );
      assert.equal(typeof keys[0]?.last_used_at, "number");
      await regfeedJson(folder, `customer disable ${customer.id}`);
      await second();
      assert.equal(await statusWith(next.key), 403);
      await regfeedJson(folder, `customer enable ${customer.id}`);
      await regfeedJson(folder, `customer set-tier ${customer.id} gpai`);
      await second();
      assert.equal(await statusWith(next.key), 200);
      await regfeedJson(folder, `key disable ${customer.id}`);
      await second();
      assert.equal(await statusWith(next.key), 401);

      const { customers } = await regfeedJson<Customers>(folder, "customer list");
      const listed = customers.map(({ id, tier, enabled }) => [id, tier, enabled]);
      assert.deepEqual(listed, [[customer.id, "gpai", true]]);
      assert.ok(customers[0]?.keys.every((one) => one.disabled_at !== null));
      const healthy = await regfeed(folder, `healthcheck --url ${server.address}`);
      assert.deepEqual([healthy.code, healthy.stdout], [0, "ok\n"]);
      const report = await regfeedJson<Record<string, unknown>>(
        folder,
        `healthcheck --url ${server.address}`,
      );
      const told = await (await fetch(`${server.address}/v1/health`)).json();
      assert.deepEqual({ ...report, time: told.time }, told);
    } finally {
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.match(log, /starting.*regfeed\.toml.*regfeed\.db/, "the log names the files in use");
      assert.doesNotMatch(log, /rgf_[0-9a-f]{8}/, "the log contains no key");
    }
    const gone = await regfeed(folder, `healthcheck --url ${server.address}`);
    assert.deepEqual([gone.code, gone.stderr], [
      1,
      `regfeed healthcheck: ${server.address} does not respond: connection refused\n`,
    ]);
  }));

Deno.test("only the owner can read the store and its folder", () =>
  withConfig(SOURCE, async (folder) => {
    await regfeed(folder, "ingest");
    const modes = await Promise.all(
      ["data", "data/regfeed.db"].map(async (name) =>
        ((await Deno.stat(join(folder, name))).mode ?? 0) & 0o777
      ),
    );
    assert.deepEqual(modes.map((mode) => mode.toString(8)), ["700", "600"]);
  }));

Deno.test("an unusable store exits with code 1 and a message without a stack trace", () =>
  withConfig('[store]\npath = "regfeed.toml/x.db"\n', async (folder) => {
    await assertFails(folder, "source list", 1, /^regfeed source list: the store .* cannot be opened: /);
    await writeConfig(folder, '[store]\npath = "bad.db"\n');
    await Deno.writeTextFile(join(folder, "bad.db"), "this is no database".repeat(100));
    await assertFails(folder, "source list", 1, /cannot be opened: .*not a database/);
    await writeConfig(folder, '[store]\npath = "."\n');
    await assertFails(folder, "source list", 1, /cannot open .*: it is a folder/);
  }));

Deno.test("source parse uses the rules, time zone and base URL of a source", () =>
  withFolder(async (folder) => {
    await writeConfig(
      folder,
      `[[sources]]
id = "list"
name_en = "List"
fetch_strategy = "html"
url = "https://board.example/news/"
timezone = "Europe/Berlin"
enabled = false
[sources.html]
item = "li"
title = "a"
link = "a@href"
published = "i"
`,
    );
    const page = "<!doctype html><title>News</title><ul><li><i>31. Juli 2026</i> <a href=eins>Eins</a></ul>";
    await Deno.writeTextFile(join(folder, "page.html"), page);
    const parsed = await regfeed(folder, "source parse page.html --source list --json");
    assert.equal(parsed.code, 0, parsed.stderr);
    assert.match(parsed.stdout, /^\{.*\}\n$/);
    const { format, items, problems } = JSON.parse(parsed.stdout);
    assert.deepEqual([format, problems], ["html", []]);
    assert.deepEqual([items[0].title, items[0].link, items[0].published_at], [
      "Eins",
      "https://board.example/news/eins",
      Date.parse("2026-07-31T00:00:00+02:00"),
    ]);
    const table = await regfeed(folder, "source parse page.html --source list");
    assert.match(table.stdout, /^2026-07-31 +Eins +https:\/\/board\.example\/news\/eins\n1 item$/m);
    const unknown = await regfeed(folder, "source parse page.html --source lost");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /no source has the id lost/);
  }));

Deno.test("version prints the version, its runtime and its target", () =>
  withFolder(async (folder) => {
    const { version, runtime } = await regfeedJson<{ version: string; runtime: string }>(folder, "version");
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.match(runtime, /^deno /i);
    const { stdout } = await regfeed(folder, "version");
    assert.ok(stdout.startsWith(`regfeed ${version} (${runtime}, `), stdout);
    assert.equal((await regfeed(folder, "--version")).stdout, stdout);
  }));

Deno.test(needs("a command says that its output cannot be written", LINUX), async () => {
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  const { code, stderr } = await new Deno.Command("sh", {
    args: [
      "-c",
      '"$0" run --no-prompt --allow-read --allow-env --allow-sys "$1" --help >/dev/full',
      Deno.execPath(),
      main,
    ],
  }).output();
  assert.equal(code, 1);
  assert.match(
    new TextDecoder().decode(stderr),
    /^regfeed: the output cannot be written: No space left.*\n$/,
  );
});
