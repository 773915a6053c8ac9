// What the port promises of sending again.
import assert from "node:assert/strict";
import { test } from "../contract.ts";
import {
  addCustomer,
  aSubscription,
  catchUpAll,
  claimAll,
  claimedBodies,
  deliveryId,
  EVERYTHING,
  finishAllDue,
  finished,
  JULY,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  replayAll,
  subscribe,
  T0,
  TERMS,
} from "../given.ts";
import { everyState, logged, one } from "./delivery_log.ts";

test("replayDelivery() sends a delivered one again under its id, with its bytes, and counts it once", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
  const [sent] = await claimAll(store);
  assert.ok(sent !== undefined);
  await store.finishAttempts([finished(sent, { kind: "delivered" })], T0 + 1);
  const terms = { ...TERMS, nowMs: T0 + 9, tiers: monthly(1) };
  const again = await store.replayDelivery("cus_1", one(1), terms);
  assert.ok(typeof again !== "string");
  assert.deepEqual([again.status, again.finishedAtMs, again.arrivedAtMs], ["pending", null, T0 + 1]);
  assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 1);
  const [second] = await claimAll(store, T0 + 9);
  assert.deepEqual([second?.id, second?.body, second?.attempt], [sent.id, sent.body, 2]);
  assert.equal(await store.replayDelivery("cus_1", one(1), terms), "unfinished");
  // Every attempt of the replay fails: what arrived stays delivered, and counted.
  if (second !== undefined) await store.finishAttempts([finished(second, { kind: "failed" })], T0 + 10);
  assert.deepEqual(await logged(store), [`${one(1)}: delivered`]);
  assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 1);
});

test("replayDelivery() counts a failed one anew, and holds it while the month's deliveries are used up", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 2);
  await matchAll(store);
  await finishAllDue(store, { kind: "failed" });
  assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 0);
  const terms = { ...TERMS, tiers: monthly(1) };
  const first = await store.replayDelivery("cus_1", one(1), terms);
  const second = await store.replayDelivery("cus_1", one(2), terms);
  assert.ok(typeof first !== "string" && typeof second !== "string");
  assert.deepEqual([first.status, second.status, second.holdReason], ["pending", "held", "quota"]);
  assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 1);
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 1);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02"]);
});

test("replayDelivery() stands in the audit when it is not its owner who does it, and only when it is done", async (store) => {
  await everyState(store);
  const by = { actor: "cli:root", atMs: T0 + 9 };
  const acts = async () =>
    (await store.listAudit({ limit: 9 })).filter(({ act }) => act === "delivery.replay").map((entry) => ({
      ...entry,
      seq: 0,
    }));
  await store.replayDelivery("cus_1", one(1), TERMS);
  assert.equal(await store.replayDelivery("cus_1", one(3), { ...TERMS, by }), "unfinished");
  assert.deepEqual(await acts(), []);
  await store.replayDelivery("cus_1", one(2), { ...TERMS, by });
  assert.deepEqual(await acts(), [
    { seq: 0, ...by, act: "delivery.replay", customerId: "cus_1", change: { delivery: one(2) } },
  ]);
});

test("replayEvents() sends finished ones again and makes those that never were, in the order of storing", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 3);
  await matchAll(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 4, 6);
  await matchAll(store);
  await finishAllDue(store, { kind: "delivered" });
  await publishMany(store, 7, 7);
  await matchAll(store);
  assert.deepEqual(await replayAll(store, { afterId: "evt_01", maxDeliveries: 4 }), {
    replayed: 2,
    created: 2,
    held: 0,
    lastEventId: "evt_05",
  });
  assert.deepEqual(await replayAll(store, { afterId: "evt_05", maxEvents: 2, firstPosition: 4 }), {
    replayed: 1,
    created: 0,
    held: 0,
    lastEventId: "evt_07",
  });
  assert.deepEqual(await replayAll(store, { afterId: "evt_07" }), {
    replayed: 0,
    created: 0,
    held: 0,
    lastEventId: null,
  });
  // What was not sent yet goes first; replays follow in the order of the events, whatever their sequence is.
  assert.deepEqual(await claimedBodies(store, T0 + 1_000), ["4: evt_07"]);
  assert.deepEqual(await claimedBodies(store, T0 + 1_000), [
    "5: evt_02",
    "6: evt_03",
    "1: evt_04",
    "2: evt_05",
    "3: evt_06",
  ]);
  await publishMany(store, 8, 8);
  await matchAll(store);
  assert.deepEqual(await claimedBodies(store, T0 + 1_000), ["7: evt_08"], "the sequence has no gap");
});

