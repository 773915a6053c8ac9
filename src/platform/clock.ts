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
    deadlines.remove(deadline);
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

/** A deadline in the row of those that last equally long. */
interface Deadline {
  /** By the clock that nobody sets, ms. */
  atMs: number;
  expire: () => void;
  row: Row;
  earlier: Deadline | null;
  later: Deadline | null;
}

/** Deadlines that last equally long, in the order of their making, and the one timer that they have. */
interface Row {
  ms: number;
  first: Deadline | null;
  last: Deadline | null;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Deadlines that mostly are not reached: of those that last equally long the first made is the first due, so each such
 * row needs one timer, which is set anew only when it goes off. A timer for each would cost more than all else of it.
 * They are chained themselves: a set that much goes through leaves outgrown tables behind, and as long as these are
 * not collected they keep all that ever stood in them.
 */
class Deadlines {
  readonly #rows = new Map<number, Row>();

  add(ms: number, expire: () => void): Deadline {
    let row = this.#rows.get(ms);
    if (row === undefined) {
      row = { ms, first: null, last: null, timer: undefined };
      this.#rows.set(ms, row);
      this.#wait(row, ms);
    }
    const deadline: Deadline = { atMs: performance.now() + ms, expire, row, earlier: row.last, later: null };
    if (row.last === null) row.first = deadline;
    else row.last.later = deadline;
    row.last = deadline;
    return deadline;
  }

  /** A row without deadlines has no timer: nothing keeps the process. */
  remove(deadline: Deadline): void {
    const { row } = deadline;
    if (!unchain(deadline) || row.first !== null) return;
    clearTimeout(row.timer);
    this.#rows.delete(row.ms);
  }

  #wait(row: Row, ms: number): void {
    row.timer = setTimeout(() => this.#goOff(row), ms);
  }

  #goOff(row: Row): void {
    const nowMs = performance.now();
    for (let deadline = row.first; deadline !== null; deadline = row.first) {
      // A timer can go off a fraction of a millisecond early.
      const leftMs = Math.ceil(deadline.atMs - nowMs);
      if (leftMs > 1) return this.#wait(row, leftMs);
      unchain(deadline);
      deadline.expire();
    }
    if (this.#rows.get(row.ms) === row) this.#rows.delete(row.ms);
  }
}

/** Takes it out of its row; false when it is out already. It then points at no other: what is old must keep nothing young. */
function unchain(deadline: Deadline): boolean {
  const { row, earlier, later } = deadline;
  if (earlier === null && row.first !== deadline) return false;
  if (earlier === null) row.first = later;
  else earlier.later = later;
  if (later === null) row.last = earlier;
  else later.earlier = earlier;
  deadline.earlier = deadline.later = null;
  return true;
}

const deadlines = new Deadlines();
