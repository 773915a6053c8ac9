// The monthly quota of deliveries: counting, returning and waiting.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  addSubscriber,
  anEvent,
  AUGUST,
  BY,
  catchUpAll,
  catchUpOf,
  claimAll,
  claimedBodies,
  finishAllDue,
  finished,
  JULY,
  LEASE,
  matchAll,
  monthly,
  newMailId,
  publish,
  publishMany,
  publishMatched,
  releaseAll,
  replayAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";
import type { Tier, TierLimits } from "../../../../src/domain/customer/tier.ts";

test("matchEvents() holds deliveries beyond the monthly quota of the tier", async (store) => {
  await addSubscriber(store);
  await publishMany(store, 1, 5);
  const tiers = { ...monthly(100), team: { ...monthly(3).team } };
  assert.equal(await matchAll(store, { tiers }), 5);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "3: evt_03"]);
  assert.equal((await store.health()).pendingDeliveries, 3);
});

test("countHeldByCause() counts held deliveries by the quota, the customer, or what disabled the subscription", async (store) => {
  await heldBeyond(store, 1, 4);
  const held = { deliveries: 3, subscriptions: 1 };
  assert.deepEqual(await store.countHeldByCause(), [{ cause: "quota", ...held }]);
  await store.changeSubscription("cus_1", "sub_1", { enabled: false }, { nowMs: T0, activeLimit: 9 });
  assert.deepEqual(await store.countHeldByCause(), [{ cause: "owner", ...held, deliveries: 4 }]);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  assert.deepEqual(await store.countHeldByCause(), [{ cause: "customer", ...held, deliveries: 4 }]);
});

test("matchEvents() prefers a customer's own limit to its tier's", async (store) => {
  await addCustomer(store, "1", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 1 } });
  await addCustomer(store, "2", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 3 } });
  await addCustomer(store, "3", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 0 } });
  for (const digit of ["1", "2", "3"]) {
    await subscribe(store, `sub_${digit}`, { customerId: `cus_${digit}` });
  }
  await publishMatched(store, 1, 4, { tiers: monthly(2) });
  const claimed = (await claimAll(store)).map((delivery) => delivery.subscriptionId);
  assert.deepEqual(claimed, ["sub_1", "sub_2", "sub_2", "sub_2"]);
});

test("matchEvents() queues later events behind those that the quota holds", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 2, { tiers: monthly(1) });
  await publishMatched(store, 3, 3, { tiers: monthly(2) });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01"]);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 1);
  assert.deepEqual(await claimedBodies(store), ["2: evt_02"]);
});

test("matchEvents() does not wait for held deliveries of a disabled subscription", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  await finishAllDue(store, { kind: "gone" });
  await subscribe(store, "sub_2");
  await publishMatched(store, 2, 2);
  assert.deepEqual((await claimAll(store)).map((delivery) => delivery.subscriptionId), ["sub_2"]);
});

test("finishAttempts() counts a delivered event once, regardless of the number of attempts", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1, { tiers: monthly(2) });
  for (const attempt of [1, 2, 3]) {
    await finishAllDue(store, { kind: "retry", atMs: T0 + attempt }, T0 + attempt - 1);
  }
  assert.equal(await finishAllDue(store, { kind: "delivered" }, T0 + 3), 1);
  await publishMatched(store, 2, 3, { tiers: monthly(2) });
  assert.deepEqual(await claimedBodies(store), ["2: evt_02"]);
});

