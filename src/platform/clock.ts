// Time: the operating system's clock, and timers that are always cleared.
import { setImmediate } from "node:timers";
import { type Clock, DeadlineError } from "../domain/ports/ports.ts";

/** Maximum duration of the runtime's timers, ms (about 24.8 days). A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Creates the real clock. A sleep or a deadline lasts at most {@link MAX_TIMER_MS}. */
export function createClock(): Clock {
  return { nowMs: () => Date.now(), sleep, turn, within };
}

/** Resolves when the most recent call of `sleep(0)` ends. */
let lastYield = Promise.resolve();

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) return wait(ms, signal);
  // Only one caller continues at a time, because the runtime polls for requests only after all due timers have run.
  return lastYield = lastYield.then(() => wait(0, signal));
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // Even 0 ms needs a timer, because the runtime rarely polls for requests while immediate callbacks are due.
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

/** Settles like `work`, or rejects when time runs out or `stop` aborts. */
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
