// New deliveries in SQLite: shared endings of bodies, and sequence numbers that are never reused.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { Sql, sql } from "../../../../src/store/sqlite/connection/sql.ts";
import {
  addCustomer,
  claimedBodies,
  finishAllDue,
  matchAll,
  publishMany,
  publishMatched,
  subscribe,
  T0,
} from "../../contract/given.ts";
import { withStore } from "../files.ts";

/** Runs `work` with a store that has two subscriptions, and a second connection to its file. */
function withTwo(work: (store: Store, outside: Connection) => Promise<void>): Promise<void> {
  return withStore(async (store, outside) => {
    await addCustomer(store);
    for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
    await work(store, outside);
  });
}

function texts(connection: Connection, sql: string): string[] {
  return connection.all(new Sql(sql)).map((row) => Object.values(row).map(String).join(" "));
}

Deno.test("the shared part of an event's bodies is stored once, and removed with the last body", () =>
  withTwo(async (store, outside) => {
    await publishMatched(store, 1, 1);
    assert.deepEqual(texts(outside, "select body, ending_seq from delivery_bodies"), ["1:  1", "1:  1"]);
    assert.deepEqual(texts(outside, "select * from body_endings"), ["1 evt_01"]);
    await finishAllDue(store, { kind: "delivered" });
    await store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: 0, limit: 1 });
    assert.deepEqual(texts(outside, "select * from body_endings"), ["1 evt_01"]);
    await store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: 0, limit: 1 });
    assert.deepEqual(texts(outside, "select * from body_endings"), []);
    assert.deepEqual(texts(outside, "select * from delivery_bodies"), []);
  }));

Deno.test("a body that shares nothing with others is stored in one piece", () =>
  withTwo(async (store, outside) => {
    await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
    await publishMatched(store, 1, 2);
    assert.deepEqual(texts(outside, "select body, ending_seq from delivery_bodies"), [
      "1: evt_01 null",
      "2: evt_02 null",
    ]);
    assert.deepEqual(texts(outside, "select * from body_endings"), []);
  }));

Deno.test("a waiting event that already has a delivery, as in a restored store, gets the others without a gap in the sequence", () =>
  withTwo(async (store, outside) => {
    await publishMatched(store, 1, 1);
    outside.run(sql`delete from delivery_bodies where delivery_seq = 1`);
    outside.run(sql`delete from deliveries where seq = 1`);
    outside.run(sql`insert into event_outbox (event_seq) values (1)`);
    await publishMany(store, 2, 2);
    assert.equal(await matchAll(store), 2);
    assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "1: evt_01", "2: evt_02"]);
    assert.deepEqual(texts(outside, "select deliveries from delivery_usage"), ["5"]);
  }));
