// Promises about what is kept of deliveries that are over, and for how long.
import assert from "node:assert/strict";
import type { Store } from "../../../src/domain/store.ts";
import {
  addCustomer,
  claimAll,
  finishAllDue,
  finished,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  subscribe,
  T0,
} from "./given.ts";
import type { StorePromise } from "./promise.ts";

/** Removes until nothing more is removed; returns how many were, batch by batch. */
async function removeAll(store: Store, prunedUntilMs: number, forgottenUntilMs: number, limit = 2) {
  const batches: number[] = [];
  for (;;) {
    const removed = await store.removeOldDeliveries({ prunedUntilMs, forgottenUntilMs, limit });
    if (removed === 0) return batches;
    batches.push(removed);
  }
}

/** What the port promises of old deliveries. */
export const retentionPromises: StorePromise[] = [
  {
    name: "removeOldDeliveries() removes what is over in batches, and never what is pending or held",
    check: async (store) => {
      await addCustomer(store);
      await subscribe(store, "sub_1");
      await publishMany(store, 1, 9);
      await matchAll(store, { tiers: monthly(7) });
      const claimed = await claimAll(store, T0, { limit: 5 });
      await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), T0 + 5);
      assert.deepEqual(await removeAll(store, T0 + 4, T0 + 4), []);
      assert.deepEqual(await removeAll(store, T0 + 5, 0), [2, 2, 1]);
      assert.deepEqual(await removeAll(store, T0 + 5, T0 + 5), [2, 2, 1]);
      assert.deepEqual(await removeAll(store, T0 * 2, T0 * 2), []);
      assert.equal((await store.health()).pendingDeliveries, 2);
      assert.equal(await releaseAll(store, { tiers: monthly(9) }), 2);
      assert.equal(await finishAllDue(store, { kind: "delivered" }, T0 + 9), 4, "with their bodies");
    },
  },
  {
    name: "removeOldDeliveries() leaves the others of an event what they have in common with those that go",
    check: async (store) => {
      await addCustomer(store);
      for (const id of ["sub_1", "sub_2", "sub_3"]) await subscribe(store, id);
      await publishMany(store, 1, 1);
      await matchAll(store);
      const go = async (count: number) => {
        const claimed = await claimAll(store, T0, { limit: count });
        await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), T0);
        return claimed.map(({ body }) => body);
      };
      for (const _ of [1, 2, 3]) {
        assert.deepEqual(await go(1), ["1: evt_01"]);
        assert.equal(
          await store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: 0, limit: 9 }),
          1,
        );
      }
    },
  },
  {
    name: "removeOldDeliveries() takes no number back: a subscription that has none left counts on",
    check: async (store) => {
      await addCustomer(store);
      for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
      await publishMany(store, 1, 3);
      await matchAll(store);
      const claimed = await claimAll(store);
      const over = claimed.filter(({ id, subscriptionId }) =>
        subscriptionId === "sub_1" || id.includes("evt_03")
      );
      await store.finishAttempts(over.map((one) => finished(one, { kind: "delivered" })), T0);
      await removeAll(store, T0, T0);
      await publishMany(store, 4, 5);
      await matchAll(store);
      assert.deepEqual((await claimAll(store)).map(({ body }) => body).sort(), [
        "4: evt_04",
        "4: evt_04",
        "5: evt_05",
        "5: evt_05",
      ]);
    },
  },
];
