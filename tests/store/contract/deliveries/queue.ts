// The queue: the order in which deliveries are claimed.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  addSubscriber,
  BY,
  claimAll,
  type Claimed,
  claimedBodies,
  finishAllDue,
  finished,
  first,
  LEASE,
  matchAll,
  publishMany,
  publishMatched,
  releaseAll,
  replayAll,
  running,
  subscribe,
  T0,
  TERMS,
} from "../given.ts";
import { test } from "../contract.ts";
import { MAX_KEPT_ATTEMPTS, type NextStep } from "../../../../src/domain/delivery/delivery.ts";

/** Adds subscriptions, and events from `evt_01` on, each with a pending delivery to every subscription. */
async function queue(store: Store, subscriptions: number, events: number): Promise<void> {
  await addCustomer(store);
  for (let number = 1; number <= subscriptions; number++) await subscribe(store, `sub_${number}`);
  await publishMatched(store, 1, events);
}

function shown(claimed: readonly Claimed[]): string[] {
  return claimed.map(({ subscriptionId, body }) => `${subscriptionId} ${body}`);
}

/** Claims one due delivery of each subscription, and retries it at the time given for that subscription. */
async function retryFirst(store: Store, atMs: Record<string, number>): Promise<void> {
  const claimed = await claimAll(store, T0, { perSubscription: 1 });
  await store.finishAttempts(
    claimed.map((delivery) =>
      finished(delivery, { kind: "retry", atMs: atMs[delivery.subscriptionId] ?? T0 })
    ),
    T0,
  );
}

test("claimDeliveries() returns a leased delivery again only after the lease has expired", async (store) => {
  await queue(store, 1, 2);
  const both = await Promise.all([claimAll(store), claimAll(store)]);
  assert.deepEqual(both.map((claimed) => claimed.length), [2, 0]);
  assert.deepEqual(await claimAll(store, T0 + LEASE - 1), []);
  const again = await claimAll(store, T0 + LEASE);
  assert.deepEqual(again.map(({ id }) => id), both.flat().map(({ id }) => id));
});

test("claimDeliveries() returns deliveries up to the limit", async (store) => {
  await queue(store, 3, 2);
  assert.deepEqual(shown(await claimAll(store, T0, { limit: 3 })), [
    "sub_1 1: evt_01",
    "sub_2 1: evt_01",
    "sub_3 1: evt_01",
  ]);
  assert.equal((await claimAll(store, T0, { limit: 2 })).length, 2);
  assert.equal((await claimAll(store, T0, { limit: 0 })).length, 0);
  assert.equal((await claimAll(store, T0)).length, 1);
});

test("claimDeliveries() limits the deliveries of a subscription, including those in progress", async (store) => {
  await queue(store, 4, 4);
  const held = running({ sub_1: 1, sub_2: 2, sub_3: 9, sub_unknown: 1 });
  assert.deepEqual(shown(await claimAll(store, T0, { perSubscription: 2, running: held })), [
    "sub_1 1: evt_01",
    "sub_4 1: evt_01",
    "sub_4 2: evt_02",
  ]);
});

test("claimDeliveries() returns the oldest delivery of a subscription first", async (store) => {
  await queue(store, 1, 3);
  await publishMany(store, 4, 4);
  await matchAll(store, { nowMs: T0 - 5 }); // the clock was set back
  await retryFirst(store, { sub_1: T0 - 3 });
  assert.deepEqual(await claimedBodies(store), ["4: evt_04", "1: evt_01", "2: evt_02", "3: evt_03"]);
});

test("claimDeliveries() alternates between customers and their subscriptions, across calls", async (store) => {
  for (const customer of ["1", "2", "3"]) await addCustomer(store, customer);
  for (const [customer, count] of [["1", 3], ["2", 1], ["3", 2]] as const) {
    for (let at = 1; at <= count; at++) {
      await subscribe(store, `sub_${customer}${at}`, { customerId: `cus_${customer}` });
    }
  }
  await publishMatched(store, 1, 3);
  const order: string[] = [];
  for (let call = 0; call < 18; call++) {
    order.push(...(await claimAll(store, T0, { limit: 1 })).map(({ subscriptionId }) => subscriptionId));
  }
  assert.deepEqual(
    order.map((id) => id.replace("sub_", "")).join(" "),
    "11 21 31 12 21 32 13 21 31 11 32 12 31 13 32 11 12 13",
  );
  assert.deepEqual(await claimAll(store), []);
});

