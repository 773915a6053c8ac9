// Trouble with the file below the store: it has a name, reads go on, nothing is half done, and it heals.
import assert from "node:assert/strict";
import { join } from "node:path";
import { recovered, whenThere } from "../../src/domain/soon.ts";
import { StoreError } from "../../src/domain/store_trouble.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { inspectDatabase, releaseDatabase } from "../../src/store/sqlite/inspect.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { troubleOf, TroubleWatch } from "../../src/store/sqlite/trouble.ts";
import { testVault } from "../support/vault.ts";
import { anEvent, publish } from "./contract/given.ts";
import { TEMPORARY } from "../support/temporary.ts";

async function withFile(work: (file: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-trouble-" });
  try {
    await work(join(folder, "regfeed.db"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** What a connection throws in a state that its settings bring about. */
function thrownBy(connection: Connection, setting: string, sql: string): unknown {
  connection.script(setting);
  try {
    connection.run(sql);
  } catch (error) {
    return error;
  }
  return null;
}

Deno.test("troubleOf() knows SQLite's own errors, and takes no other for trouble", () => {
  const connection = new Connection(":memory:");
  connection.script("create table pages (bytes blob)");
  const full = thrownBy(
    connection,
    "pragma max_page_count = 2",
    "insert into pages values (zeroblob(100000))",
  );
  assert.equal(troubleOf(full), "full");
  const readOnly = thrownBy(connection, "pragma query_only = on", "insert into pages values (1)");
  assert.equal(troubleOf(readOnly), "read_only");
  assert.equal(troubleOf(thrownBy(connection, "select 1", "insert into nowhere values (1)")), null);
  assert.equal(troubleOf("a text"), null);
  connection.close();
});

Deno.test("a full disk is told until a write succeeds again", () => {
  const connection = new Connection(":memory:");
  connection.script("create table pages (bytes blob)");
  const watch = new TroubleWatch(connection, null);
  const error = watch.note(
    thrownBy(connection, "pragma query_only = on", "insert into pages values (1)"),
  );
  assert.ok(error instanceof StoreError);
  assert.equal(error.trouble, "read_only");
  assert.equal(watch.current(), "read_only");
  assert.equal(watch.current(), "read_only");
  connection.script("pragma query_only = off");
  assert.equal(watch.current(), null);
  connection.close();
});

Deno.test("a full disk stays full as long as it has no room, although a small write fits into the log", async () => {
  await withFile((file) => {
    let isFull = true;
    const connection = new Connection(file);
    connection.script("create table pages (bytes blob)");
    const watch = new TroubleWatch(connection, () => !isFull);
    watch.note(
      thrownBy(connection, "pragma max_page_count = 3", "insert into pages values (zeroblob(100000))"),
    );
    connection.tryWrite(); // what is there already can be written
    assert.deepEqual([watch.current(), watch.current()], ["full", "full"]);
    isFull = false;
    assert.equal(watch.current(), null);
    connection.close();
  });
});

Deno.test("a disk without room is told as full although nothing was written since, and over when there is room", async () => {
  await withFile(async (file) => {
    let isFull = false;
    const store = openStore(file, testVault, null, { hasRoom: () => !isFull });
    assert.equal(await store.trouble(), null);
    assert.deepEqual(await store.takeTrouble(), { now: null, met: null });
    isFull = true;
    assert.equal(await store.trouble(), "full");
    assert.deepEqual(await store.takeTrouble(), { now: "full", met: "full" });
    assert.deepEqual(await store.takeTrouble(), { now: "full", met: null });
    isFull = false;
    assert.equal(await store.trouble(), null);
    await store.close();
  });
});

Deno.test("a store that another process holds locked says so, still reads, waits no longer than a moment, and heals", async () => {
  await withFile(async (file) => {
    const store = openStore(file, testVault);
    await publish(store, [anEvent("evt_1")]);
    const other = new Connection(file);
    other.run("begin immediate");
    await assert.rejects(publish(store, [anEvent("evt_2")]), (error) => {
      return error instanceof StoreError && error.trouble === "locked";
    });
    assert.equal(await store.trouble(), "locked");
    assert.notEqual(await store.findEvent("evt_1"), null);
    for (let turn = 0; turn < 20; turn++) {
      await assert.rejects(publish(store, [anEvent("evt_2")]), StoreError);
    }
    other.run("rollback");
    other.close();
    assert.equal(await store.trouble(), null);
    // Nobody had asked in between, and still whoever tells of it hears of it, once.
    assert.deepEqual(await store.takeTrouble(), { now: null, met: "locked" });
    assert.deepEqual(await store.takeTrouble(), { now: null, met: null });
    await publish(store, [anEvent("evt_2")]);
    assert.notEqual(await store.findEvent("evt_2"), null);
    await store.close();
  });
});

Deno.test("a damaged file is told as such and stays so", async () => {
  await withFile(async (file) => {
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
      found = await recovered<unknown>(
        () => whenThere(store.findEvent(`evt_${number}`), () => null),
        (thrown) => thrown,
      );
    }
    assert.ok(found instanceof StoreError && found.trouble === "corrupt", String(found));
    assert.equal(await store.trouble(), "corrupt");
    await store.close();
  });
});

Deno.test("openStore() says what to do about a file that is damaged from its beginning", async () => {
  await withFile(async (file) => {
    const created = openStore(file, testVault);
    await publish(created, [anEvent("evt_1")]);
    await created.close();
    const bytes = await Deno.readFile(file);
    bytes.fill(0xee, 4_096);
    await Deno.writeFile(file, bytes);
    assert.throws(
      () => openStore(file, testVault),
      /the database is damaged: .*restore the newest good backup/,
    );
  });
});

/** A database of some pages, damaged so that it cannot be opened any more. */
async function makeDamaged(file: string, from: number): Promise<void> {
  const store = openStore(file, testVault);
  await publish(store, Array.from({ length: 100 }, (_, number) => anEvent(`evt_${number}`)));
  await store.close();
  const bytes = await Deno.readFile(file);
  await Deno.writeFile(file, bytes.fill(0xee, from));
}

Deno.test("a database that is damaged beyond opening is told as damaged, and may be moved away when nobody has it open", async () => {
  for (const from of [4_096, 0]) {
    await withFile(async (file) => {
      await makeDamaged(file, from);
      const before = await Deno.readFile(file);
      if (from === 0) assert.throws(() => inspectDatabase(file), /not a database/);
      else assert.match(inspectDatabase(file).problems.join(), /malformed/);
      releaseDatabase(file);
      assert.deepEqual(await Deno.readFile(file), before);
    });
  }
});

Deno.test("a database that was damaged under somebody who has it open is not moved away", async () => {
  await withFile(async (file) => {
    const created = openStore(file, testVault);
    await publish(created, Array.from({ length: 100 }, (_, number) => anEvent(`evt_${number}`)));
    await created.close();
    const store = openStore(file, testVault);
    // By another process: whoever opens and closes the file here as well takes the store's locks away.
    const noise = [
      "if=/dev/urandom",
      `of=${file}`,
      "bs=4096",
      "seek=1",
      "count=40",
      "conv=notrunc",
      "status=none",
    ];
    assert.ok((await new Deno.Command("dd", { args: noise }).output()).success);
    const script = `import { releaseDatabase } from "${new URL(
      "../../src/store/sqlite/inspect.ts",
      import.meta.url,
    )}";
      try { releaseDatabase(${JSON.stringify(file)}); } catch (error) { console.log(error.message); }`;
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", "--quiet", script] })
      .output();
    assert.match(new TextDecoder().decode(stdout), /is in use: stop the server first/);
    await store.close();
  });
});
