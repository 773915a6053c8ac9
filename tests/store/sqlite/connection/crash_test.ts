// A process is killed while it writes: the file stays intact and contains everything that was acknowledged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Connection, type Row } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { matchAll } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";
import { TEMPORARY } from "../../../support/temporary.ts";

/** Number of acknowledgements before the kill. By then some writes are in the file, and some only in its log. */
const ACKNOWLEDGED = 600;

/** Starts a writer, kills it while it works, and returns the lines that it has printed. */
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
      fileURLToPath(new URL("../../../../deno.json", import.meta.url)),
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
  assert.equal(signal, "SIGKILL", "the writer was writing when it was killed");
  return said.split("\n").slice(0, -1); // the last line may be incomplete
}

Deno.test("the SQLite engine keeps every acknowledged write when its process is killed", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-crash-" });
  try {
    const file = join(folder, "regfeed.db");
    const said = await killedWriter("./crash_writer.ts", [file]);
    assert.ok(said.length >= ACKNOWLEDGED);

    const store = openStore(file, testVault);
    const connection = new Connection(file);
    const ids = (rows: Row[]): Set<unknown> => new Set(rows.map((row) => row["id"]));
    const held: Record<string, Set<unknown>> = {
      stored: ids(connection.all(sql`select id from events`)),
      matched: ids(connection.all(sql`select event_id as id from deliveries`)),
      delivered: ids(connection.all(sql`select event_id as id from deliveries where status = 'delivered'`)),
    };
    for (const line of said) {
      const [what = "", id] = line.split(" ");
      assert.ok(held[what]?.has(id), `${line}, but it is lost`);
    }
    assert.deepEqual(connection.all(sql`pragma integrity_check`).map((row) => row["integrity_check"]), [
      "ok",
    ]);
    assert.deepEqual(connection.all(sql`pragma foreign_key_check`), []);
    const sequences = connection.get(sql`select count(*) as count, max(sequence) as last from deliveries`);
    assert.equal(sequences?.["count"], sequences?.["last"], "the sequence has no gap");

    await matchAll(store); // every event that was not matched yet is matched once
    const matched = connection.get(sql`select count(*) as count from deliveries`)?.["count"];
    assert.equal(matched, held["stored"]?.size);
    connection.close();
    await store.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
