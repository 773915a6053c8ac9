// Promises about what a customer is told of its own: its usage, and answers that are given again.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  aSubscription,
  AUGUST,
  JULY,
  matchAll,
  monthly,
  publishMany,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

const ANSWER = { key: "key 1", requestHash: "hash 1", json: '{"subscription":{}}' };

/** The counts of a usage; who was told of them is another matter. */
async function countsOf(store: Store, customerId: string, month: string) {
  const { warnedAtMs: _, spentAtMs: __, ...counts } = await store.usageOf(customerId, month);
  return counts;
}

test("usageOf() counts a customer's own deliveries of the month, what is held and what is active", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2");
  await subscribe(store, "sub_3", { customerId: "cus_2" });
  assert.deepEqual(await countsOf(store, "cus_1", JULY), {
    deliveries: 0,
    held: 0,
    activeSubscriptions: 2,
  });
  await publishMany(store, 1, 3);
  await matchAll(store, { tiers: monthly(4) });
  await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
  assert.deepEqual(await countsOf(store, "cus_1", JULY), {
    deliveries: 2,
    held: 1,
    activeSubscriptions: 1,
  });
  assert.deepEqual(await countsOf(store, "cus_1", AUGUST), {
    deliveries: 0,
    held: 1,
    activeSubscriptions: 1,
  });
  assert.deepEqual(await countsOf(store, "cus_2", JULY), {
    deliveries: 3,
    held: 0,
    activeSubscriptions: 1,
  });
});

test("findResponse() gives the answer that was kept for the customer's key, made after the time", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  assert.equal(await store.findResponse("cus_1", "key 1", 0), null);
  assert.equal(await store.addSubscription(aSubscription("sub_1"), 9, { response: ANSWER }), "created");
  assert.deepEqual(await store.findResponse("cus_1", "key 1", T0 - 1), ANSWER);
  assert.equal(await store.findResponse("cus_1", "key 1", T0), null, "made at that time is not after it");
  assert.equal(await store.findResponse("cus_2", "key 1", 0), null);
  assert.equal(await store.findResponse("cus_1", "key 2", 0), null);
});

test("addSubscription() keeps an answer only if the subscription was created, and the newest under a key", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  const again = { ...aSubscription("sub_1"), id: "sub_2" };
  assert.equal(await store.addSubscription(again, 9, { response: ANSWER }), "duplicate");
  assert.equal(
    await store.addSubscription(aSubscription("sub_3"), 1, { response: ANSWER }),
    "limit_reached",
  );
  assert.equal(await store.findResponse("cus_1", "key 1", 0), null);

  const later = { ...ANSWER, requestHash: "hash 2" };
  assert.equal(await store.addSubscription(aSubscription("sub_4"), 9, { response: ANSWER }), "created");
  assert.equal(
    await store.addSubscription(aSubscription("sub_5", { createdAtMs: T0 + 5 }), 9, { response: later }),
    "created",
  );
  assert.deepEqual(await store.findResponse("cus_1", "key 1", 0), later);
});

test("removeResponses() forgets what was made up to the time, and nothing later", async (store) => {
  await addCustomer(store);
  await store.removeResponses(T0);
  for (const at of [1, 2, 3]) {
    const answer = { ...ANSWER, key: `key ${at}` };
    await store.addSubscription(aSubscription(`sub_${at}`, { createdAtMs: T0 + at }), 9, {
      response: answer,
    });
  }
  await store.removeResponses(T0 + 2);
  const kept = [];
  for (const at of [1, 2, 3]) kept.push(await store.findResponse("cus_1", `key ${at}`, 0) !== null);
  assert.deepEqual(kept, [false, false, true]);
  assert.equal((await store.listSubscriptions("cus_1")).length, 3);
});
