// Tests of src/ingest/schedule.ts.
import assert from "node:assert/strict";
import { isOverdue, nextAfterFailure, nextRun } from "../../src/ingest/schedule.ts";

const at = (text: string): number => Date.parse(text);
const MINUTE = 60_000;

Deno.test("nextRun() gives the first run strictly after a time, in the schedule's time zone", () => {
  const rows: [schedule: string, timezone: string, after: string, expected: string][] = [
    ["*/30 * * * *", "UTC", "2026-07-31T12:00:00Z", "2026-07-31T12:30:00Z"],
    ["*/30 * * * *", "UTC", "2026-07-31T12:29:59.999Z", "2026-07-31T12:30:00Z"],
    ["0 8 * * *", "Europe/Brussels", "2026-07-31T05:00:00Z", "2026-07-31T06:00:00Z"],
    ["0 8 * * *", "Europe/Brussels", "2026-12-31T05:00:00Z", "2026-12-31T07:00:00Z"],
    // 02:30 does not exist on the day that summer time begins.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"],
    ["0 0 * * 1", "America/New_York", "2026-07-31T12:00:00Z", "2026-08-03T04:00:00Z"],
    ["* * * * * *", "UTC", "2026-07-31T12:00:00.100Z", "2026-07-31T12:00:01Z"],
  ];
  for (const [schedule, timezone, after, expected] of rows) {
    const next = nextRun({ schedule, timezone }, at(after));
    assert.equal(
      new Date(next).toISOString(),
      new Date(expected).toISOString(),
      `${schedule} ${timezone} ${after}`,
    );
  }
});

Deno.test("nextAfterFailure() waits longer with each failure, up to a day, and never gives up", () => {
  const everyMinute = { schedule: "* * * * *", timezone: "UTC" };
  const nowMs = at("2026-07-31T12:00:00Z");
  const waits = [1, 2, 3, 8, 9, 10, 50, 1_000].map((failures) =>
    nextAfterFailure(everyMinute, { nowMs, failures, retryAtMs: null }) - nowMs
  );
  assert.deepEqual(waits, [5, 10, 20, 640, 1_280, 1_440, 1_440, 1_440].map((minutes) => minutes * MINUTE));
});

Deno.test("nextAfterFailure() never fetches before the schedule, nor before Retry-After, which counts up to a day", () => {
  const nowMs = at("2026-07-31T12:00:00Z");
  const daily = { schedule: "0 6 * * *", timezone: "UTC" };
  assert.equal(nextAfterFailure(daily, { nowMs, failures: 1, retryAtMs: null }), at("2026-08-01T06:00:00Z"));
  const often = { schedule: "* * * * *", timezone: "UTC" };
  assert.equal(
    nextAfterFailure(often, { nowMs, failures: 1, retryAtMs: nowMs + 90 * MINUTE }),
    nowMs + 90 * MINUTE,
  );
  assert.equal(
    nextAfterFailure(often, { nowMs, failures: 1, retryAtMs: nowMs + 9_000 * MINUTE }),
    nowMs + 1_440 * MINUTE,
  );
});

Deno.test("isOverdue() says so after three intervals and a quarter of an hour", () => {
  const halfHourly = { schedule: "*/30 * * * *", timezone: "UTC" };
  const last = at("2026-07-31T12:00:00Z");
  assert.equal(isOverdue(halfHourly, last, last + 105 * MINUTE), false);
  assert.equal(isOverdue(halfHourly, last, last + 105 * MINUTE + 1), true);
});
