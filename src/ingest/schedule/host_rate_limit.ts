// Spacing: two requests to one host are so far apart as the host, or the config, wants.
import type { Clock } from "../../domain/ports/ports.ts";

/** Makes a wait for a host's turn; a turn counts from when it was given. */
export function createHostRateLimit(
  clock: Pick<Clock, "nowMs" | "sleep">,
  spacingOf: (host: string) => number,
): (host: string, signal: AbortSignal) => Promise<void> {
  /** By host: when it may be asked next, and when that was set, Unix ms. */
  const turns = new Map<string, { freeAtMs: number; setAtMs: number }>();
  return async (host, signal) => {
    const nowMs = clock.nowMs();
    const last = turns.get(host);
    // What was set in the future was set before the clock was set back.
    const turnMs = last === undefined || last.setAtMs > nowMs ? nowMs : Math.max(nowMs, last.freeAtMs);
    turns.set(host, { freeAtMs: turnMs + spacingOf(host), setAtMs: nowMs });
    if (turnMs > nowMs) await clock.sleep(turnMs - nowMs, signal);
  };
}
