// Quotas count by UTC days and months.
import assert from "node:assert/strict";
import { nextUtcDay, nextUtcMonth, utcMonth } from "../../../src/domain/customer/quota_period.ts";
import { utcDay } from "../../../src/domain/utc_day.ts";

Deno.test("utcDay() and utcMonth() name the period of a time, in UTC", () => {
  const rows: [time: string, day: string, month: string][] = [
    ["1970-01-01T00:00:00.000Z", "1970-01-01", "1970-01"],
    ["2026-07-31T23:59:59.999Z", "2026-07-31", "2026-07"],
    ["2026-08-01T00:00:00.000Z", "2026-08-01", "2026-08"],
    ["2028-02-29T12:00:00.000+14:00", "2028-02-28", "2028-02"],
  ];
  for (const [time, day, month] of rows) {
    assert.deepEqual([utcDay(Date.parse(time)), utcMonth(Date.parse(time))], [day, month], time);
  }
});

Deno.test("nextUtcDay() and nextUtcMonth() return the beginning of the next period", () => {
  const rows: [time: string, nextDay: string, nextMonth: string][] = [
    ["2026-07-31T23:59:59.999Z", "2026-08-01", "2026-08-01"],
    ["2026-08-01T00:00:00.000Z", "2026-08-02", "2026-09-01"],
    ["2026-12-15T00:00:00.000Z", "2026-12-16", "2027-01-01"],
  ];
  for (const [time, nextDay, nextMonth] of rows) {
    const ms = Date.parse(time);
    assert.deepEqual([nextUtcDay(ms), nextUtcMonth(ms)], [nextDay, nextMonth].map(Date.parse), time);
  }
});
