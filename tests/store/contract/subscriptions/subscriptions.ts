// Promises about subscriptions: the limit, duplicates, whose they are, what deleting does.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { MAX_DISABLED, type Subscription } from "../../../../src/domain/delivery/subscription.ts";
import {
  addCustomer,
  aSubscription,
  claimedBodies,
  finishAllDue,
  LEASE,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

const HOOK = { webhookUrl: "https://same.example/hook" };

async function listedIds(store: Store, customerId = "cus_1"): Promise<string[]> {
  return (await store.listSubscriptions(customerId)).map((subscription) => subscription.id);
}

test("addSubscription() keeps a subscription as it was given", async (store) => {
  await addCustomer(store);
  const subscription = await subscribe(store, "sub_1", {
    topics: ["transparency", "gpai"],
    sourceFilter: ["court", "board"],
    severityMin: "high",
    language: "de",
  });
  assert.deepEqual(await store.findSubscription("cus_1", "sub_1"), subscription);
  const { webhookSecret: _, previousSecret: _previous, ...unsealed } = subscription;
  assert.deepEqual(await store.listSubscriptions("cus_1"), [unsealed]);
});

test("addSubscription() stores no more active ones than the limit", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_other", { customerId: "cus_2" });
  assert.equal(await store.addSubscription(aSubscription("sub_0"), 0), "limit_reached");
  assert.equal(await store.addSubscription(aSubscription("sub_1"), 2), "created");
  assert.equal(await store.addSubscription(aSubscription("sub_2"), 2), "created");
  assert.equal(await store.addSubscription(aSubscription("sub_3"), 2), "limit_reached");
  assert.deepEqual(await listedIds(store), ["sub_1", "sub_2"]);
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal(await store.addSubscription(aSubscription("sub_3"), 2), "created");
});

test("addSubscription() creates none for a customer with a hundred that are switched off", async (store) => {
  await addCustomer(store);
  for (let number = 0; number < MAX_DISABLED; number++) {
    await subscribe(store, `sub_${number}`);
    const off = { nowMs: T0, activeLimit: 1 };
    await store.changeSubscription("cus_1", `sub_${number}`, { enabled: false }, off);
  }
  assert.equal(await store.addSubscription(aSubscription("sub_more"), 1), "too_many_disabled");
  await store.deleteSubscription("cus_1", "sub_0", { nowMs: T0, activeLimit: 1 });
  assert.equal(await store.addSubscription(aSubscription("sub_more"), 1), "created");
});

test("addSubscription() stores one of many that arrive together", async (store) => {
  await addCustomer(store);
  const wishes = Array.from(
    { length: 8 },
    (_, at) => aSubscription(`sub_${at}`, at % 2 === 0 ? HOOK : {}),
  );
  const outcomes = await Promise.all(wishes.map((wish) => store.addSubscription(wish, 3)));
  assert.deepEqual(outcomes.toSorted(), [
    ...Array(3).fill("created"),
    ...Array(3).fill("duplicate"),
    ...Array(2).fill("limit_reached"),
  ]);
});

test("addSubscription() sees a duplicate in whatever order the filters are given", async (store) => {
  await addCustomer(store);
  const filter = { ...HOOK, topics: ["gpai", "high-risk"], sourceFilter: ["board", "court"] };
  await subscribe(store, "sub_1", filter);
  const same: Partial<Subscription>[] = [
    filter,
    { ...filter, topics: ["high-risk", "gpai"] },
    { ...filter, sourceFilter: ["court", "board"] },
    { ...filter, topics: ["high-risk", "gpai", "gpai"], sourceFilter: ["court", "board", "court"] },
  ];
  for (const [at, change] of same.entries()) {
    const outcome = await store.addSubscription(aSubscription(`sub_same_${at}`, change), 100);
    assert.equal(outcome, "duplicate", JSON.stringify(change));
  }
  assert.deepEqual(await listedIds(store), ["sub_1"]);
});

