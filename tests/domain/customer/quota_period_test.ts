// Tests of src/domain/customer/quota_period.ts.
import assert from "node:assert/strict";
import { nextUtcDay, nextUtcMonth, utcDay, utcMonth } from "../../../src/domain/customer/quota_period.ts";

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

Deno.test("nextUtcDay() is the first moment of the day after", () => {
  const rows: [time: string, next: string][] = [
    ["2026-07-31T23:59:59.999Z", "2026-08-01T00:00:00.000Z"],
    ["2026-08-01T00:00:00.000Z", "2026-08-02T00:00:00.000Z"],
  ];
  for (const [time, next] of rows) {
    assert.equal(new Date(nextUtcDay(Date.parse(time))).toISOString(), next, time);
  }
});

Deno.test("nextUtcMonth() is the first moment of the month after", () => {
  const rows: [time: string, next: string][] = [
    ["2026-07-31T23:59:59.999Z", "2026-08-01T00:00:00.000Z"],
    ["2026-08-01T00:00:00.000Z", "2026-09-01T00:00:00.000Z"],
    ["2026-12-15T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ];
  for (const [time, next] of rows) {
    assert.equal(new Date(nextUtcMonth(Date.parse(time))).toISOString(), next, time);
  }
});