test("claimDeliveries() has separate slots for slow endpoints, which it recognises by the duration of attempts to their URL", async (store) => {
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2"]) await subscribe(store, id);
  await publishMatched(store, 1, 12);
  const [slow, quick] = await claimAll(store, T0, { perSubscription: 1 });
  assert.ok(slow && quick);
  await store.finishAttempts([
    finished(slow, { kind: "delivered" }, { durationMs: 14_000 }),
    finished(quick, { kind: "delivered" }, { durationMs: 14 }),
  ], T0);
  const lanes = async () => {
    const claimed = await claimAll(store, T0, { slots: 40, perSubscription: 5 });
    return claimed.map(({ subscriptionId, lane }) => `${subscriptionId} ${lane}`);
  };
  assert.deepEqual(new Set(await lanes()), new Set(["sub_1 slow", "sub_2 normal"]));
  const options = { nowMs: T0, activeLimit: 100 };
  await store.changeSubscription("cus_1", "sub_1", { webhookUrl: "https://new.example/" }, options);
  assert.deepEqual(new Set(await lanes()), new Set(["sub_1 normal", "sub_2 normal"]));
});

test("claimDeliveries() returns replays after unsent deliveries, in separate slots", async (store) => {
  await queue(store, 2, 6);
  await finishAllDue(store, { kind: "delivered" });
  await replayAll(store);
  await publishMatched(store, 7, 7, { nowMs: T0 + 100 });
  const claimed = async () =>
    (await claimAll(store, T0 + 100, { slots: 16, perSubscription: 5 })).map((one) =>
      `${one.subscriptionId} ${one.lane} ${one.body}`
    );
  assert.deepEqual(await claimed(), ["sub_1 normal 7: evt_07", "sub_2 normal 7: evt_07"]);
  assert.deepEqual(await claimed(), ["sub_1 replay 1: evt_01", "sub_1 replay 2: evt_02"]);
});

test("claimDeliveries() returns each delivery to only one of several callers", async (store) => {
  await queue(store, 7, 9);
  const seen: string[] = [];
  for (let turn = 0; turn < 63; turn++) {
    seen.push(...(await claimAll(store, T0 + turn, { limit: 4, perSubscription: 2 })).map(({ id }) => id));
  }
  assert.equal(seen.length, 63);
  assert.equal(new Set(seen).size, 63);
});

test("endLeases() makes interrupted deliveries due at once, and keeps their attempts counted", async (store) => {
  await queue(store, 1, 2);
  const claimed = await claimAll(store);
  await store.endLeases(claimed.slice(0, 1), T0 + 5);
  const again = await claimAll(store, T0 + 5);
  assert.deepEqual(again.map(({ id, attempt, tries }) => [id, attempt, tries]), [[claimed[0]?.id, 2, 1]]);
});

test("endLeases() does not change a delivery that has proceeded in the meantime", async (store) => {
  await queue(store, 1, 2);
  const claimed = await claimAll(store);
  const [one, other] = claimed;
  assert.ok(one && other);
  await claimAll(store, T0 + LEASE);
  await store.finishAttempts([finished(other, { kind: "delivered" })], T0 + LEASE);
  await store.endLeases(claimed, T0 + LEASE);
  assert.deepEqual(await claimAll(store, T0 + 2 * LEASE - 1), []);
});

const FAR = T0 + 1e9;

async function claimedOne(store: Store): Promise<Claimed> {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  return first(await claimAll(store));
}

async function finish(store: Store, delivery: Claimed, next: NextStep, nowMs = T0): Promise<void> {
  await store.finishAttempts([finished(delivery, next)], nowMs);
}

