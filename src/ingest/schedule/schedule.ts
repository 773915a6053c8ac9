// When a source is fetched next: its cron schedule, what the source asks for, and patience after failures.
import { createHash } from "node:crypto";
import { lastRunUntil, nextRunAfter, type Schedule as PlainSchedule } from "../../domain/source/schedule.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** After the first failure in a row; it doubles with each further one, up to a day. */
const FIRST_BACKOFF_MS = 5 * MINUTE_MS;
/** A host that refuses without saying until when is left alone no longer than this, ms: others may be welcome there. */
const MAX_UNSTATED_PAUSE_MS = 30 * MINUTE_MS;
/** A run is put off by no more than this part of the time to the one after it. */
const MAX_JITTER_PART = 0.25;

/** A schedule in a time zone. */
export interface Schedule extends PlainSchedule {
  /**
   * Puts every run off by a time of the seed's own, at most this long (ms), so that sources of one schedule do not all
   * begin at once. Without it, runs are as the expression says.
   */
  jitter?: { seed: string; maxMs: number };
}

/** Whatever makes the runs of a source fall as they do; another text means another schedule. */
export function nameOf({ schedule, timezone, jitter }: Schedule): string {
  return `${schedule} ${timezone} ${jitter?.maxMs ?? 0}`;
}

/** When a source is fetched next. */
export interface NextFetch {
  /** Unix ms. */
  nextDueAtMs: number;
  /** Before this it is not fetched under any other schedule either, Unix ms. */
  notBeforeMs: number;
}

/** The first run strictly after a time, Unix ms; a day later for a schedule that never comes (29 February 2031). */
export function nextRun(schedule: Schedule, afterMs: number): number {
  const next = nextSlot(schedule, afterMs);
  if (schedule.jitter === undefined || schedule.jitter.maxMs === 0) return next;
  // The run of a slot that is past may still be to come.
  const last = lastRunUntil(schedule, afterMs);
  if (last !== null) {
    const runMs = last + putOff(schedule.jitter, next - last);
    if (runMs > afterMs) return runMs;
  }
  return next + putOff(schedule.jitter, nextSlot(schedule, next) - next);
}

function nextSlot(schedule: PlainSchedule, afterMs: number): number {
  return nextRunAfter(schedule, afterMs) ?? afterMs + DAY_MS;
}

/** The same for the same seed at every slot of a regular schedule: two runs are as far apart as two slots. */
function putOff({ seed, maxMs }: { seed: string; maxMs: number }, intervalMs: number): number {
  const fraction = createHash("sha256").update(seed).digest().readUInt32BE() / 2 ** 32;
  return Math.floor(fraction * Math.min(maxMs, intervalMs * MAX_JITTER_PART));
}

/**
 * When to fetch after a success: the next run, or the first one after the answer has ceased to be fresh, as far as
 * freshness counts (`maxFreshMs` from now).
 */
export function nextAfterSuccess(
  schedule: Schedule,
  { nowMs, freshUntilMs, maxFreshMs }: { nowMs: number; freshUntilMs: number | null; maxFreshMs: number },
): NextFetch {
  const staleMs = Math.min(freshUntilMs ?? 0, nowMs + maxFreshMs);
  const next = nextRun(schedule, nowMs);
  return { nextDueAtMs: staleMs <= next ? next : nextRun(schedule, staleMs - 1), notBeforeMs: staleMs };
}

/**
 * When to fetch after a failure: with the schedule, but not before the back-off has passed (5 min, doubled with each
 * failure in a row, at most a day) and not before the server's `Retry-After` (at most a day). Never "not again".
 */
export function nextAfterFailure(
  schedule: Schedule,
  { nowMs, failures, retryAtMs }: { nowMs: number; failures: number; retryAtMs: number | null },
): NextFetch {
  const askedMs = Math.min(retryAtMs ?? 0, nowMs + DAY_MS);
  const notBeforeMs = Math.max(nowMs + backoff(failures), askedMs);
  return { nextDueAtMs: Math.max(nextRun(schedule, nowMs), notBeforeMs), notBeforeMs };
}

/**
 * Until when a host that refuses or throttles is asked for nothing: as long as it says, at most a day; where it does
 * not say, as long as the back-off, at most half an hour, since it may mean one source alone.
 */
export function pauseOfHost(
  { nowMs, failures, retryAtMs }: { nowMs: number; failures: number; retryAtMs: number | null },
): number {
  if (retryAtMs !== null) return Math.min(retryAtMs, nowMs + DAY_MS);
  return nowMs + Math.min(backoff(failures), MAX_UNSTATED_PAUSE_MS);
}

function backoff(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20), DAY_MS);
}
