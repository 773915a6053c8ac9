// How many deliveries may start to an endpoint: one at a time while it is probed, a limited rate while it recovers.
import {
  type EndpointHealth,
  isSlowEndpoint,
  MAX_PROBE_PAUSE_MS,
  RECOVERY_PAUSE_MS,
} from "../delivery/endpoint.ts";
import type { Lane, Slots } from "./share_slots.ts";

export type EndpointFacts = Pick<EndpointHealth, "pace" | "slowAttempts" | "resumeAtMs">;

/** The lane of an endpoint's deliveries and how many may start; null if there is none. */
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

/** A pause longer than the longest was computed before the clock was set back. */
function isPaused(resumeAtMs: number, nowMs: number): boolean {
  return resumeAtMs > nowMs && resumeAtMs <= nowMs + MAX_PROBE_PAUSE_MS;
}

/** The pace of a recovering endpoint after a claim. It has recovered when nothing more is due (`isAll`). */
export function planRecovery(
  { claimed, isAll, nowMs }: { claimed: number; isAll: boolean; nowMs: number },
): Pick<EndpointHealth, "pace" | "resumeAtMs"> {
  return isAll
    ? { pace: "steady", resumeAtMs: 0 }
    : { pace: "recovering", resumeAtMs: nowMs + claimed * RECOVERY_PAUSE_MS };
}
