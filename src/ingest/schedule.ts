// When a source is fetched next: its cron schedule, and patience after failures.
import { Cron } from "croner";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** After the first failure in a row; it doubles with each further one, up to a day. */
const FIRST_BACKOFF_MS = 5 * MINUTE_MS;

/** A schedule in a time zone. */
export interface Schedule {
  /** Cron expression. */
  schedule: string;
  /** IANA time zone. */
  timezone: string;
}

/** The first run strictly after a time, Unix ms; a day later for a schedule that never comes (29 February 2031). */
export function nextRun({ schedule, timezone }: Schedule, afterMs: number): number {
  const next = new Cron(schedule, { timezone, paused: true }).nextRun(new Date(afterMs));
  return next === null ? afterMs + DAY_MS : next.getTime();
}

/**
 * When to fetch after a failure: with the schedule, but not before the back-off has passed (5 min, doubled with each
 * failure in a row, at most a day) and not before the server's `Retry-After` (at most a day). Never "not again".
 */
export function nextAfterFailure(
  schedule: Schedule,
  { nowMs, failures, retryAtMs }: { nowMs: number; failures: number; retryAtMs: number | null },
): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20), DAY_MS);
  const askedMs = Math.min(retryAtMs ?? 0, nowMs + DAY_MS);
  return Math.max(nextRun(schedule, nowMs), nowMs + backoffMs, askedMs);
}

/** Whether a source has been without success for three of its intervals and a quarter of an hour. */
export function isOverdue(schedule: Schedule, lastSuccessMs: number, nowMs: number): boolean {
  const first = nextRun(schedule, lastSuccessMs);
  const intervalMs = nextRun(schedule, first) - first;
  return nowMs > lastSuccessMs + 3 * intervalMs + 15 * MINUTE_MS;
}
