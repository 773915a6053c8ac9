// What `doctor` prints, and that it changes nothing.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describeFindings } from "../../../src/cli/doctor/doctor.ts";
import { regfeed, serve, withConfig, withFolder, writeConfig } from "../../support/process.ts";

Deno.test("describeFindings() shows each finding, and below it what to do", () => {
  const text = describeFindings([
    { area: "store", level: "good", seen: "well", todo: null },
    { area: "clock", level: "problem", seen: "wrong", todo: "set it" },
  ]);
  assert.equal(
    text,
    "store\n  ok       well\nclock\n  PROBLEM  wrong\n             → set it\n1 problem, 0 warnings\n",
  );
});

Deno.test("doctor finds the problems of a real folder, fails, and changes nothing", async () => {
  await withFolder(async (folder) => {
    await writeConfig(
      folder,
      `
      [[sources]]
      id = "secret"
      name_en = "Secret"
      url = "https://127.0.0.1:1/feed"
      authorization_file = "token"
    `,
    );
    await Deno.writeTextFile(join(folder, "token"), "Bearer abc", { mode: 0o644 });
    const bad = await regfeed(folder, "doctor --offline");
    assert.equal(bad.code, 1, bad.stderr);
    assert.match(bad.stdout, /PROBLEM {2}.*token has mode 644: others can read it\n\s+→ chmod 6[04]0/);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["regfeed.toml", "token"]);

    await Deno.chmod(join(folder, "token"), 0o600);
    const { code, stdout } = await regfeed(folder, "doctor --json");
    assert.equal(code, 0);
    const { ok, findings } = JSON.parse(stdout);
    assert.equal(ok, true);
    const hosts = findings.filter(({ area }: { area: string }) => area === "hosts");
    assert.match(hosts[0].seen, /127\.0\.0\.1:1 does not respond: connection refused/);
  });
});

/** Returns the mode, the time of change and a hash of the content of each file in a folder. */
async function everythingIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const { mode, mtime } = await Deno.stat(path);
    if (isDirectory) Object.assign(found, await everythingIn(path));
    // SQLite's shared memory file is not data.
    const isShared = name.endsWith("-shm");
    const hash = isDirectory || isShared
      ? ""
      : await crypto.subtle.digest("SHA-256", await Deno.readFile(path)).then((sum) =>
        new Uint8Array(sum).toHex()
      );
    // Creating a lock file changes the folder's time.
    const changed = isDirectory ? "" : mtime?.toISOString();
    found[path] = isShared ? "" : `${mode?.toString(8)} ${changed} ${hash}`;
  }
  return found;
}

Deno.test("doctor changes no file, after a clean end and after a kill", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const examine = async (when: string) => {
      const before = await everythingIn(folder);
      assert.ok(join(folder, "data", "regfeed.db") in before, when);
      const { code, stdout, stderr } = await regfeed(folder, "doctor");
      assert.equal(code, 0, `${when}: ${stdout}${stderr}`);
      assert.match(stdout, /regfeed\.db\.key is the database's key/, when);
      assert.deepEqual(await everythingIn(folder), before, when);
      return before;
    };
    const first = await serve(folder);
    await first.end("SIGTERM");
    await examine("after a clean end");
    const second = await serve(folder);
    const added = await regfeed(folder, "customer add --tier indie --email a@b.example");
    assert.equal(added.code, 0, added.stderr);
    await second.end("SIGKILL");
    const left = await examine("after a kill");
    assert.ok(join(folder, "data", "regfeed.db-wal") in left, "a killed server leaves its log");
    const { size } = await Deno.stat(join(folder, "data", "regfeed.db-wal"));
    assert.ok(size > 0, "the log contains its writes");
  });
});

/** Changes to a valid folder, and the findings that they cause. */
const BROKEN: readonly [
  what: string,
  breaks: (at: (name: string) => string) => Promise<void>,
  says: RegExp,
][] = [
  [
    "a file where the backups' folder should be",
    (at) => Deno.writeTextFile(at("saved"), ""),
    /PROBLEM {2}.*saved is a file, not a folder\n\s+→ move the file away/,
  ],
  [
    "a file where the outbox should be",
    (at) => Deno.writeTextFile(at("data/outbox"), ""),
    /PROBLEM {2}.*outbox is a file, not a folder/,
  ],
  [
    "a folder where the database should be",
    async (at) => {
      await Deno.remove(at("data/regfeed.db"));
      await Deno.mkdir(at("data/regfeed.db"));
    },
    /PROBLEM {2}.*regfeed\.db is a folder, not a file\n\s+→ move the folder away/,
  ],
  [
    "a file where the data's folder should be",
    async (at) => {
      await Deno.remove(at("data"), { recursive: true });
      await Deno.writeTextFile(at("data"), "");
    },
    /PROBLEM {2}.*data is a file, not a folder/,
  ],
  [
    "a database of which nothing is left",
    (at) => Deno.truncate(at("data/regfeed.db")),
    /WARNING {2}.*regfeed\.db is empty: .*\n\s+→ .*backup restore FILE --force/,
  ],
];

Deno.test("doctor says how to repair each broken file and folder, and changes nothing", () =>
  withFolder(async (folder) => {
    const good = join(folder, "good");
    await Deno.mkdir(good);
    await writeConfig(good, '[server]\nlisten = "127.0.0.1:0"\n[backup]\nfolder = "saved"\n');
    await (await serve(good)).end("SIGTERM");
    for (const [what, breaks, says] of BROKEN) {
      const broken = join(folder, "broken");
      await cp(good, broken, { recursive: true, preserveTimestamps: true });
      await breaks((name) => join(broken, name));
      const before = await everythingIn(broken);
      const { stdout, stderr } = await regfeed(broken, "doctor --offline");
      assert.match(stdout, says, `${what}: ${stdout}${stderr}`);
      assert.doesNotMatch(stdout, /(?:PROBLEM|WARNING) .*\n(?!\s+→)/, what);
      assert.deepEqual(await everythingIn(broken), before, what);
      await Deno.remove(broken, { recursive: true });
    }
  }));
