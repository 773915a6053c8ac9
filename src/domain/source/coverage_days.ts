// The coverage of a source by UTC day, from the fetches that are recorded for each day.
import type { FetchDay } from "./fetch_record.ts";
import { INCIDENT_AFTER_MS } from "./incident.ts";

const DAY_MS = 86_400_000;
/** How many days before a period may say whether a fetch was due in it. No schedule is longer than about a month. */
export const DAYS_BEFORE = 31;

/**
 * `complete`: all fetches succeeded. `partly`: some fetches failed or lacked a part. `failed`: no fetch succeeded.
 * `missed`: a fetch was due, but none took place. `idle`: none was due. `before`: the source was added later.
 */
const DAY_COVERAGES = ["complete", "partly", "failed", "missed", "idle", "before"] as const;
export type DayCoverage = typeof DAY_COVERAGES[number];

export interface CoverageDay {
  /** Days since 1970-01-01. */
  day: number;
  coverage: DayCoverage;
  fetches: number;
  successes: number;
  longestGapMs: number;
}

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/**
 * Returns the coverage of the last `count` UTC days up to today, oldest first. `recorded` may begin earlier; days after
 * today, which were recorded before the clock was set back, do not count. `addedAtMs`: the source's first success, or
 * null.
 */
export function coverageDays(
  recorded: readonly FetchDay[],
  { nowMs, count, addedAtMs }: { nowMs: number; count: number; addedAtMs: number | null },
): CoverageDay[] {
  const today = dayOf(nowMs);
  const rows = recorded.filter(({ day }) => day <= today);
  const firstDay = Math.min(rows[0]?.day ?? Infinity, addedAtMs === null ? Infinity : dayOf(addedAtMs));
  const days: CoverageDay[] = [];
  let last: FetchDay | null = null;
  let next = 0;
  for (let day = today - count + 1; day <= today; day++) {
    while ((rows[next]?.day ?? Infinity) <= day) last = rows[next++] ?? null;
    if (last?.day === day) {
      days.push(countedDay(last));
    } else {
      const isDue = last === null ||
        last.nextDueAtMs < Math.min((day + 1) * DAY_MS, nowMs - INCIDENT_AFTER_MS);
      const coverage = day < firstDay ? "before" : isDue ? "missed" : "idle";
      days.push({ day, coverage, fetches: 0, successes: 0, longestGapMs: 0 });
    }
  }
  return days;
}

function countedDay({ day, fetches, longestGapMs }: FetchDay): CoverageDay {
  const { ok, partial, failing, blocked, empty } = fetches;
  const successes = ok + partial;
  const failures = failing + blocked + empty;
  const coverage = successes === 0 ? "failed" : failures + partial > 0 ? "partly" : "complete";
  return { day, coverage, fetches: successes + failures, successes, longestGapMs };
}

export interface CoverageRun {
  coverage: DayCoverage;
  /** The days of the run, oldest first; at least one. */
  days: CoverageDay[];
}

/** Groups consecutive days with the same coverage. */
export function coverageRuns(days: readonly CoverageDay[]): CoverageRun[] {
  const runs: CoverageRun[] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.coverage === day.coverage) run.days.push(day);
    else runs.push({ coverage: day.coverage, days: [day] });
  }
  return runs;
}
