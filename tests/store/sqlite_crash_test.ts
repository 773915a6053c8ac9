// A process that is killed while it writes: the file is sound, and holds everything that was acknowledged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Connection, type Row } from "../../src/store/sqlite/connection.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { addCustomer, anEvent, claimAll, finished, matchAll, publish, subscribe } from "./contract/given.ts";
import { openWritten } from "../../src/platform/database_files.ts";
import { testVault } from "../support/vault.ts";
import { TEMPORARY } from "../support/temporary.ts";

/** Acknowledgements after which the writer is killed: some are in the file by then, some only in its log. */
const ACKNOWLEDGED = 600;

/** Starts a writer, kills it in the middle of its work and returns what it had said until then. */
async function killedWriter(
  script: string,
  args: readonly string[],
  acknowledged = ACKNOWLEDGED,
): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--config",
      fileURLToPath(new URL("../../deno.json", import.meta.url)),
      fileURLToPath(new URL(script, import.meta.url)),
      ...args,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let said = "";
  let killed = false;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (!killed && said.split("\n").length > acknowledged) {
      child.kill("SIGKILL");
      killed = true;
    }
  }
  const { signal } = await child.status;
  assert.equal(signal, "SIGKILL", "the writer was at work when it was killed");
  return said.split("\n").slice(0, -1); // what follows the last line's end was not said to its end
}

Deno.test("the SQLite engine keeps every acknowledged write when its process is killed", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-crash-" });
  try {
    const file = join(folder, "regfeed.db");
    const said = await killedWriter("./sqlite_crash_writer.ts", [file]);
    assert.ok(said.length >= ACKNOWLEDGED);

    const store = openStore(file, testVault);
    const connection = new Connection(file);
    const ids = (rows: Row[]): Set<unknown> => new Set(rows.map((row) => row["id"]));
    const held: Record<string, Set<unknown>> = {
      stored: ids(connection.all("select id from events")),
      matched: ids(connection.all("select event_id as id from deliveries")),
      delivered: ids(connection.all("select event_id as id from deliveries where status = 'delivered'")),
    };
    for (const line of said) {
      const [what = "", id] = line.split(" ");
      assert.ok(held[what]?.has(id), `${line}, and it is lost`);
    }
    assert.deepEqual(connection.all("pragma integrity_check").map((row) => row["integrity_check"]), ["ok"]);
    assert.deepEqual(connection.all("pragma foreign_key_check"), []);
    const sequences = connection.get("select count(*) as count, max(sequence) as last from deliveries");
    assert.equal(sequences?.["count"], sequences?.["last"], "the sequence has no gap");

    await matchAll(store); // whatever was not matched yet waits, once
    const matched = connection.get("select count(*) as count from deliveries")?.["count"];
    assert.equal(matched, held["stored"]?.size);
    connection.close();
    await store.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Lives of the writer, one after the other in the same file. */
const LIVES = 6;

/** What was said of events in a file, and is not there. */
function lostIn(file: string, said: readonly string[]): string[] {
  const connection = new Connection(file);
  try {
    const idsOf = (sql: string) => new Set(connection.all(sql).map((row) => row["event_id"]));
    const held: Record<string, Set<unknown>> = {
      stored: idsOf("select id as event_id from events"),
      matched: idsOf("select event_id from deliveries"),
      delivered: idsOf(
        "select event_id from deliveries join attempts on delivery_id = id where status = 'delivered'",
      ),
    };
    assert.deepEqual(connection.all("pragma integrity_check").map((row) => row["integrity_check"]), ["ok"]);
    assert.deepEqual(connection.all("pragma foreign_key_check"), []);
    return said.filter((line) => {
      const [what = "", id] = line.split(" ");
      return held[what]?.has(id) !== true;
    });
  } finally {
    connection.close();
  }
}

Deno.test("what was written through by another thread is there after every kill, at random moments of it", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-crash-" });
  try {
    const file = join(folder, "regfeed.db");
    const said: string[] = [];
    for (let life = 0; life < LIVES; life++) {
      const acknowledged = 20 + Math.floor(Math.random() * 300);
      said.push(...await killedWriter("./sqlite_written_writer.ts", [file, String(life)], acknowledged));
      assert.deepEqual(lostIn(file, said), [], `life ${life}, killed after ${acknowledged} lines`);
    }
    assert.ok(said.some((line) => line.startsWith("delivered")));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("what was acknowledged is in what the disk had when its log was last written through", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-crash-" });
  const file = join(folder, "regfeed.db");
  const disk = join(folder, "disk.db");
  let copies = 0;
  // As a loss of power leaves it: nothing that came after the last time that the log was asked to be written through.
  const store = openStore(file, testVault, (log) => {
    const written = openWritten(log);
    return {
      writeThrough: async () => {
        await Deno.copyFile(file, disk);
        await Deno.copyFile(log, `${disk}-wal`);
        await Deno.remove(`${disk}-shm`).catch(() => {});
        copies++;
        await written.writeThrough();
      },
      close: () => written.close(),
    };
  });
  try {
    await addCustomer(store);
    await subscribe(store, "sub_1");
    const said: string[] = [];
    const isThere = async (what: string) => {
      said.push(what);
      await Deno.copyFile(disk, `${disk}.seen`);
      await Deno.copyFile(`${disk}-wal`, `${disk}.seen-wal`);
      assert.deepEqual(lostIn(`${disk}.seen`, said), []);
    };
    for (let turn = 0; turn < 5; turn++) {
      const id = `evt_${turn}`;
      await publish(store, [anEvent(id, { external_id: id })]);
      await isThere(`stored ${id}`); // before anybody is told of it
      await matchAll(store);
      await isThere(`matched ${id}`); // before anything can be sent
      const claimed = await claimAll(store);
      await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), 0);
      await isThere(`delivered ${id}`);
    }
    assert.equal(copies, 15, "each turn records, matches and delivers");
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});
