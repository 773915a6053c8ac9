// Promises about customers, their keys and their counted requests.
import assert from "node:assert/strict";
import type { KeyHolder } from "../../../../src/domain/ports/store/customers.ts";
import { aCustomer, addCustomer, aKey, BY, T0 } from "../given.ts";
import { test } from "../contract.ts";

const DAY = "2026-07-20";

test("findCustomer() gives a customer as it was added, and null for an unknown id", async (store) => {
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

test("listCustomers() gives every customer, oldest first, with its keys, oldest first", async (store) => {
  await addCustomer(store, "2", { createdAtMs: T0 + 5 });
  await addCustomer(store, "1", { createdAtMs: T0 + 9 });
  await addCustomer(store, "3", { createdAtMs: T0, enabled: false });
  await store.replaceKeys("cus_2", aKey("a", { createdAtMs: T0 + 20 }), { ...BY, atMs: T0 + 20 });
  const listed = await store.listCustomers();
  assert.deepEqual(listed.map(({ customer }) => customer.id), ["cus_3", "cus_2", "cus_1"]);
  assert.deepEqual(listed[1], {
    customer: aCustomer("cus_2", { createdAtMs: T0 + 5 }),
    keys: [aKey("2", { disabledAtMs: T0 + 20 }), aKey("a", { createdAtMs: T0 + 20 })],
    disabledBy: null,
    erasedAtMs: null,
  });
});

test("changeCustomer() changes what it is given and nothing else", async (store) => {
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

test("findKey() gives the key's holder, and null for an unknown hash", async (store) => {
  const customer = await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.deepEqual(await store.findKey(aKey("1").hash), {
    customer,
    disabledBy: null,
    keyDisabled: false,
  });
  assert.equal(await store.findKey(aKey("3").hash), null);
});

test("replaceKeys() disables every key of the customer and adds the new one", async (store) => {
  await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.equal(await store.replaceKeys("cus_1", aKey("a"), { ...BY, atMs: T0 + 10 }), true);
  assert.equal(await store.replaceKeys("cus_1", aKey("b"), { ...BY, atMs: T0 + 20 }), true);
  const disabled = async (digit: string): Promise<KeyHolder["keyDisabled"] | undefined> =>
    (await store.findKey(aKey(digit).hash))?.keyDisabled;
  assert.deepEqual(
    [await disabled("1"), await disabled("a"), await disabled("b"), await disabled("2")],
    [true, true, false, false],
  );
  const [first] = await store.listCustomers();
  assert.deepEqual(first?.keys.map((key) => key.disabledAtMs), [T0 + 10, T0 + 20, null]);
});

test("replaceKeys() answers false for an unknown customer, and keeps the old keys when the new one is refused", async (store) => {
  await addCustomer(store, "1");
  await addCustomer(store, "2");
  assert.equal(await store.replaceKeys("cus_3", aKey("3"), BY), false);
  assert.equal(await store.findKey(aKey("3").hash), null);
  await assert.rejects(store.replaceKeys("cus_1", aKey("2"), BY));
  assert.equal((await store.findKey(aKey("1").hash))?.keyDisabled, false);
});

test("addRequests() adds to the count of a customer and a day", async (store) => {
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

test("addRequests() takes counts back, never below none", async (store) => {
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

test("addRequests() keeps all of a call or nothing", async (store) => {
  await addCustomer(store, "1");
  const counts = ["cus_1", "cus_unknown"].map((customerId) => ({ customerId, day: DAY, requests: 1 }));
  await assert.rejects(store.addRequests(counts));
  assert.equal(await store.countedRequests("cus_1", DAY), 0);
});
