// Promises about held deliveries: when they go out, in which order, how many.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  anEvent,
  AUGUST,
  BY,
  claimAll,
  claimedBodies,
  finishAllDue,
  JULY,
  LEASE,
  matchAll,
  monthly,
  newMailId,
  publish,
  publishMany,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

/** One subscription with events `evt_01` …, of which all but `quota` are held. */
async function heldBeyond(store: Store, quota: number, events: number): Promise<void> {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, events);
  await matchAll(store, { tiers: monthly(quota) });
}

test("releaseHeld() lets go in a new month, oldest first, what the new quota allows", async (store) => {
  await heldBeyond(store, 2, 7);
  await finishAllDue(store, { kind: "delivered" });
  const august = { month: AUGUST, tiers: monthly(3), nowMs: T0 + 5 };
  assert.equal(await releaseAll(store, august), 3);
  assert.deepEqual(await claimAll(store, T0 + 4), []);
  assert.deepEqual(await claimedBodies(store, T0 + 5), ["3: evt_03", "4: evt_04", "5: evt_05"]);
  assert.equal(await releaseAll(store, august), 0);
  assert.equal(await releaseAll(store, { ...august, month: "2026-09" }), 2);
});

test("releaseHeld() lets go after an upgrade of the tier", async (store) => {
  await heldBeyond(store, 1, 4);
  const tiers = { ...monthly(1), gpai: { ...monthly(3).gpai } };
  assert.equal(await releaseAll(store, { tiers }), 0);
  assert.deepEqual(await store.countUndelivered(), { held: 3, failed: 0, heldFull: 0 });
  await store.changeCustomer("cus_1", { tier: "gpai" }, BY);
  assert.equal(await releaseAll(store, { tiers }), 2);
  assert.deepEqual(await store.countUndelivered(), { held: 1, failed: 0, heldFull: 0 });
  assert.equal((await store.health()).pendingDeliveries, 3);
});

test("releaseHeld() goes by age over all subscriptions of a customer", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_2");
  await subscribe(store, "sub_1");
  for (const event of [1, 2]) {
    await publishMany(store, event, event);
    await matchAll(store, { tiers: monthly(0) });
  }
  const released = async (quota: number): Promise<string[]> => {
    assert.equal(await releaseAll(store, { tiers: monthly(quota) }), 2);
    const claimed = await claimAll(store);
    return claimed.map(({ subscriptionId, body }) => `${subscriptionId} ${body}`).toSorted();
  };
  assert.deepEqual(await released(2), ["sub_1 1: evt_01", "sub_2 1: evt_01"]);
  assert.deepEqual(await released(4), ["sub_1 2: evt_02", "sub_2 2: evt_02"]);
});

test("releaseHeld() lets go something of everybody in each call, however long the queue of one is", async (store) => {
  for (const digit of ["1", "2", "3"]) {
    await addCustomer(store, digit);
    await subscribe(store, `sub_${digit}`, { customerId: `cus_${digit}` });
  }
  await publish(store, Array.from({ length: 600 }, (_, at) => anEvent(`evt_${1_000 + at}`)));
  await matchAll(store, { tiers: monthly(0) });
  // It waits for the month's end, and takes no part of what the others get.
  await store.changeCustomer("cus_2", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 0 } }, BY);
  const released = await store.releaseHeld({ nowMs: T0, month: JULY, tiers: monthly(1_000), newMailId });
  const counts = new Map<string, number>();
  for (const { subscriptionId } of await claimAll(store)) {
    counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1);
  }
  assert.deepEqual([...counts], [["sub_1", released / 2], ["sub_3", released / 2]]);
});

test("releaseHeld() lets go what a disabled customer missed when it is enabled again", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  assert.deepEqual(await claimAll(store, T0 + LEASE), []);
  await publishMany(store, 2, 2);
  await matchAll(store);
  assert.equal(await releaseAll(store), 0);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store), 2);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02"]);
});

test("releaseHeld() counts what it releases towards the month, also for a customer enabled again", async (store) => {
  await heldBeyond(store, 2, 3);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 2);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 0);
});

test("releaseHeld() begins anew with the attempts' times, not with their number", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
  await finishAllDue(store, { kind: "retry", atMs: T0 + 100 * LEASE });
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store, { nowMs: T0 + 5 }), 1);
  assert.deepEqual((await claimAll(store, T0 + 5)).map(({ attempt }) => attempt), [2]);
});

test("releaseHeld() lets go of any number, one call after the other, in the order of their age", async (store) => {
  const [count, quota] = [1_300, 1_250];
  await heldBeyond(store, 0, count);
  await matchAll(store, { tiers: monthly(0), limit: 10_000 });
  assert.equal(await releaseAll(store, { tiers: monthly(quota) }), quota);
  const sequences = (await claimAll(store, T0, { limit: 5_000, perSubscription: 5_000 }))
    .map(({ body }) => Number.parseInt(body));
  assert.deepEqual(sequences, Array.from({ length: quota }, (_, at) => at + 1));
});
