// What is logged about failing endpoints, and how often.
import assert from "node:assert/strict";
import { createAttemptLog } from "../../../src/delivery/send/attempt_log.ts";
import type { AttemptResult, ClaimedDelivery } from "../../../src/domain/delivery/delivery.ts";
import { fakeLog } from "../given.ts";

const MINUTE_MS = 60_000;

function createCase() {
  const log = fakeLog();
  const clock = { ms: 0, nowMs: () => clock.ms };
  const note = createAttemptLog({ log, clock });
  let number = 0;
  const attempt = (next: string, status: number | null, subscriptionId = "sub_1") => {
    number++;
    const delivery = { id: `dlv_${number}`, subscriptionId, eventId: "evt_1", attempt: 1 };
    const failure = status === null ? "connection refused" : `it responded with ${status}`;
    const problem = status === 204 ? null : failure;
    const result = { statusCode: status, durationMs: 5, problem };
    note(delivery as ClaimedDelivery, result as AttemptResult, next);
  };
  return {
    clock,
    fails: (status: number | null = null, subscription = "sub_1") => attempt("retry", status, subscription),
    arrives: (subscription = "sub_1") => attempt("delivered", 204, subscription),
    ends: (next: string) => attempt(next, 500),
    /** Removes and returns the lines above `debug`. */
    read: () => {
      const lines = log.lines.splice(0).filter(({ level }) => level !== "debug");
      return lines.map(({ message, fields }) => ({ message, fields }));
    },
    logged: log.lines,
  };
}

Deno.test("the first failure of a dead endpoint is logged, and then the number of failures once an hour", () => {
  const { clock, fails, read, logged } = createCase();
  for (let minute = 0; minute < 60; minute++) {
    for (let count = 0; count < 100; count++) fails();
    clock.ms += MINUTE_MS;
  }
  assert.equal(logged.length, 6_000); // every attempt, at the level `debug`
  assert.deepEqual(logged[1], {
    level: "debug",
    message: "attempt failed, will retry",
    fields: {
      delivery: "dlv_2",
      subscription: "sub_1",
      event: "evt_1",
      attempt: 1,
      status: null,
      duration_ms: 5,
      problem: "connection refused",
    },
  });
  fails();
  const lines = read();
  assert.deepEqual(lines.map(({ message }) => message), [
    "attempt failed, will retry",
    "endpoint still failing, will retry",
  ]);
  assert.equal(lines[0]?.fields["delivery"], "dlv_1");
  const { subscription, attempts, over_ms, problem } = lines[1]?.fields ?? {};
  assert.deepEqual([subscription, attempts, over_ms], ["sub_1", 6_000, 60 * MINUTE_MS]);
  assert.equal(problem, "connection refused");
  fails();
  assert.deepEqual(read(), []);
});

Deno.test("each reason for a failure is logged once, and the recovery with its duration", () => {
  const { clock, fails, arrives, read } = createCase();
  for (const status of [null, 503, null, 503, 503]) fails(status);
  assert.deepEqual(read().map(({ fields }) => fields["status"]), [null, 503]);
  clock.ms = MINUTE_MS;
  arrives();
  arrives();
  assert.deepEqual(read(), [{
    message: "endpoint recovered",
    fields: { subscription: "sub_1", failures: 5, after_ms: MINUTE_MS },
  }]);
  fails();
  assert.equal(read().length, 1, "the next failure is logged again");
});

Deno.test("an endpoint that fails occasionally is logged once an hour, separately from others", () => {
  const { clock, fails, arrives, read } = createCase();
  for (let turn = 0; turn < 200; turn++) {
    fails(500);
    arrives();
  }
  fails(500, "sub_2");
  assert.deepEqual(read().map(({ fields }) => fields["subscription"]), ["sub_1", "sub_2"]);
  clock.ms = 60 * MINUTE_MS;
  fails(500);
  assert.equal(read()[0]?.fields["attempts"], 200);
});

Deno.test("a delivery that ends without success is logged as a warning", () => {
  const { ends, logged } = createCase();
  for (const next of ["gone", "failed", "failed"]) ends(next);
  assert.deepEqual(logged.map(({ level }) => level), ["warn", "warn", "warn"]);
});
