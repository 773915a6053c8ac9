// Time: the operating system's clock, and timers that are always cleared.
import { setImmediate } from "node:timers";
import { Chain, type Link } from "../domain/chain.ts";
import { type Clock, type Deadline, DeadlineError } from "../domain/ports.ts";
import { type Stop, Stopper } from "../domain/stop.ts";

/** The longest time that a timer of the runtime can hold, ms (about 24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The real clock. A sleep or a deadline longer than 24.8 days ends after that time. */
export function createClock(): Clock {
  return { nowMs: () => Date.now(), sleep, turn, within, deadline: (ms, stop) => new RealDeadline(ms, stop) };
}

/** Calls back when what is ready at this moment is done. */
export function afterTurn(work: () => void): void {
  setImmediate(work);
}

function sleep(ms: number, signal?: Stop): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // Also for no time: while something is to be called at once, the runtime rarely asks the system for new requests.
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, Math.min(ms, MAX_TIMER_MS)));
    signal?.addEventListener("abort", end);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => afterTurn(resolve));
}

/** Settles as the work does, or rejects when the time is over or somebody stops it. */
function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const controller = new AbortController();
  const deadline = new RealDeadline(ms, stop ?? NEVER);
  deadline.addEventListener("abort", () => {
    reject(deadline.reason);
    controller.abort(deadline.reason);
  });
  const done = <Outcome>(settle: (outcome: Outcome) => void) => (outcome: Outcome): void => {
    deadline.end();
    settle(outcome);
  };
  try {
    work(controller.signal).then(done(resolve), done(reject));
  } catch (error) {
    done(reject)(error);
  }
  return promise;
}

/** The stop of what nobody stops. */
const NEVER: Stop = {
  aborted: false,
  reason: undefined,
  throwIfAborted: () => {},
  addEventListener: () => {},
  removeEventListener: () => {},
};

/** A deadline, in the row of those that last equally long. */
class RealDeadline extends Stopper implements Deadline, Link<RealDeadline> {
  earlier: RealDeadline | null = null;
  later: RealDeadline | null = null;
  chain: Chain<RealDeadline> | null = null;
  /** By the clock that nobody sets, ms. */
  readonly atMs: number;
  readonly #stopped: () => void;

  constructor(readonly ms: number, readonly stop: Stop) {
    super();
    const bounded = Math.min(ms, MAX_TIMER_MS);
    this.atMs = performance.now() + bounded;
    this.#stopped = () => this.abort(stop.reason);
    deadlines.add(this, bounded);
    stop.addEventListener("abort", this.#stopped);
  }

  override abort(reason: unknown): void {
    this.end();
    super.abort(reason);
  }

  end(): void {
    deadlines.remove(this);
    this.stop.removeEventListener("abort", this.#stopped);
  }
}

/** Deadlines that last equally long, in the order of their making, and the one timer that they have. */
class Row extends Chain<RealDeadline> {
  timer: ReturnType<typeof setTimeout> | undefined;
  constructor(readonly ms: number) {
    super();
  }
}

/**
 * Deadlines that mostly are not reached: of those that last equally long the first made is the first due, so each such
 * row needs one timer, which is set anew only when it goes off. A timer for each would cost more than all else of it.
 */
class Deadlines {
  readonly #rows = new Map<number, Row>();

  add(deadline: RealDeadline, ms: number): void {
    let row = this.#rows.get(ms);
    if (row === undefined) {
      row = new Row(ms);
      this.#rows.set(ms, row);
      this.#wait(row, ms);
    }
    row.add(deadline);
  }

  /** A row without deadlines has no timer: nothing keeps the process. */
  remove(deadline: RealDeadline): void {
    const row = deadline.chain as Row | null;
    if (row === null || !row.remove(deadline) || row.size > 0) return;
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
      deadline.abort(new DeadlineError(deadline.ms));
    }
  }
}

const deadlines = new Deadlines();
