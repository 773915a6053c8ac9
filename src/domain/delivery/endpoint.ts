// The health of an endpoint: how fast deliveries may be sent to it, and when its subscription is disabled.

export type Pace = "steady" | "probing" | "recovering";

/** The health of a subscription's endpoint. Times are Unix ms. */
export interface EndpointHealth {
  /**
   * `steady`: as fast as the limits allow. `probing`: one attempt at a time, with growing pauses, until one succeeds.
   * `recovering`: at a limited rate, until nothing is due.
   */
  pace: Pace;
  /** No attempt begins before this time. */
  resumeAtMs: number;
  /** The first failure since the last success; null if there is none. */
  firstFailureAtMs: number | null;
  consecutiveFailures: number;
  /** When its owner was warned; null if it was not. */
  warnedAtMs: number | null;
  /** Which of the last attempts were slow: one bit each, the newest is the lowest. Null before the first attempt. */
  slowAttempts: number | null;
}

export const WELL: EndpointHealth = {
  pace: "steady",
  resumeAtMs: 0,
  firstFailureAtMs: null,
  consecutiveFailures: 0,
  warnedAtMs: null,
  slowAttempts: null,
};

/** The health of an endpoint that was enabled again: it is probed first. */
export const HALF_OPEN: EndpointHealth = { ...WELL, pace: "probing" };

/** Attempts that take longer are slow, ms. */
export const SLOW_ATTEMPT_MS = 2_000;
/** An endpoint is slow when most of its last attempts were: this many count. */
const ATTEMPTS_LOOKED_AT = 5;

/** Consecutive failures after which an endpoint is only probed. */
export const PROBE_AFTER_FAILURES = 5;
/** The pause after the first of these failures, ms; each further failure doubles it. */
const FIRST_PROBE_PAUSE_MS = 1_000;
/** The longest pause between two probes, ms. */
export const MAX_PROBE_PAUSE_MS = 60_000;
/** The pause for each attempt of a recovering endpoint, ms: 20 attempts per second. */
export const RECOVERY_PAUSE_MS = 50;

const DAY_MS = 86_400_000;
/** Time without a success after which the owner is warned, ms. */
export const WARN_AFTER_MS = 3 * DAY_MS;
/** Time without a success after which the subscription is disabled, ms. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;
/** Minimum time between the warning and disabling, also after a downtime of the service, ms. */
export const WARNING_LEAD_MS = DAY_MS;

/** Whether an endpoint gets the smaller share of slots that slow ones get. */
export function isSlowEndpoint({ slowAttempts }: Pick<EndpointHealth, "slowAttempts">): boolean {
  const slow = (slowAttempts ?? 0).toString(2).replaceAll("0", "").length;
  return slow > ATTEMPTS_LOOKED_AT / 2;
}

/** The first attempt fills the whole history, as if every recent attempt had been like it. */
function withDuration(slowAttempts: number | null, durationMs: number): number {
  const all = 2 ** ATTEMPTS_LOOKED_AT - 1;
  const bit = durationMs > SLOW_ATTEMPT_MS ? 1 : 0;
  return slowAttempts === null ? bit * all : ((slowAttempts << 1) | bit) & all;
}

/** The health after an attempt that lasted `durationMs` ended at `nowMs`. */
export function afterAttempt(
  health: EndpointHealth,
  { isSuccess, durationMs, nowMs }: { isSuccess: boolean; durationMs: number; nowMs: number },
): EndpointHealth {
  const slowAttempts = withDuration(health.slowAttempts, durationMs);
  if (isSuccess) {
    return { ...WELL, pace: health.pace === "steady" ? "steady" : "recovering", slowAttempts };
  }
  const consecutiveFailures = health.consecutiveFailures + 1;
  const isProbing = health.pace === "probing" || consecutiveFailures >= PROBE_AFTER_FAILURES;
  const doublings = Math.max(0, consecutiveFailures - PROBE_AFTER_FAILURES);
  const pauseMs = Math.min(MAX_PROBE_PAUSE_MS, FIRST_PROBE_PAUSE_MS * 2 ** doublings);
  return {
    pace: isProbing ? "probing" : health.pace,
    resumeAtMs: isProbing ? nowMs + pauseMs : health.resumeAtMs,
    // After the clock was set back, the time must not be in the future.
    firstFailureAtMs: Math.min(health.firstFailureAtMs ?? nowMs, nowMs),
    consecutiveFailures,
    warnedAtMs: health.warnedAtMs,
    slowAttempts,
  };
}

/** Whether to warn the owner of an endpoint or to disable its subscription, never without a warning. */
export function judgeEndpoint(
  { firstFailureAtMs, warnedAtMs }: Pick<EndpointHealth, "firstFailureAtMs" | "warnedAtMs">,
  nowMs: number,
): "nothing" | "warn" | "disable" {
  if (firstFailureAtMs === null || nowMs - firstFailureAtMs < WARN_AFTER_MS) return "nothing";
  if (warnedAtMs === null) return "warn";
  return nowMs >= disableAtMs({ firstFailureAtMs, warnedAtMs }) ? "disable" : "nothing";
}

/** When the subscription of an endpoint that keeps failing is disabled, Unix ms. */
export function disableAtMs(
  { firstFailureAtMs, warnedAtMs }: { firstFailureAtMs: number; warnedAtMs: number },
): number {
  return Math.max(firstFailureAtMs + DISABLE_AFTER_MS, warnedAtMs + WARNING_LEAD_MS);
}
