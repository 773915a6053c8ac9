// Subscriptions beyond the limit of the customer's tier.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import type { Tier, TierLimits } from "../../../../src/domain/customer/tier.ts";
import {
  addCustomer,
  addSubscriber,
  aSubscription,
  BY,
  claimAll,
  deliveryId,
  first,
  monthly,
  newMailId,
  publishMatched,
  releaseAll,
  subscribe,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

/** Returns the default limits, but with these limits on active subscriptions. */
function allowing(numbers: Partial<Record<Tier, number>>): Record<Tier, TierLimits> {
  return Object.fromEntries(
    Object.entries(monthly(1_000)).map(([tier, limits]) => [
      tier,
      { ...limits, activeSubscriptions: numbers[tier as Tier] ?? limits.activeSubscriptions },
    ]),
  ) as Record<Tier, TierLimits>;
}

/** Adds five subscriptions of `cus_1`, each created a millisecond after the previous one. */
async function addFive(store: Store): Promise<void> {
  for (const at of [1, 2, 3, 4, 5]) await subscribe(store, `sub_${at}`, { createdAtMs: T0 + at });
}

/** Returns the last character of each subscription's id with its state, such as `1:on 2:tier`. */
async function states(store: Store, customerId = "cus_1"): Promise<string> {
  return (await store.listSubscriptions(customerId))
    .map(({ id, disabledBy }) => `${id.at(-1)}:${disabledBy ?? "on"}`).join(" ");
}

const change = (store: Store, id: string, enabled: boolean, activeLimit: number) =>
  store.changeSubscription("cus_1", id, { enabled }, { nowMs: T0, activeLimit });

test("changeCustomer() holds the newest subscriptions beyond a lower limit, and later enables the oldest first", async (store) => {
  await addCustomer(store);
  await addFive(store);
  await addCustomer(store, "2");
  await subscribe(store, "sub_other", { customerId: "cus_2" });
  const at = { ...BY, tiers: allowing({ indie: 2, team: 4, gpai: 9 }), atMs: T0 + 9 };
  await store.changeCustomer("cus_1", { tier: "indie" }, at);
  assert.equal(await states(store), "1:on 2:on 3:tier 4:tier 5:tier");
  assert.equal((await store.findSubscription("cus_1", "sub_3"))?.disabledAtMs, T0 + 9);
  await store.changeCustomer("cus_1", { tier: "team" }, at);
  assert.equal(await states(store), "1:on 2:on 3:on 4:on 5:tier");
  await store.changeCustomer("cus_1", { tier: "gpai" }, at);
  assert.equal(await states(store), "1:on 2:on 3:on 4:on 5:on");
  assert.equal(await states(store, "cus_2"), "r:on");
  const acts = (await store.listAudit({ limit: 9, customerId: "cus_1" })).map(({ act, change }) =>
    `${act} ${JSON.stringify(change["held"] ?? change["returned"] ?? change["tier"])}`
  );
  assert.deepEqual(acts, [
    'subscription.return ["sub_5"]',
    'customer.change {"before":"team","after":"gpai"}',
    'subscription.return ["sub_3","sub_4"]',
    'customer.change {"before":"indie","after":"team"}',
    'subscription.hold ["sub_3","sub_4","sub_5"]',
    'customer.change {"before":"team","after":"indie"}',
    'customer.add "team"',
  ]);
});

test("an email announces a changed tier or limit, with the subscriptions that were held or enabled again", async (store) => {
  await addCustomer(store);
  await addFive(store);
  const told = async () =>
    (await store.claimMails({ nowMs: T0 + 99, leaseMs: 9e9, limit: 9 })).map(({ kind, data }) => {
      const fit = data as { held: { id: string }[]; returned: { id: string }[]; limits: TierLimits };
      const ids = [fit.held, fit.returned].map((list) => list.map(({ id }) => id.at(-1)).join(""));
      return [kind, fit.limits.activeSubscriptions, ...ids];
    });
  const at = { ...BY, tiers: allowing({ indie: 2, team: 4, gpai: 9 }) };
  await store.changeCustomer("cus_1", { tier: "indie" }, at);
  assert.deepEqual(await told(), [["tier-changed", 2, "345", ""]]);
  await store.changeCustomer("cus_1", { tier: "team" }, at);
  assert.deepEqual(await told(), [["tier-changed", 4, "", "34"]]);
  const fit = (team: number) => store.fitSubscriptions({ nowMs: T0, tiers: allowing({ team }), newMailId });
  await fit(3);
  assert.deepEqual(await told(), [["subscriptions-held", 3, "4", ""]]);
  await fit(9);
  await store.changeCustomer("cus_1", { enabled: false }, at);
  assert.deepEqual(await told(), [], "subscriptions are enabled again without an email");
});

test("a subscription held by its tier gets every event once and in order when it is enabled again", async (store) => {
  await addSubscriber(store);
  await subscribe(store, "sub_2", { createdAtMs: T0 + 1 });
  await publishMatched(store, 1, 1);
  await store.changeCustomer("cus_1", { tier: "indie" }, BY);
  await publishMatched(store, 2, 2);
  assert.equal(await releaseAll(store), 0);
  assert.deepEqual((await claimAll(store)).map(({ subscriptionId }) => subscriptionId), ["sub_1", "sub_1"]);
  const held = await store.listDeliveries("cus_1", { limit: 9, statuses: ["held"] });
  assert.deepEqual(held.map(({ id, holdReason }) => [id, holdReason]), [
    [deliveryId("evt_02", "sub_2"), "disabled"],
    [deliveryId("evt_01", "sub_2"), "disabled"],
  ]);
  await store.changeCustomer("cus_1", { tier: "team" }, BY);
  assert.equal(await releaseAll(store), 2);
  const usage = await store.usageOf("cus_1", "2026-07");
  assert.deepEqual([usage.deliveries, usage.held], [4, 0]);
  assert.equal(first(await claimAll(store)).id, deliveryId("evt_01", "sub_2"));
});

test("fitSubscriptions() applies the limits of a config to every customer, and then changes nothing", async (store) => {
  await addCustomer(store);
  await addFive(store);
  await addCustomer(store, "2", { tier: "embedded", limits: { activeSubscriptions: 1 } });
  for (const at of [6, 7]) {
    await subscribe(store, `sub_${at}`, { customerId: "cus_2", createdAtMs: T0 + at });
  }
  const fit = (team: number) => store.fitSubscriptions({ nowMs: T0, tiers: allowing({ team }), newMailId });
  assert.equal(await fit(3), 3);
  assert.equal(await states(store), "1:on 2:on 3:on 4:tier 5:tier");
  assert.equal(await states(store, "cus_2"), "6:on 7:tier");
  assert.equal(await fit(3), 0);
  assert.equal(await fit(4), 1);
  assert.equal(await fit(9), 1);
  assert.equal(await states(store), "1:on 2:on 3:on 4:on 5:on");
  assert.equal(await fit(9), 0);
  assert.equal(first(await store.listAudit({ limit: 1 })).actor, "service");
});

test("spare capacity enables the oldest held subscription, but none that its owner disabled", async (store) => {
  await addCustomer(store);
  await addFive(store);
  await store.fitSubscriptions({ nowMs: T0, tiers: allowing({ team: 2 }), newMailId });
  await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 2 });
  assert.equal(await states(store), "2:on 3:on 4:tier 5:tier");
  await change(store, "sub_4", false, 2);
  assert.equal(await states(store), "2:on 3:on 4:owner 5:tier");
  await change(store, "sub_2", false, 2);
  assert.equal(await states(store), "2:owner 3:on 4:owner 5:on");
  assert.equal(await change(store, "sub_4", true, 2), "limit_reached");
  assert.equal(await states(store), "2:owner 3:on 4:owner 5:on");
});

