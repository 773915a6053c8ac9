// The storage of one customer is bounded by its quota.
import assert from "node:assert/strict";
import type { NextStep } from "../../../../src/domain/delivery/delivery.ts";
import type { DeliveriesFor } from "../../../../src/domain/ports/store/deliveries.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { Sql, sql } from "../../../../src/store/sqlite/connection/sql.ts";
import {
  addCustomer,
  anEvent,
  aSubscription,
  BY,
  claimAll,
  deliveryId,
  finished,
  JULY,
  matchAll,
  monthly,
  publishMany,
  replayAll,
  subscribe,
  T0,
  TERMS,
} from "../../contract/given.ts";
import { withStore } from "../files.ts";

const EVENTS = 3_000;
const ROUNDS = 20;
const MONTHLY = 100;
/** A body as long as that of an ordinary event. */
const ENDING = "x".repeat(3_000);
/** Maximum growth of the file over all rounds, bytes. A single backfill of all events would take about 12 MB. */
const LEFT_BYTES = 300_000;

const everything: DeliveriesFor = ({ event }, subscriptions) =>
  subscriptions.map(({ id }) => ({
    id: deliveryId(event.id, id),
    subscriptionId: id,
    opening: (sequence) => `${sequence}: ${event.id}`,
    ending: ENDING,
  }));

function storeEvents(outside: Connection, count: number): void {
  outside.transaction("relaxed", () => {
    for (let number = 1; number <= count; number++) {
      const event = anEvent(`evt_${String(number).padStart(6, "0")}`, { external_id: `p${number}` });
      outside.run(
        sql`insert into events (id, source_id, external_id, version, severity, published_at, json, provenance)
         values (${event.id}, ${event.source_id}, ${event.external_id}, 1, 2, ${event.published_at}, ${
          JSON.stringify(event)
        }, '{}')`,
      );
    }
  });
}

function usedBytes(outside: Connection): number {
  const pragma = (name: string) => Number(outside.get(new Sql(`pragma ${name}`))?.[name]);
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

async function sweep(store: Store): Promise<void> {
  const old = { prunedUntilMs: 0, forgottenUntilMs: 0, limit: 200 };
  while (await store.closeSubscriptions(T0) + await store.removeOldDeliveries(old) > 0);
}

Deno.test("repeatedly created and deleted subscriptions with backfills leave almost no data", () =>
  withStore(async (store, outside) => {
    await addCustomer(store);
    storeEvents(outside, EVENTS);
    const terms = { ...TERMS, tiers: monthly(MONTHLY), deliveriesFor: everything };
    const before = usedBytes(outside);
    let most = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const id = `sub_${round}`;
      await store.addSubscription(aSubscription(id), 1, { backfill: { sinceMs: 0, perDay: 100 } });
      while (await store.catchUp(terms) > 0);
      assert.equal((await store.health()).pendingDeliveries, MONTHLY, "as many as the quota allows");
      most = Math.max(most, usedBytes(outside) - before);
      await store.deleteSubscription("cus_1", id, { nowMs: T0, activeLimit: 1 });
      assert.equal(outside.get(sql`select count(*) as bodies from delivery_bodies`)?.["bodies"], 0);
      await sweep(store);
      assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 0, "unsent deliveries do not count");
    }
    assert.ok(most < MONTHLY * 10_000, `${most} bytes during a round`);
    const left = usedBytes(outside) - before;
    assert.ok(left < LEFT_BYTES, `${left} bytes are left`);
    for (const table of ["deliveries", "delivery_bodies", "body_endings"]) {
      assert.equal(outside.get(new Sql(`select count(*) as rows from ${table}`))?.["rows"], 0, table);
    }
  }));

const RECOUNT_SQL = sql`select customer_id, sum(held) as held, sum(bytes) as bytes from (
    select customer_id, 0 as held, 400 + 4 * octet_length(identity)
      + octet_length(coalesce(name, '')) + octet_length(coalesce(note, ''))
      + octet_length(coalesce(headers, x'')) as bytes from subscriptions
    union all select customer_id, status = 'held', 400 from deliveries
    union all select customer_id, 0, octet_length(body) from delivery_bodies join deliveries on seq = delivery_seq
    union all select customer_id, 0, 100 + coalesce(octet_length(response), 0)
    from attempts join deliveries on deliveries.id = delivery_id)
  group by customer_id order by customer_id`;

function assertCounted(outside: Connection, after: string): void {
  assert.deepEqual(
    outside.all(
      sql`select customer_id, held, bytes from customer_storage where bytes > 0 or held > 0 order by 1`,
    ),
    outside.all(RECOUNT_SQL),
    after,
  );
}

Deno.test("the stored size of a customer is updated by each write", () =>
  withStore(async (store, outside) => {
    for (const digit of ["1", "2"]) await addCustomer(store, digit);
    const tiers = monthly(6);
    const release = (month: string, limit: number) =>
      store.releaseHeld({ nowMs: T0, month, tiers: monthly(limit), newMailId: TERMS.newMailId });
    const off = { nowMs: T0, activeLimit: 9 };
    const response = "no, not now";
    const steps: [name: string, step: () => Promise<unknown>][] = [
      ["subscriptions", async () => {
        for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
        await subscribe(store, "sub_3", { customerId: "cus_2", name: "Käte", note: "x".repeat(99) });
      }],
      ["a match", () => publishMany(store, 1, 5).then(() => matchAll(store, { tiers }))],
      [
        "a change",
        () =>
          store.changeSubscription(
            "cus_1",
            "sub_1",
            { topics: ["gpai"], name: "Ana", headers: { a: "b" } },
            off,
          ),
      ],
      ["attempts", async () => {
        const claimed = await claimAll(store, T0);
        const next = (at: number): NextStep =>
          at % 3 === 0 ? { kind: "retry", atMs: T0 + 5 } : { kind: at % 3 === 1 ? "delivered" : "failed" };
        await store.finishAttempts(claimed.map((one, at) => finished(one, next(at), { response })), T0);
      }],
      [
        "a subscription that is switched off",
        () => store.changeSubscription("cus_1", "sub_2", { enabled: false }, off),
      ],
      ["and on", () => store.changeSubscription("cus_1", "sub_2", { enabled: true }, off)],
      ["a release", () => release("2026-08", 100)],
      ["a replay", () => replayAll(store, { month: "2026-08", tiers: monthly(1) })],
      ["an erasure", () => store.eraseCustomer("cus_2", BY)],
      ["a deletion", () => store.deleteSubscription("cus_1", "sub_1", off)],
      ["a sweep", () => sweep(store)],
      [
        "the end of the log",
        () => store.removeOldDeliveries({ prunedUntilMs: T0 + 9, forgottenUntilMs: T0 + 9, limit: 99 }),
      ],
    ];
    for (const [name, step] of steps) {
      await step();
      assertCounted(outside, name);
    }
  }));