test("usageByDay() counts requests and arrived deliveries of each UTC day, replays only once", async (store) => {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const DAY = 86_400_000;
  await addSubscriber(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_2", { customerId: "cus_2" });
  await publishMatched(store, 1, 2);
  assert.equal(await finishAllDue(store, { kind: "delivered" }, T0), 4);
  await publishMatched(store, 3, 3);
  assert.equal(await finishAllDue(store, { kind: "failed" }, T0 + DAY), 2);
  await replayAll(store);
  assert.equal(await finishAllDue(store, { kind: "delivered" }, T0 + 2 * DAY), 3);
  const counts = [[0, 5], [2, 7]].map(([days = 0, requests = 0]) => ({
    customerId: "cus_1",
    day: day(T0 + days * DAY),
    requests,
  }));
  await store.addRequests(counts);
  const expected = [
    { day: day(T0), requests: 5, deliveries: 2 },
    { day: day(T0 + 2 * DAY), requests: 7, deliveries: 1 },
  ];
  assert.deepEqual(await store.usageByDay("cus_1", day(T0)), expected);
  assert.deepEqual(await store.usageByDay("cus_1", day(T0 + DAY)), expected.slice(1));
  assert.deepEqual(await store.usageByDay("cus_2", day(T0)), [{ day: day(T0), requests: 0, deliveries: 2 }]);
});

test("finishAttempts() gives back the quota of a failed delivery", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 2, { tiers: monthly(1) });
  assert.equal(await releaseAll(store, { tiers: monthly(1) }), 0);
  assert.equal(await finishAllDue(store, { kind: "failed" }), 1);
  assert.equal(await releaseAll(store, { tiers: monthly(1) }), 1);
  assert.deepEqual(await claimedBodies(store), ["2: evt_02"]);
});

test("finishAttempts() gives back the quota to the month in which the delivery was counted", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1, { tiers: monthly(1) });
  await publishMatched(store, 2, 3, { tiers: monthly(1), month: AUGUST, nowMs: T0 + 1 });
  const july = await claimAll(store, T0);
  await store.finishAttempts(july.map((delivery) => finished(delivery, { kind: "failed" })), T0 + 2);
  assert.equal(await releaseAll(store, { tiers: monthly(1), month: AUGUST }), 0, "August is used up");
});

test("deleteSubscription() gives back the quota of unsent deliveries, but not of delivered ones", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1, { tiers: monthly(3) });
  await finishAllDue(store, { kind: "delivered" });
  await publishMatched(store, 2, 3, { tiers: monthly(3) });
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  await subscribe(store, "sub_2");
  await publishMatched(store, 4, 6, { tiers: monthly(3) });
  assert.deepEqual(await claimedBodies(store), ["1: evt_04", "2: evt_05"]);
});

