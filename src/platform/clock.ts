// Time: the operating system's clock, and timers that are always cleared.
import { setImmediate } from "node:timers";
import { type Clock, DeadlineError } from "../domain/ports.ts";

/** The longest time that a timer of the runtime can hold, ms (about 24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The real clock. A sleep or a deadline longer than 24.8 days ends after that time. */
export function createClock(): Clock {
  return { nowMs: () => Date.now(), sleep, within };
}

/** Calls back when what is ready at this moment is done. */
export function afterTurn(work: () => void): void {
  setImmediate(work);
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

/** Settles as the work does, or rejects when the time is over or somebody stops it. */
function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T> {
  const bounded = Math.min(ms, MAX_TIMER_MS);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const controller = new AbortController();
  const settled = (): void => {
    deadlines.remove(bounded, deadline);
    stop?.removeEventListener("abort", stopped);
  };
  const end = (reason: unknown): void => {
    settled();
    reject(reason);
    controller.abort(reason);
  };
  const deadline = deadlines.add(bounded, () => end(new DeadlineError(ms)));
  const stopped = (): void => end(stop?.reason);
  stop?.addEventListener("abort", stopped);
  const done = <Outcome>(settle: (outcome: Outcome) => void) => (outcome: Outcome): void => {
    settled();
    settle(outcome);
  };
  try {
    work(controller.signal).then(done(resolve), done(reject));
  } catch (error) {
    done(reject)(error);
  }
  return promise;
}

interface Deadline {
  /** By the clock that nobody sets, ms. */
  atMs: number;
  expire: () => void;
}

/**
 * Deadlines that mostly are not reached: of those that last equally long the first made is the first due, so each such
 * row needs one timer, which is set anew only when it goes off. A timer for each would cost more than all else of it.
 */
class Deadlines {
  readonly #rows = new Map<number, { deadlines: Set<Deadline>; timer: ReturnType<typeof setTimeout> }>();

  add(ms: number, expire: () => void): Deadline {
    const deadline = { atMs: performance.now() + ms, expire };
    const row = this.#rows.get(ms);
    if (row === undefined) {
      this.#rows.set(ms, { deadlines: new Set([deadline]), timer: setTimeout(() => this.#goOff(ms), ms) });
    } else row.deadlines.add(deadline);
    return deadline;
  }

  /** A row without deadlines has no timer: nothing keeps the process. */
  remove(ms: number, deadline: Deadline): void {
    const row = this.#rows.get(ms);
    if (row === undefined || !row.deadlines.delete(deadline) || row.deadlines.size > 0) return;
    clearTimeout(row.timer);
    this.#rows.delete(ms);
  }

  #goOff(ms: number): void {
    const row = this.#rows.get(ms);
    if (row === undefined) return;
    const nowMs = performance.now();
    for (const deadline of row.deadlines) {
      // A timer can go off a fraction of a millisecond early.
      const leftMs = Math.ceil(deadline.atMs - nowMs);
      if (leftMs > 1) {
        row.timer = setTimeout(() => this.#goOff(ms), leftMs);
        return;
      }
      row.deadlines.delete(deadline);
      deadline.expire();
    }
    if (row.deadlines.size === 0 && this.#rows.get(ms) === row) this.#rows.delete(ms);
  }
}

const deadlines = new Deadlines();
