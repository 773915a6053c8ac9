// Promises about limits per customer and UTC day.
import assert from "node:assert/strict";
import { addCustomer, T0 } from "../given.ts";
import { test } from "../contract.ts";

const DAY_MS = 86_400_000;
const MIDNIGHT = Math.ceil(T0 / DAY_MS) * DAY_MS;

test("countDaily() grants all or none, and never more than the limit, also to many at once", async (store) => {
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

test("countDaily() counts each customer, each action and each UTC day by itself", async (store) => {
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
