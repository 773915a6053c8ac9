// The delivery log: lists, catching up and replays.
import assert from "node:assert/strict";
import type { DeliveryStatus } from "../../../../src/domain/delivery/delivery.ts";
import type { DeliveriesFor } from "../../../../src/domain/ports/store/deliveries.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  addSubscriber,
  aSubscription,
  AUGUST,
  BY,
  catchUpAll,
  catchUpOf,
  claimAll,
  claimedBodies,
  deliveryId,
  EVERYTHING,
  finishAllDue,
  finished,
  JULY,
  LEASE,
  matchAll,
  monthly,
  publishMany,
  publishMatched,
  releaseAll,
  replayAll,
  subscribe,
  T0,
  TERMS,
} from "../given.ts";
import { test } from "../contract.ts";

/** Returns the ids and states of a customer's deliveries, in the order of the list. */
export const logged = async (
  store: Store,
  query: Partial<Parameters<Store["listDeliveries"]>[1]> = {},
  customer = "cus_1",
): Promise<string[]> =>
  (await store.listDeliveries(customer, { limit: 100, ...query })).map(({ id, status }) =>
    `${id}: ${status}`
  );

export const one = (event: number, subscription = "sub_1"): string =>
  deliveryId(`evt_${String(event).padStart(2, "0")}`, subscription);

/** Creates four events for two subscriptions, with deliveries in every state. */
export async function everyState(store: Store): Promise<void> {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_9", { customerId: "cus_2" });
  await publishMatched(store, 1, 1);
  await finishAllDue(store, { kind: "delivered" });
  await publishMatched(store, 2, 2, { nowMs: T0 + 2 });
  await finishAllDue(store, { kind: "failed" }, T0 + 2);
  await publishMatched(store, 3, 3, { nowMs: T0 + 3 });
  await publishMatched(store, 4, 4, { nowMs: T0 + 4, tiers: monthly(2) });
  await store.deleteSubscription("cus_2", "sub_9", { nowMs: T0 + 5, activeLimit: 100 });
}

test("listDeliveries() returns a customer's deliveries, newest first, by subscription, state, event and position", async (store) => {
  await everyState(store);
  const all = ["4: held", "3: pending", "2: failed", "1: delivered"].map((text) =>
    `${one(Number(text[0]))}${text.slice(1)}`
  );
  assert.deepEqual(await logged(store), all);
  assert.deepEqual(await logged(store, { subscriptionId: "sub_1" }), all);
  assert.deepEqual(await logged(store, { subscriptionId: "sub_9" }), []);
  assert.deepEqual(await logged(store, { limit: 2 }), all.slice(0, 2));
  assert.deepEqual(await logged(store, { beforeId: one(3) }), all.slice(2));
  assert.deepEqual(await logged(store, { eventId: "evt_02" }), [all[2]]);
  assert.deepEqual(await logged(store, { eventId: "evt_02", statuses: ["held"] }), []);
  const rows: [statuses: DeliveryStatus[], expected: (string | undefined)[]][] = [
    [["delivered"], [all[3]]],
    [["failed"], [all[2]]],
    [["pending"], [all[1]]],
    [["held"], [all[0]]],
    [["cancelled"], []],
    [["delivered", "held", "held"], [all[0], all[3]]],
  ];
  for (const [statuses, expected] of rows) {
    assert.deepEqual(await logged(store, { statuses }), expected);
    assert.deepEqual(await logged(store, { statuses, subscriptionId: "sub_1" }), expected);
  }
  assert.deepEqual(await logged(store, { statuses: ["delivered", "held"], beforeId: one(4) }), [all[3]]);
  assert.deepEqual(await logged(store, { statuses: ["cancelled"] }, "cus_2"), [
    `${one(4, "sub_9")}: cancelled`,
    `${one(3, "sub_9")}: cancelled`,
  ]);
  for (const more of [{}, { subscriptionId: "sub_1" }]) {
    assert.deepEqual(await logged(store, { sinceMs: T0 + 3, ...more }), all.slice(0, 2));
    assert.deepEqual(await logged(store, { sinceMs: T0 + 3, statuses: ["pending", "failed"], ...more }), [
      all[1],
    ]);
    assert.deepEqual(await logged(store, { sinceMs: T0 + 1, statuses: ["delivered"], ...more }), []);
  }
  assert.deepEqual(await logged(store, { sinceMs: T0 + 3, eventId: "evt_02" }), []);
});

