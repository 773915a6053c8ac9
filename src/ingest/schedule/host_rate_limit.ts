// Spaces the requests to one host.
import type { Clock } from "../../domain/ports/ports.ts";

/** Creates a function that waits until a host may get the next request. */
export function createHostRateLimit(
  clock: Pick<Clock, "nowMs" | "sleep">,
  spacingOf: (host: string) => number,
): (host: string, signal: AbortSignal) => Promise<void> {
  /** By host: when it may get the next request, and when that was set, Unix ms. */
  const slots = new Map<string, { freeAtMs: number; setAtMs: number }>();
  return async (host, signal) => {
    const nowMs = clock.nowMs();
    const last = slots.get(host);
    // A time in the future was set before the clock was set back.
    const slotMs = last === undefined || last.setAtMs > nowMs ? nowMs : Math.max(nowMs, last.freeAtMs);
    slots.set(host, { freeAtMs: slotMs + spacingOf(host), setAtMs: nowMs });
    if (slotMs > nowMs) await clock.sleep(slotMs - nowMs, signal);
  };
}
