// Promises about the number of deliveries that a customer may have held: what follows is not stored, and not lost.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import type { Tier, TierLimits } from "../../../../src/domain/customer/tier.ts";
import {
  addCustomer,
  AUGUST,
  BY,
  catchUpAll,
  claimAll,
  claimedBodies,
  JULY,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  replayAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

/** So many deliveries a month, and so many held at the same time. */
function limited(month: number, heldDeliveries: number): Record<Tier, TierLimits> {
  const tiers = Object.entries(monthly(month)).map(([tier, limits]) => [tier, { ...limits, heldDeliveries }]);
  return Object.fromEntries(tiers);
}

async function publishAndMatch(
  store: Store,
  [first, last]: [number, number],
  tiers: Record<Tier, TierLimits>,
): Promise<void> {
  await publishMany(store, first, last);
  await matchAll(store, { tiers });
}

/** Releases and catches up, in turns, until nothing more goes. */
async function goOn(store: Store, terms: { tiers: Record<Tier, TierLimits>; month?: string }): Promise<void> {
  while (await releaseAll(store, terms) + await catchUpAll(store, terms) > 0);
}

const catchUpOf = async (store: Store, id = "sub_1") => (await store.findSubscription("cus_1", id))?.catchUp;

const mailsOf = async (store: Store, id = "cus_1") =>
  (await store.listMails({ limit: 99, customerId: id })).map(({ kind }) => kind).filter((kind) =>
    kind === "held-full"
  );

test("matchEvents() stores no more held deliveries than the limit; the subscription goes on from there later", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  const tiers = limited(1, 3);
  await publishAndMatch(store, [1, 4], tiers);
  assert.equal(await catchUpOf(store), null);
  assert.deepEqual(await mailsOf(store), []);
  await publishAndMatch(store, [5, 9], tiers);
  assert.deepEqual(await store.countUndelivered(), { held: 3, failed: 0, heldFull: 1 });
  assert.equal((await store.usageOf("cus_1", JULY)).held, 3);
  assert.deepEqual(await catchUpOf(store), {
    reason: "held_full",
    sinceMs: T0,
    isPaused: true,
    nextEventId: "evt_05",
  });
  assert.deepEqual(await mailsOf(store), ["held-full"]);
  await goOn(store, { tiers });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01"], "the month is used up still");
  // A month that is too small for all of it, and then one that is not.
  const august = { tiers: limited(5, 3), month: AUGUST };
  await goOn(store, august);
  assert.deepEqual((await catchUpOf(store))?.nextEventId, "evt_07");
  await goOn(store, { tiers: limited(50, 3), month: "2026-09" });
  assert.equal(await catchUpOf(store), null);
  assert.equal((await store.countUndelivered()).heldFull, 0);
  await publishAndMatch(store, [10, 10], limited(50, 3));
  assert.deepEqual(
    await claimedBodies(store),
    Array.from({ length: 9 }, (_, at) => `${at + 2}: evt_${String(at + 2).padStart(2, "0")}`),
    "every event once, in order, with numbers that have no gap",
  );
});

test("matchEvents() counts what all subscriptions of a customer hold, and no other's", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
  await subscribe(store, "sub_3", { customerId: "cus_2" });
  await publishAndMatch(store, [1, 3], limited(0, 3));
  const held = async (id: string) => (await store.usageOf(id, JULY)).held;
  assert.deepEqual([await held("cus_1"), await held("cus_2")], [3, 3]);
  assert.equal((await store.countUndelivered()).heldFull, 2);
  assert.equal((await store.findSubscription("cus_2", "sub_3"))?.catchUp, null);
  assert.deepEqual(
    [await mailsOf(store), await mailsOf(store, "cus_2")],
    [["held-full"], []],
    "one mail for both",
  );
  await goOn(store, { tiers: limited(100, 3) });
  const claimed = await claimAll(store);
  for (const id of ["sub_1", "sub_2", "sub_3"]) {
    const bodies = claimed.filter(({ subscriptionId }) => subscriptionId === id).map(({ body }) => body);
    assert.deepEqual(bodies, ["1: evt_01", "2: evt_02", "3: evt_03"], id);
  }
});

test("matchEvents() stops at the limit for a subscription that is off too; switched on, it gets everything", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  const change = (enabled: boolean) =>
    store.changeSubscription("cus_1", "sub_1", { enabled }, { nowMs: T0, activeLimit: 9 });
  await change(false);
  const tiers = limited(100, 2);
  await publishAndMatch(store, [1, 6], tiers);
  assert.equal((await store.usageOf("cus_1", JULY)).held, 2);
  await goOn(store, { tiers });
  assert.deepEqual(await claimAll(store), []);
  await change(true);
  await goOn(store, { tiers });
  assert.equal((await store.health()).pendingDeliveries, 6);
  assert.equal(await catchUpOf(store), null);
});

test("matchEvents() lets a kept-out customer's subscriptions go on where they stopped, and tells nobody", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  const tiers = limited(100, 1);
  await publishAndMatch(store, [1, 3], tiers);
  assert.equal((await catchUpOf(store))?.reason, "held_full");
  assert.deepEqual(await mailsOf(store), []);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  await goOn(store, { tiers });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "3: evt_03"]);
});

test("replayEvents() makes no delivery that would be held beyond the limit, and says where it stopped", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 5);
  await matchAll(store);
  await subscribe(store, "sub_1");
  const first = await replayAll(store, { tiers: limited(1, 2) });
  assert.deepEqual(first, { replayed: 0, created: 3, held: 2, lastEventId: "evt_03", isFull: true });
  const second = await replayAll(store, { tiers: limited(1, 2), afterId: "evt_03" });
  assert.deepEqual(second, { replayed: 0, created: 0, held: 0, lastEventId: null, isFull: true });
  await goOn(store, { tiers: limited(100, 2) });
  await replayAll(store, { tiers: limited(100, 2), afterId: "evt_03" });
  assert.equal((await claimAll(store, T0 + 1_000)).length, 5);
});
