// The SQLite engine caches the subscriptions with which it matches events. The cache is never stale.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import {
  addCustomer,
  anEvent,
  aSubscription,
  BY,
  claimAll,
  finished,
  JULY,
  matchAll,
  monthly,
  newMailId,
  publish,
  publishMany,
  subscribe,
  T0,
  TERMS,
} from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";
import { withFile } from "../files.ts";

/** Opens two stores on one file, as two processes do. The first one has matched an event with a subscription. */
function withTwo(work: (one: Store, other: Store) => Promise<void>): Promise<void> {
  return withFile(async (file) => {
    const [one, other] = [openStore(file, testVault), openStore(file, testVault)];
    try {
      await addCustomer(one, "1");
      await subscribe(one, "sub_1");
      assert.deepEqual(await offered(one, "evt_01"), ["sub_1"]);
      await work(one, other);
    } finally {
      await one.close();
      await other.close();
    }
  });
}

async function offered(store: Store, eventId: string): Promise<string[]> {
  await publish(store, [anEvent(eventId)]);
  const ids: string[] = [];
  await matchAll(store, { seen: (_, subscriptions) => ids.push(...subscriptions.map(({ id }) => id)) });
  return ids;
}

Deno.test("matchEvents() offers an event to a subscription that another process has added", () =>
  withTwo(async (one, other) => {
    await subscribe(other, "sub_2", { topics: ["transparency"] });
    assert.deepEqual(await offered(one, "evt_02"), ["sub_1", "sub_2"]);
  }));

Deno.test("matchEvents() offers nothing to a subscription that another process has deleted", () =>
  withTwo(async (one, other) => {
    await other.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
    assert.deepEqual(await offered(one, "evt_02"), []);
  }));

Deno.test("matchEvents() holds the deliveries of a customer that another process has disabled, until it is enabled", () =>
  withTwo(async (one, other) => {
    await claimAll(one);
    await other.changeCustomer("cus_1", { enabled: false }, BY);
    await offered(one, "evt_02");
    assert.deepEqual(await claimAll(one), []);
    await other.changeCustomer("cus_1", { enabled: true }, BY);
    await one.releaseHeld({ nowMs: T0, month: JULY, tiers: monthly(1_000), newMailId });
    await offered(one, "evt_03");
    assert.deepEqual((await claimAll(one)).map(({ body }) => body), ["1: evt_01", "2: evt_02", "3: evt_03"]);
  }));

Deno.test("matchEvents() holds the deliveries of a disabled subscription", () =>
  withTwo(async (one, other) => {
    const attempts = (await claimAll(other)).map((delivery) => finished(delivery, { kind: "gone" }));
    await other.finishAttempts(attempts, T0);
    await offered(one, "evt_02");
    assert.deepEqual(await claimAll(one), []);
  }));

Deno.test("matchEvents() does not offer an event to subscriptions that were added after it", () =>
  withTwo(async (one, other) => {
    await publish(one, [anEvent("evt_02")]);
    await subscribe(other, "sub_2");
    const seen: string[][] = [];
    await matchAll(one, { seen: (_, subscriptions) => seen.push(subscriptions.map(({ id }) => id)) });
    assert.deepEqual(seen, [["sub_1"]]);
    assert.deepEqual(await offered(one, "evt_03"), ["sub_1", "sub_2"]);
  }));

Deno.test("a step of a backfill reads one subscription, regardless of the number of subscriptions and of changes", async () => {
  const timeWith = async (others: number): Promise<number> => {
    const store = openStore(":memory:", testVault);
    try {
      await addCustomer(store);
      await addCustomer(store, "2");
      for (let number = 0; number < others; number++) {
        const other = aSubscription(`sub_${number}`, { customerId: "cus_2" });
        await store.addSubscription(other, 100_000);
      }
      await publishMany(store, 1, 200);
      await store.addSubscription(aSubscription("sub_x"), 1, { backfill: { sinceMs: 0, perDay: 1 } });
      const terms = { ...TERMS, deliveriesFor: () => [] };
      let ms = 0;
      for (let step = 0; step < 20; step++) {
        const change = { language: step % 2 === 0 ? "de" : "fr" };
        await store.changeSubscription("cus_1", "sub_x", change, { nowMs: T0, activeLimit: 1 });
        const startedMs = performance.now();
        assert.equal(await store.catchUp(terms), 1);
        ms += performance.now() - startedMs;
      }
      return ms;
    } finally {
      await store.close();
    }
  };
  const [few, many] = [await timeWith(1), await timeWith(1_000)];
  assert.ok(many < 10 * few, `${many} ms where few take ${few} ms`);
});
