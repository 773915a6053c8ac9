// What follows an attempt: success, a retry, or the end of the delivery.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { decideNextStep, isSuccess, RETRY_PAUSES_MS } from "../../../src/delivery/send/retry.ts";
import type { AttemptResult } from "../../../src/domain/delivery/delivery.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

function result(statusCode: number | null, retryAtMs: number | null = null): AttemptResult {
  const problem = statusCode !== null && isSuccess({ statusCode }) ? null : "it failed";
  return { startedAtMs: NOW - 100, durationMs: 100, statusCode, problem, retryAtMs, response: null };
}

Deno.test("decideNextStep() treats 2xx as delivered, 410 as gone, and everything else as a failure", () => {
  for (const status of [200, 201, 202, 204, 206, 226, 299]) {
    assert.deepEqual(decideNextStep(result(status), 1, NOW, 0.5), { kind: "delivered" }, `${status}`);
    assert.deepEqual(decideNextStep(result(status), 11, NOW, 0.5), { kind: "delivered" }, `${status}`);
  }
  for (const attempt of [1, 11, 12]) {
    assert.deepEqual(decideNextStep(result(410), attempt, NOW, 0.5), { kind: "gone" });
  }
  const failures = [100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 411, 429, 500, 503, 599];
  for (const status of [null, ...failures]) {
    assert.equal(decideNextStep(result(status), 1, NOW, 0.5).kind, "retry", `${status}`);
    assert.deepEqual(decideNextStep(result(status), 11, NOW, 0.5), { kind: "failed" }, `${status}`);
  }
});

Deno.test("decideNextStep() schedules 5 s, 1, 5, 30 min, 2, 5, 10, 14, 20, 24 h, then fails", () => {
  const pauses = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  pauses.forEach((seconds, at) => {
    const step = decideNextStep(result(500), at + 1, NOW, 0.5);
    assert.deepEqual(step, { kind: "retry", atMs: NOW + seconds * SECOND }, `attempt ${at + 1}`);
  });
  for (const attempt of [11, 12, 100]) {
    assert.deepEqual(decideNextStep(result(500), attempt, NOW, 0.5), { kind: "failed" });
  }
});

Deno.test("decideNextStep() changes every pause by at most a tenth", () => {
  const range = fc.integer({ min: 1, max: RETRY_PAUSES_MS.length });
  fc.assert(
    fc.property(range, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
      const step = decideNextStep(result(null), attempt, NOW, random);
      assert.ok(step.kind === "retry");
      const pause = RETRY_PAUSES_MS[attempt - 1] ?? 0;
      assert.ok(Number.isInteger(step.atMs));
      assert.ok(Math.abs(step.atMs - NOW - pause) <= pause / 10 + 1, `${step.atMs - NOW} for ${pause}`);
    }),
  );
  assert.deepEqual(decideNextStep(result(500), 1, NOW, 0), { kind: "retry", atMs: NOW + 4_500 });
});

Deno.test("decideNextStep() honours Retry-After up to a day, and never retries earlier than scheduled", () => {
  const rows: [what: string, attempt: number, retryAtMs: number, expectedMs: number][] = [
    ["later than the schedule", 1, NOW + 60 * SECOND, NOW + 60 * SECOND],
    ["sooner than the schedule", 2, NOW + 10 * SECOND, NOW + 60 * SECOND],
    ["already past", 1, NOW - DAY, NOW + 5 * SECOND],
    ["now", 1, NOW, NOW + 5 * SECOND],
    ["a day", 1, NOW + DAY, NOW + DAY],
    ["more than a day", 1, NOW + 30 * DAY, NOW + DAY],
    ["for ever", 10, Number.MAX_SAFE_INTEGER, NOW + DAY],
  ];
  for (const [what, attempt, retryAtMs, atMs] of rows) {
    for (const status of [429, 503, 500, 302]) {
      const step = decideNextStep(result(status, retryAtMs), attempt, NOW, 0.5);
      const asked = Math.min(retryAtMs, NOW + DAY);
      const expected = asked > NOW ? { kind: "retry", atMs, notBeforeMs: asked } : { kind: "retry", atMs };
      assert.deepEqual(step, expected, `${what}, ${status}`);
    }
  }
  assert.deepEqual(decideNextStep(result(503, NOW + HOUR), 11, NOW, 0.5), { kind: "failed" });
});