test("replayEvents() takes of the day's replays what it sends, and sends nothing when they are not enough", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 2);
  await matchAll(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 3, 4);
  await matchAll(store);
  await finishAllDue(store, { kind: "delivered" });
  const sum = { replayed: 2, created: 2, held: 0, lastEventId: "evt_04" };
  const limit = (replaysPerDay: number, isDryRun = false) => replayAll(store, { replaysPerDay, isDryRun });
  assert.deepEqual(await limit(3, true), sum, "a dry run only counts");
  assert.equal(await limit(3), "limit_reached");
  assert.deepEqual(await claimAll(store, T0 + 1_000), []);
  assert.equal((await store.usedToday("cus_1", T0)).replays, 0);
  assert.deepEqual(await limit(4), sum);
  assert.equal((await store.usedToday("cus_1", T0)).replays, 4);
  await finishAllDue(store, { kind: "delivered" }, T0 + 1_000);
  assert.equal(await limit(4), "limit_reached");
  const terms = { ...TERMS, replaysPerDay: 4 };
  assert.equal(
    await store.replayDelivery("cus_1", deliveryId("evt_03", "sub_1"), terms),
    "limit_reached",
  );
  const unlimited = await store.replayDelivery("cus_1", deliveryId("evt_03", "sub_1"), TERMS);
  assert.ok(typeof unlimited !== "string", "the operator's are not limited");
  assert.deepEqual(await limit(4), "limit_reached");
  const nextDay = await replayAll(store, { replaysPerDay: 4, nowMs: T0 + 86_400_000 });
  assert.deepEqual(nextDay, { ...sum, replayed: 3, created: 0 });
});

test("replayEvents() counts what is held, and refuses another's and one that is switched off", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await publishMany(store, 1, 3);
  await matchAll(store);
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2", { customerId: "cus_2" });
  const outcome = await replayAll(store, { tiers: monthly(2) });
  assert.deepEqual(outcome, { replayed: 0, created: 3, held: 1, lastEventId: "evt_03" });
  assert.equal(await replayAll(store, {}, "sub_2"), "unknown");
  await store.changeSubscription("cus_1", "sub_1", { enabled: false }, { nowMs: T0, activeLimit: 9 });
  assert.equal(await replayAll(store), "disabled");
});

test("replayEvents() leaves to the past that is still being delivered what comes with it: the order stays", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 12);
  await matchAll(store);
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  assert.equal(await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING }), 1); // five of them
  await publishMany(store, 13, 14);
  await matchAll(store); // they wait for the past
  await publishMany(store, 15, 15); // it waits to be matched
  const replayed = await replayAll(store, { afterId: "evt_06" });
  assert.deepEqual(replayed, { replayed: 0, created: 0, held: 0, lastEventId: "evt_15" });
  await matchAll(store);
  await catchUpAll(store);
  assert.deepEqual(
    await claimedBodies(store),
    Array.from({ length: 15 }, (_, at) => `${at + 1}: evt_${two(at + 1)}`),
  );
});

test("replayEvents() sends what the past that is being delivered leaves out", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 3);
  await matchAll(store);
  await store.addSubscription(aSubscription("sub_1"), 9, {
    backfill: { sinceMs: Number.MAX_SAFE_INTEGER, perDay: 9 },
  });
  assert.deepEqual(await replayAll(store), { replayed: 0, created: 3, held: 0, lastEventId: "evt_03" });
});

const two = (n: number): string => String(n).padStart(2, "0");