async function pending(store: Store): Promise<number> {
  return (await store.health()).pendingDeliveries;
}

test("finishAttempts() makes a retry due at its time, and not at the end of the lease", async (store) => {
  const times: Record<string, number> = { sooner: T0 + 5_000, later: T0 + 10 * LEASE };
  const delivery = await claimedOne(store);
  await finish(store, delivery, { kind: "retry", atMs: times["sooner"] ?? 0 });
  assert.deepEqual(await claimAll(store, T0 + 4_999), []);
  const second = first(await claimAll(store, T0 + 5_000));
  assert.equal(second.attempt, 2);
  await finish(store, second, { kind: "retry", atMs: times["later"] ?? 0 });
  assert.deepEqual(await claimAll(store, T0 + 10 * LEASE - 1), []);
  assert.equal(first(await claimAll(store, T0 + 10 * LEASE)).attempt, 3);
});

test("attempts without a reported outcome are counted, but do not use up the schedule", async (store) => {
  let delivery = await claimedOne(store);
  // Each time, the process is killed and the lease expires.
  for (let kills = 1; kills <= 20; kills++) {
    delivery = first(await claimAll(store, T0 + kills * LEASE));
    assert.deepEqual([delivery.attempt, delivery.tries], [kills + 1, 1]);
  }
  const nowMs = T0 + 20 * LEASE;
  await finish(store, delivery, { kind: "retry", atMs: nowMs + 5_000 }, nowMs);
  const second = first(await claimAll(store, nowMs + 5_000));
  assert.deepEqual([second.attempt, second.tries], [22, 2]);
  const third = first(await claimAll(store, nowMs + 5_000 + LEASE));
  assert.deepEqual([third.attempt, third.tries], [23, 2]);
});

test("an attempt that ends after its delivery was replayed does not count in the new schedule", async (store) => {
  let delivery = await claimedOne(store);
  for (let at = T0; delivery.tries < 11; at += 2 * LEASE) {
    await finish(store, delivery, { kind: "retry", atMs: at }, at);
    delivery = first(await claimAll(store, at + LEASE));
  }
  const off = { nowMs: T0 + 1, activeLimit: 100 };
  const nowMs = T0 + 24 * LEASE;
  await store.changeSubscription("cus_1", "sub_1", { enabled: false }, off);
  await store.changeSubscription("cus_1", "sub_1", { enabled: true }, { ...off, nowMs });
  assert.equal(await releaseAll(store, { nowMs }), 1);
  await finish(store, delivery, { kind: "failed" }, nowMs);
  const again = first(await claimAll(store, nowMs));
  assert.deepEqual([again.attempt, again.tries], [12, 1]);
});

test("finishAttempts() ends a delivery whose schedule is used up", async (store) => {
  await finish(store, await claimedOne(store), { kind: "failed" });
  assert.equal(await pending(store), 0);
  assert.deepEqual(await store.countUndelivered(), { held: 0, failed: 1, heldFull: 0 });
  assert.deepEqual([...await store.countUndeliveredOf("cus_1")], [["sub_1", { held: 0, failed: 1 }]]);
  assert.equal((await store.countUndeliveredOf("cus_2")).size, 0);
  assert.deepEqual(await claimAll(store, FAR), []);
  assert.equal(await releaseAll(store), 0);
});

test("finishAttempts() disables a subscription whose endpoint is gone, and holds its deliveries", async (store) => {
  await addSubscriber(store);
  await subscribe(store, "sub_2");
  await publishMatched(store, 1, 3);
  const [gone] = await claimAll(store, T0, { perSubscription: 1 });
  assert.equal(gone?.subscriptionId, "sub_1");
  if (gone !== undefined) await finish(store, gone, { kind: "gone" }, T0 + 7);
  assert.equal((await store.findSubscription("cus_1", "sub_1"))?.disabledAtMs, T0 + 7);
  assert.equal((await store.findSubscription("cus_1", "sub_2"))?.disabledAtMs, null);
  assert.deepEqual([...await store.countUndeliveredOf("cus_1")], [
    ["sub_1", { held: 3, failed: 0 }],
    ["sub_2", { held: 0, failed: 0 }],
  ]);
  assert.equal(await pending(store), 3);
  const claimed = await claimAll(store, FAR);
  assert.deepEqual(claimed.map(({ subscriptionId }) => subscriptionId), ["sub_2", "sub_2", "sub_2"]);
  assert.equal(await releaseAll(store), 0);
});

