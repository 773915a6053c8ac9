// The condition of a source, when it began, and why.
import assert from "node:assert/strict";
import { type SourceState, untouchedSource } from "../../../src/domain/source/source.ts";
import { silenceAllowed, sourceHealth } from "../../../src/domain/source/source_health.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 7, 1, 12);
const TODAY = Math.floor(NOW / DAY);
const FEED = { fetchStrategy: "feed" } as const;

/** Returns a source that was last fetched half an hour ago. */
const state = (change: Partial<SourceState> = {}): SourceState => ({
  ...untouchedSource("board", NOW),
  firstSuccessAtMs: NOW - 100 * DAY,
  lastAttemptAtMs: NOW - HOUR / 2,
  lastSuccessAtMs: NOW - HOUR / 2,
  outcome: "ok",
  outcomeSinceMs: NOW - 50 * DAY,
  ...lastNew(NOW - DAY),
  ...change,
});

/** Returns the cadence of a source whose last new publication was at this time. */
function lastNew(lastAtMs: number | null): Pick<SourceState, "cadence"> {
  return { cadence: { lastAtMs, days: [], seen: "" } };
}

const failed = (outcome: "failing" | "blocked" | "empty") =>
  state({ outcome, outcomeSinceMs: NOW - 5, lastError: "words" });
const failure = (part: string, status: number, sinceMs: number) => ({
  part: `${part}: https://board.example/${part}`,
  reason: `responded with ${status}`,
  sinceMs,
});
const partialFailures = [failure("de", 404, NOW - 7), failure("fr", 500, NOW - 9)];
const PARTIAL = /^de: https:\/\/board\.example\/de: responded with 404, and 1 more$/;
const OK_SINCE = NOW - 50 * DAY;
const LATE = NOW - 2 * HOUR;
const weekly = { lastAttemptAtMs: NOW - 8 * DAY, nextDueAtMs: NOW - DAY };
const paused = { nextDueAtMs: NOW - 5 * HOUR, hostPausedUntilMs: NOW + 1 };

type Row = [name: string, SourceState | null, condition: string, since: number | null, reason?: RegExp];
const CONDITIONS: Row[] = [
  ["unknown", null, "new", null],
  ["never fetched", untouchedSource("board", NOW), "new", null],
  ["fetched", state(), "ok", OK_SINCE],
  ["failed", failed("failing"), "failing", NOW - 5, /^words$/],
  ["blocked", failed("blocked"), "blocked", NOW - 5, /^words$/],
  ["empty", failed("empty"), "empty", NOW - 5, /^words$/],
  ["nothing new", state(lastNew(NOW - 46 * DAY)), "silent", NOW - DAY, /^nothing new for 46 days$/],
  ["never anything new", state(lastNew(null)), "silent", NOW - 55 * DAY, /^nothing new for 100 days$/],
  ["blocked and silent", { ...failed("blocked"), ...lastNew(0) }, "blocked", NOW - 5, /^words$/],
  ["partial and silent", state({ partialFailures, ...lastNew(NOW - 60 * DAY) }), "partial", NOW - 9, PARTIAL],
  ["due for an hour", state({ nextDueAtMs: NOW - HOUR }), "ok", OK_SINCE],
  ["due for two hours", state({ nextDueAtMs: LATE }), "failing", LATE, /is the service running\?$/],
  ["weekly, due for a day", state(weekly), "ok", OK_SINCE],
  ["its host is paused", state(paused), "ok", OK_SINCE],
  ["never fetched, due for two hours", untouchedSource("board", LATE), "failing", LATE, /running\?$/],
];

Deno.test("sourceHealth() returns each condition, when it began, and why", () => {
  for (const [what, given, condition, sinceMs, reason] of CONDITIONS) {
    const health = sourceHealth(FEED, given, NOW);
    assert.deepEqual([health.condition, health.sinceMs], [condition, sinceMs], what);
    if (reason === undefined) assert.equal(health.reason, null, what);
    else assert.match(health.reason ?? "", reason, what);
  }
});

Deno.test("sourceHealth() uses the config's silent_after, and never reports a silent folder without it", () => {
  const quiet = state(lastNew(NOW - 60 * DAY));
  const conditionOf = (settings: Parameters<typeof sourceHealth>[0]) =>
    sourceHealth(settings, quiet, NOW).condition;
  assert.equal(conditionOf({ ...FEED, silentAfterMs: 61 * DAY }), "ok");
  assert.equal(conditionOf({ ...FEED, silentAfterMs: 59 * DAY }), "silent");
  assert.equal(conditionOf({ fetchStrategy: "files" }), "ok");
  assert.equal(conditionOf({ fetchStrategy: "files", silentAfterMs: DAY }), "silent");
});

Deno.test("silenceAllowed() follows a source's cadence once it is known", () => {
  const every = (gap: number, count: number) =>
    Array.from({ length: count }, (_, at) => TODAY - (count - at) * gap);
  const rows: [what: string, days: number[], expectedDays: number][] = [
    ["nothing is known", [], 45],
    ["too few days", every(1, 9), 45],
    ["every day", every(1, 60), 3],
    ["on working days", every(1, 70).filter((day) => day % 7 < 5), 7],
    ["every week", every(7, 12), 15],
    ["every month", every(30, 12), 61],
    ["twice a year", every(180, 10), 180],
  ];
  for (const [what, days, expected] of rows) {
    assert.equal(silenceAllowed({ lastAtMs: NOW, days, seen: "" }) / DAY, expected, what);
  }
});
