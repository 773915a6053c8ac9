// Computes when a source is fetched next, from its cron schedule, freshness and back-off after failures.
import { createHash } from "node:crypto";
import { lastRunUntil, nextRunAfter, type Schedule as PlainSchedule } from "../../domain/source/schedule.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The back-off after the first failure, in ms. It doubles with each further failure. */
const FIRST_BACKOFF_MS = 5 * MINUTE_MS;
/** Maximum pause of a host that refuses without `Retry-After`, in ms. The refusal may concern only one source. */
const MAX_UNSTATED_PAUSE_MS = 30 * MINUTE_MS;
/** Maximum jitter as a share of the time to the next run. */
const MAX_JITTER_PART = 0.25;

export interface Schedule extends PlainSchedule {
  /** Delays each run by up to `maxMs`, depending on the seed, so that the sources do not all start at once. */
  jitter?: { seed: string; maxMs: number };
}

/** Returns a name that identifies the run times of a schedule. */
export function nameOf({ schedule, timezone, jitter }: Schedule): string {
  return `${schedule} ${timezone} ${jitter?.maxMs ?? 0}`;
}

interface NextFetch {
  nextDueAtMs: number;
  /** The earliest time of the next fetch under any schedule, in Unix ms. */
  notBeforeMs: number;
}

/** Returns the first run after a time, in Unix ms, or a day later if the schedule has no further run. */
export function nextRun(schedule: Schedule, afterMs: number): number {
  const next = nextSlot(schedule, afterMs);
  if (schedule.jitter === undefined || schedule.jitter.maxMs === 0) return next;
  // The delayed run of the last slot may still be in the future.
  const last = lastRunUntil(schedule, afterMs);
  if (last !== null) {
    const runMs = last + delayOf(schedule.jitter, next - last);
    if (runMs > afterMs) return runMs;
  }
  return next + delayOf(schedule.jitter, nextSlot(schedule, next) - next);
}

function nextSlot(schedule: PlainSchedule, afterMs: number): number {
  return nextRunAfter(schedule, afterMs) ?? afterMs + DAY_MS;
}

/** Returns the delay of a run in ms. The delay is the same for all runs of a regular schedule. */
function delayOf({ seed, maxMs }: { seed: string; maxMs: number }, intervalMs: number): number {
  const fraction = createHash("sha256").update(seed).digest().readUInt32BE() / 2 ** 32;
  return Math.floor(fraction * Math.min(maxMs, intervalMs * MAX_JITTER_PART));
}

/** Returns the next fetch after a success: the first run once the response is stale or `maxFreshMs` have passed. */
export function nextAfterSuccess(
  schedule: Schedule,
  { nowMs, freshUntilMs, maxFreshMs }: { nowMs: number; freshUntilMs: number | null; maxFreshMs: number },
): NextFetch {
  const staleMs = Math.min(freshUntilMs ?? 0, nowMs + maxFreshMs);
  const next = nextRun(schedule, nowMs);
  return { nextDueAtMs: staleMs <= next ? next : nextRun(schedule, staleMs - 1), notBeforeMs: staleMs };
}

/**
 * Returns the next fetch after a failure: after the back-off, or at `Retry-After` (at most a day) if that is later. The
 * back-off is at most the interval of the schedule or a day, whichever is shorter, but never below its first value.
 */
export function nextAfterFailure(
  schedule: Schedule,
  { nowMs, failures, retryAtMs }: { nowMs: number; failures: number; retryAtMs: number | null },
): NextFetch {
  const longestMs = Math.max(FIRST_BACKOFF_MS, intervalAt(schedule, nowMs));
  const askedMs = Math.min(retryAtMs ?? 0, nowMs + DAY_MS);
  const dueAtMs = Math.max(nowMs + Math.min(backoff(failures), longestMs), askedMs);
  return { nextDueAtMs: dueAtMs, notBeforeMs: dueAtMs };
}

/** Returns the time between the scheduled runs before and after a time, in ms, or a day if either is missing. */
function intervalAt(schedule: PlainSchedule, atMs: number): number {
  const [last, next] = [lastRunUntil(schedule, atMs), nextRunAfter(schedule, atMs)];
  return last === null || next === null ? DAY_MS : next - last;
}

/** Returns when the pause of a refusing host ends, in Unix ms, from `Retry-After` (at most a day) or the back-off. */
export function pauseOfHost(
  { nowMs, failures, retryAtMs }: { nowMs: number; failures: number; retryAtMs: number | null },
): number {
  if (retryAtMs !== null) return Math.min(retryAtMs, nowMs + DAY_MS);
  return nowMs + Math.min(backoff(failures), MAX_UNSTATED_PAUSE_MS);
}

function backoff(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20), DAY_MS);
}
