// Tests of src/domain/source/source_health.ts.
import assert from "node:assert/strict";
import { type SourceState, untouchedSource } from "../../../src/domain/source/source.ts";
import { silenceAllowed, sourceHealth } from "../../../src/domain/source/source_health.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 7, 1, 12);
const TODAY = Math.floor(NOW / DAY);
const FEED = { fetchStrategy: "feed" } as const;

/** A source that was fetched an hour ago, on a half-hourly schedule, and is due now. */
const state = (change: Partial<SourceState> = {}): SourceState => ({
  ...untouchedSource("board", NOW),
  firstSuccessAtMs: NOW - 100 * DAY,
  lastAttemptAtMs: NOW - HOUR / 2,
  lastSuccessAtMs: NOW - HOUR / 2,
  outcome: "ok",
  outcomeSinceMs: NOW - 50 * DAY,
  cadence: { lastAtMs: NOW - DAY, days: [], seen: "" },
  ...change,
});

const failed = (outcome: "failing" | "blocked" | "empty") =>
  state({ outcome, outcomeSinceMs: NOW - 5, lastError: "words" });
const CONDITIONS: [
  what: string,
  given: SourceState | null,
  condition: string,
  since: number | null,
  reason: RegExp | null,
][] = [
  ["not known", null, "new", null, null],
  ["never fetched", untouchedSource("board", NOW), "new", null, null],
  ["well", state(), "ok", NOW - 50 * DAY, null],
  ["failed", failed("failing"), "failing", NOW - 5, /^words$/],
  ["blocked", failed("blocked"), "blocked", NOW - 5, /^words$/],
  ["empty", failed("empty"), "empty", NOW - 5, /^words$/],
  [
    "nothing new",
    state({ cadence: { lastAtMs: NOW - 46 * DAY, days: [], seen: "" } }),
    "silent",
    NOW - DAY,
    /^nothing new for 46 days$/,
  ],
  [
    "never anything new",
    state({ cadence: { lastAtMs: null, days: [], seen: "" } }),
    "silent",
    NOW - 55 * DAY,
    /^nothing new for 100 days$/,
  ],
  [
    "failing goes before silence",
    { ...failed("blocked"), cadence: { lastAtMs: 0, days: [], seen: "" } },
    "blocked",
    NOW - 5,
    /^words$/,
  ],
  [
    "a part is missing, which goes before silence",
    state({
      partialFailures: [
        { part: "de: https://board.example/de", reason: "responded with 404", sinceMs: NOW - 7 },
        { part: "fr: https://board.example/fr", reason: "responded with 500", sinceMs: NOW - 9 },
      ],
      cadence: { lastAtMs: NOW - 60 * DAY, days: [], seen: "" },
    }),
    "partial",
    NOW - 9,
    /^de: https:\/\/board\.example\/de: responded with 404, and 1 more$/,
  ],
  ["due for a while", state({ nextDueAtMs: NOW - HOUR }), "ok", NOW - 50 * DAY, null],
  [
    "due for long",
    state({ nextDueAtMs: NOW - 2 * HOUR }),
    "failing",
    NOW - 2 * HOUR,
    /is the service running\?$/,
  ],
  [
    "weekly, due for long",
    state({ lastAttemptAtMs: NOW - 8 * DAY, nextDueAtMs: NOW - DAY }),
    "ok",
    NOW - 50 * DAY,
    null,
  ],
  [
    "its host is paused",
    state({ nextDueAtMs: NOW - 5 * HOUR, hostPausedUntilMs: NOW + 1 }),
    "ok",
    NOW - 50 * DAY,
    null,
  ],
  [
    "never fetched, long due",
    untouchedSource("board", NOW - 2 * HOUR),
    "failing",
    NOW - 2 * HOUR,
    /running\?$/,
  ],
];

Deno.test("sourceHealth() returns each condition, since when, and why", () => {
  for (const [what, given, condition, sinceMs, reason] of CONDITIONS) {
    const health = sourceHealth(FEED, given, NOW);
    assert.deepEqual([health.condition, health.sinceMs], [condition, sinceMs], what);
    if (reason === null) assert.equal(health.reason, null, what);
    else assert.match(health.reason ?? "", reason, what);
  }
});

Deno.test("sourceHealth() lets the config say how long silence is, and a folder be as silent as it is", () => {
  const quiet = state({ cadence: { lastAtMs: NOW - 60 * DAY, days: [], seen: "" } });
  const conditionOf = (settings: Parameters<typeof sourceHealth>[0]) =>
    sourceHealth(settings, quiet, NOW).condition;
  assert.equal(conditionOf({ ...FEED, silentAfterMs: 61 * DAY }), "ok");
  assert.equal(conditionOf({ ...FEED, silentAfterMs: 59 * DAY }), "silent");
  assert.equal(conditionOf({ fetchStrategy: "files" }), "ok");
  assert.equal(conditionOf({ fetchStrategy: "files", silentAfterMs: DAY }), "silent");
});

Deno.test("silenceAllowed() follows a source's own cadence, once it shows", () => {
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