test("matchEvents() notifies the customer at 80 % and 100 % of the quota, once a month each", async (store) => {
  await addSubscriber(store);
  const told = async () =>
    (await store.listMails({ customerId: "cus_1", limit: 100 })).map(({ kind }) => kind).sort();
  const noticesOf = async (month: string) => {
    const { warnedAtMs, spentAtMs } = await store.usageOf("cus_1", month);
    return [warnedAtMs, spentAtMs];
  };
  const step = async (from: number, to: number, month = JULY) => {
    await publishMatched(store, from, to, { tiers: monthly(10), month, nowMs: T0 + from });
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
  assert.deepEqual(await told(), ["quota-100", "quota-100", "quota-80"], "notified again in a new month");
  assert.deepEqual(await noticesOf(JULY), [T0 + 8, T0 + 10]);
});

test("matchEvents() notifies once more if the limit changes within the month", async (store) => {
  await addCustomer(store, "1", { tier: "indie" });
  await subscribe(store, "sub_1");
  const tiers = { ...monthly(10), team: monthly(20).team };
  const told = async () =>
    (await store.listMails({ customerId: "cus_1", limit: 99 })).flatMap(({ kind }) =>
      kind.startsWith("quota") ? [kind] : []
    ).reverse().join(" ");
  const step = async (from: number, to: number) => {
    await publishMatched(store, from, to, { tiers, nowMs: T0 + from });
    await releaseAll(store, { tiers });
  };
  await step(1, 8);
  await step(9, 12);
  assert.equal(await told(), "quota-80 quota-100");
  await store.changeCustomer("cus_1", { tier: "team" }, BY);
  await step(13, 15);
  assert.equal(await told(), "quota-80 quota-100");
  await step(16, 16);
  assert.equal(await told(), "quota-80 quota-100 quota-80", "for the new limit");
  const { warnedAtMs, spentAtMs } = await store.usageOf("cus_1", JULY);
  assert.deepEqual([warnedAtMs, spentAtMs], [T0 + 16, null], "the quota is no longer used up");
  await step(17, 24);
  assert.equal(await told(), "quota-80 quota-100 quota-80 quota-100");
  await store.changeCustomer("cus_1", { tier: "indie" }, BY);
  await step(25, 25);
  await store.changeCustomer("cus_1", { tier: "team" }, BY);
  await step(26, 26);
  assert.equal(await told(), "quota-80 quota-100 quota-80 quota-100");
});

test("changeCustomer() makes held deliveries wait for the quota again, unless their subscription is disabled", async (store) => {
  await addSubscriber(store);
  await subscribe(store, "sub_2");
  await publishMatched(store, 1, 1, { tiers: monthly(1) });
  await publishMatched(store, 2, 2, { tiers: monthly(1) });
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

test("releaseHeld() notifies the customer if the released deliveries almost use up the quota", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 9, { tiers: monthly(1) });
  const before = (await store.listMails({ customerId: "cus_1", limit: 100 })).length;
  assert.equal(await releaseAll(store, { tiers: monthly(10), month: AUGUST }), 8);
  const mails = await store.listMails({ customerId: "cus_1", limit: 100 });
  assert.equal(mails.length, before + 1);
  assert.deepEqual(mails.map(({ kind }) => kind).sort(), ["quota-100", "quota-80"]);
});

/** Adds a subscription with a delivery of each event from `evt_01` on. All but the first `quota` are held. */
async function heldBeyond(store: Store, quota: number, events: number): Promise<void> {
  await addSubscriber(store);
  await publishMatched(store, 1, events, { tiers: monthly(quota) });
}

test("releaseHeld() releases the oldest deliveries in a new month, up to the quota", async (store) => {
  await heldBeyond(store, 2, 7);
  await finishAllDue(store, { kind: "delivered" });
  const august = { month: AUGUST, tiers: monthly(3), nowMs: T0 + 5 };
  assert.equal(await releaseAll(store, august), 3);
  assert.deepEqual(await claimAll(store, T0 + 4), []);
  assert.deepEqual(await claimedBodies(store, T0 + 5), ["3: evt_03", "4: evt_04", "5: evt_05"]);
  assert.equal(await releaseAll(store, august), 0);
  assert.equal(await releaseAll(store, { ...august, month: "2026-09" }), 2);
});

test("releaseHeld() releases after an upgrade of the tier", async (store) => {
  await heldBeyond(store, 1, 4);
  const tiers = { ...monthly(1), gpai: { ...monthly(3).gpai } };
  assert.equal(await releaseAll(store, { tiers }), 0);
  assert.deepEqual(await store.countUndelivered(), { held: 3, failed: 0, heldFull: 0 });
  await store.changeCustomer("cus_1", { tier: "gpai" }, BY);
  assert.equal(await releaseAll(store, { tiers }), 2);
  assert.deepEqual(await store.countUndelivered(), { held: 1, failed: 0, heldFull: 0 });
  assert.equal((await store.health()).pendingDeliveries, 3);
});

test("releaseHeld() releases the oldest deliveries of all subscriptions of a customer first", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_2");
  await subscribe(store, "sub_1");
  for (const event of [1, 2]) {
    await publishMatched(store, event, event, { tiers: monthly(0) });
  }
  const released = async (quota: number): Promise<string[]> => {
    assert.equal(await releaseAll(store, { tiers: monthly(quota) }), 2);
    const claimed = await claimAll(store);
    return claimed.map(({ subscriptionId, body }) => `${subscriptionId} ${body}`).toSorted();
  };
  assert.deepEqual(await released(2), ["sub_1 1: evt_01", "sub_2 1: evt_01"]);
  assert.deepEqual(await released(4), ["sub_1 2: evt_02", "sub_2 2: evt_02"]);
});