test("a subscription held by its tier cannot be enabled beyond the limit, and keeps its cursor", async (store) => {
  await addSubscriber(store);
  const held = await subscribe(store, "sub_2", { createdAtMs: T0 + 1, topics: ["gpai"] });
  await store.changeCustomer("cus_1", { tier: "indie" }, BY);
  assert.equal(await change(store, "sub_2", true, 1), "limit_reached");
  const same = { webhookUrl: held.webhookUrl, topics: ["gpai"] };
  const duplicate = { duplicateOf: "sub_2", isHeld: true };
  assert.deepEqual(await store.addSubscription(aSubscription("sub_3", same), 9), duplicate);
  const options = { nowMs: T0, activeLimit: 1 };
  assert.deepEqual(await store.changeSubscription("cus_1", "sub_1", same, options), duplicate);
  const other = { webhookUrl: "https://sub-1.example/hook", topics: [] };
  assert.deepEqual(await store.changeSubscription("cus_1", "sub_2", other, options), {
    duplicateOf: "sub_1",
    isHeld: false,
  });
  assert.ok(
    typeof await store.changeSubscription("cus_1", "sub_2", { language: "de" }, options) === "object",
  );
  assert.equal(await states(store), "1:on 2:tier");
  await store.changeCustomer("cus_1", { tier: "team" }, BY);
  assert.equal(await states(store), "1:on 2:on");
});

