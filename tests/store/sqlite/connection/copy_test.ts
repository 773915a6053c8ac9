// Copies of a database in use: each copy is one consistent state, and no writer fails.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseFiles } from "../../../../src/domain/ports/backup.ts";
import { createDatabaseFiles } from "../../../../src/platform/files/database_files.ts";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { copyDatabase } from "../../../../src/store/sqlite/connection/copy.ts";
import { inspectDatabase, releaseDatabase } from "../../../../src/store/sqlite/connection/inspect.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";
import { LINUX, needs } from "../../../support/needs.ts";
import { TEMPORARY } from "../../../support/temporary.ts";

const WRITER = fileURLToPath(new URL("copy_writer.ts", import.meta.url));

async function withFolder(work: (folder: string, files: DatabaseFiles) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-copy-" });
  const files = createDatabaseFiles();
  try {
    await work(folder, files);
  } finally {
    files.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function createAccounts(file: string): void {
  const connection = new Connection(file);
  connection.prepareFile();
  connection.script(`
    create table accounts (id integer primary key, sum integer not null, pad text) strict;
    create table moves (turn integer primary key) strict;
    create table totals (moves integer not null) strict;
    insert into totals values (0);
    with recursive ids(id) as (select 0 union all select id + 1 from ids where id < 499)
    insert into accounts (id, sum, pad) select id, 100, '' from ids;
  `);
  connection.close();
}

/** Number of pauses while the log is copied. Writers wait meanwhile, and would fail after some seconds. */
const LOG_PAUSES = 50;

/** Returns file functions that copy page by page with pauses, so that many writes happen during a copy. */
function slowFiles(): DatabaseFiles {
  const copyPages = (from: string, to: string, pauses: number): void => {
    using source = Deno.openSync(from);
    using copy = Deno.openSync(to, { write: true, createNew: true });
    const page = new Uint8Array(4_096);
    for (let count = source.readSync(page), at = 0; count !== null; count = source.readSync(page), at++) {
      copy.writeSync(page.subarray(0, count));
      if (at < pauses) wait(1);
    }
  };
  const wait = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return {
    copyOpened: (from, to) => Promise.resolve(copyPages(from, to, Infinity)),
    copyNow: (from, to) => {
      copyPages(from, to, LOG_PAUSES);
      return true;
    },
  };
}

function assertOneState(copy: string): number {
  assert.deepEqual(inspectDatabase(copy).problems, []);
  const connection = new Connection(copy);
  const sums = connection.get(sql`select sum(sum) as sum, count(*) as accounts from accounts`);
  const moves = connection.get(
    sql`select (select moves from totals) as said, count(*) as counted, coalesce(max(turn), 0) as last from moves`,
  );
  connection.close();
  assert.deepEqual({ ...sums }, { sum: 50_000, accounts: 500 });
  assert.equal(moves?.["said"], moves?.["counted"]);
  assert.equal(moves?.["said"], moves?.["last"]);
  return Number(moves?.["said"]);
}

Deno.test("copyDatabase() copies one consistent state while another process writes and restarts its log", () =>
  withFolder(async (folder) => {
    const files = slowFiles();
    const file = join(folder, "busy.db");
    createAccounts(file);
    const writer = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--allow-read", "--allow-write", "--allow-env", WRITER, file],
      stdout: "piped",
    }).spawn();
    const heard = writer.stdout.getReader();
    await heard.read();
    const states: number[] = [];
    const hasMoved = () => (states.at(-1) ?? 0) > (states[0] ?? 0);
    for (let turn = 0; turn < 12 || (!hasMoved() && turn < 200); turn++) {
      const copy = join(folder, `copy-${turn}.db`);
      await copyDatabase(file, copy, files);
      states.push(assertOneState(copy));
    }
    writer.kill("SIGTERM"); // the writer is still running, so no copy made a write fail
    assert.equal((await writer.status).signal, "SIGTERM");
    await heard.cancel();
    assert.ok(states.every((moves, at) => at === 0 || moves >= (states[at - 1] ?? 0)), `${states}`);
    assert.ok(hasMoved(), "something was written during the copy");
  }));

