// How many deliveries to an endpoint may start.
import assert from "node:assert/strict";
import { MAX_PROBE_PAUSE_MS, RECOVERY_PAUSE_MS } from "../../../src/domain/delivery/endpoint.ts";
import {
  type EndpointFacts,
  planEndpointSlots,
  planRecovery,
} from "../../../src/domain/plans/endpoint_pace.ts";
import { type RunningAttempt, Slots, SLOW_AFTER_MS } from "../../../src/domain/plans/share_slots.ts";

const T0 = 1_780_000_000_000;

const plan = (
  facts: Partial<EndpointFacts> = {},
  { running = [], isReplay = false }: { running?: RunningAttempt[]; isReplay?: boolean } = {},
) =>
  planEndpointSlots({ pace: "steady", slowAttempts: 0, resumeAtMs: 0, ...facts }, {
    customerId: "cus_1",
    subscriptionId: "sub_1",
    isReplay,
    slots: new Slots({ slots: 40, limit: 40, running, nowMs: T0 }),
    perSubscription: 5,
    nowMs: T0,
  });

const attempt = { customerId: "cus_1", subscriptionId: "sub_1", lane: "normal", startedAtMs: T0 } as const;

Deno.test("planEndpointSlots() returns a lane and the free slots of the subscription", () => {
  assert.deepEqual(plan(), { lane: "normal", free: 5 });
  assert.deepEqual(plan({}, { running: [attempt, attempt] }), { lane: "normal", free: 3 });
  assert.equal(plan({}, { running: Array(5).fill(attempt) }), null);
  assert.deepEqual(plan({ pace: "probing" }), { lane: "slow", free: 1 });
  assert.equal(plan({ pace: "probing" }, { running: [attempt] }), null);
  assert.deepEqual(plan({ slowAttempts: 0b111 }), { lane: "slow", free: 5 });
  assert.deepEqual(plan({ pace: "probing" }, { isReplay: true }), { lane: "replay", free: 1 });
  const long = { ...attempt, startedAtMs: T0 - SLOW_AFTER_MS };
  assert.deepEqual(plan({}, { running: [long] }), { lane: "slow", free: 4 });
});

Deno.test("planEndpointSlots() respects a pause, unless a clock rollback has made it too long", () => {
  assert.equal(plan({ resumeAtMs: T0 + 1 }), null);
  assert.equal(plan({ resumeAtMs: T0 + MAX_PROBE_PAUSE_MS }), null);
  assert.notEqual(plan({ resumeAtMs: T0 + MAX_PROBE_PAUSE_MS + 1 }), null);
  assert.notEqual(plan({ resumeAtMs: T0 }), null);
});

Deno.test("planRecovery() pauses after each claim until nothing is due", () => {
  assert.deepEqual(planRecovery({ claimed: 3, isAll: false, nowMs: T0 }), {
    pace: "recovering",
    resumeAtMs: T0 + 3 * RECOVERY_PAUSE_MS,
  });
  assert.deepEqual(planRecovery({ claimed: 3, isAll: true, nowMs: T0 }), { pace: "steady", resumeAtMs: 0 });
});