test("listAllDeliveries() returns all customers' deliveries, newest first, by state, event, time and position", async (store) => {
  await everyState(store);
  const listed = async (query: Partial<Parameters<Store["listAllDeliveries"]>[0]> = {}) =>
    (await store.listAllDeliveries({ limit: 100, ...query })).map(({ id, customerId, status }) =>
      `${customerId} ${id.slice("dlv_".length)}: ${status}`
    );
  const everyones = [
    ...await store.listDeliveries("cus_1", { limit: 9 }),
    ...await store.listDeliveries("cus_2", { limit: 9 }),
  ];
  const all = await listed();
  assert.equal(all.length, 8);
  assert.deepEqual(
    all.toSorted(),
    everyones.map(({ id, customerId, status }) => `${customerId} ${id.slice(4)}: ${status}`).sort(),
  );
  const events = all.map((line) => /evt_\d+/.exec(line)?.[0] ?? "");
  assert.deepEqual(events, events.toSorted().reverse(), "newest first");
  for (const status of ["pending", "delivered", "failed", "held", "cancelled"] as const) {
    const ofStatus = all.filter((line) => line.endsWith(`: ${status}`));
    assert.ok(ofStatus.length > 0, status);
    assert.deepEqual(await listed({ statuses: [status] }), ofStatus);
    assert.deepEqual(await listed({ statuses: [status], limit: 1 }), ofStatus.slice(0, 1));
    assert.deepEqual(await listed({ statuses: [status], sinceMs: T0 + 10 }), []);
  }
  const two = ["delivered", "cancelled"] as const;
  const ofTwo = all.filter((line) => two.some((status) => line.endsWith(`: ${status}`)));
  assert.deepEqual(await listed({ statuses: two }), ofTwo);
  assert.deepEqual(await listed({ sinceMs: T0 + 3 }), all.slice(0, 4));
  assert.deepEqual(await listed({ eventId: "evt_02" }), all.slice(4, 6));
  assert.deepEqual(await listed({ eventId: "evt_02", statuses: ["held"] }), []);
  assert.deepEqual(await listed({ eventId: "evt_02", limit: 1 }), all.slice(4, 5));
  const third = (await store.listAllDeliveries({ limit: 3 })).at(-1);
  assert.ok(third !== undefined);
  assert.deepEqual(await listed({ beforeId: third.id }), all.slice(3));
  assert.deepEqual(
    await listed({ beforeId: third.id, statuses: ["cancelled", "held"] }),
    all.slice(3).filter((line) => /cancelled|held/.test(line)),
  );
});

test("findOwner() returns the customer of a subscription or a delivery, even if it is deleted", async (store) => {
  await everyState(store);
  const rows: [of: "subscription" | "delivery", id: string, owner: string | null][] = [
    ["subscription", "sub_1", "cus_1"],
    ["subscription", "sub_9", "cus_2"],
    ["subscription", "sub_2", null],
    ["subscription", one(1), null],
    ["delivery", one(1), "cus_1"],
    ["delivery", one(1, "sub_9"), "cus_2"],
    ["delivery", one(9), null],
    ["delivery", "sub_1", null],
  ];
  for (const [of, id, owner] of rows) assert.equal(await store.findOwner(of, id), owner, `${of} ${id}`);
});

test("findDelivery() returns a delivery and listAttempts() its attempts, but only to its customer", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  const before = await store.findDelivery("cus_1", one(1));
  assert.deepEqual([before?.attempts, before?.lastProblem, before?.isRevision], [0, null, false]);
  for (const statusCode of [500, 503]) {
    const [claimed] = await claimAll(store, T0 + statusCode);
    assert.ok(claimed !== undefined);
    await store.finishAttempts([
      finished(claimed, { kind: "retry", atMs: T0 + statusCode + 1 }, {
        statusCode,
        problem: `said ${statusCode}`,
      }),
    ], T0);
  }
  const found = await store.findDelivery("cus_1", one(1));
  assert.deepEqual(found, {
    id: one(1),
    customerId: "cus_1",
    subscriptionId: "sub_1",
    eventId: "evt_01",
    isRevision: false,
    sequence: 1,
    status: "pending",
    holdReason: null,
    subscriptionDisabledBy: null,
    isProbed: false,
    attempts: 2,
    lastStatusCode: 503,
    lastProblem: "said 503",
    nextAttemptAtMs: T0 + 504,
    createdAtMs: T0,
    arrivedAtMs: null,
    finishedAtMs: null,
  });
  const attempts = await store.listAttempts(one(1));
  assert.deepEqual(attempts.map(({ number, statusCode }) => [number, statusCode]), [[1, 500], [2, 503]]);
  assert.equal(await store.findDelivery("cus_2", one(1)), null);
  assert.equal(await store.findDelivery("cus_1", one(2)), null);
  assert.deepEqual([
    await store.ownsSubscription("cus_1", "sub_1"),
    await store.ownsSubscription("cus_2", "sub_1"),
  ], [true, false]);
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal(await store.ownsSubscription("cus_1", "sub_1"), true, "also a deleted one");
});

