// Where a source has moved for good: believed only when it has said the same for days.
import type { SourceMove } from "../domain/source.ts";

/** A permanent redirect is adopted when the same one is still there after this, ms: many are mistakes of an hour. */
export const ADOPTED_AFTER_MS = 3 * 86_400_000;

/** The address to ask: where the source has moved to, once that is adopted; null for the one that the config names. */
export function adoptedAddress(move: SourceMove | null, configured: string): string | null {
  return move !== null && move.adoptedAtMs !== null && move.from === configured ? move.url : null;
}

/**
 * What is known of the move after a fetch that ended well; `movedTo` is where the asked address says that it has moved
 * for good, null when it says no such thing.
 */
export function decideMove(
  before: SourceMove | null,
  { configured, movedTo, nowMs }: { configured: string; movedTo: string | null; nowMs: number },
): SourceMove | null {
  const known = before?.from === configured ? before : null;
  if (movedTo === null) return adoptedAddress(known, configured) === null ? null : known;
  // From the future: the clock was set back meanwhile.
  if (known === null || known.url !== movedTo || known.sinceMs > nowMs) {
    return { from: configured, url: movedTo, sinceMs: nowMs, adoptedAtMs: null };
  }
  return nowMs - known.sinceMs >= ADOPTED_AFTER_MS ? { ...known, adoptedAtMs: nowMs } : known;
}

/** What is known of the move after a failure: what was adopted is given up, so that the configured address is asked. */
export function moveAfterFailure(before: SourceMove | null): SourceMove | null {
  return before?.adoptedAtMs === null ? before : null;
}
