// Records from memory: they are what the store holds, also after another process added a language, and have a bound.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { RegEvent } from "../../src/domain/event.ts";
import type { PublicationKey } from "../../src/domain/store.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { RecordReader } from "../../src/store/sqlite/record_reader.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, eventIds, PROVENANCE, publish, recordIt, T0 } from "./contract/given.ts";
import { testVault } from "../support/vault.ts";
import { statementsOf } from "./statements.ts";
import { TEMPORARY } from "../support/temporary.ts";

async function withFile(work: (file: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-records-" });
  try {
    await work(join(folder, "regfeed.db"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a list whose records were read before reads none of them again", () =>
  withFile(async (file) => {
    const store = openStore(file, testVault);
    await publish(store, eventIds(1, 9).map((id) => anEvent(id)));
    const list = () => store.listEvents({ limit: 9 });
    const first = await list();
    const statements = await statementsOf(async () => assert.deepEqual(await list(), first));
    assert.deepEqual([...statements].filter((sql) => sql.includes("events.json")), []);
    await store.close();
  }));

Deno.test("a list shows a language that another process added after the record was read", () =>
  withFile(async (file) => {
    const [store, other] = [openStore(file, testVault), openStore(file, testVault)];
    await publish(store, [anEvent("evt_1")]);
    const languages = async (): Promise<string[]> => {
      const [listed] = await store.listEvents({ limit: 1 });
      return JSON.parse(listed?.json ?? "{}").language_versions;
    };
    assert.deepEqual(await languages(), ["en"]);
    const publication = { key: "publication of evt_1", contentHash: "x", textHash: "y", language: "fr" };
    await other.recordPublications("board", [publication], () => ({
      kind: "translated",
      words: { title: "Lignes directrices", summary: "" },
      url: "https://board.example/fr",
      provenance: PROVENANCE,
      atMs: T0,
    }));
    assert.deepEqual(await languages(), ["en", "fr"]);
    await other.close();
    await store.close();
  }));

Deno.test("RecordReader gives records in their turn, and keeps only so many of the last ones", () =>
  withFile(async (file) => {
    const store = openStore(file, testVault);
    const events = Array.from({ length: 12_000 }, (_, at) => anEvent(`evt_${at}`));
    await store.recordPublications(
      "board",
      events.map((event) => ({ key: event.id, contentHash: event.id, event })),
      ({ event }: PublicationKey & { event: RegEvent }) => recordIt(event, false)(),
    );
    await store.close();
    const connection = new Connection(file);
    const reader = new RecordReader(connection);
    const idsOf = (seqs: number[]): string[] => reader.read(seqs).map((json) => JSON.parse(json).id);
    const expected = new Map(
      connection.all("select seq, id from events").map((row) => [Number(row["seq"]), String(row["id"])]),
    );
    for (const seqs of [[12_000, 1, 7_000], [7_000, 12_000], [], [1, 2, 11_999]]) {
      assert.deepEqual(idsOf(seqs), seqs.map((seq) => expected.get(seq)));
    }
    assert.deepEqual([reader.isKept(2_000), reader.isKept(2_001), reader.isKept(Infinity)], [
      false,
      true,
      true,
    ]);
    for (let seq = 1; seq <= 12_000; seq += 100) {
      const seqs = Array.from({ length: 100 }, (_, at) => seq + at);
      assert.deepEqual(idsOf(seqs), seqs.map((seq) => expected.get(seq)));
    }
    const read = async (seq: number): Promise<number> =>
      [...await statementsOf(() => Promise.resolve(reader.read([seq])))].filter((sql) =>
        sql.includes("events.json")
      )
        .length;
    assert.deepEqual([await read(12_000), await read(1), await read(1)], [0, 1, 1]);
    connection.close();
  }));