Deno.test("copyDatabase() copies a state no older than its start, even if everything is rewritten meanwhile", () =>
  withFolder(async (folder, files) => {
    const file = join(folder, "busy.db");
    createAccounts(file);
    const other = new Connection(file);
    const slow: DatabaseFiles = {
      ...files,
      async copyOpened(from, to) {
        await files.copyOpened(from, to);
        for (let turn = 1; turn <= 50; turn++) {
          other.transaction("relaxed", () => {
            other.run(sql`update accounts set sum = sum - 1 where id = ${turn}`);
            other.run(sql`update accounts set sum = sum + 1 where id = ${turn + 100}`);
            other.run(sql`insert into moves (turn) values (${turn})`);
            other.run(sql`update totals set moves = moves + 1`);
          });
          other.all(sql`pragma wal_checkpoint(passive)`);
        }
      },
    };
    await copyDatabase(file, join(folder, "copy.db"), slow);
    assert.equal(assertOneState(join(folder, "copy.db")), 50);
    other.close();
  }));

/** Lists the POSIX locks on a file, as Linux reports them. */
async function locksOn(file: string): Promise<string[]> {
  const { ino } = await Deno.stat(file);
  // Uses a command, because the runtime denies access to /proc unless it has all permissions.
  const { stdout } = await new Deno.Command("cat", { args: ["/proc/locks"] }).output();
  const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => line.includes(`:${ino} `));
  return lines.map((line) => line.replace(/^\d+: /, ""));
}

Deno.test(
  needs("copyDatabase() does not release locks of this process, however often it copies", LINUX),
  () =>
    withFolder(async (folder, files) => {
      const file = join(folder, "regfeed.db");
      const store = openStore(file, testVault);
      await publish(store, [anEvent("evt_1")]);
      const before = await locksOn(file);
      assert.equal(before.length, 1, before.join("; "));
      for (const name of ["first.db", "second.db", "third.db"]) {
        await copyDatabase(file, join(folder, name), files);
        assert.deepEqual(await locksOn(file), before, name);
      }
      await store.close();
    }),
);

Deno.test("releaseDatabase() refuses a database that is open elsewhere, and merges the log into a closed one", () =>
  withFolder(async (folder) => {
    const file = join(folder, "regfeed.db");
    const store = openStore(file, testVault);
    await publish(store, [anEvent("evt_1")]);
    assert.throws(() => releaseDatabase(file), /in use: stop the server first/);
    await publish(store, [anEvent("evt_2")]);
    await store.close();
    releaseDatabase(file);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["regfeed.db"]);
    assert.equal(inspectDatabase(file).rows["events"], 2);
  }));

Deno.test("inspectDatabase() finds a damaged page, and refuses other files", () =>
  withFolder(async (folder) => {
    const file = join(folder, "regfeed.db");
    const store = openStore(file, testVault);
    await publish(store, Array.from({ length: 50 }, (_, number) => anEvent(`evt_${number}`)));
    await store.close();
    releaseDatabase(file);
    const bytes = await Deno.readFile(file);
    const text = new TextEncoder().encode("evt_4");
    for (let at = 8192; at < bytes.length - text.length; at++) {
      if (text.every((byte, offset) => bytes[at + offset] === byte)) bytes.fill(0xff, at - 64, at + 64);
    }
    await Deno.writeFile(file, bytes);
    let problems: string[] = [];
    try {
      problems = inspectDatabase(file).problems;
    } catch (error) {
      problems = [(error as Error).message];
    }
    assert.ok(problems.length > 0);
    await Deno.writeTextFile(
      join(folder, "note.txt"),
      "no database at all, but long enough to be read as one".repeat(30),
    );
    assert.throws(() => inspectDatabase(join(folder, "note.txt")), /not a database/);
  }));
