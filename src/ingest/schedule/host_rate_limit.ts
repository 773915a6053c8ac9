// Spaces the requests to one host.
import type { Clock } from "../../domain/ports/ports.ts";

/** Creates a function that waits until the next request to a host is allowed. */
export function createHostRateLimit(
  clock: Pick<Clock, "nowMs" | "sleep">,
  spacingOf: (host: string) => number,
): (host: string, signal: AbortSignal) => Promise<void> {
  /** For each host, when its next request is allowed and when that time was set, both in Unix ms. */
  const slots = new Map<string, { freeAtMs: number; setAtMs: number }>();
  return async (host, signal) => {
    const nowMs = clock.nowMs();
    const last = slots.get(host);
    // A time in the future was recorded before the clock was set back.
    const slotMs = last === undefined || last.setAtMs > nowMs ? nowMs : Math.max(nowMs, last.freeAtMs);
    slots.set(host, { freeAtMs: slotMs + spacingOf(host), setAtMs: nowMs });
    if (slotMs > nowMs) await clock.sleep(slotMs - nowMs, signal);
  };
}
