// Matching: each event goes to the right subscriptions once and in sequence.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  addSubscriber,
  anEvent,
  claimAll,
  claimedBodies,
  deliveryId,
  eventIds,
  JULY,
  matchAll,
  monthly,
  newMailId,
  publish,
  publishMany,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

async function matchWith(
  store: Store,
  deliveriesFor: Parameters<Store["matchEvents"]>[0]["deliveriesFor"],
): Promise<number> {
  return await store.matchEvents({
    nowMs: T0,
    month: JULY,
    newMailId,
    limit: 100,
    tiers: monthly(1_000),
    deliveriesFor,
  });
}

test("matchEvents() stores a delivery that is due at once, whose body contains its sequence number", async (store) => {
  await addCustomer(store);
  const subscription = await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  assert.equal(await matchAll(store, { nowMs: T0 + 5 }), 1);
  assert.deepEqual(await claimAll(store, T0 + 4), []);
  assert.deepEqual(await claimAll(store, T0 + 5), [{
    id: deliveryId("evt_01", "sub_1"),
    customerId: "cus_1",
    subscriptionId: "sub_1",
    lane: "normal",
    webhookUrl: subscription.webhookUrl,
    webhookSecrets: [subscription.webhookSecret],
    body: "1: evt_01",
    headers: {},
    eventId: "evt_01",
    attempt: 1,
    tries: 1,
    createdAtMs: T0 + 5,
  }]);
});

test("matchEvents() matches each waiting event once, oldest first, up to the limit", async (store) => {
  await addSubscriber(store);
  await publishMany(store, 1, 5);
  const seen: string[] = [];
  const next = () => matchAll(store, { limit: 2, seen: ({ event }) => seen.push(event.id) });
  assert.deepEqual([await next(), await next(), await next(), await next()], [2, 2, 1, 0]);
  assert.deepEqual(seen, eventIds(1, 5));
});

test("matchEvents() delivers only events stored after the subscription", async (store) => {
  await addCustomer(store);
  await publishMany(store, 1, 1);
  await subscribe(store, "sub_1");
  await publishMany(store, 2, 2);
  await subscribe(store, "sub_2");
  await publishMany(store, 3, 3);
  assert.equal(await matchAll(store), 3);
  assert.deepEqual((await claimAll(store)).map((delivery) => delivery.id), [
    deliveryId("evt_02", "sub_1"),
    deliveryId("evt_03", "sub_1"),
    deliveryId("evt_03", "sub_2"),
  ]);
});

test("matchEvents() offers the event, its previous version, and the existing subscriptions", async (store) => {
  await addCustomer(store);
  const created = await subscribe(store, "sub_1", { topics: ["gpai"], language: "fr" });
  const { webhookSecret: _, previousSecret: _1, headers: _2, headerNames: _3, ...listed } = created;
  const { name: _4, note: _5, health: _6, ...standing } = listed;
  await subscribe(store, "sub_2");
  await store.deleteSubscription("cus_1", "sub_2", { nowMs: T0, activeLimit: 100 });
  const old = anEvent("evt_1");
  const revised = anEvent("evt_2", { external_id: old.external_id, version: 2, supersedes: "evt_1" });
  await publish(store, [old, revised]);
  const seen: unknown[] = [];
  await matchAll(store, { seen: (unmatched, subscriptions) => seen.push([unmatched, subscriptions]) });
  assert.deepEqual(seen, [
    [{ event: old, previous: null }, [standing]],
    [{ event: revised, previous: old }, [standing]],
  ]);
});

test("matchEvents() finishes events without subscribers", async (store) => {
  await publishMany(store, 1, 1);
  assert.equal(await matchAll(store), 1);
  await addSubscriber(store);
  await publishMany(store, 2, 2);
  assert.equal(await matchWith(store, () => []), 1);
  assert.equal(await matchAll(store), 0);
  assert.deepEqual(await claimAll(store), []);
});

