// The next and the last run of a schedule are computed in its own time zone.
import assert from "node:assert/strict";
import { lastRunUntil, nextRunAfter } from "../../../src/domain/source/schedule.ts";

Deno.test("nextRunAfter() counts in the schedule's time zone", () => {
  const at = Date.UTC(2026, 6, 1, 12);
  const cases: [string, string, number, number][] = [
    ["0 9 * * *", "UTC", at, Date.UTC(2026, 6, 2, 9)],
    ["0 9 * * *", "America/New_York", at, Date.UTC(2026, 6, 1, 13)],
    ["0 9 * * *", "Europe/Berlin", Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1, 8)],
    ["*/30 * * * *", "UTC", at, at + 30 * 60_000],
    ["15 */30 * * * *", "UTC", at, at + 15_000],
  ];
  for (const [schedule, timezone, afterMs, nextMs] of cases) {
    assert.equal(nextRunAfter({ schedule, timezone }, afterMs), nextMs, `${schedule} ${timezone}`);
  }
});

Deno.test("nextRunAfter() returns null for a day that does not exist", () => {
  assert.equal(nextRunAfter({ schedule: "0 0 30 2 *", timezone: "UTC" }, 0), null);
});

Deno.test("lastRunUntil() returns the last run at or before a time", () => {
  const noon = Date.UTC(2026, 6, 1, 12);
  const cases: [schedule: string, timezone: string, untilMs: number, lastMs: number | null][] = [
    ["*/30 * * * *", "UTC", noon, noon],
    ["*/30 * * * *", "UTC", noon - 1, noon - 30 * 60_000],
    ["*/30 * * * *", "UTC", noon + 999, noon],
    ["* * * * * *", "UTC", noon + 1_500, noon + 1_000],
    ["0 9 * * *", "America/New_York", noon, Date.UTC(2026, 5, 30, 13)],
    ["0 0 30 2 *", "UTC", noon, null],
  ];
  for (const [schedule, timezone, untilMs, lastMs] of cases) {
    assert.equal(lastRunUntil({ schedule, timezone }, untilMs), lastMs, `${schedule} ${timezone} ${untilMs}`);
  }
});
