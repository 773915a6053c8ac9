// What the port promises of subscriptions that are behind: those that asked for stored events.
import assert from "node:assert/strict";
import { test } from "../contract.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  aSubscription,
  AUGUST,
  BY,
  catchUpAll,
  claimAll,
  claimedBodies,
  EVERYTHING,
  LEASE,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  subscribe,
  T0,
  TERMS,
} from "../given.ts";
import { logged, one } from "./delivery_log.ts";

test("catchUp() delivers the past first, in order, then what came meanwhile, each once and nothing lost between", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 30);
  await matchAll(store, { limit: 20 });
  // Ten still wait to be matched: for it they are of the past.
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await subscribe(store, "sub_2");
  await publishMany(store, 31, 35);
  await matchAll(store);
  assert.equal((await claimedBodies(store)).length, 5, "the other one waits for nobody");
  for (const place of [5, 10, 15, 20, 25, 30]) {
    const moved = await store.catchUp({ ...TERMS, deliveriesFor: () => [] });
    assert.equal(moved, 1, `up to ${place}: a call does little, so that nothing waits for it`);
  }
  await catchUpAll(store);
  await publishMany(store, 36, 36);
  await matchAll(store);
  const bodies = (await claimAll(store)).filter(({ subscriptionId }) => subscriptionId === "sub_1");
  // The calls above, which found nothing to deliver, stand for a filter: what they looked at is done.
  assert.deepEqual(
    bodies.map(({ body }) => body),
    [31, 32, 33, 34, 35, 36].map((n, at) => `${at + 1}: evt_${n}`),
  );
});

test("catchUp() takes what was published since the time, of all that is stored, matched already or not", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 250);
  await matchAll(store, { limit: 100 });
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: T0, perDay: 9 } });
  await store.addSubscription(aSubscription("sub_2"), 9, {
    backfill: { sinceMs: Number.MAX_SAFE_INTEGER, perDay: 9 },
  });
  let came = 250;
  for (let steps = 0; await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING }) > 0; steps++) {
    if (steps < 3) await publishMany(store, ++came, came);
    await matchAll(store, { limit: 70 });
  }
  await matchAll(store);
  await publishMany(store, ++came, came);
  await matchAll(store);
  const all = await claimAll(store, T0 + LEASE);
  const of = (id: string) =>
    all.filter(({ subscriptionId }) => subscriptionId === id).map(({ body }) => body);
  assert.deepEqual(of("sub_1"), Array.from({ length: came }, (_, at) => `${at + 1}: evt_${two(at + 1)}`));
  assert.deepEqual(of("sub_2"), [251, 252, 253, 254].map((n, at) => `${at + 1}: evt_${n}`));
  assert.equal(await catchUpAll(store), 0, "nothing is left of it");
});

test("catchUp() pauses where the month is used up, holds nothing, and goes on there when there is more", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 12);
  await matchAll(store);
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await catchUpAll(store, { tiers: monthly(2) });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02"]);
  const paused = { reason: "backfill", sinceMs: T0, isPaused: true, nextEventId: "evt_03" };
  assert.deepEqual(await catchUpOf(store), paused);
  // What comes meanwhile waits behind the stored events, and makes no row either.
  await publishMany(store, 13, 14);
  await matchAll(store, { tiers: monthly(2) });
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 0);
  assert.equal(await catchUpAll(store, { tiers: monthly(2) }), 0);
  assert.deepEqual(await logged(store), [`${one(2)}: pending`, `${one(1)}: pending`]);
  // An upgrade, and then another month.
  assert.equal(await releaseAll(store, { tiers: monthly(7) }), 1, "the subscription goes on");
  await catchUpAll(store, { tiers: monthly(7) });
  assert.deepEqual((await catchUpOf(store))?.nextEventId, "evt_08");
  const august = { tiers: monthly(100), month: AUGUST };
  await releaseAll(store, august);
  await catchUpAll(store, august);
  assert.equal(await catchUpOf(store), null);
  await publishMany(store, 15, 15);
  await matchAll(store, august);
  assert.deepEqual(
    await claimedBodies(store),
    Array.from({ length: 13 }, (_, at) => `${at + 3}: evt_${two(at + 3)}`),
  );
});

