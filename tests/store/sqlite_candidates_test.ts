// The subscriptions that the SQLite engine matches with: kept between calls, and never out of date.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import {
  addCustomer,
  anEvent,
  BY,
  claimAll,
  finished,
  JULY,
  matchAll,
  monthly,
  newMailId,
  publish,
  subscribe,
  T0,
} from "./contract/given.ts";
import { testVault } from "../support/vault.ts";
import { TEMPORARY } from "../support/temporary.ts";

/** Two processes' stores over one file, with a customer and a subscription that the first one has matched with. */
async function withTwo(work: (one: Store, other: Store) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-candidates-" });
  const file = join(folder, "regfeed.db");
  const [one, other] = [openStore(file, testVault), openStore(file, testVault)];
  try {
    await addCustomer(one, "1");
    await subscribe(one, "sub_1");
    assert.deepEqual(await offered(one, "evt_01"), ["sub_1"]);
    await work(one, other);
  } finally {
    await one.close();
    await other.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The subscriptions that a new event is offered to. */
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

Deno.test("matchEvents() holds the deliveries of a subscription that has been switched off", () =>
  withTwo(async (one, other) => {
    const attempts = (await claimAll(other)).map((delivery) => finished(delivery, { kind: "gone" }));
    await other.finishAttempts(attempts, T0);
    await offered(one, "evt_02");
    assert.deepEqual(await claimAll(one), []);
  }));

Deno.test("matchEvents() offers an event to none of the subscriptions that came after it", () =>
  withTwo(async (one, other) => {
    await publish(one, [anEvent("evt_02")]);
    await subscribe(other, "sub_2");
    const seen: string[][] = [];
    await matchAll(one, { seen: (_, subscriptions) => seen.push(subscriptions.map(({ id }) => id)) });
    assert.deepEqual(seen, [["sub_1"]]);
    assert.deepEqual(await offered(one, "evt_03"), ["sub_1", "sub_2"]);
  }));
