// Customers, their keys and their counted requests.
import assert from "node:assert/strict";
import { keyStateOf } from "../../../../src/domain/customer/api_key.ts";
import type { RotationAct } from "../../../../src/domain/ports/store/customers.ts";
import {
  aCustomer,
  addCustomer,
  addSubscriber,
  aKey,
  aSubscription,
  AUGUST,
  BY,
  JULY,
  monthly,
  publishMatched,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";

const DAY = "2026-07-20";

test("findCustomer() returns a customer unchanged, and null for an unknown id", async (store) => {
  const customer = await addCustomer(store, "1", {
    tier: "embedded",
    limits: { apiRequestsPerDay: 7, activeSubscriptions: 0 },
  });
  assert.deepEqual(await store.findCustomer("cus_1"), customer);
  assert.equal(await store.findCustomer("cus_2"), null);
});

test("addCustomer() keeps the customer and its key, or neither", async (store) => {
  await addCustomer(store, "1");
  await assert.rejects(store.addCustomer(aCustomer("cus_2"), aKey("1"), BY));
  assert.equal(await store.findCustomer("cus_2"), null);
  await assert.rejects(store.addCustomer(aCustomer("cus_1"), aKey("2"), BY));
  assert.equal(await store.findKey(aKey("2").hash), null);
});

test("listCustomers() returns every customer, oldest first, with its keys, oldest first", async (store) => {
  await addCustomer(store, "2", { createdAtMs: T0 + 5 });
  await addCustomer(store, "1", { createdAtMs: T0 + 9 });
  await addCustomer(store, "3", { createdAtMs: T0, enabled: false });
  await store.rotateKey("cus_2", aKey("a", { createdAtMs: T0 + 20 }), rotated({ atMs: T0 + 20 }));
  const listed = await store.listCustomers();
  assert.deepEqual(listed.map(({ customer }) => customer.id), ["cus_3", "cus_2", "cus_1"]);
  assert.deepEqual(listed[1], {
    customer: aCustomer("cus_2", { createdAtMs: T0 + 5 }),
    keys: [aKey("2", { disabledAtMs: T0 + 20 }), aKey("a", { createdAtMs: T0 + 20 })],
    disabledBy: null,
    erasedAtMs: null,
  });
});

test("changeCustomer() changes only the given fields", async (store) => {
  const customer = await addCustomer(store, "1", { limits: { activeSubscriptions: 3 } });
  const other = await addCustomer(store, "2");
  const changes = [
    { tier: "gpai", limits: customer.limits },
    { enabled: false },
    { limits: { apiRequestsPerDay: 9 } },
    {},
  ] as const;
  let expected = customer;
  for (const change of changes) {
    expected = { ...expected, ...change };
    assert.equal(await store.changeCustomer("cus_1", change, BY), true);
    assert.deepEqual(await store.findCustomer("cus_1"), expected);
    assert.deepEqual((await store.findKey(aKey("1").hash))?.customer, expected);
  }
  assert.deepEqual(await store.findCustomer("cus_2"), other);
});

test("findKey() returns the key's customer, and null for an unknown hash", async (store) => {
  const customer = await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.deepEqual(await store.findKey(aKey("1").hash), {
    customer,
    disabledBy: null,
    key: { disabledAtMs: null, validUntilMs: null, lastUsedAtMs: null },
  });
  await store.noteKeyUses([{ hash: aKey("1").hash, atMs: T0 + 7 }]);
  assert.equal((await store.findKey(aKey("1").hash))?.key.lastUsedAtMs, T0 + 7);
  assert.equal((await store.findKey(aKey("2").hash))?.key.lastUsedAtMs, null);
  assert.equal(await store.findKey(aKey("3").hash), null);
});

/** Returns the act of a rotation without an overlap. */
const rotated = (change: Partial<RotationAct> = {}): RotationAct => ({
  ...BY,
  oldUntilMs: null,
  mailId: null,
  ...change,
});

/** Returns the customer's keys as `LABEL LAST_FOUR STATE`, oldest first. */
async function statesOf(store: Store, customerId: string, nowMs: number): Promise<string[]> {
  const { keys = [] } = await store.findAccount(customerId) ?? {};
  return keys.map((key) => `${key.label} ${key.lastFour} ${keyStateOf(key, nowMs)}`);
}

test("addKey() adds a key unless a key without an end has its label", async (store) => {
  await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.equal(await store.addKey("cus_1", aKey("a", { createdAtMs: T0 + 1 }), BY), false);
  assert.equal(await store.findKey(aKey("a").hash), null);
  const staging = (digit: string) => aKey(digit, { label: "staging", createdAtMs: T0 + 2 });
  assert.equal(await store.addKey("cus_1", staging("b"), BY), true);
  assert.equal(await store.addKey("cus_2", staging("c"), BY), true, "labels are per customer");
  await store.disableKeys("cus_1", aKey("b").hash, BY);
  assert.equal(await store.addKey("cus_1", staging("d"), BY), true, "the label is free again");
  assert.deepEqual(await statesOf(store, "cus_1", T0), [
    "default 1111 valid",
    "staging bbbb disabled",
    "staging dddd valid",
  ]);
  await assert.rejects(store.addKey("cus_1", aKey("2", { label: "x" }), BY), "another customer's key");
  await assert.rejects(store.addKey("cus_9", aKey("9", { label: "x" }), BY), "an unknown customer");
});

test("rotateKey() ends the keys with the new key's label, and no others", async (store) => {
  await addCustomer(store, "1");
  await addCustomer(store, "2");
  await store.addKey("cus_1", aKey("a", { label: "staging", createdAtMs: T0 + 1 }), BY);
  const b = aKey("b", { createdAtMs: T0 + 2 });
  const replaced = await store.rotateKey("cus_1", b, rotated({ oldUntilMs: T0 + 100, atMs: T0 + 2 }));
  assert.deepEqual(replaced, [aKey("1", { validUntilMs: T0 + 100 })]);
  const first = ["default 1111 expiring", "staging aaaa valid", "default bbbb valid"];
  assert.deepEqual(await statesOf(store, "cus_1", T0 + 99), first);
  assert.deepEqual((await statesOf(store, "cus_1", T0 + 100))[0], "default 1111 disabled");
  assert.equal((await store.findKey(aKey("1").hash))?.key.validUntilMs, T0 + 100);

  // A rotation without an overlap also ends the overlap of the previous one.
  await store.rotateKey("cus_1", aKey("c", { createdAtMs: T0 + 3 }), rotated({ atMs: T0 + 3 }));
  assert.deepEqual(await statesOf(store, "cus_1", T0 + 3), [
    "default 1111 disabled",
    "staging aaaa valid",
    "default bbbb disabled",
    "default cccc valid",
  ]);
  assert.deepEqual(await statesOf(store, "cus_2", T0), ["default 2222 valid"]);
});

test("rotateKey() adds a key to a customer without keys; unknown customers and used keys change nothing", async (store) => {
  await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.equal(await store.rotateKey("cus_3", aKey("3"), rotated()), null);
  assert.equal(await store.findKey(aKey("3").hash), null);
  await assert.rejects(store.rotateKey("cus_1", aKey("2"), rotated()));
  assert.deepEqual(await statesOf(store, "cus_1", T0), ["default 1111 valid"]);
  await store.disableKeys("cus_1", null, BY);
  assert.deepEqual(await store.rotateKey("cus_1", aKey("a"), rotated({ oldUntilMs: T0 + 9 })), []);
  assert.deepEqual(await statesOf(store, "cus_1", T0), ["default 1111 disabled", "default aaaa valid"]);
});

test("disableKeys() disables one key or all keys, also those that expire", async (store) => {
  await addCustomer(store, "1");
  await store.addKey("cus_1", aKey("a", { label: "staging", createdAtMs: T0 + 1 }), BY);
  await store.rotateKey("cus_1", aKey("b", { createdAtMs: T0 + 2 }), rotated({ oldUntilMs: T0 + 100 }));
  assert.equal(await store.disableKeys("cus_1", aKey("a").hash, { ...BY, atMs: T0 + 10 }), true);
  assert.deepEqual(await statesOf(store, "cus_1", T0), [
    "default 1111 expiring",
    "staging aaaa disabled",
    "default bbbb valid",
  ]);
  assert.equal(await store.disableKeys("cus_1", null, { ...BY, atMs: T0 + 20 }), true);
  const { keys = [] } = await store.findAccount("cus_1") ?? {};
  assert.deepEqual(keys.map((key) => key.disabledAtMs), [T0 + 20, T0 + 10, T0 + 20]);
  assert.equal(await store.disableKeys("cus_9", null, BY), false);
});

test("addRequests() adds to the count of a customer on a day", async (store) => {
  await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.equal(await store.countedRequests("cus_1", DAY), 0);
  await store.addRequests([
    { customerId: "cus_1", day: DAY, requests: 5 },
    { customerId: "cus_2", day: DAY, requests: 1 },
    { customerId: "cus_1", day: "2026-07-21", requests: 2 },
  ]);
  await store.addRequests([{ customerId: "cus_1", day: DAY, requests: 40 }]);
  await store.addRequests([]);
  assert.equal(await store.countedRequests("cus_1", DAY), 45);
  assert.equal(await store.countedRequests("cus_1", "2026-07-21"), 2);
  assert.equal(await store.countedRequests("cus_2", DAY), 1);
});

test("addRequests() subtracts counts, but never below 0", async (store) => {
  await addCustomer(store, "1");
  const add = (requests: number) => store.addRequests([{ customerId: "cus_1", day: DAY, requests }]);
  await add(-2);
  assert.equal(await store.countedRequests("cus_1", DAY), 0);
  await add(3);
  await add(-1);
  assert.equal(await store.countedRequests("cus_1", DAY), 2);
  await add(-5);
  assert.equal(await store.countedRequests("cus_1", DAY), 0);
});

test("addRequests() stores all counts of a call or none", async (store) => {
  await addCustomer(store, "1");
  const counts = ["cus_1", "cus_unknown"].map((customerId) => ({ customerId, day: DAY, requests: 1 }));
  await assert.rejects(store.addRequests(counts));
  assert.equal(await store.countedRequests("cus_1", DAY), 0);
});

const ANSWER = { key: "key 1", requestHash: "hash 1", json: '{"subscription":{}}' };

/** Returns what a customer used in a month, without the times of the quota notices. */
async function countsOf(store: Store, customerId: string, month: string) {
  const { warnedAtMs: _, spentAtMs: __, ...counts } = await store.usageOf(customerId, month);
  return counts;
}

test("usageOf() counts a customer's deliveries of the month, held deliveries and active subscriptions", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2");
  await subscribe(store, "sub_3", { customerId: "cus_2" });
  assert.deepEqual(await countsOf(store, "cus_1", JULY), {
    deliveries: 0,
    held: 0,
    activeSubscriptions: 2,
  });
  await publishMatched(store, 1, 3, { tiers: monthly(4) });
  await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
  assert.deepEqual(await countsOf(store, "cus_1", JULY), {
    deliveries: 2,
    held: 1,
    activeSubscriptions: 1,
  });
  assert.deepEqual(await countsOf(store, "cus_1", AUGUST), {
    deliveries: 0,
    held: 1,
    activeSubscriptions: 1,
  });
  assert.deepEqual(await countsOf(store, "cus_2", JULY), {
    deliveries: 3,
    held: 0,
    activeSubscriptions: 1,
  });
});