test("catchUp() makes nothing before what the customer's other subscriptions hold has been released", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_2");
  await publishMany(store, 1, 3);
  await matchAll(store, { tiers: monthly(1) });
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await catchUpAll(store, { tiers: monthly(100) });
  assert.equal((await catchUpOf(store))?.isPaused, true);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01"]);
  assert.equal(
    await releaseAll(store, { tiers: monthly(100) }),
    3,
    "two that were held, and the subscription",
  );
  await catchUpAll(store, { tiers: monthly(100) });
  const bodies = (await claimAll(store)).map(({ subscriptionId, body }) => `${subscriptionId} ${body}`);
  assert.deepEqual(bodies.toSorted(), [
    "sub_1 1: evt_01",
    "sub_1 2: evt_02",
    "sub_1 3: evt_03",
    "sub_2 2: evt_02",
    "sub_2 3: evt_03",
  ]);
});

test("catchUp() pauses while the subscription is off or its customer kept out, and goes on afterwards", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 6);
  await matchAll(store);
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  const change = (enabled: boolean) =>
    store.changeSubscription("cus_1", "sub_1", { enabled }, { nowMs: T0, activeLimit: 9 });
  await change(false);
  await catchUpAll(store);
  assert.equal(await releaseAll(store), 0);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  await change(true);
  assert.equal(await releaseAll(store), 0);
  assert.equal(await catchUpAll(store), 0);
  assert.deepEqual(await logged(store), []);
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store), 1);
  await catchUpAll(store);
  assert.equal((await store.health()).pendingDeliveries, 6);
});

test("catchUp() lets customers take turns: the long past of one does not delay the short one of another", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await publishMany(store, 1, 60);
  await matchAll(store);
  for (const id of ["sub_1", "sub_2", "sub_3"]) {
    await store.addSubscription(aSubscription(id), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  }
  await publishMany(store, 61, 63);
  await matchAll(store);
  await store.addSubscription(aSubscription("sub_9", { customerId: "cus_2" }), 9, {
    backfill: { sinceMs: 0, perDay: 9 },
  });
  for (let call = 0; call < 26; call++) await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING });
  const made = Map.groupBy(await claimAll(store), ({ subscriptionId }) => subscriptionId);
  assert.deepEqual([...made].map(([id, { length }]) => [id, length]), [["sub_1", 63], ["sub_9", 63]]);
});

test("catchUp() stops with a deletion", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 5);
  await matchAll(store);
  await store.addSubscription(aSubscription("sub_2"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await publishMany(store, 6, 6);
  await matchAll(store);
  await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
  assert.equal(await catchUpAll(store), 0);
  assert.deepEqual(await logged(store, { subscriptionId: "sub_2" }), []);
});

test("addSubscription() allows a number of backfills a UTC day, and creates nothing beyond it", async (store) => {
  await addCustomer(store);
  const day = 86_400_000;
  const add = (id: string, createdAtMs: number) =>
    store.addSubscription(aSubscription(id, { createdAtMs }), 9, { backfill: { sinceMs: 0, perDay: 2 } });
  assert.deepEqual([await add("sub_1", T0), await add("sub_2", T0)], ["created", "created"]);
  await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 9 });
  assert.equal(await add("sub_3", T0), "backfill_limit_reached");
  assert.equal(await store.findSubscription("cus_1", "sub_3"), null);
  assert.equal(await store.addSubscription(aSubscription("sub_4"), 9), "created", "without a backfill");
  assert.equal(await add("sub_3", T0 + day), "created");
});

const catchUpOf = async (store: Store, id = "sub_1") => (await store.findSubscription("cus_1", id))?.catchUp;

const two = (n: number): string => String(n).padStart(2, "0");
