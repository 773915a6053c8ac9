// Writing the log through for several at once: what one time of it costs hardly depends on how much there is.
import type { WrittenFile } from "../../domain/ports.ts";

/** A file of which those who ask while it is written through share the time after. */
export class SharedWriting implements WrittenFile {
  #writing: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(readonly file: WrittenFile) {}

  /** Settles when what is in the file now was written through, or could not be. */
  writeThrough(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#writing === null) return this.#start();
    const next = () => {
      this.#next = null;
      return this.#start();
    };
    return this.#next = this.#writing.then(next, next);
  }

  close(): void {
    this.file.close();
  }

  #start(): Promise<void> {
    return this.#writing = this.file.writeThrough().finally(() => this.#writing = null);
  }
}
