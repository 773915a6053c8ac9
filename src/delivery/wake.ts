// The wait of a loop that has nothing to do.
import type { Clock } from "../domain/ports.ts";

/** A wait that can be cut short, also before it has begun. */
export class Wake {
  #woken = false;
  #waiting: AbortController | null = null;

  constructor(readonly clock: Clock) {}

  /** Ends the wait; without one the next does not begin. */
  now(): void {
    this.#woken = true;
    this.#waiting?.abort("woken"); // a reason of its own: without one an exception is made for each answer
  }

  /** Waits for so long or until it is woken, and then for what else comes in the same turn of the event loop. */
  async wait(ms: number, stop: AbortSignal): Promise<void> {
    if (!this.#woken) {
      this.#waiting = new AbortController();
      await this.clock.sleep(ms, this.#waiting.signal);
      this.#waiting = null;
    }
    await this.clock.sleep(0, stop);
    this.#woken = false;
  }
}
