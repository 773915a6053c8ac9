// What the port promises of changes of subscriptions and of new secrets.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import type { SubscriptionChange } from "../../../../src/domain/ports/store/subscriptions.ts";
import {
  addCustomer,
  claimAll,
  finishAllDue,
  matchAll,
  monthly,
  publishMany,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

const change = (
  store: Store,
  wanted: SubscriptionChange,
  { id = "sub_1", activeLimit = 9, nowMs = T0 } = {},
) => store.changeSubscription("cus_1", id, wanted, { nowMs, activeLimit });

test("changeSubscription() changes what is given and keeps the rest", async (store) => {
  await addCustomer(store);
  const before = await subscribe(store, "sub_1", { topics: ["gpai"] });
  const wanted = {
    webhookUrl: "https://new.example/hook",
    sourceFilter: ["board"],
    severityMin: "high" as const,
    language: "de",
  };
  assert.deepEqual(await change(store, wanted), { ...before, ...wanted });
  assert.deepEqual(await store.findSubscription("cus_1", "sub_1"), { ...before, ...wanted });
  assert.deepEqual(await change(store, { topics: [] }), { ...before, ...wanted, topics: [] });
  assert.equal(await change(store, {}, { id: "sub_2" }), "unknown");
  assert.equal(
    await store.changeSubscription("cus_2", "sub_1", {}, { nowMs: T0, activeLimit: 9 }),
    "unknown",
  );
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
  assert.equal(await change(store, {}), "unknown");
});

test("changeSubscription() matches the next events by the new filters, and sends what waits to the new address", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
  await change(store, { webhookUrl: "https://new.example/hook", topics: ["gpai"] });
  const [waiting] = await claimAll(store);
  assert.equal(waiting?.webhookUrl, "https://new.example/hook");
  await publishMany(store, 2, 2);
  const seen: string[][] = [];
  await matchAll(store, { seen: (_, offered) => void seen.push(...offered.map(({ topics }) => topics)) });
  assert.deepEqual(seen, [["gpai"]]);
});

test("changeSubscription() refuses to become another active one, and more active ones than the limit", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  const other = await subscribe(store, "sub_2", { topics: ["gpai"] });
  const same = { webhookUrl: other.webhookUrl, topics: ["gpai"] };
  assert.equal(await change(store, same), "duplicate");
  assert.deepEqual(
    (await store.findSubscription("cus_1", "sub_1"))?.topics,
    [],
    "nothing is changed by halves",
  );
  assert.ok(typeof await change(store, { ...same, enabled: false }) !== "string", "switched off it may");
  assert.equal(await change(store, { enabled: true }), "duplicate");
  assert.equal(await change(store, { topics: [], enabled: true }, { activeLimit: 1 }), "limit_reached");
  assert.ok(typeof await change(store, { topics: [], enabled: true }, { activeLimit: 2 }) !== "string");
  assert.ok(
    typeof await change(store, { language: "fr" }, { activeLimit: 0 }) !== "string",
    "it is on already",
  );
});

test("changeSubscription() holds what waits when it is switched off, and lets it go when it is on again", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 2);
  await matchAll(store);
  const off = await change(store, { enabled: false }, { nowMs: T0 + 5 });
  assert.ok(typeof off !== "string");
  assert.deepEqual([off.disabledAtMs, off.disabledBy], [T0 + 5, "owner"]);
  await publishMany(store, 3, 3);
  await matchAll(store);
  assert.deepEqual(await claimAll(store), []);
  assert.equal(await releaseAll(store), 0);
  const held = await store.listDeliveries("cus_1", { limit: 9 });
  assert.deepEqual(held.map(({ sequence, holdReason }) => [sequence, holdReason]), [
    [3, "disabled"],
    [2, "disabled"],
    [1, "disabled"],
  ]);
  const again = await change(store, { enabled: false }, { nowMs: T0 + 6 });
  assert.equal(typeof again === "string" ? again : again.disabledAtMs, T0 + 5, "it was off already");
  const on = await change(store, { enabled: true });
  assert.ok(typeof on !== "string");
  assert.deepEqual([on.disabledAtMs, on.disabledBy], [null, null]);
  assert.equal(await releaseAll(store), 3);
});

test("changeSubscription() switches on again what the endpoint's 410 had switched off", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
  await finishAllDue(store, { kind: "gone" });
  const moved = await change(store, { webhookUrl: "https://new.example/hook" });
  assert.equal(
    typeof moved === "string" ? moved : moved.disabledBy,
    "gone",
    "a new address alone does not",
  );
  const on = await change(store, { enabled: true });
  assert.equal(typeof on === "string" ? on : on.disabledBy, null);
  assert.equal(await releaseAll(store, { tiers: monthly(5) }), 1);
});

test("rotateSecret() signs with the new secret and, until the time, with the one before it", async (store) => {
  await addCustomer(store);
  const { webhookSecret } = await subscribe(store, "sub_1");
  await publishMany(store, 1, 1);
  await matchAll(store);
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
