// How long finished deliveries are kept.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  addSubscriber,
  BY,
  claimAll,
  finishAllDue,
  finished,
  JULY,
  matchAll,
  monthly,
  publishMany,
  publishMatched,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

/** Removes old deliveries until none are left, and returns the size of each batch. */
async function removeAll(store: Store, prunedUntilMs: number, forgottenUntilMs: number, limit = 2) {
  const batches: number[] = [];
  for (;;) {
    const removed = await store.removeOldDeliveries({ prunedUntilMs, forgottenUntilMs, limit });
    if (removed === 0) return batches;
    batches.push(removed);
  }
}

/** Calls closeSubscriptions() until it has nothing left to do, and returns the result of each call. */
async function closeAll(store: Store): Promise<number[]> {
  const calls: number[] = [];
  for (;;) {
    const done = await store.closeSubscriptions(T0);
    if (done === 0) return calls;
    calls.push(done);
  }
}

test("removeOldDeliveries() removes finished deliveries in batches, and never pending or held ones", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 9, { tiers: monthly(7) });
  const claimed = await claimAll(store, T0, { limit: 5 });
  await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), T0 + 5);
  assert.deepEqual(await removeAll(store, T0 + 4, T0 + 4), []);
  assert.deepEqual(await removeAll(store, T0 + 5, 0), [2, 2, 1]);
  assert.deepEqual(await removeAll(store, T0 + 5, T0 + 5), [2, 2, 1]);
  assert.deepEqual(await removeAll(store, T0 * 2, T0 * 2), []);
  assert.equal((await store.health()).pendingDeliveries, 2);
  assert.equal(await releaseAll(store, { tiers: monthly(9) }), 2);
  assert.equal(await finishAllDue(store, { kind: "delivered" }, T0 + 9), 4, "their bodies are kept");
});

test("removeOldDeliveries() keeps the shared ending while other deliveries of the event need it", async (store) => {
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2", "sub_3"]) await subscribe(store, id);
  await publishMatched(store, 1, 1);
  const go = async (count: number) => {
    const claimed = await claimAll(store, T0, { limit: count });
    await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), T0);
    return claimed.map(({ body }) => body);
  };
  for (const _ of [1, 2, 3]) {
    assert.deepEqual(await go(1), ["1: evt_01"]);
    assert.equal(await store.removeOldDeliveries({ prunedUntilMs: T0, forgottenUntilMs: 0, limit: 9 }), 1);
  }
});

test("findPayload() returns the body of a delivery until it is removed", async (store) => {
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2", "sub_3"]) await subscribe(store, id);
  await publishMatched(store, 1, 1);
  const ids = (await store.listDeliveries("cus_1", { limit: 9 })).map(({ id }) => id).reverse();
  const payloads = () => Promise.all(ids.map((id) => store.findPayload(id)));
  assert.deepEqual(await payloads(), Array(3).fill("1: evt_01"));
  const [first] = await claimAll(store, T0, { limit: 1 });
  assert.ok(first !== undefined && first.id === ids[0]);
  await store.finishAttempts([finished(first, { kind: "delivered" })], T0);
  assert.deepEqual(await payloads(), Array(3).fill("1: evt_01"));
  await store.deleteSubscription("cus_1", "sub_3", { nowMs: T0, activeLimit: 9 });
  await removeAll(store, T0, 0);
  assert.deepEqual(await payloads(), [null, "1: evt_01", null]);
  assert.equal(await store.findPayload("dlv_unknown"), null);
});

test("removeOldDeliveries() reuses no sequence number, even if a subscription has no deliveries left", async (store) => {
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
  await publishMatched(store, 1, 3);
  const claimed = await claimAll(store);
  const over = claimed.filter(({ id, subscriptionId }) =>
    subscriptionId === "sub_1" || id.includes("evt_03")
  );
  await store.finishAttempts(over.map((one) => finished(one, { kind: "delivered" })), T0);
  await removeAll(store, T0, T0);
  await publishMatched(store, 4, 5);
  assert.deepEqual((await claimAll(store)).map(({ body }) => body).sort(), [
    "4: evt_04",
    "4: evt_04",
    "5: evt_05",
    "5: evt_05",
  ]);
});

test("deleteSubscription() cancels unsent deliveries; never-attempted ones are then removed, and others stay in the log", async (store) => {
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
  await publishMatched(store, 1, 4, { tiers: monthly(6) });
  const claimed = await claimAll(store, T0, { limit: 4 });
  const [done, failed] = claimed.filter(({ subscriptionId }) => subscriptionId === "sub_1");
  assert.ok(done !== undefined && failed !== undefined);
  await store.finishAttempts([
    finished(done, { kind: "delivered" }),
    finished(failed, { kind: "retry", atMs: T0 + 9 }),
  ], T0);
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0 + 1, activeLimit: 9 });
  const log = async () =>
    (await store.listDeliveries("cus_1", { limit: 99, subscriptionId: "sub_1" }))
      .map(({ sequence, status }) => `${sequence} ${status}`).reverse();
  assert.deepEqual(await log(), ["1 delivered", "2 cancelled", "3 cancelled", "4 cancelled"]);
  assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 4, "the quota of three is returned");
  assert.ok((await claimAll(store, T0 + 99)).every(({ subscriptionId }) => subscriptionId === "sub_2"));
  await closeAll(store);
  await removeAll(store, 0, 0);
  assert.deepEqual(await log(), ["1 delivered", "2 cancelled"]);
  assert.equal(await store.ownsSubscription("cus_1", "sub_1"), true);
  // The subscription is removed with its last delivery.
  await removeAll(store, T0 + 2, T0 + 2);
  assert.deepEqual(await log(), []);
  assert.equal(await store.ownsSubscription("cus_1", "sub_1"), false);
  assert.equal(await store.ownsSubscription("cus_1", "sub_2"), true);
});

