// Which config file commands use, and what `check` warns of.
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkCommand } from "../../src/cli/check.ts";
import { createHost } from "../../src/platform/process/process.ts";
import {
  assertFails,
  regfeed,
  regfeedJson,
  withConfig,
  withFolder,
  writeConfig,
} from "../support/process.ts";
import { INBOX_SOURCE, rss } from "../support/samples.ts";

Deno.test("check uses the example config if there is no other config, and says so on stderr", () =>
  withFolder(async (folder) => {
    const none = await regfeed(folder, "check");
    assert.equal(none.code, 2);
    assert.match(
      none.stderr,
      /no regfeed\.toml in this folder or in \/etc\/regfeed: create one with `regfeed init`/,
    );
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "config.example.toml"), INBOX_SOURCE);
    const listed = await regfeed(folder, "source list");
    assert.equal(listed.code, 0);
    assert.match(listed.stderr, /^no regfeed\.toml in this folder: using config\.example\.toml$/m);
    await writeConfig(folder, INBOX_SOURCE);
    assert.doesNotMatch((await regfeed(folder, "check")).stderr, /using/);
  }));

Deno.test("check fits a terminal of 80 columns", () =>
  withFolder(async (folder) => {
    await Deno.copyFile("config.example.toml", join(folder, "regfeed.toml"));
    let shown = "";
    const host = { ...createHost(), cwd: folder, isTerminal: true, columns: () => 80, err: () => {} };
    const options = { flags: new Set<string>(), texts: new Map(), lists: new Map(), positionals: [] };
    const loadEngine = () => Promise.reject(new Error("not needed"));
    await checkCommand.run({
      host: { ...host, out: (text) => void (shown += text) },
      loadEngine,
      ...options,
    });
    assert.deepEqual(shown.split("\n").filter((line) => line.length > 80), []);
    assert.match(shown, /^requests per day +1000 +10000 +100000 +100000$/m);
    assert.match(shown, /^eu-edpb-news +feed +7,37 \* \* \* \* +(?:in \d+ min|now)$/m);
    assert.match(shown, /^de-bgbl +feed +27,57 \* \* \* \* +(?:in \d+ min|now) +30s between requests$/m);
  }));

Deno.test("check warns of a missing inbox and of a config that collects nothing", () =>
  withConfig(INBOX_SOURCE, async (folder) => {
    const missing = await regfeed(folder, "check");
    assert.equal(missing.code, 0);
    assert.match(
      missing.stderr,
      /^warning: the source inbox cannot be read: cannot list .*it does not exist: create the folder, .*$/m,
    );
    await Deno.mkdir(join(folder, "inbox"));
    assert.doesNotMatch((await regfeed(folder, "check")).stderr, /warning/);
    await writeConfig(folder, `${INBOX_SOURCE}enabled = false\n`);
    const { warnings } = await regfeedJson<{ warnings: string[] }>(folder, "check");
    assert.deepEqual(warnings, [
      "no source is enabled, so nothing is collected: set enabled = true for at least one source, or add [[sources]]",
    ]);
  }));

Deno.test("check warns of a folder with several languages and no language pattern", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    const item = (code: string) => rss([{ id: `${code}/news/1`, title: `AI Act ${code}` }]);
    for (const code of ["en", "de"]) {
      await Deno.writeTextFile(join(folder, "inbox", `${code}.xml`), item(code));
    }
    const rows: [keys: string, warnings: number, events: number][] = [
      ['languages = ["en", "de"]', 1, 2],
      ['languages = ["en", "de"]\nlanguage_pattern = "/(en|de)/"', 0, 1],
    ];
    for (const [keys, count, events] of rows) {
      await writeConfig(folder, `${INBOX_SOURCE}relevance = "all"\n${keys}\n`);
      const { warnings } = await regfeedJson<{ warnings: string[] }>(folder, "check");
      assert.equal(warnings.length, count, keys);
      if (count > 0) {
        assert.match(
          warnings[0] ?? "",
          /^the source inbox reads 2 languages .* such as language_pattern = "\/\(en\|de\)\/"$/,
        );
      }
      const { sources } = await regfeedJson<{ sources: { new: number }[] }>(folder, "ingest inbox");
      assert.equal(sources[0]?.new, events, keys);
      await Deno.remove(join(folder, "data"), { recursive: true });
    }
  }));

Deno.test("check refuses a folder as the store", () =>
  withConfig('[store]\npath = "."\n', async (folder) => {
    const { code, stdout, stderr } = await regfeed(folder, "check");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /store\.path: .* is a folder: name a file in it/);
  }));

Deno.test("a config that is not UTF-8 is reported with exit code 2", () =>
  withFolder(async (folder) => {
    const utf16 = new Uint8Array([
      0xff,
      0xfe,
      ...[...INBOX_SOURCE].flatMap((char) => [char.charCodeAt(0), 0]),
    ]);
    await Deno.writeFile(join(folder, "regfeed.toml"), utf16);
    await assertFails(folder, "check", 2, /regfeed\.toml: is UTF-16/);
  }));

Deno.test("check reports conflicts of declared customers with the database by line, and changes nothing", () =>
  withFolder(async (folder) => {
    const declare = (email: string) =>
      `[[customers]]\nid = "bank"\nemail = "${email}"\ntier = "team"\nkey_sha256 = "${"2c".repeat(32)}"\n`;
    await writeConfig(folder, declare("ana@b.example"));
    assert.equal((await regfeed(folder, "check")).code, 0);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.deepEqual(names, ["regfeed.toml"], "no database is created");
    await writeConfig(folder, "");
    const { customer } = await regfeedJson<{ customer: { id: string } }>(
      folder,
      "customer add --email Ana@b.example",
    );
    await writeConfig(folder, declare("ana@b.example"));
    const before = await Deno.readFile(join(folder, "data", "regfeed.db"));
    const { code, stderr } = await regfeed(folder, "check");
    assert.equal(code, 2);
    assert.match(
      stderr,
      new RegExp(
        `regfeed\\.toml:3: \\[\\[customers\\]\\] "bank" email: is the email address of ${customer.id}.*\\n` +
          ' {2}3 \\| email = "ana@b',
      ),
    );
    assert.deepEqual(await Deno.readFile(join(folder, "data", "regfeed.db")), before);
    await writeConfig(folder, declare("bank@b.example"));
    assert.equal((await regfeed(folder, "check")).code, 0);
  }));

Deno.test("check warns of an invalid signing secret and of api_requests_per_day = 0", () =>
  withFolder(async (folder) => {
    const customer =
      '[[customers]]\nid = "bank"\nemail = "a@b.example"\ntier = "embedded"\napi_requests_per_day = 0\n' +
      `key_sha256 = "${"2c".repeat(32)}"\n`;
    await writeConfig(
      folder,
      `[payment]\nwebhook_secret = "whsec_short"\nprices = { p = "team" }\n${customer}`,
    );
    const { warnings } = await regfeedJson<{ warnings: string[] }>(folder, "check");
    const told = warnings.join("\n");
    assert.match(told, /payment\.webhook_secret is not a complete signing secret: set the endpoint's/);
    assert.match(told, /the customer bank has api_requests_per_day = 0: all of its requests are refused/);
    assert.doesNotMatch(told, /whsec_short/);
  }));
