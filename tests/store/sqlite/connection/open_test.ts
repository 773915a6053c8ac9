// Opening a database file: what is created, what is refused, and concurrent processes.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { migrate, MIGRATIONS, schemaVersion } from "../../../../src/store/sqlite/schema/migrate.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import {
  aClaim,
  addCustomer,
  anEvent,
  aSource,
  claimAll,
  matchAll,
  publish,
  publishMany,
  subscribe,
  T0,
} from "../../contract/given.ts";
import { NEXT_MIGRATIONS } from "../../../support/next_version.ts";
import { testVault } from "../../../support/vault.ts";
import { withFile } from "../files.ts";

function otherDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Returns the names and bytes of all files in a folder. */
async function contents(folder: string): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for await (const { name } of Deno.readDir(folder)) files[name] = await Deno.readFile(join(folder, name));
  return files;
}

Deno.test("openStore() creates a file with the current schema, and reads it again", () =>
  withFile(async (file) => {
    const created = openStore(file, testVault);
    await publish(created, [anEvent("evt_1")]);
    await created.close();
    const connection = new Connection(file);
    assert.equal(schemaVersion(connection), MIGRATIONS.length);
    connection.close();
    const reopened = openStore(file, testVault);
    assert.deepEqual(JSON.parse((await reopened.findEvent("evt_1"))?.json ?? ""), anEvent("evt_1"));
    await reopened.close();
  }));

Deno.test("openStore() treats an empty file as a new one", () =>
  withFile(async (file) => {
    await Deno.writeFile(file, new Uint8Array());
    const store = openStore(file, testVault);
    await publish(store, [anEvent("evt_1")]);
    await store.close();
  }));

Deno.test("openStore() makes a separate database for every `:memory:` store", async () => {
  const [one, two] = [openStore(":memory:", testVault), openStore(":memory:", testVault)];
  await publish(one, [anEvent("evt_1")]);
  assert.equal(await two.findEvent("evt_1"), null);
  await one.close();
  await two.close();
});

Deno.test("openStore() refuses a newer schema with a clear message, and does not change the file", async () => {
  for (const mode of ["wal", "delete"]) {
    await withFile(async (file, folder) => {
      const later = MIGRATIONS.length + 1;
      otherDatabase(
        file,
        `pragma journal_mode = ${mode}; create table later (a); pragma user_version = ${later};`,
      );
      const before = await contents(folder);
      assert.throws(() => openStore(file, testVault), {
        message: `the database has schema ${later}, but this version of Regfeed supports schemas up to ` +
          `${MIGRATIONS.length}: start the newer version of Regfeed that created it`,
      });
      assert.deepEqual(await contents(folder), before, mode);
    });
  }
});

