// What the SQLite engine writes of new deliveries: one of an event, what they share once, and numbers that never return.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import {
  addCustomer,
  claimedBodies,
  finishAllDue,
  matchAll,
  publishMany,
  subscribe,
  T0,
} from "./contract/given.ts";
import { testVault } from "../support/vault.ts";
import { TEMPORARY } from "../support/temporary.ts";

/** A store in a file with two subscriptions, and the file seen from outside. */
async function withFile(work: (store: Store, outside: Connection) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-new-deliveries-" });
  const file = join(folder, "regfeed.db");
  const store = openStore(file, testVault);
  const outside = new Connection(file);
  try {
    await addCustomer(store);
    for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
    await work(store, outside);
  } finally {
    outside.close();
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function texts(connection: Connection, sql: string): string[] {
  return connection.all(sql).map((row) => Object.values(row).map(String).join(" "));
}

Deno.test("what the bodies of an event have in common is stored once, and gone with the last of them", () =>
  withFile(async (store, outside) => {
    await publishMany(store, 1, 1);
    await matchAll(store);
    assert.deepEqual(texts(outside, "select body, ending_seq from delivery_bodies"), ["1:  1", "1:  1"]);
    assert.deepEqual(texts(outside, "select * from body_endings"), ["1 evt_01"]);
    await finishAllDue(store, { kind: "delivered" });
    await store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: 0, limit: 1 });
    assert.deepEqual(texts(outside, "select * from body_endings"), ["1 evt_01"]);
    await store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: 0, limit: 1 });
    assert.deepEqual(texts(outside, "select * from body_endings"), []);
    assert.deepEqual(texts(outside, "select * from delivery_bodies"), []);
  }));

Deno.test("a body that shares nothing with another is one text", () =>
  withFile(async (store, outside) => {
    await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
    await publishMany(store, 1, 2);
    await matchAll(store);
    assert.deepEqual(texts(outside, "select body, ending_seq from delivery_bodies"), [
      "1: evt_01 null",
      "2: evt_02 null",
    ]);
    assert.deepEqual(texts(outside, "select * from body_endings"), []);
  }));

Deno.test("an event that waits beside a delivery of it, as in a restored store, makes the others and uses no number", () =>
  withFile(async (store, outside) => {
    await publishMany(store, 1, 1);
    await matchAll(store);
    outside.run("delete from delivery_bodies where delivery_seq = 1");
    outside.run("delete from deliveries where seq = 1");
    outside.run("insert into event_outbox (event_seq) values (1)");
    await publishMany(store, 2, 2);
    assert.equal(await matchAll(store), 2);
    assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "1: evt_01", "2: evt_02"]);
    assert.deepEqual(texts(outside, "select deliveries from delivery_usage"), ["5"]);
  }));

/** A store as the schema before made it: a subscription with deliveries in every state, the newest of them forgotten. */
function formerStore(): Connection {
  const connection = new Connection(":memory:");
  migrate(connection, testVault, { upTo: 17 });
  connection.script(`
    insert into customers (id, email, tier, enabled, limits, created_at)
    values ('cus_1', 'ana@example.org', 'team', 1, '{}', 1);
    insert into subscriptions (id, customer_id, webhook_url, secret, topics, source_filter, severity_min, language,
      identity, created_at, after_seq, next_sequence)
    values ('sub_1', 'cus_1', 'https://a.example/', x'', '[]', '[]', 'info', 'en', 'one', 1, 0, 7);
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 6)
    insert into events (seq, id, source_id, external_id, version, severity, published_at, json, provenance)
    select n, 'evt_' || n, 'board', 'x' || n, 1, 0, 0, '{}', '{}' from numbers;
    insert into deliveries (seq, id, customer_id, subscription_id, event_id, sequence, status, hold_reason, attempts,
      tries, next_attempt_at, decided_at, not_before, quota_month, created_at, arrived_at, finished_at, pruned)
    values
      (11, 'dlv_1', 'cus_1', 'sub_1', 'evt_1', 1, 'delivered', null, 3, 2, 21, 31, null, '2026-07', 41, 51, 61, 1),
      (12, 'dlv_2', 'cus_1', 'sub_1', 'evt_2', 2, 'failed', null, 4, 4, 22, 32, 72, '2026-07', 42, null, 62, 0),
      (13, 'dlv_3', 'cus_1', 'sub_1', 'evt_3', 3, 'held', 'quota', 0, 0, 23, 33, null, null, 43, null, null, 0),
      (14, 'dlv_4', 'cus_1', 'sub_1', 'evt_4', 4, 'cancelled', null, 1, 1, 24, 34, null, null, 44, null, 64, 0),
      (15, 'dlv_5', 'cus_1', 'sub_1', 'evt_5', 5, 'pending', null, 1, 1, 25, 35, 75, '2026-07', 45, 55, null, 0),
      (19, 'dlv_6', 'cus_1', 'sub_1', 'evt_6', 6, 'delivered', null, 1, 1, 26, 36, null, '2026-07', 46, 56, 66, 1);
    delete from deliveries where seq = 19;
    insert into delivery_bodies (delivery_seq, body) select seq, 'body of ' || id from deliveries where pruned = 0;
    insert into attempts (delivery_id, number, started_at, duration_ms) values ('dlv_2', 4, 1, 2), ('dlv_5', 1, 3, 4);
  `);
  return connection;
}

Deno.test("the step to shared endings keeps deliveries as they are, and gives no place to a second one", () => {
  const connection = formerStore();
  try {
    const sql = [
      "select * from deliveries order by seq",
      "select delivery_seq, body from delivery_bodies order by delivery_seq",
      "select * from attempts order by delivery_id",
      "select * from subscriptions",
    ];
    const before = sql.map((one) => connection.all(one));
    migrate(connection, testVault, { upTo: 18 });
    assert.deepEqual(sql.map((one) => connection.all(one)), before);
    assert.deepEqual(connection.all("pragma foreign_key_check"), []);
    assert.deepEqual(texts(connection, "pragma integrity_check"), ["ok"]);
    assert.deepEqual(texts(connection, "select seq from sqlite_sequence where name = 'deliveries'"), ["19"]);
  } finally {
    connection.close();
  }
});

Deno.test("the step to shared endings gives no place to a second one, also where no delivery is left", () => {
  const connection = formerStore();
  try {
    for (const table of ["attempts", "delivery_bodies", "deliveries"]) connection.run(`delete from ${table}`);
    migrate(connection, testVault, { upTo: 18 });
    assert.deepEqual(texts(connection, "select seq from sqlite_sequence where name = 'deliveries'"), ["19"]);
  } finally {
    connection.close();
  }
});
