// Plans how many deliveries may start: one at a time to a probed endpoint, and at a limited rate to a recovering one.
import {
  type EndpointHealth,
  isSlowEndpoint,
  MAX_PROBE_PAUSE_MS,
  RECOVERY_PAUSE_MS,
} from "../delivery/endpoint.ts";
import type { Lane, Slots } from "./share_slots.ts";

export type EndpointFacts = Pick<EndpointHealth, "pace" | "slowAttempts" | "resumeAtMs">;

/** Returns the lane of an endpoint's deliveries and the number that may start, or null if none may start. */
export function planEndpointSlots(
  { pace, slowAttempts, resumeAtMs }: EndpointFacts,
  { customerId, subscriptionId, isReplay, slots, perSubscription, nowMs }: {
    customerId: string;
    subscriptionId: string;
    isReplay: boolean;
    slots: Slots;
    perSubscription: number;
    nowMs: number;
  },
): { lane: Lane; free: number } | null {
  if (isPaused(resumeAtMs, nowMs)) return null;
  const isProbed = pace === "probing";
  const isSlow = isProbed || isSlowEndpoint({ slowAttempts }) || slots.isSlowNow(subscriptionId);
  const lane = isReplay ? "replay" : isSlow ? "slow" : "normal";
  const free = (isProbed ? 1 : perSubscription) - slots.heldBy(subscriptionId);
  return free > 0 && slots.admits(customerId, lane) ? { lane, free } : null;
}

/** Ignores a pause longer than the maximum, because it was computed before the clock was set back. */
function isPaused(resumeAtMs: number, nowMs: number): boolean {
  return resumeAtMs > nowMs && resumeAtMs <= nowMs + MAX_PROBE_PAUSE_MS;
}

/** Plans the pace of a recovering endpoint after a claim. `isAll`: nothing is left due, so its pace is steady again. */
export function planRecovery(
  { claimed, isAll, nowMs }: { claimed: number; isAll: boolean; nowMs: number },
): Pick<EndpointHealth, "pace" | "resumeAtMs"> {
  return isAll
    ? { pace: "steady", resumeAtMs: 0 }
    : { pace: "recovering", resumeAtMs: nowMs + claimed * RECOVERY_PAUSE_MS };
}
