// Faults of the database file and its disk: each is named, reads continue, no write is partial, and the fault ends with
// its cause.
import assert from "node:assert/strict";
import { StorageError, type StorageProblem } from "../../../../src/domain/ports/store/storage_fault.ts";
import { createMachine } from "../../../../src/platform/files/machine.ts";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { Sql, sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { inspectDatabase, releaseDatabase } from "../../../../src/store/sqlite/connection/inspect.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import {
  type Cause,
  causeOf,
  FaultMonitor,
  storageError,
} from "../../../../src/store/sqlite/connection/faults.ts";
import { testVault } from "../../../support/vault.ts";
import { anEvent, publish } from "../../contract/given.ts";
import { withFile } from "../files.ts";

/** Returns the error that a statement throws after a setting has been changed, or null. */
function thrownBy(connection: Connection, setting: string, sql: string): unknown {
  connection.script(setting);
  try {
    connection.run(new Sql(sql));
  } catch (error) {
    return error;
  }
  return null;
}

/** Collects reported faults in order, with null for the end of a fault. */
function listen(): { heard: (string | null)[]; hear: (problem: StorageProblem | null) => void } {
  const heard: (string | null)[] = [];
  return { heard, hear: (problem) => void heard.push(problem?.fault ?? null) };
}

function isFault(fault: string, cause?: Cause): (error: unknown) => boolean {
  return (error) =>
    error instanceof StorageError && error.fault === fault &&
    (cause === undefined || error.message === storageError(cause).message);
}

Deno.test("causeOf() recognises faults by SQLite's errors, and ignores other errors", () => {
  const connection = new Connection(":memory:");
  connection.script("create table pages (bytes blob)");
  const full = thrownBy(
    connection,
    "pragma max_page_count = 2",
    "insert into pages values (zeroblob(100000))",
  );
  assert.equal(causeOf(full), "full");
  const readOnly = thrownBy(connection, "pragma query_only = on", "insert into pages values (1)");
  assert.equal(causeOf(readOnly), "read_only");
  assert.equal(causeOf(thrownBy(connection, "select 1", "insert into nowhere values (1)")), null);
  assert.equal(causeOf("a text"), null);
  connection.close();
});

Deno.test("a fault lasts until a write succeeds again", () => {
  const connection = new Connection(":memory:");
  connection.script("create table pages (bytes blob)");
  const { heard, hear } = listen();
  const monitor = new FaultMonitor(connection, { onFault: hear });
  assert.equal(monitor.current(), null);
  const error = monitor.note(thrownBy(connection, "pragma query_only = on", "insert into pages values (1)"));
  assert.ok(isFault("read_only", "read_only")(error));
  assert.equal(monitor.current()?.fault, "read_only");
  assert.equal(monitor.current()?.fault, "read_only");
  connection.script("pragma query_only = off");
  assert.equal(monitor.current(), null);
  assert.deepEqual(heard, ["read_only", null]);
  connection.close();
});

Deno.test("a full disk is reported as full until there is space, even if nothing is written meanwhile", () =>
  withFile(async (file) => {
    let isFull = false;
    const { heard, hear } = listen();
    const store = openStore(file, testVault, { hasRoom: () => !isFull, onFault: hear });
    assert.equal(await store.fault(), null);
    isFull = true;
    assert.equal((await store.fault())?.fault, "full");
    assert.equal((await store.fault())?.fault, "full");
    isFull = false;
    assert.equal(await store.fault(), null);
    assert.deepEqual(heard, ["full", null]);
    await store.close();
  }));

Deno.test("a store that another process has locked is unavailable, still reads, and does not wait long", () =>
  withFile(async (file) => {
    const { heard, hear } = listen();
    const store = openStore(file, testVault, { onFault: hear });
    await publish(store, [anEvent("evt_1")]);
    const other = new Connection(file);
    other.run(sql`begin immediate`);
    await assert.rejects(publish(store, [anEvent("evt_2")]), isFault("unavailable", "locked"));
    assert.equal((await store.fault())?.advice, storageError("locked").message);
    assert.notEqual(await store.findEvent("evt_1"), null);
    for (let turn = 0; turn < 20; turn++) {
      await assert.rejects(publish(store, [anEvent("evt_2")]), StorageError);
    }
    other.run(sql`rollback`);
    other.close();
    assert.equal(await store.fault(), null);
    assert.deepEqual(heard, ["unavailable", null]);
    await publish(store, [anEvent("evt_2")]);
    assert.notEqual(await store.findEvent("evt_2"), null);
    await store.close();
  }));