test("deleteSubscription() cancels a limited number at once; closeSubscriptions() cancels the unsent rest", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 700, { tiers: monthly(600) });
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 9 });
  assert.equal((await store.health()).pendingDeliveries, 100);
  assert.deepEqual(await claimAll(store, T0 + 1), [], "nothing more is sent");
  assert.deepEqual(await closeAll(store), [200, 1]);
  assert.equal((await store.health()).pendingDeliveries, 0);
  const { deliveries, held } = await store.usageOf("cus_1", JULY);
  assert.deepEqual([deliveries, held], [0, 0]);
  await removeAll(store, 0, 0, 200);
  assert.deepEqual(await store.listDeliveries("cus_1", { limit: 9 }), []);
  assert.equal(await store.ownsSubscription("cus_1", "sub_1"), true, "the subscription stays");
});

for (const disabled of ["subscription", "customer"] as const) {
  test(`disabling a ${disabled} holds a limited number at once; closeSubscriptions() holds the unsent rest`, async (store) => {
    await addSubscriber(store);
    await publishMany(store, 1, 1_200);
    const tiers = monthly(2_000);
    while (await matchAll(store, { tiers }) > 0);
    const enable = async (enabled: boolean) => {
      if (disabled === "customer") await store.changeCustomer("cus_1", { enabled }, BY);
      else await store.changeSubscription("cus_1", "sub_1", { enabled }, { nowMs: T0, activeLimit: 9 });
    };
    const counts =
      async () => [(await store.usageOf("cus_1", JULY)).held, (await store.health()).pendingDeliveries];
    await enable(false);
    assert.deepEqual(await counts(), [500, 700]);
    assert.deepEqual(await claimAll(store, T0 + 1), [], "nothing more is sent");
    await enable(true);
    assert.deepEqual(await closeAll(store), [1], "the others continue");
    assert.deepEqual(await counts(), [500, 700]);
    await enable(false);
    assert.deepEqual(await closeAll(store), [200, 1]);
    assert.deepEqual(await counts(), [1_200, 0]);
    assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 0);
    await enable(true);
    assert.equal(await releaseAll(store, { tiers }), 1_200);
    await finishAllDue(store, { kind: "delivered" }); // shows that the endpoint responds
    assert.deepEqual(await closeAll(store), []);
    assert.equal((await store.health()).pendingDeliveries, disabled === "customer" ? 200 : 1_199);
  });
}

test("closeSubscriptions() keeps a customer's newest hundred deleted subscriptions without deliveries in the log", async (store) => {
  await addCustomer(store);
  for (let number = 1; number <= 103; number++) {
    const id = `sub_${String(number).padStart(3, "0")}`;
    await subscribe(store, id);
    if (number === 1) {
      await publishMatched(store, 1, 1);
      await finishAllDue(store, { kind: "delivered" });
    }
    await store.deleteSubscription("cus_1", id, { nowMs: T0 + number, activeLimit: 9 });
  }
  await closeAll(store);
  const kept = async (...ids: string[]) => {
    const owned: boolean[] = [];
    for (const id of ids) owned.push(await store.ownsSubscription("cus_1", id));
    return owned;
  };
  // The log still names `sub_001`.
  const found = await kept("sub_001", "sub_002", "sub_003", "sub_004", "sub_103");
  assert.deepEqual(found, [true, false, false, true, true]);
});

test("largestCustomers() orders customers by stored size, without removed data", async (store) => {
  for (const digit of ["1", "2", "3"]) await addCustomer(store, digit);
  assert.deepEqual(await store.largestCustomers(9), []);
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2", { customerId: "cus_2", topics: ["gpai"] });
  const small = await store.largestCustomers(9);
  assert.deepEqual(small.map(({ customerId }) => customerId), ["cus_2", "cus_1"], "its filter is longer");
  await publishMatched(store, 1, 5, { tiers: monthly(4) });
  await store.deleteSubscription("cus_2", "sub_2", { nowMs: T0, activeLimit: 9 });
  await closeAll(store);
  await removeAll(store, 0, 0);
  const largest = await store.largestCustomers(1);
  assert.deepEqual(largest.map(({ customerId }) => customerId), ["cus_1"]);
  assert.ok((largest[0]?.bytes ?? 0) > (small[1]?.bytes ?? 0) + 5 * 400);
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 9 });
  await closeAll(store);
  await removeAll(store, 0, 0);
  const left = await store.largestCustomers(9);
  assert.deepEqual(left.map(({ customerId }) => customerId), ["cus_2", "cus_1"], "subscriptions stay");
});
