// The time that lists of deliveries take.
import assert from "node:assert/strict";
import { DELIVERY_STATUSES } from "../../../../src/domain/delivery/delivery.ts";
import type { DeliveryQuery } from "../../../../src/domain/ports/store/deliveries.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { addSubscriber, anEvent, JULY, publish, subscribe, T0 } from "../../contract/given.ts";
import { withStore } from "../files.ts";

const DELIVERIES = 30_000;
const HOUR = 3_600_000;

/** Opens a store with deliveries of `sub_1`, created an hour apart. If `isHalfHeld`, every second one is held. */
async function withLog(isHalfHeld: boolean, work: (store: Store) => Promise<void>): Promise<void> {
  await withStore(async (store, outside) => {
    await addSubscriber(store);
    await subscribe(store, "sub_2", { topics: ["gpai"] });
    await publish(store, [anEvent("evt_1")], false);
    outside.run(sql`pragma foreign_keys = off`);
    outside.run(
      sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${DELIVERIES})
       insert into deliveries (id, customer_id, subscription_id, event_id, sequence, status, hold_reason,
         next_attempt_at, decided_at, quota_month, created_at, is_replay, attempts, tries, finished_at, arrived_at)
       select 'dlv_' || n, 'cus_1', 'sub_1', 'evt_' || n, n, iif(n % 2 < ${
        isHalfHeld ? 1 : 0
      }, 'held', 'delivered'),
         iif(n % 2 < ${
        isHalfHeld ? 1 : 0
      }, 'disabled', null), ${T0}, ${T0}, ${JULY}, ${T0} + n * ${HOUR}, 0, 1, 1, iif(n % 2 < ${
        isHalfHeld ? 1 : 0
      }, null, ${T0}), ${T0}
       from numbers`,
    );
    await work(store);
  });
}

/** Returns the time that 50 calls of listDeliveries() take, ms. */
async function timeOf(store: Store, query: Partial<DeliveryQuery>): Promise<number> {
  const startedMs = performance.now();
  for (let call = 0; call < 50; call++) await store.listDeliveries("cus_1", { limit: 1, ...query });
  return performance.now() - startedMs;
}

Deno.test("a list of deliveries since a time reads no earlier ones", () =>
  withLog(false, async (store) => {
    const list = async (query: Partial<DeliveryQuery>, limit = 1) =>
      (await store.listDeliveries("cus_1", { ...query, limit })).map(({ id }) => id);
    const since = (n: number) => ({ sinceMs: T0 + n * HOUR });
    assert.deepEqual(await list(since(DELIVERIES - 1), 9), [`dlv_${DELIVERIES}`, `dlv_${DELIVERIES - 1}`]);
    assert.equal((await list(since(7), DELIVERIES)).length, DELIVERIES - 6);
    assert.deepEqual(await list(since(DELIVERIES + 1)), []);
    const usualMs = await timeOf(store, {});
    const laterMs = await timeOf(store, since(2 * DELIVERIES));
    assert.ok(laterMs < 40 * usualMs, `${laterMs} ms where the newest take ${usualMs} ms`);
  }));

Deno.test("a list of a subscription's deliveries in any state reads no others", () =>
  withLog(true, async (store) => {
    const usualMs = await timeOf(store, {});
    for (const status of DELIVERY_STATUSES) {
      for (const subscriptionId of ["sub_1", "sub_2"]) {
        const query = { subscriptionId, statuses: [status] };
        const isListed = subscriptionId === "sub_1" && (status === "held" || status === "delivered");
        const listed = await store.listDeliveries("cus_1", { ...query, limit: 9 });
        assert.equal(listed.length, isListed ? 9 : 0, `${subscriptionId} ${status}`);
        const ms = await timeOf(store, query);
        assert.ok(
          ms < 40 * usualMs,
          `${ms} ms for ${subscriptionId} ${status}, where the newest take ${usualMs} ms`,
        );
      }
    }
    const deepMs = await timeOf(store, { subscriptionId: "sub_1", beforeId: "dlv_9" });
    assert.ok(deepMs < 40 * usualMs, `${deepMs} ms for the last page, where the newest take ${usualMs} ms`);
  }));