test("any changes to tiers and subscriptions keep to the limit, use spare capacity, and lose no subscription", async (store) => {
  await addCustomer(store);
  for (let seed = 1; seed <= 12; seed++) await wander(store, seed);
});

/** Changes subscriptions and tiers at random. After each step, checks the limit and that no subscription is lost. */
async function wander(store: Store, seed: number): Promise<void> {
  let state = seed;
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  const tiers = allowing({ indie: 1, team: 3, gpai: 6, embedded: 4 });
  const alive = new Map((await store.listSubscriptions("cus_1")).map(({ id }) => [id, true]));
  for (let step = 0; step < 60; step++) {
    const customer = await store.findCustomer("cus_1");
    if (customer === null) throw new Error("the customer is gone");
    let limit = customer.tier === "embedded"
      ? customer.limits.activeSubscriptions ?? 4
      : tiers[customer.tier].activeSubscriptions;
    const ids = [...alive.keys()];
    const one = ids[below(Math.max(1, ids.length))];
    const nowMs = T0 + seed * 100 + step;
    const what = below(6);
    if (what === 0 || one === undefined) {
      const id = `sub_${seed}_${step}`;
      const outcome = await store.addSubscription(aSubscription(id, { createdAtMs: nowMs }), limit);
      if (outcome === "created") alive.set(id, true);
    } else if (what === 1) {
      await store.deleteSubscription("cus_1", one, { nowMs, activeLimit: limit });
      alive.delete(one);
    } else if (what === 2 || what === 3) {
      await store.changeSubscription("cus_1", one, { enabled: what === 2 }, { nowMs, activeLimit: limit });
    } else if (what === 4) {
      const tier = (["indie", "team", "gpai", "embedded"] as const)[below(4)] ?? "indie";
      await store.changeCustomer("cus_1", { tier }, { ...BY, atMs: nowMs, tiers });
      limit = tier === "embedded"
        ? customer.limits.activeSubscriptions ?? 4
        : tiers[tier].activeSubscriptions;
    } else {
      const limits = { activeSubscriptions: below(8) };
      await store.changeCustomer("cus_1", { limits }, { ...BY, atMs: nowMs, tiers });
      if (customer.tier === "embedded") limit = limits.activeSubscriptions;
    }
    const listed = await store.listSubscriptions("cus_1");
    const on = listed.filter(({ disabledBy }) => disabledBy === null).length;
    const held = listed.filter(({ disabledBy }) => disabledBy === "tier").length;
    const where = `seed ${seed}, step ${step}`;
    assert.ok(on <= limit, `${where}: ${on} are active, the limit is ${limit}`);
    assert.ok(held === 0 || on === limit, `${where}: ${held} are held below the limit`);
    assert.deepEqual(listed.map(({ id }) => id).sort(), [...alive.keys()].sort(), `${where}: lost`);
  }
}
