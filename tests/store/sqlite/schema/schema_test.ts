// The SQLite schema: strict tables, immutable records, and the settings for durability.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { Connection, type Durability } from "../../../../src/store/sqlite/connection/connection.ts";
import { Sql, sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { migrate } from "../../../../src/store/sqlite/schema/migrate.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import {
  aClaim,
  addCustomer,
  addSubscriber,
  aFailure,
  aKey,
  anEvent,
  aPublication,
  aSource,
  aSubscription,
  BY,
  claimAll,
  finishAllDue,
  JULY,
  matchAll,
  monthly,
  newMailId,
  publish,
  publishMany,
  publishMatched,
  recordIt,
  T0,
} from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";
import { withStore } from "../files.ts";

function setting(connection: Connection, name: string): unknown {
  return Object.values(connection.get(new Sql(`pragma ${name}`)) ?? {})[0];
}

Deno.test("every table of the schema is strict", () => {
  const connection = new Connection(":memory:");
  migrate(connection, testVault);
  const tables = connection.all(
    sql`select name, strict from pragma_table_list where type = 'table' and name not like 'sqlite_%' and schema = 'main'`,
  );
  assert.ok(tables.length > 10);
  assert.deepEqual(tables.filter((table) => table["strict"] !== 1).map((table) => table["name"]), []);
  connection.close();
});

Deno.test("an event record cannot be changed or removed", () =>
  withStore(async (store, outside) => {
    const event = anEvent("evt_1");
    await publish(store, [event]);
    const attempts = [
      "update events set json = '{}'",
      "update events set provenance = '{}'",
      "update events set published_at = 0 where id = 'evt_1'",
      "update events set seq = seq + 1",
      "delete from events where id = 'evt_1'",
      "update or replace events set id = 'evt_2'",
    ];
    for (const sql of attempts) assert.throws(() => outside.run(new Sql(sql)), /append-only/, sql);
    assert.deepEqual(JSON.parse((await store.findEvent("evt_1"))?.json ?? ""), event);
  }));

Deno.test("`insert or replace` cannot replace an append-only row, even in a connection without settings", () =>
  withStore(async (store, outside, file) => {
    await addCustomer(store); // writes an audit entry
    await publish(store, [anEvent("evt_1")]);
    outside.run(
      sql`insert into event_translations (event_seq, language, title, summary, url, provenance, added_at)
       values (1, 'de', 'Titel', 'Text', 'https://board.example/de', '{}', 0)`,
    );
    const event =
      "insert or replace into events (seq, id, source_id, external_id, version, severity, published_at, " +
      "json, provenance)";
    const translation =
      "replace into event_translations (seq, event_seq, language, title, summary, url, provenance, " +
      "added_at)";
    const attempts = [
      `${event} values (null, 'evt_1', 'x', 'x', 1, 0, 0, '{}', '{}')`,
      `${event} values (1, 'evt_2', 'x', 'x', 1, 0, 0, '{}', '{}')`,
      `${event} values (null, 'evt_2', 'board', 'publication of evt_1', 1, 0, 0, '{}', '{}')`,
      `${translation} values (null, 1, 'de', 'x', 'x', 'x', '{}', 0)`,
      `${translation} values (1, 1, 'fr', 'x', 'x', 'x', '{}', 0)`,
      "insert or replace into audit (seq, at, actor, act, change) values (1, 0, 'x', 'x', '{}')",
    ];
    const contents = () =>
      ["events", "event_translations", "audit"].map((table) =>
        outside.all(new Sql(`select * from ${table}`))
      );
    const before = contents();
    assert.deepEqual(before.map((rows) => rows.length), [1, 1, 1]);
    const plain = new DatabaseSync(file);
    try {
      plain.exec("pragma foreign_keys = off");
      for (const sql of attempts) {
        assert.throws(() => outside.run(new Sql(sql)), /append-only/, sql);
        assert.throws(() => plain.exec(sql), /append-only/, sql);
      }
      assert.deepEqual(contents(), before);
      // New rows are accepted.
      plain.exec("insert or replace into audit (at, actor, act, change) values (0, 'x', 'x', '{}')");
    } finally {
      plain.close();
    }
  }));

Deno.test("the schema refuses impossible states", () =>
  withStore(async (store, outside) => {
    await addSubscriber(store);
    await publishMatched(store, 1, 1);
    const attempts: [string, RegExp][] = [
      ["update deliveries set status = 'lost'", /CHECK/],
      ["update deliveries set status = 'held'", /CHECK/],
      ["update deliveries set hold_reason = 'quota'", /CHECK/],
      ["update deliveries set subscription_id = 'sub_unknown'", /FOREIGN KEY/],
      ["update deliveries set attempts = 'many'", /cannot store TEXT/],
      ["update customers set tier = 'gold'", /CHECK/],
      ["update customers set limits = 'none'", /CHECK/],
      ["update api_keys set hash = 'abc'", /CHECK/],
      ["update delivery_usage set deliveries = -1", /CHECK/],
      ["delete from customers", /FOREIGN KEY/],
    ];
    for (const [sql, expected] of attempts) assert.throws(() => outside.run(new Sql(sql)), expected, sql);
  }));

Deno.test("the file uses a write-ahead log and incremental vacuum", () =>
  withStore((_, outside) => {
    assert.equal(setting(outside, "journal_mode"), "wal");
    assert.equal(setting(outside, "auto_vacuum"), 2);
  }));

