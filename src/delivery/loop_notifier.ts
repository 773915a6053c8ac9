// The wait of a loop that has nothing to do.
import type { Clock } from "../domain/ports/ports.ts";

/** The reason of an abort that only ends a wait: without one, each abort creates an exception with its stack. */
const WOKEN = "woken";

/** A wait that can be ended early, even before it begins. */
export class Wake {
  #controller = new AbortController();

  constructor(readonly clock: Clock) {}

  /** Ends the wait; without one, the next wait ends at once. */
  now(): void {
    this.#controller.abort(WOKEN);
  }

  /** Waits until {@link now}, but at most this long; then lets pending events of the event loop run. */
  async wait(ms: number): Promise<void> {
    await this.clock.sleep(ms, this.#controller.signal);
    await this.clock.turn();
    this.#controller = new AbortController();
  }
}
