// What a customer has seen of the feed.
import assert from "node:assert/strict";
import { test } from "../contract.ts";
import { addCustomer, anEvent, BY, publish, T0 } from "../given.ts";

const HOUR = 3_600_000;

test("visitFeed() returns what is new since the previous visit, separately for each customer", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  assert.deepEqual(await store.visitFeed("cus_1", T0), { after: null, sinceMs: T0, last: null });
  await publish(store, [anEvent("evt_1"), anEvent("evt_2")]);
  assert.equal((await store.visitFeed("cus_1", T0 + 60_000)).after, null, "still the first visit");
  const [first, second] = [await store.findPosition("evt_1"), await store.findPosition("evt_2")];
  await publish(store, [anEvent("evt_3")]);
  const next = await store.visitFeed("cus_1", T0 + HOUR);
  const since = { after: { id: "evt_2", seq: second?.seq }, sinceMs: T0 + 60_000 };
  assert.deepEqual(next, { ...since, last: { id: "evt_3" } });
  const ids = ["evt_3", "evt_1", "evt_2", "evt_unknown"];
  assert.deepEqual(await store.newEvents(second?.seq ?? 0, ids), ["evt_3"]);
  const later = await store.visitFeed("cus_2", T0 + HOUR);
  assert.equal(later.after?.id, "evt_3");

  const upTo = (eventId: string, nowMs: number) => store.markFeedRead("cus_1", { eventId, nowMs });
  await upTo("evt_3", T0 + HOUR + 1);
  assert.deepEqual((await store.visitFeed("cus_1", T0 + HOUR + 2)).sinceMs, T0 + HOUR + 1);
  await upTo("evt_1", T0 + HOUR + 3);
  await upTo("evt_unknown", T0 + HOUR + 4);
  const visit = await store.visitFeed("cus_1", T0 + HOUR + 5);
  assert.deepEqual([visit.after?.id, visit.sinceMs], ["evt_3", T0 + HOUR + 3], "reading is never undone");
  assert.ok((first?.seq ?? 0) > 0);
});

test("eraseCustomer() forgets what the customer has seen of the feed", async (store) => {
  await addCustomer(store);
  await store.visitFeed("cus_1", T0);
  await publish(store, [anEvent("evt_1")]);
  assert.equal((await store.visitFeed("cus_1", T0 + 1)).after, null);
  await store.eraseCustomer("cus_1", BY);
  assert.equal((await store.visitFeed("cus_1", T0 + 2)).after?.id, "evt_1", "like a first visit");
});