Deno.test("openStore() refuses the database of another program, and does not change it", () =>
  withFile(async (file, folder) => {
    otherDatabase(file, "create table customers (name text); insert into customers values ('Ana');");
    const before = await contents(folder);
    assert.throws(() => openStore(file, testVault), /another program's database/);
    assert.deepEqual(await contents(folder), before);
  }));

Deno.test("openStore() refuses a file that is not a database, and a missing folder", () =>
  withFile(async (file, folder) => {
    const text = "[server]\n" + "listen = 1\n".repeat(200);
    await Deno.writeTextFile(file, text);
    assert.throws(() => openStore(file, testVault), /not a database/);
    assert.equal(await Deno.readTextFile(file), text);
    assert.throws(() => openStore(join(folder, "missing", "regfeed.db"), testVault), /unable to open/);
  }));

Deno.test("migrate() keeps nothing of a failed step, and repeats it completely next time", () => {
  const connection = new Connection(":memory:");
  const objects = (): unknown =>
    connection.get(sql`select count(*) as objects from sqlite_schema`)?.["objects"];
  const script = connection.script.bind(connection);
  connection.script = (sql) => {
    script(sql);
    throw new Error("the disk is full");
  };
  assert.throws(() => migrate(connection, testVault), /the disk is full/);
  assert.equal(objects(), 0);
  assert.equal(schemaVersion(connection), 0);

  connection.script = script;
  migrate(connection, testVault);
  assert.equal(schemaVersion(connection), MIGRATIONS.length);
  const migrated = objects();
  migrate(connection, testVault);
  assert.equal(objects(), migrated);
  connection.close();
});

Deno.test("migrate() applies the steps of a next version with their history, and keeps every reference", () => {
  const connection = new Connection(":memory:");
  migrate(connection, testVault);
  connection.script(`
    insert into customers (id, email, tier, enabled, limits, created_at) values ('cus_1', 'a@b.example', 'team', 1, '{}', 0);
    insert into api_keys (hash, customer_id, last_four, created_at) values ('${
    "a".repeat(64)
  }', 'cus_1', 'aaaa', 0);
  `);
  migrate(connection, testVault, { migrations: NEXT_MIGRATIONS });
  assert.equal(schemaVersion(connection), NEXT_MIGRATIONS.length);
  assert.deepEqual(
    connection.all(sql`select schema from schema_history order by schema`).map((row) => row["schema"]),
    NEXT_MIGRATIONS.map((_, index) => index + 1),
  );
  assert.equal(connection.get(sql`select scope from api_keys`)?.["scope"], "");
  assert.equal(connection.get(sql`pragma foreign_keys`)?.["foreign_keys"], 1);
  assert.throws(() => migrate(connection, testVault), /supports schemas up to/);

  const orphaned = { sql: "create table k (id text); drop table customers", replacesTables: true };
  const broken = [...NEXT_MIGRATIONS, orphaned];
  assert.throws(() => migrate(connection, testVault, { migrations: broken }), /would break references/);
  assert.equal(schemaVersion(connection), NEXT_MIGRATIONS.length);
  assert.equal(connection.get(sql`select email from customers`)?.["email"], "a@b.example");
  connection.close();
});

Deno.test("migrate() skips a step that another process has taken in the meantime", () =>
  withFile((file) => {
    const [slow, quick] = [new Connection(file), new Connection(file)];
    const transaction = slow.transaction.bind(slow);
    slow.transaction = (durability, work) => {
      migrate(quick, testVault);
      return transaction(durability, work);
    };
    migrate(slow, testVault);
    assert.equal(schemaVersion(slow), MIGRATIONS.length);
    slow.close();
    quick.close();
  }));

Deno.test("openStore() lets several processes create one file at the same time", () =>
  withFile(async (file, folder) => {
    const program = fileURLToPath(new URL("./opener.ts", import.meta.url));
    const config = fileURLToPath(new URL("../../../../deno.json", import.meta.url));
    const start = join(folder, "start");
    const children = ["1", "2", "3"].map((digit) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--config", config, program, file, start, digit],
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
        env: { NO_COLOR: "1" },
      }).spawn()
    );
    // Each child creates a file when it is ready. When all are ready, the start file releases them.
    const ready = async (): Promise<number> => {
      const names = Object.keys(await contents(folder));
      return names.filter((name) => name.startsWith("start.")).length;
    };
    let ended = 0;
    const outputs = Promise.all(children.map(async (child) => {
      const output = await child.output();
      ended++;
      return output;
    }));
    // If a child ends early, it has failed, and waiting is pointless.
    while (ended === 0 && await ready() < children.length) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Deno.writeTextFile(start, "");
    for (const { code, stderr } of await outputs) assert.equal(code, 0, new TextDecoder().decode(stderr));
    const store = openStore(file, testVault);
    const ids = (await store.listCustomers()).map(({ customer }) => customer.id);
    assert.deepEqual(ids, ["cus_1", "cus_2", "cus_3"]);
    await store.close();
  }));

Deno.test("openStore() lets two stores share a file: each sees the other's writes, and work is claimed once", () =>
  withFile(async (file) => {
    const [one, two] = [openStore(file, testVault), openStore(file, testVault)];
    await addCustomer(one);
    await subscribe(two, "sub_1");
    await publishMany(one, 1, 4);
    assert.equal(await matchAll(two, { limit: 3 }), 3);
    assert.equal(await matchAll(one), 1);
    const claims = [await claimAll(one, T0, { limit: 2 }), await claimAll(two), await claimAll(one)];
    assert.deepEqual(claims.map((claim) => claim.length), [2, 2, 0]);
    assert.equal(new Set(claims.flat().map(({ id }) => id)).size, 4);

    await one.registerSources([aSource("board")], T0);
    const sources = [one, two].map((store) => store.claimSources(aClaim(["board"])));
    assert.deepEqual((await Promise.all(sources)).map((claimed) => claimed.length), [1, 0]);
    await one.close();
    assert.equal((await two.health()).pendingDeliveries, 4);
    await two.close();
  }));
