// Yields to the event loop during long computations on the main thread.
import type { Clock } from "../domain/ports/ports.ts";

/** Time between two yields, in ms. A yield takes about a tenth of that time. */
const BURST_MS = 20;

/** Creates a function to call between small pieces of work. It yields if the last yield was long enough ago. */
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