for (const isNoticed of [true, false]) {
  Deno.test(`a database file that is replaced ${isNoticed ? "under a running store" : "just before its end"} makes the store unavailable, loses nothing, and leaves the new file unchanged`, async () => {
    await withFile(async (file) => {
      const other = openStore(`${file}.new`, testVault);
      await publish(other, [anEvent("evt_9")]);
      await other.close();
      const machine = createMachine();
      const store = openStore(file, testVault, { identifyFile: () => machine.identityOf(file) });
      await publish(store, [anEvent("evt_1"), anEvent("evt_2")]);
      assert.equal(await store.fault(), null);
      Deno.renameSync(file, `${file}.aside`);
      Deno.renameSync(`${file}.new`, file);
      if (isNoticed) {
        assert.deepEqual(await store.fault(), {
          fault: "unavailable",
          advice: storageError("replaced").message,
        });
        await assert.rejects(publish(store, [anEvent("evt_3")]), isFault("unavailable", "replaced"));
        assert.notEqual(await store.findEvent("evt_2"), null);
        // Only a restart ends this fault, because another process may have written to either file.
        Deno.renameSync(file, `${file}.new`);
        Deno.renameSync(`${file}.aside`, file);
        assert.equal((await store.fault())?.fault, "unavailable");
        Deno.renameSync(file, `${file}.aside`);
        Deno.renameSync(`${file}.new`, file);
      }
      await store.close();
      const events = (path: string) => inspectDatabase(path).rows["events"];
      assert.deepEqual([events(file), events(`${file}.aside`)], [1, 2]);
    });
  });
}

Deno.test("a database file that is removed makes the store unavailable", () =>
  withFile(async (file) => {
    const machine = createMachine();
    const store = openStore(file, testVault, { identifyFile: () => machine.identityOf(file) });
    Deno.removeSync(file);
    assert.equal((await store.fault())?.advice, storageError("replaced").message);
    await store.close();
  }));

Deno.test("a damaged file is reported as such, permanently", () =>
  withFile(async (file) => {
    const created = openStore(file, testVault);
    await publish(created, Array.from({ length: 300 }, (_, number) => anEvent(`evt_${number}`)));
    await created.close();
    const bytes = await Deno.readFile(file);
    const text = new TextEncoder().encode('"id":"evt_150"');
    const at = bytes.findIndex((_, start) => text.every((byte, offset) => bytes[start + offset] === byte));
    const page = Math.floor(at / 4_096) * 4_096;
    bytes.fill(0xee, page, page + 100);
    await Deno.writeFile(file, bytes);
    const store = openStore(file, testVault);
    let found: unknown = null;
    for (let number = 0; number < 300 && found === null; number++) {
      found = await store.findEvent(`evt_${number}`).then(() => null, (thrown) => thrown);
    }
    assert.ok(isFault("unavailable", "corrupt")(found), String(found));
    assert.equal((await store.fault())?.advice, storageError("corrupt").message);
    await store.close();
  }));

/** Creates a database that is too damaged to open. */
async function makeDamaged(file: string, from: number): Promise<void> {
  const store = openStore(file, testVault);
  await publish(store, Array.from({ length: 100 }, (_, number) => anEvent(`evt_${number}`)));
  await store.close();
  const bytes = await Deno.readFile(file);
  await Deno.writeFile(file, bytes.fill(0xee, from));
}

Deno.test("a database too damaged to open is reported as damaged, and may be moved if no process has it open", async () => {
  for (const from of [4_096, 0]) {
    await withFile(async (file) => {
      await makeDamaged(file, from);
      const before = await Deno.readFile(file);
      if (from === 0) assert.throws(() => inspectDatabase(file), /not a database/);
      else {
        assert.match(inspectDatabase(file).problems.join(), /malformed/);
        assert.throws(() => openStore(file, testVault), /is damaged: .*restore the newest good backup/);
      }
      releaseDatabase(file);
      assert.deepEqual(await Deno.readFile(file), before);
    });
  }
});

Deno.test("a damaged database that a process has open is not moved", () =>
  withFile(async (file) => {
    const created = openStore(file, testVault);
    await publish(created, Array.from({ length: 100 }, (_, number) => anEvent(`evt_${number}`)));
    await created.close();
    const store = openStore(file, testVault);
    // A separate process writes, because opening and closing the file here would drop the store's locks.
    const noise = `if=/dev/urandom of=${file} bs=4096 seek=1 count=40 conv=notrunc status=none`.split(" ");
    assert.ok((await new Deno.Command("dd", { args: noise }).output()).success);
    const script = `import { releaseDatabase } from "${new URL(
      "../../../../src/store/sqlite/connection/inspect.ts",
      import.meta.url,
    )}";
      try { releaseDatabase(${JSON.stringify(file)}); } catch (error) { console.log(error.message); }`;
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", "--quiet", script] })
      .output();
    assert.match(new TextDecoder().decode(stdout), /is in use: stop the server first/);
    await store.close();
  }));
