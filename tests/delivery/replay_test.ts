// Replays, with the SQLite engine: they give way to other work, and each customer has one at a time.
import assert from "node:assert/strict";
import { createReplay, type Replaying } from "../../src/delivery/replay.ts";
import { createIds } from "../../src/domain/event/ids.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { DEFAULT_LIMITS } from "../../src/domain/customer/tier.ts";
import { createClock } from "../../src/platform/clock.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { addCustomer, anEvent, publish, subscribe, T0 } from "../store/contract/given.ts";
import { testVault } from "../support/vault.ts";

const RANGE = { sinceMs: 0, untilMs: null, afterId: null };
const TARGET = { customerId: "cus_1", subscriptionId: "sub_1", replaysPerDay: 5_000 };

/** Runs the work with a store that contains `count` events, none of which matches a subscription. */
async function withEvents(
  count: number,
  work: (store: Store, replaying: Replaying) => Promise<void>,
): Promise<void> {
  const store = openStore(":memory:", testVault);
  let nowMs = T0;
  const newId = createIds(() => nowMs++, (bytes) => new Uint8Array(bytes));
  try {
    await addCustomer(store);
    await subscribe(store, "sub_1", { topics: ["gpai"] });
    await publish(store, Array.from({ length: count }, () => anEvent(newId("event"))), false);
    await work(store, { store, clock: createClock(), newId, topics: [], tiers: DEFAULT_LIMITS });
  } finally {
    await store.close();
  }
}

Deno.test("a replay lets other work run between its steps", () =>
  withEvents(1_500, async (_, replaying) => {
    let others = 0;
    const timer = setInterval(() => others++, 0);
    const outcome = await createReplay(replaying)(TARGET, RANGE);
    clearInterval(timer);
    assert.ok(typeof outcome !== "string" && outcome.lastEventId === null);
    assert.ok(others >= 5, `${others} times`);
  }));

Deno.test("a customer can have one replay in progress", () =>
  withEvents(500, async (store, replaying) => {
    await addCustomer(store, "2");
    const replay = createReplay(replaying);
    const first = replay(TARGET, RANGE);
    await assert.rejects(replay(TARGET, RANGE), { code: "replay_limit_reached", retryInSeconds: 5 });
    assert.equal(await replay({ ...TARGET, customerId: "cus_2" }, RANGE), "unknown", "of another customer");
    await first;
    assert.notEqual(typeof await replay(TARGET, RANGE), "string");
  }));

Deno.test("a replay that continues after midnight counts each delivery on its day", () =>
  withEvents(0, async (store, replaying) => {
    await subscribe(store, "sub_all");
    const newId = createIds(() => T0, (bytes) => new Uint8Array(bytes));
    await publish(store, Array.from({ length: 100 }, () => anEvent(newId("event"))), false);
    const midnight = Math.ceil(T0 / 86_400_000) * 86_400_000;
    let steps = 0;
    const clock = {
      ...replaying.clock,
      nowMs: () => steps === 0 ? midnight - 1 : midnight,
      sleep: () => (steps++, Promise.resolve()),
    };
    await store.countDaily("cus_1", { action: "replays", count: 7, limit: 5_000, nowMs: midnight - 1 });
    const outcome = await createReplay({ ...replaying, clock })(
      { ...TARGET, subscriptionId: "sub_all" },
      RANGE,
    );
    assert.ok(typeof outcome !== "string" && outcome.created === 100);
    assert.equal((await store.usedToday("cus_1", midnight)).replays, 50, "counted on the second day");
  }));
