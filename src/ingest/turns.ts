// Turns: long work steps aside now and then, so that whoever waits beside it is served.
import type { Clock } from "../domain/ports.ts";

/** So long work goes on before others get their turn, ms. A turn costs a timer, which takes about a twentieth of it. */
const TURN_MS = 40;

/** The same for work that need not be done on this thread, ms. */
export const SHORT_TURN_MS = 10;

/** Makes a pause to be asked for between small pieces of work: it gives others their turn when one's own is over. */
export function createTurns(
  clock: Pick<Clock, "nowMs" | "sleep">,
  turnMs: number = TURN_MS,
): () => Promise<void> {
  let startMs = clock.nowMs();
  return async () => {
    const spentMs = clock.nowMs() - startMs;
    // A clock that was set back must not let the turn go on for ever.
    if (spentMs >= 0 && spentMs < turnMs) return;
    await clock.sleep(0);
    startMs = clock.nowMs();
  };
}
