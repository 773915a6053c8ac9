// The health of an endpoint: how fast it may receive deliveries, and when its subscription is disabled.

export type Pace = "steady" | "probing" | "recovering";

/** The health of a subscription's endpoint. Times are Unix ms. */
export interface EndpointHealth {
  /**
   * `steady`: as fast as the limits allow. `probing`: one attempt at a time, with growing pauses, until one succeeds.
   * `recovering`: at a limited rate, until no delivery is due.
   */
  pace: Pace;
  /** No attempt starts before this time. */
  resumeAtMs: number;
  /** The first failure since the last success, or null if there is none. */
  firstFailureAtMs: number | null;
  consecutiveFailures: number;
  /** When the owner was warned, or null if no warning was sent. */
  warnedAtMs: number | null;
  /** One bit per recent attempt, set if it was slow; the lowest bit is the newest. Null before the first attempt. */
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

/** The health of an endpoint that was enabled again and must be probed first. */
export const HALF_OPEN: EndpointHealth = { ...WELL, pace: "probing" };

/** Attempts that take longer than this are slow, ms. */
const SLOW_ATTEMPT_MS = 2_000;
/** Number of recent attempts considered. An endpoint is slow if most of them were slow. */
const ATTEMPTS_LOOKED_AT = 5;

/** Number of consecutive failures after which an endpoint is only probed. */
export const PROBE_AFTER_FAILURES = 5;
/** The pause before the first probe, ms. Each further failure doubles the pause. */
const FIRST_PROBE_PAUSE_MS = 1_000;
export const MAX_PROBE_PAUSE_MS = 60_000;
/** Pause after each attempt to deliver to a recovering endpoint, ms: at most 20 attempts per second. */
export const RECOVERY_PAUSE_MS = 50;

const DAY_MS = 86_400_000;
/** How long an endpoint must fail before its owner is warned, ms. */
export const WARN_AFTER_MS = 3 * DAY_MS;
/** How long an endpoint must fail before its subscription is disabled, ms. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;
/** Minimum time between the warning and disabling the subscription, ms. It also applies if the service was down. */
export const WARNING_LEAD_MS = DAY_MS;

/** Whether an endpoint is slow and therefore gets a smaller share of the slots. */
export function isSlowEndpoint({ slowAttempts }: Pick<EndpointHealth, "slowAttempts">): boolean {
  const slow = (slowAttempts ?? 0).toString(2).replaceAll("0", "").length;
  return slow > ATTEMPTS_LOOKED_AT / 2;
}

/** Adds an attempt to the history. The first attempt fills the history, as if earlier ones had taken as long. */
function withDuration(slowAttempts: number | null, durationMs: number): number {
  const all = 2 ** ATTEMPTS_LOOKED_AT - 1;
  const bit = durationMs > SLOW_ATTEMPT_MS ? 1 : 0;
  return slowAttempts === null ? bit * all : ((slowAttempts << 1) | bit) & all;
}

/** Returns the health after an attempt that lasted `durationMs` and ended at `nowMs`. */
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
    // If the clock was set back, the stored time may be in the future.
    firstFailureAtMs: Math.min(health.firstFailureAtMs ?? nowMs, nowMs),
    consecutiveFailures,
    warnedAtMs: health.warnedAtMs,
    slowAttempts,
  };
}

/** Decides whether to warn the owner of an endpoint or to disable its subscription. The warning always comes first. */
export function judgeEndpoint(
  { firstFailureAtMs, warnedAtMs }: Pick<EndpointHealth, "firstFailureAtMs" | "warnedAtMs">,
  nowMs: number,
): "nothing" | "warn" | "disable" {
  if (firstFailureAtMs === null || nowMs - firstFailureAtMs < WARN_AFTER_MS) return "nothing";
  if (warnedAtMs === null) return "warn";
  return nowMs >= disableAtMs({ firstFailureAtMs, warnedAtMs }) ? "disable" : "nothing";
}

/** Returns when the subscription of an endpoint that keeps failing is disabled, Unix ms. */
export function disableAtMs(
  { firstFailureAtMs, warnedAtMs }: { firstFailureAtMs: number; warnedAtMs: number },
): number {
  return Math.max(firstFailureAtMs + DISABLE_AFTER_MS, warnedAtMs + WARNING_LEAD_MS);
}
