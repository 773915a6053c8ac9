// Subscriptions: limits, duplicates, owners, deletion.
import assert from "node:assert/strict";
import { NO_EXCLUSIONS, toSearch } from "../../../../src/domain/event/event_filter.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  MAX_DISABLED,
  NO_DELIVERIES,
  type Subscription,
} from "../../../../src/domain/delivery/subscription.ts";
import {
  addCustomer,
  addSubscriber,
  aSubscription,
  claimAll,
  claimedBodies,
  finishAllDue,
  finished,
  LEASE,
  matchAll,
  monthly,
  publishMany,
  publishMatched,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";
import type { SubscriptionChange } from "../../../../src/domain/ports/store/subscriptions.ts";

const HOOK = { webhookUrl: "https://same.example/hook" };

async function listedIds(store: Store, customerId = "cus_1"): Promise<string[]> {
  return (await store.listSubscriptions(customerId)).map((subscription) => subscription.id);
}

test("addSubscription() stores a subscription unchanged", async (store) => {
  await addCustomer(store);
  const subscription = await subscribe(store, "sub_1", {
    topics: ["transparency", "gpai"],
    sources: ["court", "board"],
    severityMin: "high",
    eventTypes: ["guidance", "decision"],
    articles: ["Art. 50"],
    eventLanguages: ["de", "fr"],
    search: toSearch('consult* "high risk"'),
    exclude: { ...NO_EXCLUSIONS, topics: ["gpai"], sources: ["agency"], search: toSearch("speech") },
    language: "de",
    name: "Legal team",
    note: "Ask Ana before deleting it.\nUsed since May.",
    headers: { authorization: "Bearer 0wner", "x-team": "legal" },
    headerNames: ["authorization", "x-team"],
  });
  assert.deepEqual(await store.findSubscription("cus_1", "sub_1"), subscription);
  const { webhookSecret: _, previousSecret: _previous, headers: _headers, ...unsealed } = subscription;
  assert.deepEqual(await store.listSubscriptions("cus_1"), [unsealed]);
});

test("addSubscription() stores active subscriptions only up to the limit", async (store) => {
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

test("addSubscription() refuses a customer with a hundred disabled subscriptions", async (store) => {
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

test("addSubscription() applies the limit and detects duplicates in concurrent calls", async (store) => {
  await addCustomer(store);
  const wishes = Array.from({ length: 8 }, (_, at) => aSubscription(`sub_${at}`, at % 2 === 0 ? HOOK : {}));
  const outcomes = await Promise.all(wishes.map((wish) => store.addSubscription(wish, 3)));
  const kinds = outcomes.map((outcome) => typeof outcome === "object" ? outcome.duplicateOf : outcome);
  assert.deepEqual(kinds.toSorted(), [
    ...Array(3).fill("created"),
    ...Array(2).fill("limit_reached"),
    ...Array(3).fill("sub_0"),
  ]);
});

test("addSubscription() detects a duplicate regardless of the order of its filters", async (store) => {
  await addCustomer(store);
  const filter = { ...HOOK, topics: ["gpai", "high-risk"], sources: ["board", "court"] };
  await subscribe(store, "sub_1", filter);
  const same: Partial<Subscription>[] = [
    filter,
    { ...filter, topics: ["high-risk", "gpai"] },
    { ...filter, sources: ["court", "board"] },
    { ...filter, topics: ["high-risk", "gpai", "gpai"], sources: ["court", "board", "court"] },
  ];
  for (const [at, change] of same.entries()) {
    const outcome = await store.addSubscription(aSubscription(`sub_same_${at}`, change), 100);
    assert.deepEqual(outcome, { duplicateOf: "sub_1", isHeld: false }, JSON.stringify(change));
  }
  assert.deepEqual(await listedIds(store), ["sub_1"]);
});

test("addSubscription() accepts a subscription that differs only in its URL, a filter or the customer", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  const filter = { ...HOOK, topics: ["gpai"], sources: ["board"] };
  await subscribe(store, "sub_1", filter);
  const others: Partial<Subscription>[] = [
    { ...filter, webhookUrl: `${HOOK.webhookUrl}?to=2` },
    { ...filter, topics: [] },
    { ...filter, topics: ["gpai", "high-risk"] },
    { ...filter, topics: ["board"], sources: ["gpai"] },
    { ...filter, sources: [] },
    { ...filter, severityMin: "low" },
    { ...filter, eventTypes: ["guidance"] },
    { ...filter, articles: ["Art. 50"] },
    { ...filter, eventLanguages: ["de"] },
    { ...filter, search: toSearch("labels") },
    { ...filter, exclude: { ...NO_EXCLUSIONS, eventTypes: ["guidance"] } },
    { ...filter, customerId: "cus_2" },
  ];
  for (const [at, change] of others.entries()) {
    const outcome = await store.addSubscription(aSubscription(`sub_other_${at}`, change), 100);
    assert.equal(outcome, "created", JSON.stringify(change));
  }
});

test("addSubscription() ignores deleted subscriptions", async (store) => {
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

test("addSubscription() does not count disabled subscriptions, and permits an identical one", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1", HOOK);
  await publishMatched(store, 1, 1);
  await finishAllDue(store, { kind: "gone" }, T0 + 5);
  assert.equal(await store.addSubscription(aSubscription("sub_2", HOOK), 1), "created");
  const listed = await store.listSubscriptions("cus_1");
  assert.deepEqual(listed.map(({ id, disabledAtMs }) => [id, disabledAtMs]), [
    ["sub_1", T0 + 5],
    ["sub_2", null],
  ]);
});

test("listSubscriptions() returns the customer's subscriptions except deleted ones, oldest first", async (store) => {
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

test("listSubscriptions() and findSubscription() show how the deliveries are going", async (store) => {
  await addSubscriber(store);
  await subscribe(store, "sub_2");
  const health = async (id = "sub_1") => {
    const { health } = await store.findSubscription("cus_1", id) ?? {};
    const listed = await store.listSubscriptions("cus_1");
    assert.deepEqual(listed.find((one) => one.id === id)?.health, health);
    return health;
  };
  assert.deepEqual(await health(), NO_DELIVERIES);
  await publishMatched(store, 1, 3, { tiers: monthly(5) });
  assert.deepEqual(await health(), { ...NO_DELIVERIES, pending: 3 });
  assert.deepEqual(await health("sub_2"), { ...NO_DELIVERIES, pending: 2, held: 1 });
  const [first, second, third] = (await claimAll(store)).filter((one) => one.subscriptionId === "sub_1");
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  await store.finishAttempts([finished(first, { kind: "delivered" })], T0 + 1_000);
  assert.deepEqual(await health(), { ...NO_DELIVERIES, lastSuccessAtMs: T0 + 1_000, pending: 2 });
  await store.finishAttempts([
    finished(second, { kind: "retry", atMs: T0 + 9_000 }),
    finished(third, { kind: "failed" }),
  ], T0 + 2_000);
  assert.deepEqual(await health(), {
    lastSuccessAtMs: T0 + 1_000,
    failingSinceMs: T0 + 2_000,
    pending: 1,
    held: 0,
  });
  await change(store, { webhookUrl: "https://new.example/hook" });
  assert.deepEqual(await health(), { ...NO_DELIVERIES, pending: 1 }, "the new endpoint has no history");
  const deleted = await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0 + 3_000, activeLimit: 9 });
  assert.deepEqual([deleted?.health.pending, deleted?.health.held], [0, 0]);
});

test("findSubscription() and deleteSubscription() return null for another customer's, deleted or unknown ids", async (store) => {
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
  assert.equal(await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0 + 9, activeLimit: 100 }), null);
});

test("deleteSubscription() cancels the remaining deliveries of the subscription, and no others", async (store) => {
  await addCustomer(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_1");
  await subscribe(store, "sub_2", { customerId: "cus_2" });
  await publishMatched(store, 1, 3, { tiers: monthly(2) });
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal((await store.health()).pendingDeliveries, 2);
  assert.deepEqual(await claimedBodies(store, T0 + 2 * LEASE), ["1: evt_01", "2: evt_02"]);
  assert.equal(await releaseAll(store), 1);
  await publishMatched(store, 4, 4);
  assert.deepEqual(await claimedBodies(store, T0), ["3: evt_03", "4: evt_04"]);
});

const change = (
  store: Store,
  wanted: SubscriptionChange,
  { id = "sub_1", activeLimit = 9, nowMs = T0 } = {},
) => store.changeSubscription("cus_1", id, wanted, { nowMs, activeLimit });

/** Changes a subscription, and returns it. Fails if the change is refused. */
async function changed(...call: Parameters<typeof change>): Promise<Subscription> {
  const outcome = await change(...call);
  assert.ok(typeof outcome !== "string" && "id" in outcome, JSON.stringify(outcome));
  return outcome;
}

test("changeSubscription() changes only the given fields", async (store) => {
  await addCustomer(store);
  const before = await subscribe(store, "sub_1", { topics: ["gpai"] });
  const wanted = {
    webhookUrl: "https://new.example/hook",
    sources: ["board"],
    severityMin: "high" as const,
    articles: ["Annex III"],
    search: toSearch("labels"),
    exclude: { ...NO_EXCLUSIONS, eventTypes: ["speech" as const] },
    language: "de",
    name: "Legal team",
    note: "Ask Ana.",
  };
  assert.deepEqual(await change(store, wanted), { ...before, ...wanted });
  assert.deepEqual(await store.findSubscription("cus_1", "sub_1"), { ...before, ...wanted });
  const cleared = { topics: [], search: null, exclude: NO_EXCLUSIONS, name: null };
  assert.deepEqual(await change(store, cleared), { ...before, ...wanted, ...cleared });
  assert.equal(await change(store, {}, { id: "sub_2" }), "unknown");
  assert.equal(
    await store.changeSubscription("cus_2", "sub_1", {}, { nowMs: T0, activeLimit: 9 }),
    "unknown",
  );
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal(await change(store, {}), "unknown");
});

test("changeSubscription() sends headers to a new URL only if they are given again", async (store) => {
  await addCustomer(store);
  const headers = { authorization: "Bearer 0wner" };
  await subscribe(store, "sub_1", { headers, headerNames: ["authorization"] });
  await publishMatched(store, 1, 1);
  const sent = async (nowMs: number) =>
    (await claimAll(store, nowMs)).map((one) => [one.webhookUrl, one.headers]);
  const elsewhere = { webhookUrl: "https://elsewhere.example/hook" };
  const { webhookUrl } = aSubscription("sub_1");
  assert.equal(await change(store, elsewhere), "headers_missing");
  assert.equal(await change(store, { ...elsewhere, enabled: false }), "headers_missing");
  assert.deepEqual(await sent(T0), [[webhookUrl, headers]], "nothing has changed");
  await changed(store, { webhookUrl, language: "de" });
  await changed(store, { ...elsewhere, headers: {} });
  assert.deepEqual(await sent(T0 + LEASE), [[elsewhere.webhookUrl, {}]]);
  const renewed = { "x-key": "n3w" };
  assert.deepEqual((await changed(store, { webhookUrl, headers: renewed })).headerNames, ["x-key"]);
  assert.deepEqual(await sent(T0 + 2 * LEASE), [[webhookUrl, renewed]]);
  await change(store, { webhookUrl: elsewhere.webhookUrl, headers: renewed });
  assert.deepEqual(await sent(T0 + 3 * LEASE), [[elsewhere.webhookUrl, renewed]]);
});

test("changeSubscription() applies new filters to later events, and a new URL to waiting deliveries", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  await change(store, { webhookUrl: "https://new.example/hook", topics: ["gpai"] });
  const [waiting] = await claimAll(store);
  assert.equal(waiting?.webhookUrl, "https://new.example/hook");
  await publishMany(store, 2, 2);
  const seen: string[][] = [];
  await matchAll(store, { seen: (_, offered) => void seen.push(...offered.map(({ topics }) => topics)) });
  assert.deepEqual(seen, [["gpai"]]);
});

test("changeSubscription() refuses duplicates of active subscriptions, and more than the limit", async (store) => {
  await addSubscriber(store);
  const other = await subscribe(store, "sub_2", { topics: ["gpai"] });
  const same = { webhookUrl: other.webhookUrl, topics: ["gpai"] };
  const twin = { duplicateOf: "sub_2", isHeld: false };
  assert.deepEqual(await change(store, same), twin);
  assert.deepEqual((await store.findSubscription("cus_1", "sub_1"))?.topics, []);
  await changed(store, { ...same, enabled: false });
  assert.deepEqual(await change(store, { enabled: true }), twin);
  assert.equal(await change(store, { topics: [], enabled: true }, { activeLimit: 1 }), "limit_reached");
  await changed(store, { topics: [], enabled: true }, { activeLimit: 2 });
  await changed(store, { language: "fr" }, { activeLimit: 0 });
});

test("changeSubscription() holds waiting deliveries while disabled, and releases them when enabled", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 2);
  const off = await changed(store, { enabled: false }, { nowMs: T0 + 5 });
  assert.deepEqual([off.disabledAtMs, off.disabledBy], [T0 + 5, "owner"]);
  await publishMatched(store, 3, 3);
  assert.deepEqual(await claimAll(store), []);
  assert.equal(await releaseAll(store), 0);
  const held = await store.listDeliveries("cus_1", { limit: 9 });
  assert.deepEqual(held.map(({ sequence, holdReason }) => [sequence, holdReason]), [
    [3, "disabled"],
    [2, "disabled"],
    [1, "disabled"],
  ]);
  const again = await changed(store, { enabled: false }, { nowMs: T0 + 6 });
  assert.equal(again.disabledAtMs, T0 + 5, "already disabled");
  const on = await changed(store, { enabled: true });
  assert.deepEqual([on.disabledAtMs, on.disabledBy], [null, null]);
  assert.equal(await releaseAll(store), 3);
});

test("changeSubscription() enables a subscription that a 410 response had disabled", async (store) => {
  await addSubscriber(store);
  await publishMatched(store, 1, 1);
  await finishAllDue(store, { kind: "gone" });
  const moved = await changed(store, { webhookUrl: "https://new.example/hook" });
  assert.equal(moved.disabledBy, "gone");
  const on = await changed(store, { enabled: true });
  assert.equal(on.disabledBy, null);
  assert.equal(await releaseAll(store, { tiers: monthly(5) }), 1);
});

test("rotateSecret() makes deliveries signed with the new secret and, for a time, with the previous one", async (store) => {
  await addCustomer(store);
  const { webhookSecret } = await subscribe(store, "sub_1");
  await publishMatched(store, 1, 1);
  const secret = "ab".repeat(32);
  const response = { key: "key 1", requestHash: "00".repeat(32), json: '{"rotated":true}' };
  const rotation = { secret, previousUntilMs: T0 + 10, nowMs: T0, response };
  assert.equal(await store.rotateSecret("cus_2", "sub_1", rotation), null);
  assert.equal(await store.findResponse("cus_1", "key 1", 0), null);
  const rotated = await store.rotateSecret("cus_1", "sub_1", rotation);
  assert.equal(rotated?.webhookSecret, secret);
  assert.deepEqual(rotated?.previousSecret, { secret: webhookSecret, untilMs: T0 + 10 });
  assert.deepEqual(await store.findResponse("cus_1", "key 1", 0), response);
  const secretsAt = async (nowMs: number) => (await claimAll(store, nowMs))[0]?.webhookSecrets;
  assert.deepEqual(await secretsAt(T0 + 9), [secret, webhookSecret]);
  assert.deepEqual(await secretsAt(T0 + 1_000_000), [secret]);
});
