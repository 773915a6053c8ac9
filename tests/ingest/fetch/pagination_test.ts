// The windows of days that a fetch plans to request.
import assert from "node:assert/strict";
import { halveWindow, planWindows, type Window } from "../../../src/ingest/fetch/pagination.ts";

const at = (text: string): number => Date.parse(text);
const shown = (windows: readonly Window[]): string[] =>
  windows.map(({ sinceMs, untilMs }) =>
    [sinceMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 10)).join("/")
  );

Deno.test("planWindows() plans whole days up to today, from the last fetch less an overlap", () => {
  const nowMs = at("2026-08-01T10:00:00Z");
  const rules = { days: 2, overlapDays: 1, firstDays: 3 };
  assert.deepEqual(shown(planWindows(rules, null, nowMs)), [
    "2026-07-29/2026-07-31",
    "2026-07-31/2026-08-02",
  ]);
  assert.deepEqual(shown(planWindows(rules, at("2026-08-01T09:00:00Z"), nowMs)), ["2026-07-31/2026-08-02"]);
  const whole = { ...rules, days: null };
  assert.deepEqual(shown(planWindows(whole, at("2026-07-01T09:00:00Z"), nowMs)), ["2026-06-30/2026-08-02"]);
  assert.deepEqual(shown(planWindows({ ...rules, overlapDays: 0 }, nowMs, nowMs)), ["2026-08-01/2026-08-02"]);
  const wasAhead = planWindows(rules, at("2027-09-01T09:00:00Z"), nowMs);
  assert.deepEqual(shown(wasAhead), ["2026-07-31/2026-08-02"], "the clock was set back");
});

Deno.test("planWindows() omits no day between two fetches", () => {
  let lastMs = at("2026-03-01T23:59:00Z");
  let untilMs = 0;
  for (let hours = 7; hours < 24 * 60; hours += 31) {
    const nowMs = at("2026-03-01T23:59:00Z") + hours * 3_600_000;
    const windows = planWindows({ days: 3, overlapDays: 0, firstDays: 1 }, lastMs, nowMs);
    for (const window of windows) {
      assert.ok(untilMs === 0 || window.sinceMs <= untilMs, shown(windows).join());
      untilMs = window.untilMs;
    }
    assert.ok(untilMs > nowMs);
    lastMs = nowMs;
  }
});

Deno.test("halveWindow() halves several days, but not a single day", () => {
  const halves = halveWindow({ sinceMs: at("2026-07-01"), untilMs: at("2026-07-06") });
  assert.deepEqual(shown(halves ?? []), ["2026-07-01/2026-07-03", "2026-07-03/2026-07-06"]);
  assert.equal(halveWindow({ sinceMs: at("2026-07-01"), untilMs: at("2026-07-02") }), null);
});