test("catchUp() delivers stored events and then later ones, in order and once each", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 30, { limit: 20 });
  // Ten events have not been matched yet. For the new subscription they are past events.
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await subscribe(store, "sub_2");
  await publishMatched(store, 31, 35);
  assert.equal((await claimedBodies(store)).length, 5, "the other subscription does not wait");
  const later: DeliveriesFor = (unmatched, subscriptions) =>
    unmatched.event.id > "evt_30" ? EVERYTHING(unmatched, subscriptions) : [];
  for (const place of [5, 10, 15, 20, 25, 30]) {
    const moved = await store.catchUp({ ...TERMS, deliveriesFor: later });
    assert.equal(moved, 1, `up to ${place}: each call is short`);
  }
  await catchUpAll(store, { deliveriesFor: later });
  await publishMatched(store, 36, 36);
  const bodies = (await claimAll(store)).filter(({ subscriptionId }) => subscriptionId === "sub_1");
  assert.deepEqual(
    bodies.map(({ body }) => body),
    [31, 32, 33, 34, 35, 36].map((n, at) => `${at + 1}: evt_${n}`),
  );
});

test("catchUp() includes all events published since the given time, matched or not", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 250, { limit: 100 });
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
  await publishMatched(store, ++came, came);
  const all = await claimAll(store, T0 + LEASE);
  const of = (id: string) =>
    all.filter(({ subscriptionId }) => subscriptionId === id).map(({ body }) => body);
  assert.deepEqual(of("sub_1"), Array.from({ length: came }, (_, at) => `${at + 1}: evt_${two(at + 1)}`));
  assert.deepEqual(of("sub_2"), [251, 252, 253, 254].map((n, at) => `${at + 1}: evt_${n}`));
  assert.equal(await catchUpAll(store), 0, "no deliveries are left");
});

test("catchUp() pauses when the quota is used up, holds nothing, and continues when the quota allows", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 12);
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await catchUpAll(store, { tiers: monthly(2) });
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02"]);
  const paused = { reason: "backfill", sinceMs: T0, isPaused: true, nextEventId: "evt_03" };
  assert.deepEqual(await catchUpOf(store), paused);
  // Later events wait behind the stored ones, and no deliveries are created for them either.
  await publishMatched(store, 13, 14, { tiers: monthly(2) });
  assert.equal(await releaseAll(store, { tiers: monthly(2) }), 0);
  assert.equal(await catchUpAll(store, { tiers: monthly(2) }), 0);
  assert.deepEqual(await logged(store), [`${one(2)}: pending`, `${one(1)}: pending`]);
  // The catch-up continues after an upgrade, and again in the next month.
  assert.equal(await releaseAll(store, { tiers: monthly(7) }), 1, "the subscription continues");
  await catchUpAll(store, { tiers: monthly(7) });
  assert.deepEqual((await catchUpOf(store))?.nextEventId, "evt_08");
  const august = { tiers: monthly(100), month: AUGUST };
  await releaseAll(store, august);
  await catchUpAll(store, august);
  assert.equal(await catchUpOf(store), null);
  await publishMatched(store, 15, 15, august);
  assert.deepEqual(
    await claimedBodies(store),
    Array.from({ length: 13 }, (_, at) => `${at + 3}: evt_${two(at + 3)}`),
  );
});

test("catchUp() waits until the customer's held deliveries are released", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_2");
  await publishMatched(store, 1, 3, { tiers: monthly(1) });
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await catchUpAll(store, { tiers: monthly(100) });
  assert.equal((await catchUpOf(store))?.isPaused, true);
  assert.deepEqual(await claimedBodies(store), ["1: evt_01"]);
  assert.equal(await releaseAll(store, { tiers: monthly(100) }), 3);
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

test("catchUp() pauses while the subscription or its customer is disabled, and continues afterwards", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 6);
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

test("catchUp() alternates between customers: a long backfill does not delay another customer's short one", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await publishMatched(store, 1, 60);
  for (const id of ["sub_1", "sub_2", "sub_3"]) {
    await store.addSubscription(aSubscription(id), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  }
  await publishMatched(store, 61, 63);
  await store.addSubscription(aSubscription("sub_9", { customerId: "cus_2" }), 9, {
    backfill: { sinceMs: 0, perDay: 9 },
  });
  for (let call = 0; call < 26; call++) await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING });
  const made = Map.groupBy(await claimAll(store), ({ subscriptionId }) => subscriptionId);
  assert.deepEqual([...made].map(([id, { length }]) => [id, length]), [["sub_1", 63], ["sub_9", 63]]);
});

