// The retry schedule of mails.
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The delay after each failed attempt: about three days in total. */
const DELAYS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;

/** When the attempt after this one (from 1) is due, Unix ms; null after the last. `fraction` is in [0, 1). */
export function nextMailAttempt(attempt: number, nowMs: number, fraction: number): number | null {
  const delay = DELAYS_MS[attempt - 1];
  return delay === undefined ? null : nowMs + Math.round(delay * (1 - JITTER + 2 * JITTER * fraction));
}