Deno.test("a file that already has its settings is not written, because it may be read-only", () =>
  withStore((_, __, file) => {
    const reader = new Connection(file, { readOnly: true });
    reader.prepareFile();
    assert.equal(setting(reader, "journal_mode"), "wal");
    reader.close();
  }));

Deno.test("every connection checks references and waits for other writers", () => {
  const connection = new Connection(":memory:");
  assert.equal(setting(connection, "foreign_keys"), 1);
  assert.ok(Number(setting(connection, "busy_timeout")) >= 1_000);
  connection.close();
});

const FULL = 2;
const NORMAL = 1;

Deno.test("transaction() syncs a durable commit to the disk, but not a relaxed one", () => {
  const connection = new Connection(":memory:");
  const during = (durability: Durability) =>
    connection.transaction(durability, () => setting(connection, "synchronous"));
  assert.equal(setting(connection, "synchronous"), FULL);
  assert.deepEqual(
    [during("relaxed"), during("relaxed"), during("durable"), during("relaxed"), during("durable")],
    [NORMAL, NORMAL, FULL, NORMAL, FULL],
  );
  connection.close();
});

Deno.test("transaction() excludes other writers from the start, so that its reads stay valid", () =>
  withStore((_, outside) => {
    const file = String(
      outside.get(sql`select file from pragma_database_list where name = 'main'`)?.["file"],
    );
    const other = new Connection(file);
    other.script("pragma busy_timeout = 0");
    const write = () => other.run(sql`insert into event_outbox (event_seq) values (1)`);
    outside.transaction("durable", () => assert.throws(write, /locked/));
    assert.throws(write, /FOREIGN KEY/, "they can write afterwards");
    other.close();
  }));

Deno.test("transaction() stores nothing if it throws, and the next one works", () => {
  const connection = new Connection(":memory:");
  connection.script("create table t (id integer primary key) strict");
  assert.throws(() =>
    connection.transaction("durable", () => {
      connection.run(sql`insert into t (id) values (1)`);
      throw new Error("in the middle");
    }), /in the middle/);
  assert.equal(
    connection.transaction("durable", () => connection.run(sql`insert into t (id) values (2)`)),
    1,
  );
  assert.deepEqual(connection.all(sql`select id from t`).map((row) => row["id"]), [2]);
  connection.close();
});

/** Calls and the durability of their commits. A power failure may lose a lease or a count of requests, nothing else. */
const PROMISED: [string, Durability, (store: Store) => Promise<unknown>][] = [
  ["addCustomer()", "durable", (store) => addCustomer(store, "2")],
  ["changeCustomer()", "durable", (store) => store.changeCustomer("cus_1", { tier: "gpai" }, BY)],
  ["addKey()", "durable", (store) => store.addKey("cus_1", aKey("b", { label: "b" }), BY)],
  [
    "rotateKey()",
    "durable",
    (store) => store.rotateKey("cus_1", aKey("a"), { ...BY, oldUntilMs: null, mailId: null }),
  ],
  ["disableKeys()", "durable", (store) => store.disableKeys("cus_1", aKey("b").hash, BY)],
  ["noteKeyUses()", "relaxed", (store) => store.noteKeyUses([{ hash: aKey("a").hash, atMs: T0 }])],
  ["addSubscription()", "durable", (store) => store.addSubscription(aSubscription("sub_2"), 9)],
  [
    "recordPublications()",
    "durable",
    (store) => store.recordPublications("board", [aPublication("k", "h")], recordIt(anEvent("evt_x"))),
  ],
  ["finishFetch()", "durable", (store) => store.finishFetch(aFailure("board", T0, { nextDueAtMs: T0 }))],
  ["matchEvents()", "durable", (store) => matchAll(store, { limit: 1, tiers: monthly(1) })],
  [
    "extendLease()",
    "relaxed",
    (store) => store.extendLease({ sourceId: "board", holder: "prc_1", untilMs: T0 }),
  ],
  ["claimSources()", "relaxed", (store) => store.claimSources(aClaim(["board"]))],
  ["claimDeliveries()", "relaxed", (store) => claimAll(store)],
  ["finishAttempts()", "durable", (store) => finishAllDue(store, { kind: "delivered" }, T0 + 1e9)],
  [
    "addRequests()",
    "relaxed",
    (store) => store.addRequests([{ customerId: "cus_1", day: "2026-07-20", requests: 1 }]),
  ],
  [
    "deleteSubscription()",
    "durable",
    (store) => store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 }),
  ],
  ["releaseHeld()", "durable", async (store) => {
    await matchAll(store, { tiers: monthly(1) });
    await store.releaseHeld({ nowMs: T0, month: JULY, tiers: monthly(9), newMailId });
  }],
];

Deno.test("promises to customers are committed durably", async () => {
  const store = openStore(":memory:", testVault);
  await store.registerSources([aSource("board")], T0);
  await addSubscriber(store);
  await publishMany(store, 1, 3);
  const original = Connection.prototype.transaction;
  let used: Durability[] = [];
  Connection.prototype.transaction = function <T>(
    this: Connection,
    durability: Durability,
    work: () => T,
  ): T {
    used.push(durability);
    return original.call(this, durability, work) as T;
  };
  try {
    for (const [name, expected, call] of PROMISED) {
      used = [];
      await call(store);
      assert.equal(used.at(-1), expected, name);
    }
  } finally {
    Connection.prototype.transaction = original;
    await store.close();
  }
});
