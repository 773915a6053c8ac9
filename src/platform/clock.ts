// Time: the operating system's clock, and timers that are always cleared.
import { setImmediate } from "node:timers";
import { type Clock, DeadlineError } from "../domain/ports.ts";

/** The longest time that a timer of the runtime can hold, ms (about 24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The real clock. A sleep or a deadline longer than 24.8 days ends after that time. */
export function createClock(): Clock {
  return { nowMs: () => Date.now(), sleep, within };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // A timer of 0 ms fires after 1 ms at the soonest; this one lets in what waits, and no more.
    if (ms <= 0) return setImmediate(resolve);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener("abort", end);
  });
}

async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DeadlineError(ms);
      reject(error);
      controller.abort(error);
    }, Math.min(ms, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
