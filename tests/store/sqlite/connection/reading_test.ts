// Reads that share a state of the database for a turn of the event loop: never out of date, never in anybody's way.
import assert from "node:assert/strict";
import { join } from "node:path";
import { afterTurn } from "../../../../src/platform/clock.ts";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";
import { TEMPORARY } from "../../../support/temporary.ts";

/** Turns that end when the test says so. */
function createTurns(): { afterTurn: (work: () => void) => void; end(): void; waiting(): number } {
  const waiting: (() => void)[] = [];
  return {
    afterTurn: (work) => void waiting.push(work),
    end: () => waiting.splice(0).forEach((work) => work()),
    waiting: () => waiting.length,
  };
}

/** Two connections to one file of numbers: the first shares its reads for a turn. */
async function withTwo(
  work: (given: {
    connection: Connection;
    other: Connection;
    turns: ReturnType<typeof createTurns>;
    read(): unknown[];
  }) => void | Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-reading-" });
  const file = join(folder, "regfeed.db");
  const turns = createTurns();
  const connection = new Connection(file, turns);
  const other = new Connection(file);
  try {
    connection.prepareFile();
    connection.script("create table numbers (number integer primary key) strict");
    const read = () =>
      connection.reading(() => connection.all("select number from numbers")).map((row) => row["number"]);
    await work({ connection, other, turns, read });
  } finally {
    connection.close();
    other.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const insert = (connection: Connection, number: number): number =>
  connection.run("insert into numbers (number) values (?)", number);

Deno.test("reads of a turn see one state, and those of the next what another process has written", () =>
  withTwo(({ other, turns, read }) => {
    assert.deepEqual(read(), []);
    insert(other, 1);
    assert.deepEqual(read(), []);
    assert.equal(turns.waiting(), 1);
    turns.end();
    assert.deepEqual(read(), [1]);
  }));

Deno.test("what is written here is seen by the next read, in whatever way it was written", () =>
  withTwo(({ connection, read }) => {
    const ways: ((number: number) => unknown)[] = [
      (number) => insert(connection, number),
      (number) => connection.transaction("relaxed", () => insert(connection, number)),
      (number) => connection.transaction("durable", () => insert(connection, number)),
      (number) => connection.get("insert into numbers (number) values (?) returning number", number),
      (number) => connection.all("insert into numbers (number) values (?) returning number", number),
      (number) => connection.script(`insert into numbers (number) values (${number})`),
    ];
    const written: number[] = [];
    for (const [number, write] of ways.entries()) {
      assert.deepEqual(read(), written);
      write(number);
      written.push(number);
      assert.deepEqual(read(), written);
    }
    connection.preview(() => insert(connection, 100));
    assert.deepEqual(read(), written);
  }));

Deno.test("a write after a read of the same turn is not hindered by what another process wrote in between", () =>
  withTwo(({ connection, other, read }) => {
    assert.deepEqual(read(), []);
    insert(other, 1);
    connection.transaction("relaxed", () => insert(connection, 2));
    assert.deepEqual(read(), [1, 2]);
    insert(other, 3);
    assert.deepEqual(connection.all("select number from numbers").length, 3); // other reads are as they were
  }));

Deno.test("no turn that has ended holds a checkpoint up", () =>
  withTwo(({ connection, other, turns, read }) => {
    other.script("pragma busy_timeout = 0");
    const checkpoint = () => other.get("pragma wal_checkpoint(truncate)")?.["busy"];
    read();
    insert(other, 1);
    assert.equal(checkpoint(), 1);
    turns.end();
    assert.equal(checkpoint(), 0);
    read();
    insert(other, 2);
    connection.transaction("relaxed", () => insert(connection, 3));
    assert.equal(checkpoint(), 0); // a write of its own ended it as well
  }));

Deno.test("a read that fails leaves nothing open, and a write while reading is a mistake", () =>
  withTwo(({ connection, other, read }) => {
    read();
    insert(other, 1);
    assert.throws(() => connection.reading(() => connection.all("select nothing from numbers")));
    assert.deepEqual(read(), [1]);
    assert.throws(() => connection.reading(() => insert(connection, 2)), /while reading/);
    assert.throws(
      () => connection.reading(() => connection.transaction("relaxed", () => {})),
      /while reading/,
    );
    assert.deepEqual(read(), [1]);
    insert(connection, 2);
    assert.deepEqual(read(), [1, 2]);
  }));

Deno.test("reads within reads and within a write are of the state that they are in", () =>
  withTwo(({ connection, other, read }) => {
    connection.transaction("relaxed", () => {
      insert(connection, 1);
      assert.deepEqual(read(), [1]);
    });
    assert.deepEqual(
      connection.reading(() => {
        const before = read();
        insert(other, 2);
        return [before, connection.get("select count(*) as count from numbers")?.["count"]];
      }),
      [[1], 1],
    );
  }));

Deno.test("a connection that is closed in the turn of a read is closed, and its turn ends quietly", () =>
  withTwo(({ connection, turns, read }) => {
    read();
    connection.close();
    turns.end();
    assert.throws(() => read(), /closed/);
    assert.equal(turns.waiting(), 0);
  }));

Deno.test("a store that shares its reads tells the next request of what another process has stored", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-reading-" });
  const file = join(folder, "regfeed.db");
  const [store, other] = [openStore(file, testVault, { afterTurn }), openStore(file, testVault)];
  try {
    for (let number = 1; number <= 5; number++) {
      const id = `evt_${number}`;
      assert.equal(await store.findEvent(id), null);
      await publish(number % 2 === 0 ? store : other, [anEvent(id)]);
      await new Promise<void>((resolve) => afterTurn(resolve));
      assert.notEqual(await store.findEvent(id), null);
      assert.equal((await store.listEvents({ limit: 10 })).length, number);
      assert.equal((await store.lastPosition())?.id, id);
      assert.equal((await store.findPosition(id))?.seq, number);
    }
  } finally {
    await store.close();
    await other.close();
    await Deno.remove(folder, { recursive: true });
  }
});
