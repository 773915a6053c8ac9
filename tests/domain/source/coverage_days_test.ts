// The coverage of a source by day: complete, partly, failed, missed, idle, or before the source was added.
import assert from "node:assert/strict";
import {
  type CoverageDay,
  coverageDays,
  coverageRuns,
  type DayCoverage,
} from "../../../src/domain/source/coverage_days.ts";
import type { FetchDay } from "../../../src/domain/source/fetch_record.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = 20_654;
/** Noon of {@link TODAY}. */
const NOON = TODAY * DAY + 12 * HOUR;

/** A day whose last fetch planned the next one `dueIn` ms after the day's noon. */
function row(offset: number, fetches: Partial<FetchDay["fetches"]>, dueIn = HOUR): FetchDay {
  const day = TODAY + offset;
  return {
    day,
    fetches: { ok: 0, partial: 0, failing: 0, blocked: 0, empty: 0, ...fetches },
    longestGapMs: 0,
    nextDueAtMs: day * DAY + 12 * HOUR + dueIn,
  };
}
const daily = (offset: number) => row(offset, { ok: 1 }, DAY);

const SIGNS: Readonly<Record<DayCoverage, string>> = {
  complete: "C",
  partly: "p",
  failed: "F",
  missed: "M",
  idle: "i",
  before: "-",
};

interface Case {
  name: string;
  rows: FetchDay[];
  nowMs?: number;
  addedAtMs?: number;
  /** The last five days. */
  expected: string;
}

const CASES: Case[] = [
  { name: "never fetched", rows: [], expected: "-----" },
  { name: "added yesterday", rows: [row(-1, { ok: 3 }), row(0, { ok: 1 })], expected: "---CC" },
  {
    name: "each outcome",
    rows: [
      row(-4, { ok: 48 }),
      row(-3, { ok: 47, failing: 1 }),
      row(-2, { partial: 48 }),
      row(-1, { blocked: 9, failing: 1, empty: 1 }),
      row(0, { ok: 1 }),
    ],
    expected: "CppFC",
  },
  {
    name: "the service did not run for two days",
    rows: [row(-4, { ok: 9 }), row(-3, { ok: 9 }), row(0, { ok: 9 })],
    expected: "CCMMC",
  },
  {
    name: "fetched every three days",
    rows: [row(-4, { ok: 1 }, 3 * DAY), row(-1, { ok: 1 }, 3 * DAY)],
    expected: "CiiCi",
  },
  { name: "the last fetch was before the period", rows: [row(-9, { ok: 1 }, 30 * DAY)], expected: "iiiii" },
  { name: "no fetch for longer than any schedule", rows: [], addedAtMs: NOON - 400 * DAY, expected: "MMMMM" },
  {
    name: "today's fetch is not due yet",
    rows: [daily(-4), daily(-3), daily(-2), daily(-1)],
    expected: "CCCCi",
  },
  {
    name: "today's fetch is overdue",
    rows: [daily(-4), daily(-3), daily(-2), daily(-1)],
    nowMs: NOON + 2 * HOUR,
    expected: "CCCCM",
  },
  {
    name: "days after today were recorded before the clock was set back",
    rows: [daily(-1), daily(0), daily(7)],
    expected: "---CC",
  },
  {
    name: "one ms before midnight",
    rows: [daily(-1), daily(0)],
    nowMs: (TODAY + 1) * DAY - 1,
    expected: "---CC",
  },
  { name: "midnight", rows: [daily(-1), daily(0)], nowMs: (TODAY + 1) * DAY, expected: "--CCi" },
];

Deno.test("coverageDays() decides the coverage of each UTC day", () => {
  for (const { name, rows, nowMs = NOON, addedAtMs = null, expected } of CASES) {
    const days = coverageDays(rows, { nowMs, count: 5, addedAtMs });
    assert.equal(days.map(({ coverage }) => SIGNS[coverage]).join(""), expected, name);
    assert.equal(days.at(-1)?.day, Math.floor(nowMs / DAY), name);
  }
});

Deno.test("coverageDays() counts fetches and successes", () => {
  const counted = row(0, { ok: 2, partial: 1, failing: 3, blocked: 4, empty: 5 });
  const [day] = coverageDays([{ ...counted, longestGapMs: 7 }], { nowMs: NOON, count: 1, addedAtMs: null });
  assert.deepEqual(day, { day: TODAY, coverage: "partly", fetches: 15, successes: 3, longestGapMs: 7 });
});

Deno.test("coverageRuns() groups consecutive days", () => {
  const days = [..."CCpCFF"].map((sign, day) => ({ day, coverage: sign }) as unknown as CoverageDay);
  const runs = coverageRuns(days).map(({ coverage, days }) => `${coverage}${days.length}`);
  assert.deepEqual([runs, coverageRuns([])], [["C2", "p1", "C1", "F2"], []]);
});
