// Schedules: cron expressions in a time zone.
import { Cron } from "croner";

/** A schedule in a time zone. */
export interface Schedule {
  /** A cron expression of five fields, or of six with seconds first. */
  schedule: string;
  /** IANA time zone. */
  timezone: string;
}

/**
 * The first run strictly after a time, Unix ms; null for a schedule that never comes (30 February). Throws what is
 * wrong with an expression that cannot be read.
 */
export function nextRunAfter(schedule: Schedule, afterMs: number): number | null {
  return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The last run at a time or before it, Unix ms; null where there was none. */
export function lastRunUntil(schedule: Schedule, untilMs: number): number | null {
  // Runs are whole seconds, and the search leaves out the second that it begins with.
  const runs = cronOf(schedule).previousRuns(2, new Date(untilMs + 1_000)).map((run) => run.getTime());
  return runs.find((runMs) => runMs <= untilMs) ?? null;
}

function cronOf({ schedule, timezone }: Schedule): Cron {
  return new Cron(schedule, { mode: "5-or-6-parts", paused: true, timezone });
}
