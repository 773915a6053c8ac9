// Group commit: attempts that finish at about the same time are recorded in one transaction.
import type { FinishedAttempt } from "../../domain/delivery/delivery.ts";
import type { Clock, Log } from "../../domain/ports/ports.ts";
import type { Store } from "../../domain/ports/store/store.ts";

/** Maximum number of attempts recorded in one transaction. */
const MAX_BATCH = 500;
/** Maximum time in ms that the first attempt of a batch waits for others, because commits are expensive. */
const GATHER_MS = 20;
/** Once this many attempts are waiting, they are recorded without waiting for more. */
const ENOUGH = 250;

/** Reason for aborts that only end a wait. Without one, each abort would create an exception with a stack trace. */
const NO_ERROR = "flush";

interface Entry {
  finished: FinishedAttempt;
  settle: (recorded: boolean) => void;
}

interface Recorder {
  /** Calls `settle` with true once the attempt is recorded, or logs the failure and calls `settle` with false. */
  record(finished: FinishedAttempt, settle: (recorded: boolean) => void): void;
  /** Records the waiting attempts without waiting for more. */
  flushSoon(): void;
  /** Records all attempts, and resolves when none are waiting. */
  flush(): Promise<void>;
}

/** Creates a recorder. An attempt that cannot be recorded is repeated when its lease expires. */
export function createRecorder(
  { store, clock, log }: { store: Pick<Store, "finishAttempts">; clock: Clock; log: Log },
): Recorder {
  let waiting: Entry[] = [];
  /** Time at which the first waiting attempt arrived, in Unix ms. */
  let sinceMs = 0;
  let isFlushing = false;
  let writing: Promise<void> | null = null;
  let flushNow = new AbortController();

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const leftMs = GATHER_MS - Math.abs(clock.nowMs() - sinceMs);
      if (!isFlushing && waiting.length < ENOUGH && leftMs > 0) {
        flushNow = new AbortController();
        await clock.sleep(leftMs, flushNow.signal);
      }
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      if (waiting.length > 0) sinceMs = -Infinity; // they have waited long enough
      await writeBatch(batch);
    }
    writing = null;
  }

  async function writeBatch(batch: readonly Entry[]): Promise<void> {
    try {
      await store.finishAttempts(batch.map((entry) => entry.finished), clock.nowMs());
    } catch (error) {
      if (batch.length > 1) {
        // An attempt that cannot be recorded must not affect the others.
        for (const entry of batch) await writeBatch([entry]);
        return;
      }
      for (const { finished, settle } of batch) {
        log.error("attempt not recorded; it is repeated when its lease expires", {
          delivery: finished.deliveryId,
          attempt: finished.attempt,
          cause: String(error),
        });
        settle(false);
      }
      return;
    }
    for (const entry of batch) entry.settle(true);
  }

  return {
    record(finished, settle) {
      if (waiting.push({ finished, settle }) === 1) sinceMs = clock.nowMs();
      writing ??= write();
      if (waiting.length >= ENOUGH) flushNow.abort(NO_ERROR);
    },
    flushSoon: () => flushNow.abort(NO_ERROR),
    flush: async () => {
      isFlushing = true;
      while (writing !== null) {
        flushNow.abort(NO_ERROR);
        await writing;
      }
      isFlushing = false;
    },
  };
}