test("a delivery that is replayed repeatedly keeps its newest attempts", async (store) => {
  let delivery: Claimed | undefined = await claimedOne(store);
  for (let round = 1; round <= MAX_KEPT_ATTEMPTS + 5; round++) {
    if (round > 1) await store.replayDelivery("cus_1", delivery.id, TERMS);
    if (round > 1) delivery = first(await claimAll(store));
    await finish(store, delivery, { kind: "delivered" });
  }
  const numbers = (await store.listAttempts(delivery.id)).map(({ number }) => number);
  const kept = [numbers.length, numbers[0], numbers.at(-1)];
  assert.deepEqual(kept, [MAX_KEPT_ATTEMPTS, 6, MAX_KEPT_ATTEMPTS + 5]);
});

test("finishAttempts() accepts only an arrival from an attempt whose lease has expired", async (store) => {
  const late = await claimedOne(store);
  const current = first(await claimAll(store, T0 + LEASE));
  const steps: NextStep[] = [{ kind: "retry", atMs: T0 }, { kind: "failed" }, { kind: "gone" }];
  for (const step of steps) await finish(store, late, step, T0 + LEASE);
  assert.equal(await pending(store), 1);
  assert.equal((await store.findSubscription("cus_1", "sub_1"))?.disabledAtMs, null);
  assert.deepEqual(await claimAll(store, T0 + 2 * LEASE - 1), []);

  await finish(store, late, { kind: "delivered" }, T0 + LEASE);
  assert.equal(await pending(store), 0);
  await finish(store, current, { kind: "failed" }, T0 + LEASE);
  await finish(store, current, { kind: "retry", atMs: T0 }, T0 + LEASE);
  assert.deepEqual(await claimAll(store, FAR), []);
});

test("finishAttempts() records the arrival of a delivery held in the meantime, which is not sent again", async (store) => {
  const delivery = await claimedOne(store);
  await store.changeCustomer("cus_1", { enabled: false }, BY);
  await finish(store, delivery, { kind: "delivered" });
  await store.changeCustomer("cus_1", { enabled: true }, BY);
  assert.equal(await releaseAll(store), 0);
  assert.deepEqual(await claimAll(store, FAR), []);
});

test("finishAttempts() records all attempts of a call or none of them", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 2);
  const reports = (await claimAll(store)).map((delivery) => finished(delivery, { kind: "delivered" }));
  const unknown = finished({
    id: "dlv_unknown",
    subscriptionId: "sub_1",
    webhookUrl: "https://a.example/",
    attempt: 1,
    tries: 1,
  }, {
    kind: "delivered",
  });
  await assert.rejects(store.finishAttempts([...reports, unknown], T0));
  assert.equal(await pending(store), 2);
  await store.finishAttempts(reports, T0);
  assert.equal(await pending(store), 0);
  await store.finishAttempts([], T0);
});

test("finishAttempts() does not change other deliveries", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 3);
  const steps: NextStep[] = [{ kind: "delivered" }, { kind: "retry", atMs: T0 + 9 }, { kind: "failed" }];
  const reports = (await claimAll(store)).map((delivery, at) =>
    finished(delivery, steps[at] ?? { kind: "failed" }, { statusCode: null, problem: "timed out" })
  );
  await store.finishAttempts(reports, T0);
  assert.deepEqual(await claimedBodies(store, T0 + 9), ["2: evt_02"]);
  assert.equal(await finishAllDue(store, { kind: "delivered" }, FAR), 1);
});
