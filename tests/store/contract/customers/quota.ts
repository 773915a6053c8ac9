// Promises about the month's quota of deliveries: what counts, what is given back, who waits.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  AUGUST,
  BY,
  claimAll,
  claimedBodies,
  finishAllDue,
  finished,
  JULY,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

/** A customer with one subscription that gets every event. */
async function subscriber(store: Store): Promise<void> {
  await addCustomer(store);
  await subscribe(store, "sub_1");
}

test("matchEvents() holds what is over the month's quota of the tier", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 5);
  const tiers = { ...monthly(100), team: { ...monthly(3).team } };
  assert.equal(await matchAll(store, { tiers }), 5);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "3: evt_03"]);
  assert.equal((await store.health()).pendingDeliveries, 3);
});

test("matchEvents() lets a customer's own limit stand over its tier's", async (store) => {
  await addCustomer(store, "1", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 1 } });
  await addCustomer(store, "2", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 3 } });
  await addCustomer(store, "3", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 0 } });
  for (const digit of ["1", "2", "3"]) {
    await subscribe(store, `sub_${digit}`, { customerId: `cus_${digit}` });
  }
  await publishMany(store, 1, 4);
  await matchAll(store, { tiers: monthly(2) });
  const claimed = (await claimAll(store)).map((delivery) => delivery.subscriptionId);
  assert.deepEqual(claimed, ["sub_1", "sub_2", "sub_2", "sub_2"]);
});

test("matchEvents() queues later events behind those that are held for want of quota", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 2);
  await matchAll(store, { tiers: monthly(1) });
  await publishMany(store, 3, 3);
  await matchAll(store, { tiers: monthly(2) });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01"]);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 1);
  assert.deepEqual(await claimedBodies(store), ["2: evt_02"]);
});

test("matchEvents() queues nothing behind what a switched-off subscription holds", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 1);
  await matchAll(store);
  await finishAllDue(store, { kind: "gone" });
  await subscribe(store, "sub_2");
  await publishMany(store, 2, 2);
  await matchAll(store);
  assert.deepEqual((await claimAll(store)).map((delivery) => delivery.subscriptionId), ["sub_2"]);
});

test("finishAttempts() counts a delivered event once, whatever the number of attempts", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 1);
  await matchAll(store, { tiers: monthly(2) });
  for (const attempt of [1, 2, 3]) {
    await finishAllDue(store, { kind: "retry", atMs: T0 + attempt }, T0 + attempt - 1);
  }
  assert.equal(await finishAllDue(store, { kind: "delivered" }, T0 + 3), 1);
  await publishMany(store, 2, 3);
  await matchAll(store, { tiers: monthly(2) });
  assert.deepEqual(await claimedBodies(store), ["2: evt_02"]);
});

test("finishAttempts() gives back what a failed delivery took of the quota", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 2);
  await matchAll(store, { tiers: monthly(1) });
  assert.equal(await releaseAll(store, { tiers: monthly(1) }), 0);
  assert.equal(await finishAllDue(store, { kind: "failed" }), 1);
  assert.equal(await releaseAll(store, { tiers: monthly(1) }), 1);
  assert.deepEqual(await claimedBodies(store), ["2: evt_02"]);
});

test("finishAttempts() gives back to the month that was counted", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 1);
  await matchAll(store, { tiers: monthly(1) });
  await publishMany(store, 2, 3);
  await matchAll(store, { tiers: monthly(1), month: AUGUST, nowMs: T0 + 1 });
  const july = await claimAll(store, T0);
  await store.finishAttempts(july.map((delivery) => finished(delivery, { kind: "failed" })), T0 + 2);
  assert.equal(await releaseAll(store, { tiers: monthly(1), month: AUGUST }), 0, "August is used up");
});

test("deleteSubscription() gives back what it had to get of the quota, and keeps what was delivered", async (store) => {
  await subscriber(store);
  await publishMany(store, 1, 1);
  await matchAll(store, { tiers: monthly(3) });
  await finishAllDue(store, { kind: "delivered" });
  await publishMany(store, 2, 3);
  await matchAll(store, { tiers: monthly(3) });
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  await subscribe(store, "sub_2");
  await publishMany(store, 4, 6);
  await matchAll(store, { tiers: monthly(3) });
  assert.deepEqual(await claimedBodies(store), ["1: evt_04", "2: evt_05"]);
});

