// Spacing: two requests to one host are so far apart as the host, or the config, wants.
import type { Clock } from "../domain/ports.ts";

/** Makes a wait for a host's turn; a turn counts from when it was given. */
export function createPace(
  clock: Pick<Clock, "nowMs" | "sleep">,
  spacingOf: (host: string) => number,
): (host: string) => Promise<void> {
  /** By host: when it may be asked next, Unix ms. */
  const freeAt = new Map<string, number>();
  return async (host) => {
    const spacingMs = spacingOf(host);
    const nowMs = clock.nowMs();
    // No wait is longer than the spacing, not even when the clock was set back.
    const turnMs = Math.min(Math.max(nowMs, freeAt.get(host) ?? nowMs), nowMs + spacingMs);
    freeAt.set(host, turnMs + spacingMs);
    if (turnMs > nowMs) await clock.sleep(turnMs - nowMs);
  };
}
