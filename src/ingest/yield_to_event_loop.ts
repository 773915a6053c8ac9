// Lets other work run between two pieces of long work on the main thread.
import type { Clock } from "../domain/ports/ports.ts";

/** Duration of work between two yields, ms; a yield costs about a tenth of it. */
const BURST_MS = 20;

/** Makes a function that is called between small pieces of work. It yields when the last yield was long enough ago. */
export function createYield(clock: Pick<Clock, "nowMs" | "sleep">): () => Promise<void> {
  let startMs = clock.nowMs();
  return async () => {
    const spentMs = clock.nowMs() - startMs;
    // The clock may have been set back.
    if (spentMs >= 0 && spentMs < BURST_MS) return;
    await clock.sleep(0);
    startMs = clock.nowMs();
  };
}
