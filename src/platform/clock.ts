// Time: the operating system's clock, and timers that are always cleared.
import { setImmediate } from "node:timers";
import { type Clock, DeadlineError } from "../domain/ports/ports.ts";

/** The longest time that a timer of the runtime can hold, ms (about 24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The real clock. A sleep or a deadline longer than 24.8 days ends after that time. */
export function createClock(): Clock {
  return { nowMs: () => Date.now(), sleep, turn, within };
}

/** Resolves when the last of those who sleep for 0 ms goes on. */
let lastYield = Promise.resolve();

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) return wait(ms, signal);
  // One after the other: the runtime polls for requests only after all timers that are due.
  return lastYield = lastYield.then(() => wait(0, signal));
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // A timer also for 0 ms: while immediate callbacks are due, the runtime rarely polls for requests.
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener("abort", end);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Settles as the work does, or rejects when the time is over or `stop` aborts. */
async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  stop?.throwIfAborted();
  const controller = new AbortController();
  const aborted = Promise.withResolvers<never>();
  const abort = (reason: unknown): void => {
    aborted.reject(reason);
    controller.abort(reason);
  };
  const onStop = (): void => abort(stop?.reason);
  const timer = setTimeout(() => abort(new DeadlineError(ms)), Math.min(ms, MAX_TIMER_MS));
  stop?.addEventListener("abort", onStop);
  try {
    return await Promise.race([work(controller.signal), aborted.promise]);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", onStop);
  }
}
