// Schedules: cron expressions in a time zone.
import { Cron } from "croner";

/** A schedule in a time zone. */
export interface Schedule {
  /** A cron expression of five fields, or of six with seconds first. */
  schedule: string;
  /** IANA time zone. */
  timezone: string;
}

/** The first run strictly after a time, Unix ms; null for a schedule that never comes (30 February). */
export function nextRunAfter({ schedule, timezone }: Schedule, afterMs: number): number | null {
  const cron = new Cron(schedule, { mode: "5-or-6-parts", paused: true, timezone });
  return cron.nextRun(new Date(afterMs))?.getTime() ?? null;
}