test("matchEvents() numbers the deliveries of each subscription from 1 without a gap", async (store) => {
  await addSubscriber(store);
  await subscribe(store, "sub_2", { severityMin: "high" });
  await publish(
    store,
    eventIds(1, 6).map((id, at) => anEvent(id, { severity: at % 2 === 0 ? "info" : "high" })),
  );
  const toWhom = (severity: string): string[] => severity === "high" ? ["sub_1", "sub_2"] : ["sub_1"];
  await matchWith(store, ({ event }) =>
    toWhom(event.severity).map((subscriptionId) => ({
      id: deliveryId(event.id, subscriptionId),
      subscriptionId,
      opening: (sequence) => `${sequence}`,
      ending: "",
    })));
  const claimed = await claimAll(store);
  const sequences = (id: string) =>
    claimed.filter(({ subscriptionId }) => subscriptionId === id).map(({ body }) => Number(body));
  assert.deepEqual(sequences("sub_1"), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(sequences("sub_2"), [1, 2, 3]);
});

test("matchEvents() stores one delivery of an event per subscription, with one sequence number", async (store) => {
  await addSubscriber(store);
  await publishMany(store, 1, 2);
  await matchWith(store, ({ event }) =>
    [1, 2].map((copy) => ({
      id: `dlv ${event.id} ${copy}`,
      subscriptionId: "sub_1",
      opening: (sequence) => `${sequence}`,
      ending: "",
    })));
  const claimed = (await claimAll(store)).map(({ id, body }) => `${id}: ${body}`);
  assert.deepEqual(claimed, ["dlv evt_01 1: 1", "dlv evt_02 1: 2"]);
});

test("matchEvents() stores a separate body for each of many subscriptions", async (store) => {
  await addCustomer(store);
  const ids = Array.from({ length: 70 }, (_, at) => `sub_${at + 10}`);
  for (const id of ids) await subscribe(store, id);
  await publishMany(store, 1, 2);
  // Many subscriptions use English or German, and one uses French.
  const language = (at: number): string => at === 40 ? "fr" : at % 3 === 0 ? "de" : "en";
  await matchWith(store, ({ event }, subscriptions) =>
    subscriptions.map(({ id }, at) => ({
      id: deliveryId(event.id, id),
      subscriptionId: id,
      opening: (sequence) => `${id} ${sequence} of `,
      ending: `${event.id} in ${language(at)}: \u{1f30d} “ü”`,
    })));
  const bodies = (await claimAll(store)).map(({ id, body }) => `${id}: ${body}`).sort();
  const expected = ids.flatMap((id, at) =>
    eventIds(1, 2).map((event, place) =>
      `${deliveryId(event, id)}: ${id} ${place + 1} of ${event} in ${language(at)}: \u{1f30d} “ü”`
    )
  );
  assert.deepEqual(bodies, expected.sort());
});

test("matchEvents() stores nothing if a decision throws, and the events keep waiting", async (store) => {
  await addSubscriber(store);
  await publishMany(store, 1, 3);
  const failing = matchAll(store, {
    tiers: monthly(3),
    seen: ({ event }) => {
      if (event.id === "evt_03") throw new Error("cannot tell");
    },
  });
  await assert.rejects(failing, /cannot tell/);
  assert.deepEqual(await claimAll(store), []);
  assert.equal(await matchAll(store, { tiers: monthly(3) }), 3, "no quota is used");
  assert.deepEqual(await claimedBodies(store), ["1: evt_01", "2: evt_02", "3: evt_03"]);
});

test("matchEvents() refuses a delivery to a subscription that it did not offer", async (store) => {
  await addSubscriber(store);
  await publishMany(store, 1, 1);
  const delivery = { id: "dlv_1", subscriptionId: "sub_unknown", opening: () => "", ending: "" };
  await assert.rejects(matchWith(store, () => [delivery]));
  assert.equal(await matchAll(store), 1);
});

test("matchEvents() refuses a delivery of an event that was stored before its subscription", async (store) => {
  await addSubscriber(store);
  await publishMany(store, 1, 1);
  await subscribe(store, "sub_2");
  const delivery = { id: "dlv_1", subscriptionId: "sub_2", opening: () => "", ending: "" };
  await assert.rejects(matchWith(store, () => [delivery]));
});
