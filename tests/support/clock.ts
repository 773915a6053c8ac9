// A clock that only a test advances.
import { type Clock, DeadlineError } from "../../src/domain/ports/ports.ts";

export interface FakeClock extends Clock {
  /** Advances by `ms`, and wakes sleepers in the order of their times. */
  advance(ms: number): Promise<void>;
  /** Sets the clock to a Unix time in ms, forwards or back, without waking sleepers. */
  set(nowMs: number): void;
}

export function fakeClock(startMs: number): FakeClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; fire: () => void }>();

  const after: After = (ms, fire) => {
    const timer = { atMs: nowMs + ms, fire };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  return {
    nowMs: () => nowMs,
    set: (ms) => void (nowMs = ms),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || ms <= 0) return resolve();
        const cancel = after(ms, () => {
          signal?.removeEventListener("abort", wake);
          resolve();
        });
        const wake = (): void => {
          cancel();
          resolve();
        };
        signal?.addEventListener("abort", wake);
      }),
    turn: () => Promise.resolve(),
    async within(ms, work, stop) {
      stop?.throwIfAborted();
      const deadline = new AbortController();
      let reject: (error: Error) => void = () => {};
      const late = new Promise<never>((_, fail) => reject = fail);
      const end = (reason: Error) => {
        deadline.abort(reason);
        reject(reason);
      };
      const cancel = after(ms, () => end(new DeadlineError(ms)));
      const stopped = () => end(stop?.reason);
      stop?.addEventListener("abort", stopped);
      try {
        return await Promise.race([work(deadline.signal), late]);
      } finally {
        cancel();
        stop?.removeEventListener("abort", stopped);
      }
    },
    async advance(ms) {
      const endMs = nowMs + ms;
      while (true) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.fire();
        await Promise.resolve();
      }
      nowMs = endMs;
    },
  };
}

/** Calls `fire` after a time. The returned function cancels the call. */
type After = (ms: number, fire: () => void) => () => void;