test("findResponse() returns the response that was stored for the customer's key after the given time", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  assert.equal(await store.findResponse("cus_1", "key 1", 0), null);
  assert.equal(await store.addSubscription(aSubscription("sub_1"), 9, { response: ANSWER }), "created");
  assert.deepEqual(await store.findResponse("cus_1", "key 1", T0 - 1), ANSWER);
  assert.equal(await store.findResponse("cus_1", "key 1", T0), null, "not after its own time");
  assert.equal(await store.findResponse("cus_2", "key 1", 0), null);
  assert.equal(await store.findResponse("cus_1", "key 2", 0), null);
});

test("addSubscription() stores a response only if it creates the subscription, and the newest for each key", async (store) => {
  await addSubscriber(store);
  const again = { ...aSubscription("sub_1"), id: "sub_2" };
  assert.deepEqual(await store.addSubscription(again, 9, { response: ANSWER }), {
    duplicateOf: "sub_1",
    isHeld: false,
  });
  assert.equal(await store.addSubscription(aSubscription("sub_3"), 1, { response: ANSWER }), "limit_reached");
  assert.equal(await store.findResponse("cus_1", "key 1", 0), null);

  const later = { ...ANSWER, requestHash: "hash 2" };
  assert.equal(await store.addSubscription(aSubscription("sub_4"), 9, { response: ANSWER }), "created");
  assert.equal(
    await store.addSubscription(aSubscription("sub_5", { createdAtMs: T0 + 5 }), 9, { response: later }),
    "created",
  );
  assert.deepEqual(await store.findResponse("cus_1", "key 1", 0), later);
});