test("releaseHeld() releases some deliveries of every customer in each call, however long one queue is", async (store) => {
  for (const digit of ["1", "2", "3"]) {
    await addCustomer(store, digit);
    await subscribe(store, `sub_${digit}`, { customerId: `cus_${digit}` });
  }
  await publish(store, Array.from({ length: 600 }, (_, at) => anEvent(`evt_${1_000 + at}`)));
  await matchAll(store, { tiers: monthly(0) });
  // The limit of `cus_2` allows no delivery, so its queue takes no share from the others.
  await store.changeCustomer("cus_2", { tier: "embedded", limits: { webhookDeliveriesPerMonth: 0 } }, BY);
  const released = await store.releaseHeld({ nowMs: T0, month: JULY, tiers: monthly(1_000), newMailId });
  const counts = new Map<string, number>();
  for (const { subscriptionId } of await claimAll(store)) {
    counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1);
  }
  assert.deepEqual([...counts], [["sub_1", released / 2], ["sub_3", released / 2]]);
});

test("releaseHeld() releases a disabled customer's deliveries once the customer is enabled", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  assert.deepEqual(await claimAll(store, T0 + LEASE), []);
  await publishMatched(store, 2, 2);
  assert.equal(await releaseAll(store), 0);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store), 2);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02"]);
});

test("releaseHeld() counts released deliveries towards the quota, even after the customer has been disabled", async (store) => {
  await heldBeyond(store, 2, 3);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 2);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 0);
});

test("releaseHeld() restarts the schedule and keeps the number of attempts", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  await finishAllDue(store, { kind: "retry", atMs: T0 + 100 * LEASE });
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store, { nowMs: T0 + 5 }), 1);
  assert.deepEqual((await claimAll(store, T0 + 5)).map(({ attempt }) => attempt), [2]);
});

test("releaseHeld() releases any number of deliveries over several calls, oldest first", async (store) => {
  const [count, quota] = [1_300, 1_250];
  await heldBeyond(store, 0, count);
  await matchAll(store, { tiers: monthly(0), limit: 10_000 });
  assert.equal(await releaseAll(store, { tiers: monthly(quota) }), quota);
  const sequences = (await claimAll(store, T0, { limit: 5_000, perSubscription: 5_000 }))
    .map(({ body }) => Number.parseInt(body));
  assert.deepEqual(sequences, Array.from({ length: quota }, (_, at) => at + 1));
});

/** Returns limits with these numbers of deliveries per month and of held deliveries. */
function limited(month: number, heldDeliveries: number): Record<Tier, TierLimits> {
  const tiers = Object.entries(monthly(month)).map(([tier, limits]) => [tier, { ...limits, heldDeliveries }]);
  return Object.fromEntries(tiers);
}

/** Alternates between releasing and catching up until nothing changes. */
async function continueAll(
  store: Store,
  terms: { tiers: Record<Tier, TierLimits>; month?: string },
): Promise<void> {
  while (await releaseAll(store, terms) + await catchUpAll(store, terms) > 0);
}

const mailsOf = async (store: Store, id = "cus_1") =>
  (await store.listMails({ limit: 99, customerId: id })).map(({ kind }) => kind).filter((kind) =>
    kind === "held-full"
  );

