// Commands that only read never migrate or create a database, and name the command that does.
import assert from "node:assert/strict";
import { join } from "node:path";
import { loadEveryCommand } from "../../src/cli/commands.ts";
import { createSqliteEngine } from "../../src/store/sqlite/engine.ts";
import { NEXT_MIGRATIONS } from "../support/next_version.ts";
import { addCustomer, regfeed, withFolder, writeConfig } from "../support/process.ts";
import { INBOX_SOURCE } from "../support/samples.ts";

/** The engine of a version with a newer schema. */
const NEXT = createSqliteEngine(NEXT_MIGRATIONS);
/** The commands that may create a database, and therefore migrate one. */
const MAKERS = ["serve", "demo", "ingest", "customer add"];
/** Commands that write files on purpose, or read stdin. */
const NOT_RUN = ["init", "backup restore", "webhook verify", "customer hash-key"];

/** Returns a hash of each file in the folder, except those that only mean that a process has the database open. */
async function hashFiles(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile || /-(?:wal|shm)$|\.server$/.test(name)) continue;
    const sum = await crypto.subtle.digest("SHA-256", await Deno.readFile(join(folder, name)));
    hashes[name] = new Uint8Array(sum).toHex();
  }
  return hashes;
}

/** Returns the required arguments of a command: "inbox" is the id of a source, or of nothing. */
function requiredArguments(usage: string): string[] {
  const required = usage.replace(/\[[^[\]]*(?:\[[^\]]*\])?[^\]]*\]/g, "").split(" ").filter((word) =>
    word !== ""
  );
  const values: Record<string, string> = { TIER: "team", ADDRESS: "b@b.example" };
  return required.map((word) => /^[A-Z]/.test(word) ? values[word] ?? "inbox" : word);
}

Deno.test("only commands that may create a database migrate one; the others change nothing", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, INBOX_SOURCE);
    await addCustomer(folder);
    const data = join(folder, "data");
    const before = await hashFiles(data);
    for (const { name, usage } of await loadEveryCommand()) {
      if (MAKERS.includes(name) || NOT_RUN.includes(name)) continue;
      const args = [...name.split(" "), ...requiredArguments(usage)];
      const { code, stderr } = await regfeed(folder, args, "", [], NEXT);
      assert.deepEqual(await hashFiles(data), before, name);
      if (!/ (?:list|show|test)$/.test(name)) continue;
      assert.equal(code, 1, `${args}: ${stderr}`);
      assert.match(
        stderr,
        /regfeed\.db cannot be opened: the database has schema 1, but this version uses 3: start or restart `regfeed serve`, which makes a backup and migrates/,
        name,
      );
    }
    const added = await regfeed(folder, "customer add --email b@b.example", undefined, [], NEXT);
    assert.equal(added.code, 0, added.stderr);
    assert.equal((await regfeed(folder, "customer list", undefined, [], NEXT)).code, 0);
  }));

Deno.test("commands that only read create no database, no tables and no other file", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, INBOX_SOURCE);
    const data = join(folder, "data");
    for (const line of ["customer list", "source list", "source test inbox", "doctor --offline", "check"]) {
      await regfeed(folder, line);
      assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["regfeed.toml"], line);
    }
    await Deno.mkdir(data);
    await Deno.writeTextFile(join(data, "regfeed.db"), "", { mode: 0o600 });
    for (const line of ["customer list", "source list"]) {
      const { code, stderr } = await regfeed(folder, line);
      assert.equal(code, 1);
      assert.match(stderr, /the database is empty: start `regfeed serve`, which creates its tables/, line);
      assert.deepEqual([...Deno.readDirSync(data)].map(({ name }) => name), ["regfeed.db"], line);
    }
    assert.equal((await Deno.stat(join(data, "regfeed.db"))).size, 0);
  }));
