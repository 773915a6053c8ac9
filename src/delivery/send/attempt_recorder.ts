// Group commit: finished attempts are recorded together with those that finish about the same time.
import type { FinishedAttempt } from "../../domain/delivery/delivery.ts";
import type { Clock, Log } from "../../domain/ports/ports.ts";
import type { Store } from "../../domain/ports/store/store.ts";

/** Attempts recorded in one transaction at most. */
const MAX_BATCH = 500;
/** How long the first of a batch waits for others, ms: a durable commit costs more than what it records. */
const GATHER_MS = 20;
/** So many waiting are recorded at once. */
const ENOUGH = 250;

/** A reason of an abort that only wakes: without one, each call would make an exception with its stack. */
const NO_ERROR = "enough";

interface Entry {
  finished: FinishedAttempt;
  settle: (recorded: boolean) => void;
}

/** Records finished attempts. */
export interface Recorder {
  /** Calls `settle` when the attempt is recorded (true) or cannot be recorded (false; it is logged). */
  record(finished: FinishedAttempt, settle: (recorded: boolean) => void): void;
  /** Records what waits now, without waiting for more. */
  flushSoon(): void;
  /** Records everything; resolves when nothing waits. */
  flush(): Promise<void>;
}

/** A recorder over the store. An attempt that cannot be recorded is made again when its lease has run out. */
export function createRecorder(
  { store, clock, log }: { store: Pick<Store, "finishAttempts">; clock: Clock; log: Log },
): Recorder {
  let waiting: Entry[] = [];
  /** When the first of them began to wait, Unix ms. */
  let sinceMs = 0;
  /** Whether batches are written without waiting for more attempts. */
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
      if (waiting.length > 0) sinceMs = -Infinity; // they have waited
      await writeBatch(batch);
    }
    writing = null;
  }

  async function writeBatch(batch: readonly Entry[]): Promise<void> {
    try {
      await store.finishAttempts(batch.map((entry) => entry.finished), clock.nowMs());
    } catch (error) {
      if (batch.length > 1) {
        // One that cannot be recorded must not prevent the others.
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
