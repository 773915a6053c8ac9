// Decides what follows an attempt: success, a retry at a certain time, or failure.
import type { AttemptResult, NextStep } from "../../domain/delivery/delivery.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Pauses in ms after the first, second, … failed attempt. Eleven attempts take about three days. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND,
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Maximum random change, as a fraction of a pause, so that deliveries are not all retried at the same time. */
const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = DAY;

const GONE = 410;

/**
 * Decides what follows an attempt that ended at `nowMs`. `attempt` is its number in the schedule, from 1; `random` is
 * in [0, 1). `Retry-After` can delay the next attempt by up to a day, but never bring it forward.
 */
export function decideNextStep(
  result: AttemptResult,
  attempt: number,
  nowMs: number,
  random: number,
): NextStep {
  if (isSuccess(result)) return { kind: "delivered" };
  if (result.statusCode === GONE) return { kind: "gone" };
  const pause = RETRY_PAUSES_MS[attempt - 1];
  if (pause === undefined) return { kind: "failed" };
  const scheduled = nowMs + Math.round(pause * (1 + JITTER * (2 * random - 1)));
  const asked = Math.min(result.retryAtMs ?? 0, nowMs + MAX_RETRY_AFTER_MS);
  const atMs = Math.max(scheduled, asked);
  return asked > nowMs ? { kind: "retry", atMs, notBeforeMs: asked } : { kind: "retry", atMs };
}

/** Whether the receiver accepted the delivery: any 2xx. */
export function isSuccess(result: Pick<AttemptResult, "statusCode">): boolean {
  return result.statusCode !== null && result.statusCode >= 200 && result.statusCode < 300;
}
