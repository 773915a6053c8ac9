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
];