test("removeResponses() removes responses that were stored up to the given time, and no later ones", async (store) => {
  await addCustomer(store);
  await store.removeResponses(T0);
  for (const at of [1, 2, 3]) {
    const answer = { ...ANSWER, key: `key ${at}` };
    await store.addSubscription(aSubscription(`sub_${at}`, { createdAtMs: T0 + at }), 9, {
      response: answer,
    });
  }
  await store.removeResponses(T0 + 2);
  const kept = [];
  for (const at of [1, 2, 3]) kept.push(await store.findResponse("cus_1", `key ${at}`, 0) !== null);
  assert.deepEqual(kept, [false, false, true]);
  assert.equal((await store.listSubscriptions("cus_1")).length, 3);
});

const DAY_MS = 86_400_000;

const MIDNIGHT = Math.ceil(T0 / DAY_MS) * DAY_MS;

test("countDaily() grants all or none, and never exceeds the limit, even with concurrent calls", async (store) => {
  await addCustomer(store);
  const take = (count: number) =>
    store.countDaily("cus_1", { action: "replays", count, limit: 10, nowMs: T0 });
  assert.deepEqual(await take(7), { granted: true, left: 3 });
  assert.deepEqual(await take(4), { granted: false, left: 3 });
  const together = await Promise.all(Array.from({ length: 5 }, () => take(1)));
  assert.equal(together.filter(({ granted }) => granted).length, 3);
  assert.deepEqual(await take(0), { granted: true, left: 0 });
  assert.deepEqual(await store.usedToday("cus_1", T0), { test_calls: 0, replays: 10, backfills: 0 });
});

test("countDaily() counts each customer, action and UTC day separately", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  const take = (customerId: string, action: "replays" | "test_calls", nowMs: number) =>
    store.countDaily(customerId, { action, count: 1, limit: 1, nowMs });
  const granted = [
    await take("cus_1", "replays", T0),
    await take("cus_1", "replays", MIDNIGHT - 1),
    await take("cus_1", "test_calls", T0),
    await take("cus_2", "replays", T0),
    await take("cus_1", "replays", MIDNIGHT),
  ].map((grant) => grant.granted);
  assert.deepEqual(granted, [true, false, true, true, true]);
  assert.deepEqual(await store.usedToday("cus_1", MIDNIGHT), { test_calls: 0, replays: 1, backfills: 0 });
});
