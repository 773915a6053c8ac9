// The health of an endpoint: first failure, probes, recovery, warning and disabling.
import assert from "node:assert/strict";
import {
  afterAttempt,
  DISABLE_AFTER_MS,
  type EndpointHealth,
  HALF_OPEN,
  isSlowEndpoint,
  judgeEndpoint,
  MAX_PROBE_PAUSE_MS,
  WARN_AFTER_MS,
  WARNING_LEAD_MS,
  WELL,
} from "../../../src/domain/delivery/endpoint.ts";

const T0 = Date.UTC(2026, 6, 20, 12);

const after = (health: EndpointHealth, isSuccess: boolean, nowMs: number, durationMs = 10) =>
  afterAttempt(health, { isSuccess, durationMs, nowMs });

function afterFailures(count: number, health: EndpointHealth = WELL): EndpointHealth {
  for (let at = 0; at < count; at++) health = after(health, false, T0 + at);
  return health;
}

Deno.test("afterAttempt() probes an endpoint after five failures in a row, with pauses that double up to a minute", () => {
  assert.equal(afterFailures(4).pace, "steady");
  assert.equal(afterFailures(4).resumeAtMs, 0);
  const pauses = Array.from({ length: 9 }, (_, at) => afterFailures(5 + at).resumeAtMs - (T0 + 4 + at));
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  assert.equal(afterFailures(5_000).resumeAtMs, T0 + 4_999 + MAX_PROBE_PAUSE_MS);
});

Deno.test("afterAttempt() ends the probes after a success, and the endpoint recovers at a bounded rate", () => {
  const recovering = after(afterFailures(30), true, T0);
  assert.deepEqual(recovering, { ...WELL, pace: "recovering", slowAttempts: 0 });
  assert.equal(after(afterFailures(4), true, T0).pace, "steady");
  assert.equal(after(recovering, true, T0).pace, "recovering");
  assert.equal(afterFailures(1, recovering).pace, "recovering");
  assert.equal(afterFailures(5, recovering).pace, "probing");
});

Deno.test("afterAttempt() keeps a newly enabled endpoint at one probe after each failure", () => {
  const failed = afterFailures(1, HALF_OPEN);
  assert.deepEqual([failed.pace, failed.resumeAtMs], ["probing", T0 + 1_000]);
  assert.equal(after(HALF_OPEN, true, T0).pace, "recovering");
});

Deno.test("isSlowEndpoint() uses the median of the last five attempts, or the first attempt if there are fewer", () => {
  const isSlow = (durationsMs: readonly number[]) =>
    isSlowEndpoint(durationsMs.reduce((health, ms) => after(health, true, T0, ms), WELL));
  const cases: [durationsMs: number[], slow: boolean][] = [
    [[], false],
    [[2_000], false],
    [[2_001], true],
    [[14_000, 10, 10], true],
    [[14_000, 10, 10, 10], false],
    [[14_000, 10], true],
    [[10, 14_000, 14_000], false],
    [[10, 14_000, 14_000, 14_000], true],
    [[14_000, 14_000, 10, 14_000, 10, 14_000], true],
    [[14_000, 14_000, 10, 14_000, 10, 14_000, 10], false],
  ];
  for (const [durations, slow] of cases) assert.equal(isSlow(durations), slow, String(durations));
  assert.equal(isSlowEndpoint(after(WELL, false, T0, 15_000)), true, "failures count too");
  assert.equal(isSlowEndpoint(HALF_OPEN), false, "an enabled endpoint starts without history");
});

Deno.test("afterAttempt() counts from the first failure, and never from the future", () => {
  assert.equal(afterFailures(3).firstFailureAtMs, T0);
  assert.equal(after(afterFailures(3), false, T0 - 9_000).firstFailureAtMs, T0 - 9_000);
});

Deno.test("judgeEndpoint() warns after three days, and disables after five days and a day of warning", () => {
  const cases: [number | null, number | null, number, string][] = [
    [null, null, T0, "nothing"],
    [T0, null, T0 + WARN_AFTER_MS - 1, "nothing"],
    [T0, null, T0 + WARN_AFTER_MS, "warn"],
    [T0, T0 + WARN_AFTER_MS, T0 + DISABLE_AFTER_MS - 1, "nothing"],
    [T0, T0 + WARN_AFTER_MS, T0 + DISABLE_AFTER_MS, "disable"],
    [T0, null, T0 + 30 * DISABLE_AFTER_MS, "warn"],
    [T0, T0 + 30 * DISABLE_AFTER_MS, T0 + 30 * DISABLE_AFTER_MS + WARNING_LEAD_MS - 1, "nothing"],
    [T0, T0 + 30 * DISABLE_AFTER_MS, T0 + 30 * DISABLE_AFTER_MS + WARNING_LEAD_MS, "disable"],
  ];
  for (const [firstFailureAtMs, warnedAtMs, nowMs, expected] of cases) {
    assert.equal(judgeEndpoint({ firstFailureAtMs, warnedAtMs }, nowMs), expected, `${nowMs - T0}`);
  }
});