test("addSubscription() takes another address, another filter or another customer for no duplicate", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  const filter = { ...HOOK, topics: ["gpai"], sourceFilter: ["board"] };
  await subscribe(store, "sub_1", filter);
  const others: Partial<Subscription>[] = [
    { ...filter, webhookUrl: `${HOOK.webhookUrl}?to=2` },
    { ...filter, topics: [] },
    { ...filter, topics: ["gpai", "high-risk"] },
    { ...filter, topics: ["board"], sourceFilter: ["gpai"] },
    { ...filter, sourceFilter: [] },
    { ...filter, severityMin: "low" },
    { ...filter, customerId: "cus_2" },
  ];
  for (const [at, change] of others.entries()) {
    const outcome = await store.addSubscription(aSubscription(`sub_other_${at}`, change), 100);
    assert.equal(outcome, "created", JSON.stringify(change));
  }
});

test("addSubscription() never collides with deleted ones", async (store) => {
  await addCustomer(store);
  for (const id of ["sub_1", "sub_2", "sub_3"]) {
    assert.equal(await store.addSubscription(aSubscription(id, HOOK), 1), "created");
    assert.equal(
      (await store.deleteSubscription("cus_1", id, { nowMs: T0 + 1, activeLimit: 100 }))?.deletedAtMs,
      T0 + 1,
    );
  }
  assert.deepEqual(await listedIds(store), []);
});

test("addSubscription() counts no switched-off one, and the same may be made again", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1", HOOK);
  await publishMany(store, 1, 1);
  await matchAll(store);
  await finishAllDue(store, { kind: "gone" }, T0 + 5);
  assert.equal(await store.addSubscription(aSubscription("sub_2", HOOK), 1), "created");
  const listed = await store.listSubscriptions("cus_1");
  assert.deepEqual(listed.map(({ id, disabledAtMs }) => [id, disabledAtMs]), [
    ["sub_1", T0 + 5],
    ["sub_2", null],
  ]);
});

test("listSubscriptions() gives the customer's own that are not deleted, oldest first", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_a", { createdAtMs: T0 + 3 });
  await subscribe(store, "sub_b", { createdAtMs: T0 + 1 });
  await subscribe(store, "sub_c", { createdAtMs: T0 + 2 });
  await subscribe(store, "sub_d", { createdAtMs: T0, customerId: "cus_2" });
  await store.deleteSubscription("cus_1", "sub_c", { nowMs: T0 + 9, activeLimit: 100 });
  assert.deepEqual(await listedIds(store), ["sub_b", "sub_a"]);
  assert.deepEqual(await listedIds(store, "cus_2"), ["sub_d"]);
  assert.deepEqual(await listedIds(store, "cus_3"), []);
});

test("findSubscription() and deleteSubscription() give null for another customer's, a deleted and an unknown one", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  const subscription = await subscribe(store, "sub_1");
  assert.equal(await store.findSubscription("cus_2", "sub_1"), null);
  assert.equal(await store.deleteSubscription("cus_2", "sub_1", { nowMs: T0, activeLimit: 100 }), null);
  assert.equal(await store.findSubscription("cus_1", "sub_2"), null);
  assert.equal(await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 }), null);

  const deleted = await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0 + 8, activeLimit: 100 });
  assert.deepEqual(deleted, { ...subscription, deletedAtMs: T0 + 8 });
  assert.equal(await store.findSubscription("cus_1", "sub_1"), null);
  assert.equal(
    await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0 + 9, activeLimit: 100 }),
    null,
  );
});

test("deleteSubscription() cancels what it still had to get, and nothing of others", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2", { customerId: "cus_2" });
  await publishMany(store, 1, 3);
  await matchAll(store, { tiers: monthly(2) });
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal((await store.health()).pendingDeliveries, 2);
  assert.deepEqual(await claimedBodies(store, T0 + 2 * LEASE), ["1: evt_01", "2: evt_02"]);
  assert.equal(await releaseAll(store), 1);
  await publishMany(store, 4, 4);
  await matchAll(store);
  assert.deepEqual(await claimedBodies(store, T0), ["3: evt_03", "4: evt_04"]);
});
