// The bench's fast way to a big store: the rows must be those that the store writes itself.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fillFile } from "../../tools/bench/bulk.ts";
import { fillEvents } from "../../tools/bench/fill.ts";
import { createEvents } from "../../tools/bench/invented.ts";
import { openBenchStore } from "../../tools/bench/store.ts";
import { TEMPORARY } from "../support/temporary.ts";

/** What each run makes anew, and the index's own pages, which hold the same words in another order. */
const NOT_COMPARED = /^(vault|schema_history|sqlite_stat\d|event_words_(data|idx|config))$/;

Deno.test("fillFile() writes the rows that the store writes for the same events", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-fill-" });
  try {
    const [slow, fast] = [join(folder, "slow.db"), join(folder, "fast.db")];
    const next = createEvents(1);
    const store = openBenchStore(slow);
    await fillEvents(store, 1_000, { next, tell: () => {} });
    await store.close();
    const again = createEvents(1);
    await openBenchStore(fast).close();
    fillFile(fast, 600, { next: again, tell: () => {} });
    fillFile(fast, 400, { next: again, tell: () => {} });
    assert.deepEqual(rowsOf(fast), rowsOf(slow));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Every row of every table, tags by their names; and what the index finds of some words. */
function rowsOf(path: string): Record<string, unknown[]> {
  const database = new DatabaseSync(path);
  try {
    const all = (sql: string) => database.prepare(sql).all().map((row) => JSON.stringify(Object.values(row)));
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
      .map(({ name }) => String(name)).filter((name) => !NOT_COMPARED.test(name));
    const rows = Object.fromEntries(tables.map((name) => [name, all(`select * from "${name}"`).sort()]));
    rows["tags"] = all("select name, events from tags").sort();
    rows["event_tags"] = all(
      "select name, published_at, event_id, event_seq from event_tags join tags on id = tag_id",
    ).sort();
    for (const word of ["guidance", "annex", "zibeline"]) {
      rows[word] = all(`select rowid from event_words where event_words match '${word}' order by rowid`);
    }
    assert.equal(rows["events"]?.length, 1_000);
    return rows;
  } finally {
    database.close();
  }
}
