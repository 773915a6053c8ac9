// The store as a whole: health and closing.
import assert from "node:assert/strict";
import { addSubscriber, claimAll, finished, monthly, publishMatched, T0 } from "./given.ts";
import { test } from "./contract.ts";

test("health() counts pending deliveries and reports the age of the oldest", async (store) => {
  assert.deepEqual(await store.health(), { pendingDeliveries: 0, oldestPendingAtMs: null });
  await addSubscriber(store);
  for (const event of [1, 2, 3]) {
    await publishMatched(store, event, event, { nowMs: T0 + event, tiers: monthly(2) });
  }
  assert.deepEqual(await store.health(), { pendingDeliveries: 2, oldestPendingAtMs: T0 + 1 });
  const [oldest] = await claimAll(store, T0 + 9);
  assert.deepEqual(await store.health(), { pendingDeliveries: 2, oldestPendingAtMs: T0 + 1 });
  if (oldest !== undefined) await store.finishAttempts([finished(oldest, { kind: "delivered" })], T0 + 9);
  assert.deepEqual(await store.health(), { pendingDeliveries: 1, oldestPendingAtMs: T0 + 2 });
});

test("close() may be called twice, and makes every other call reject", async (store) => {
  await store.close();
  await store.close();
  for (const [name, method] of Object.entries(store) as [string, () => Promise<unknown>][]) {
    if (name === "close") continue;
    const called = method(); // a synchronous throw, instead of a rejection, fails the test
    await assert.rejects(called, /closed/, name);
  }
});
