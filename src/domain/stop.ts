// The word to stop that a work is given. Every AbortSignal is one, and there is a lighter one for what is done often.

/** Says when a work is to stop. */
export interface Stop {
  readonly aborted: boolean;
  /** Why, once it has come. */
  readonly reason: unknown;
  /** Throws the reason, once it has come. */
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A stop that its maker gives. */
export class Stopper implements Stop {
  #aborted = false;
  #reason: unknown = undefined;
  #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  /** Gives the word, once: whoever listens is told, the last to come first. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    // One who is told can make others stop listening.
    while (this.#listeners.length > 0) this.#listeners.pop()?.();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#aborted) return;
    // Mostly there is one: an array that grows takes room for many.
    if (this.#listeners.length === 0) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    // What began first mostly ends first, and the first of many is dropped at no cost.
    const at = this.#listeners.indexOf(listener);
    const last = this.#listeners.length - 1;
    if (at === -1) return;
    if (at === 0 && last > 0) {
      this.#listeners.shift();
      return;
    }
    this.#listeners.copyWithin(at, at + 1);
    this.#listeners.length = last;
  }
}

/** A stop that comes with the first of these; whoever is done with it leaves them. */
export function firstOf(stops: readonly Stop[]): { stop: Stop; leave(): void } {
  const first = new Stopper();
  const follow = (): void => {
    for (const stop of stops) if (stop.aborted) first.abort(stop.reason);
  };
  for (const stop of stops) stop.addEventListener("abort", follow);
  follow();
  const leave = (): void => {
    for (const stop of stops) stop.removeEventListener("abort", follow);
  };
  return { stop: first, leave };
}

/**
 * Settles as the work does, or rejects with the reason of the stop as soon as that comes, for work that cannot be
 * stopped itself; what the work then still comes to is of no interest to anybody.
 */
export async function orAborted<T>(work: Promise<T>, signal: Stop): Promise<T> {
  let end: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    if (end !== undefined) signal.removeEventListener("abort", end);
  }
}
