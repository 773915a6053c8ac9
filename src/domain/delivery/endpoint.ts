// The health of an endpoint: how fast deliveries may be sent to it, and when its subscription is disabled.

/** See {@link EndpointHealth.pace}. */
export type Pace = "steady" | "probing" | "recovering";

/** The health of a subscription's endpoint. Times are Unix ms. */
export interface EndpointHealth {
  /**
   * `steady`: as much as the limits allow. `probing`: one attempt at a time, with growing pauses, until one succeeds.
   * `recovering`: at a bounded rate, until nothing is due any more.
   */
  pace: Pace;
  /** No attempt begins before this time. */
  resumeAtMs: number;
  /** The first failure since the last success; null while all is well. */
  firstFailureAtMs: number | null;
  consecutiveFailures: number;
  /** When its owner was warned; null while there is nothing to warn of. */
  warnedAtMs: number | null;
  /** Which of its last attempts were slow: a bit each, the newest the lowest. Null before the first attempt. */
  slowAttempts: number | null;
}

/** An endpoint without history. */
export const WELL: EndpointHealth = {
  pace: "steady",
  resumeAtMs: 0,
  firstFailureAtMs: null,
  consecutiveFailures: 0,
  warnedAtMs: null,
  slowAttempts: null,
};

/** An endpoint that was enabled again: it is probed first. */
export const HALF_OPEN: EndpointHealth = { ...WELL, pace: "probing" };

/** An attempt that lasts longer is slow, ms. */
export const SLOW_ATTEMPT_MS = 2_000;
/** An endpoint is slow when most of so many attempts were: when their median is. */
const ATTEMPTS_LOOKED_AT = 5;

/** Consecutive failures after which an endpoint is only probed. */
export const PROBE_AFTER_FAILURES = 5;
/** The pause after the first of these failures, ms; each further one doubles it. */
const FIRST_PROBE_PAUSE_MS = 1_000;
/** The longest pause between two probes, ms. */
export const MAX_PROBE_PAUSE_MS = 60_000;
/** The pause that each attempt of a recovering endpoint costs, ms: twenty a second. */
export const RECOVERY_PAUSE_MS = 50;

const DAY_MS = 86_400_000;
/** Time without a success after which the owner is warned, ms. */
export const WARN_AFTER_MS = 3 * DAY_MS;
/** Time without a success after which the subscription is disabled, ms. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;
/** Minimum time between the warning and disabling, also when the service did not run, ms. */
export const WARNING_LEAD_MS = DAY_MS;

/** Whether an endpoint gets the smaller share of slots that slow ones get. */
export function isSlowEndpoint({ slowAttempts }: Pick<EndpointHealth, "slowAttempts">): boolean {
  const slow = (slowAttempts ?? 0).toString(2).replaceAll("0", "").length;
  return slow > ATTEMPTS_LOOKED_AT / 2;
}

/** Before the first attempt, all are taken to be like it. */
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
    // A clock that was set back must not put the beginning into the future.
    firstFailureAtMs: Math.min(health.firstFailureAtMs ?? nowMs, nowMs),
    consecutiveFailures,
    warnedAtMs: health.warnedAtMs,
    slowAttempts,
  };
}

/** Whether to warn the owner of an endpoint or to disable its subscription, which is always announced. */
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