test("matchEvents() tells the customer at four fifths and at the whole of the month, once a month each", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  const told = async () =>
    (await store.listMails({ customerId: "cus_1", limit: 100 })).map(({ kind }) => kind).sort();
  const noticesOf = async (month: string) => {
    const { warnedAtMs, spentAtMs } = await store.usageOf("cus_1", month);
    return [warnedAtMs, spentAtMs];
  };
  const step = async (from: number, to: number, month = JULY) => {
    await publishMany(store, from, to);
    await matchAll(store, { tiers: monthly(10), month, nowMs: T0 + from });
  };
  await step(1, 7);
  assert.deepEqual(await told(), []);
  await step(8, 8);
  assert.deepEqual(await told(), ["quota-80"]);
  assert.deepEqual(await noticesOf(JULY), [T0 + 8, null]);
  await step(9, 9);
  assert.deepEqual(await told(), ["quota-80"]);
  await step(10, 12);
  assert.deepEqual(await told(), ["quota-100", "quota-80"]);
  assert.deepEqual(await noticesOf(JULY), [T0 + 8, T0 + 10]);
  assert.equal((await store.usageOf("cus_1", JULY)).held, 2, "held, not dropped");
  await step(13, 14);
  assert.equal((await told()).length, 2);
  assert.equal(await releaseAll(store, { tiers: monthly(10), month: AUGUST }), 4);
  await step(15, 24, AUGUST);
  assert.deepEqual(await told(), ["quota-100", "quota-100", "quota-80"], "a new month, told anew");
  assert.deepEqual(await noticesOf(JULY), [T0 + 8, T0 + 10]);
});

test("matchEvents() tells anew of another limit in the same month, and of none twice", async (store) => {
  await addCustomer(store, "1", { tier: "indie" });
  await subscribe(store, "sub_1");
  const tiers = { ...monthly(10), team: monthly(20).team };
  const told = async () =>
    (await store.listMails({ customerId: "cus_1", limit: 99 })).flatMap(({ kind }) =>
      kind.startsWith("quota") ? [kind] : []
    ).reverse().join(" ");
  const step = async (from: number, to: number) => {
    await publishMany(store, from, to);
    await matchAll(store, { tiers, nowMs: T0 + from });
    await releaseAll(store, { tiers });
  };
  await step(1, 8);
  await step(9, 12);
  assert.equal(await told(), "quota-80 quota-100");
  await store.changeCustomer("cus_1", { tier: "team" }, BY);
  await step(13, 15);
  assert.equal(await told(), "quota-80 quota-100");
  await step(16, 16);
  assert.equal(await told(), "quota-80 quota-100 quota-80", "of the new limit");
  const { warnedAtMs, spentAtMs } = await store.usageOf("cus_1", JULY);
  assert.deepEqual([warnedAtMs, spentAtMs], [T0 + 16, null], "the month is not spent any more");
  await step(17, 24);
  assert.equal(await told(), "quota-80 quota-100 quota-80 quota-100");
  await store.changeCustomer("cus_1", { tier: "indie" }, BY);
  await step(25, 25);
  await store.changeCustomer("cus_1", { tier: "team" }, BY);
  await step(26, 26);
  assert.equal(await told(), "quota-80 quota-100 quota-80 quota-100");
});

test("changeCustomer() lets what is held wait for the month again, unless its subscription is off", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2");
  await publishMany(store, 1, 1);
  await matchAll(store, { tiers: monthly(1) });
  await publishMany(store, 2, 2);
  await matchAll(store, { tiers: monthly(1) });
  await store.changeSubscription("cus_1", "sub_2", { enabled: false }, { nowMs: T0, activeLimit: 9 });
  const reasons = async () =>
    (await store.listDeliveries("cus_1", { limit: 9, statuses: ["held"] }))
      .map(({ subscriptionId, holdReason }) => `${subscriptionId} ${holdReason}`).sort();
  const before = ["sub_1 quota", "sub_2 disabled", "sub_2 disabled"];
  assert.deepEqual(await reasons(), before);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  assert.ok((await reasons()).every((reason) => reason.endsWith("disabled")));
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  const after = await reasons();
  assert.deepEqual([...new Set(after)], ["sub_1 quota", "sub_2 disabled"]);
});

test("releaseHeld() tells the customer when what it released is nearly the whole of the month", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 9);
  await matchAll(store, { tiers: monthly(1) });
  const before = (await store.listMails({ customerId: "cus_1", limit: 100 })).length;
  assert.equal(await releaseAll(store, { tiers: monthly(10), month: AUGUST }), 8);
  const mails = await store.listMails({ customerId: "cus_1", limit: 100 });
  assert.equal(mails.length, before + 1);
  assert.deepEqual(mails.map(({ kind }) => kind).sort(), ["quota-100", "quota-80"]);
});