test("matchEvents() stores held deliveries up to the limit, from which the subscription continues later", async (store) => {
  await addSubscriber(store);
  const tiers = limited(1, 3);
  await publishMatched(store, 1, 4, { tiers });
  assert.equal(await catchUpOf(store), null);
  assert.deepEqual(await mailsOf(store), []);
  await publishMatched(store, 5, 9, { tiers });
  assert.deepEqual(await store.countUndelivered(), { held: 3, failed: 0, heldFull: 1 });
  assert.equal((await store.usageOf("cus_1", JULY)).held, 3);
  assert.deepEqual(await catchUpOf(store), {
    reason: "held_full",
    sinceMs: T0,
    isPaused: true,
    nextEventId: "evt_05",
  });
  assert.deepEqual(await mailsOf(store), ["held-full"]);
  await continueAll(store, { tiers });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01"], "the quota is still used up");
  // August's quota is too small for all events; September's is not.
  const august = { tiers: limited(5, 3), month: AUGUST };
  await continueAll(store, august);
  assert.deepEqual((await catchUpOf(store))?.nextEventId, "evt_07");
  await continueAll(store, { tiers: limited(50, 3), month: "2026-09" });
  assert.equal(await catchUpOf(store), null);
  assert.equal((await store.countUndelivered()).heldFull, 0);
  await publishMatched(store, 10, 10, { tiers: limited(50, 3) });
  assert.deepEqual(
    await claimedBodies(store),
    Array.from({ length: 9 }, (_, at) => `${at + 2}: evt_${String(at + 2).padStart(2, "0")}`),
    "every event once, in order, without a gap in the sequence",
  );
});

test("matchEvents() counts the held deliveries of all subscriptions of a customer, and of no other customer", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
  await subscribe(store, "sub_3", { customerId: "cus_2" });
  await publishMatched(store, 1, 3, { tiers: limited(0, 3) });
  const held = async (id: string) => (await store.usageOf(id, JULY)).held;
  assert.deepEqual([await held("cus_1"), await held("cus_2")], [3, 3]);
  assert.equal((await store.countUndelivered()).heldFull, 2);
  assert.equal((await store.findSubscription("cus_2", "sub_3"))?.catchUp, null);
  assert.deepEqual([await mailsOf(store), await mailsOf(store, "cus_2")], [["held-full"], []]);
  await continueAll(store, { tiers: limited(100, 3) });
  const claimed = await claimAll(store);
  for (const id of ["sub_1", "sub_2", "sub_3"]) {
    const bodies = claimed.filter(({ subscriptionId }) => subscriptionId === id).map(({ body }) => body);
    assert.deepEqual(bodies, ["1: evt_01", "2: evt_02", "3: evt_03"], id);
  }
});

test("matchEvents() applies the limit to disabled subscriptions too, which get every event once enabled", async (store) => {
  await addSubscriber(store);
  const change = (enabled: boolean) =>
    store.changeSubscription("cus_1", "sub_1", { enabled }, { nowMs: T0, activeLimit: 9 });
  await change(false);
  const tiers = limited(100, 2);
  await publishMatched(store, 1, 6, { tiers });
  assert.equal((await store.usageOf("cus_1", JULY)).held, 2);
  await continueAll(store, { tiers });
  assert.deepEqual(await claimAll(store), []);
  await change(true);
  await continueAll(store, { tiers });
  assert.equal((await store.health()).pendingDeliveries, 6);
  assert.equal(await catchUpOf(store), null);
});

test("matchEvents() continues a disabled customer's subscriptions where they stopped, without an email", async (store) => {
  await addSubscriber(store);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  const tiers = limited(100, 1);
  await publishMatched(store, 1, 3, { tiers });
  assert.equal((await catchUpOf(store))?.reason, "held_full");
  assert.deepEqual(await mailsOf(store), []);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  await continueAll(store, { tiers });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "3: evt_03"]);
});

test("replayEvents() creates no held delivery beyond the limit, and returns where it stopped", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 5);
  await subscribe(store, "sub_1");
  const first = await replayAll(store, { tiers: limited(1, 2) });
  assert.deepEqual(first, { replayed: 0, created: 3, held: 2, lastEventId: "evt_03", isFull: true });
  const second = await replayAll(store, { tiers: limited(1, 2), afterId: "evt_03" });
  assert.deepEqual(second, { replayed: 0, created: 0, held: 0, lastEventId: null, isFull: true });
  await continueAll(store, { tiers: limited(100, 2) });
  await replayAll(store, { tiers: limited(100, 2), afterId: "evt_03" });
  assert.equal((await claimAll(store, T0 + 1_000)).length, 5);
});