test("catchUp() stops when the subscription is deleted", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 5);
  await store.addSubscription(aSubscription("sub_2"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  await publishMatched(store, 6, 6);
  await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
  assert.equal(await catchUpAll(store), 0);
  assert.deepEqual(await logged(store, { subscriptionId: "sub_2" }), []);
});

test("addSubscription() creates nothing beyond the limit on backfills per UTC day", async (store) => {
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

const two = (n: number): string => String(n).padStart(2, "0");

test("replayDelivery() sends a delivered delivery again with its id and bytes, and counts it once", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
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
  // The replay fails, but a delivery that has arrived once stays delivered and counted.
  if (second !== undefined) await store.finishAttempts([finished(second, { kind: "failed" })], T0 + 10);
  assert.deepEqual(await logged(store), [`${one(1)}: delivered`]);
  assert.equal((await store.usageOf("cus_1", JULY)).deliveries, 1);
});

test("replayDelivery() counts a failed delivery again, and holds it while the quota is used up", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 2);
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

test("replayDelivery() is audited only if it is the operator's and succeeds", async (store) => {
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

test("replayEvents() repeats finished deliveries and creates missing ones, in the order in which the events were stored", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 3);
  await subscribe(store, "sub_1");
  await publishMatched(store, 4, 6);
  await finishAllDue(store, { kind: "delivered" });
  await publishMatched(store, 7, 7);
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
  // Unsent deliveries come first; replays follow in the order of the events.
  assert.deepEqual(await claimedBodies(store, T0 + 1_000), ["4: evt_07"]);
  assert.deepEqual(await claimedBodies(store, T0 + 1_000), [
    "5: evt_02",
    "6: evt_03",
    "1: evt_04",
    "2: evt_05",
    "3: evt_06",
  ]);
  await publishMatched(store, 8, 8);
  assert.deepEqual(await claimedBodies(store, T0 + 1_000), ["7: evt_08"], "the sequence has no gap");
});

test("replayEvents() uses the day's replays, and sends nothing if they are insufficient", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 2);
  await subscribe(store, "sub_1");
  await publishMatched(store, 3, 4);
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
  assert.equal(await store.replayDelivery("cus_1", deliveryId("evt_03", "sub_1"), terms), "limit_reached");
  const unlimited = await store.replayDelivery("cus_1", deliveryId("evt_03", "sub_1"), TERMS);
  assert.ok(typeof unlimited !== "string", "replays by the operator are not limited");
  assert.deepEqual(await limit(4), "limit_reached");
  const nextDay = await replayAll(store, { replaysPerDay: 4, nowMs: T0 + 86_400_000 });
  assert.deepEqual(nextDay, { ...sum, replayed: 3, created: 0 });
});

test("replayEvents() counts held deliveries, and refuses disabled subscriptions and those of other customers", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await publishMatched(store, 1, 3);
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2", { customerId: "cus_2" });
  const outcome = await replayAll(store, { tiers: monthly(2) });
  assert.deepEqual(outcome, { replayed: 0, created: 3, held: 1, lastEventId: "evt_03" });
  assert.equal(await replayAll(store, {}, "sub_2"), "unknown");
  await store.changeSubscription("cus_1", "sub_1", { enabled: false }, { nowMs: T0, activeLimit: 9 });
  assert.equal(await replayAll(store), "disabled");
});

test("replayEvents() leaves the events of a running backfill to the backfill, which keeps their order", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 12);
  await store.addSubscription(aSubscription("sub_1"), 9, { backfill: { sinceMs: 0, perDay: 9 } });
  assert.equal(await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING }), 1); // one call delivers five events
  await publishMany(store, 13, 14);
  await matchAll(store); // events 13 and 14 wait behind the backfill
  await publishMany(store, 15, 15); // not matched yet
  const replayed = await replayAll(store, { afterId: "evt_06" });
  assert.deepEqual(replayed, { replayed: 0, created: 0, held: 0, lastEventId: "evt_15" });
  await matchAll(store);
  await catchUpAll(store);
  assert.deepEqual(
    await claimedBodies(store),
    Array.from({ length: 15 }, (_, at) => `${at + 1}: evt_${two(at + 1)}`),
  );
});

test("replayEvents() sends events that a backfill does not include", async (store) => {
  await addCustomer(store);
  await publishMatched(store, 1, 3);
  await store.addSubscription(aSubscription("sub_1"), 9, {
    backfill: { sinceMs: Number.MAX_SAFE_INTEGER, perDay: 9 },
  });
  assert.deepEqual(await replayAll(store), { replayed: 0, created: 3, held: 0, lastEventId: "evt_03" });
});
