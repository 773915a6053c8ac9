// The wait of a loop that has nothing to do.
import type { Clock } from "../domain/ports/ports.ts";

/** A wait that can be cut short, also before it has begun. */
export class Wake {
  #woken = false;
  #end: (() => void) | null = null;
  #isTicking = false;

  constructor(readonly clock: Clock) {}

  /** Ends the wait; without one the next does not begin. */
  now(): void {
    this.#woken = true;
    this.#end?.();
  }

  /** Waits for so long at most or until it is woken, and then for what else comes in the same turn of the event loop. */
  async wait(ms: number, stop: AbortSignal): Promise<void> {
    if (!this.#woken) {
      const ended = new Promise<void>((end) => this.#end = end);
      this.#tick(ms, stop);
      await ended;
      this.#end = null;
    }
    await this.clock.turn();
    this.#woken = false;
  }

  /** One timer for many waits: most are over long before it, and a timer for each would cost more than the waiting. */
  #tick(ms: number, stop: AbortSignal): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.clock.sleep(ms, stop).then(() => {
      this.#isTicking = false;
      this.now();
    });
  }
}
