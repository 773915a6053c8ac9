// What is read instead of a database file as long as that cannot be written.

/** What is read instead of a file as long as that cannot be written. */
export interface ReadableCopy {
  /** For one connection alone; it needs no name any more once it is open. */
  path: string;
  /** Whether the file itself can be opened to be written, as far as that can be told without opening a database. */
  mayWrite(): boolean;
  /** Is given who reads the copy, to have something newer read instead. */
  onOpened?(reader: CopyReader): void;
}

/** Whoever reads a copy of a file. Each method does nothing once the file itself can be written, or is closed. */
export interface CopyReader {
  /** Whether it is still a copy that is read, or nothing. */
  readonly readsCopy: boolean;
  /** Reads another copy from now on. Throws, and goes on as it was, when that one cannot be opened. */
  readCopy(path: string): void;
  /**
   * Reads the file itself, where it lies: another process that has it open has made beside it what its readers need.
   * Throws, and goes on as it was, when that cannot be.
   */
  readFile(): void;
  /** Reads nothing any more until there is something to read: what is asked for meanwhile is refused. */
  letCopyGo(): void;
}
