// Lets an idle loop wait until there is work.
import type { Clock } from "../domain/ports/ports.ts";

/** Reason for aborts that only end a wait. Without one, each abort would create an exception with a stack trace. */
const WOKEN = "woken";

/** A wait that can be ended early, even before it begins. */
export class Wake {
  #controller = new AbortController();

  constructor(readonly clock: Clock) {}

  /** Ends the current wait or, if there is none, the next one. */
  now(): void {
    this.#controller.abort(WOKEN);
  }

  /** Waits until {@link now} is called, but at most `ms`. Then lets the event loop run pending tasks. */
  async wait(ms: number): Promise<void> {
    await this.clock.sleep(ms, this.#controller.signal);
    await this.clock.turn();
    this.#controller = new AbortController();
  }
}
