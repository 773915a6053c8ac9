// What is stored and not on the disk yet: nobody outside is told of it until then.
import type { Soon } from "../../domain/soon.ts";

/**
 * What `transactionThrough` of the connection has stored: SQL sees it at once, and the disk has it when that settles. A
 * reader that was told of an event which a loss of power takes back would meet it again under another id.
 */
export class Unwritten {
  /** Settles when all that is stored now is kept, or failed to be; null when it is. */
  #written: Promise<void> | null = null;

  /** Notes the work until it settles, and gives it back. */
  during<T>(work: Promise<T>): Promise<T> {
    const before = this.#written;
    const over: Promise<void> = work.then(() => before, () => before).then(() => {
      if (this.#written === over) this.#written = null;
    });
    this.#written = over;
    return work;
  }

  /** A value that was read, as soon as all that it may be made of is kept: mostly at once. */
  kept<T>(value: T): Soon<T> {
    return this.#written === null ? value : this.#written.then(() => value);
  }
}
