// What the port promises of the log of deliveries.
import assert from "node:assert/strict";
import type { DeliveryStatus } from "../../../../src/domain/delivery/delivery.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  claimAll,
  deliveryId,
  finishAllDue,
  finished,
  matchAll,
  monthly,
  publishMany,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

/** The ids and states of a customer's deliveries, in their order. */
export const logged = async (
  store: Store,
  query: Partial<Parameters<Store["listDeliveries"]>[1]> = {},
  customer = "cus_1",
): Promise<string[]> =>
  (await store.listDeliveries(customer, { limit: 100, ...query })).map(({ id, status }) =>
    `${id}: ${status}`
  );

/** The id of an event's delivery to a subscription. */
export const one = (event: number, subscription = "sub_1"): string =>
  deliveryId(`evt_${String(event).padStart(2, "0")}`, subscription);

/** Five events for two subscriptions: delivered, failed, held, held and cancelled ones. */
export async function everyState(store: Store): Promise<void> {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_9", { customerId: "cus_2" });
  await publishMany(store, 1, 1);
  await matchAll(store);
  await finishAllDue(store, { kind: "delivered" });
  await publishMany(store, 2, 2);
  await matchAll(store, { nowMs: T0 + 2 });
  await finishAllDue(store, { kind: "failed" }, T0 + 2);
  await publishMany(store, 3, 3);
  await matchAll(store, { nowMs: T0 + 3 });
  await publishMany(store, 4, 4);
  await matchAll(store, { nowMs: T0 + 4, tiers: monthly(2) });
  await store.deleteSubscription("cus_2", "sub_9", { nowMs: T0 + 5, activeLimit: 100 });
}

test("listDeliveries() gives the customer's own, the newest first, by subscription, state, event and place", async (store) => {
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

test("listAllDeliveries() gives everybody's, the newest first, by state, event, time and place", async (store) => {
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
  assert.deepEqual(events, events.toSorted().reverse(), "the newest first");
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

test("findOwner() says whose a subscription or a delivery is, deleted ones too", async (store) => {
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

test("findDelivery() tells of a delivery, and listAttempts() of its attempts; of another's there is nothing", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
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
  ], [
    true,
    false,
  ]);
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal(await store.ownsSubscription("cus_1", "sub_1"), true, "a deleted one too");
});
