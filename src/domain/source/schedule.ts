// Computes the runs of schedules, which are cron expressions in a time zone.
import { Cron } from "croner";

export interface Schedule {
  /** A cron expression with five fields, or with six, of which the first is the seconds. */
  schedule: string;
  /** The name of an IANA time zone. */
  timezone: string;
}

/** Returns the first run strictly after a time, Unix ms, or null if there is none. Throws for an invalid expression. */
export function nextRunAfter(schedule: Schedule, afterMs: number): number | null {
  return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** Returns the last run at or before a time, Unix ms, or null if there is none. */
export function lastRunUntil(schedule: Schedule, untilMs: number): number | null {
  // Runs fall on whole seconds, and the search excludes the second that it starts with.
  const runs = cronOf(schedule).previousRuns(2, new Date(untilMs + 1_000)).map((run) => run.getTime());
  return runs.find((runMs) => runMs <= untilMs) ?? null;
}

function cronOf({ schedule, timezone }: Schedule): Cron {
  return new Cron(schedule, { mode: "5-or-6-parts", paused: true, timezone });
}
