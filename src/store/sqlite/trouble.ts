// The trouble that a database is in: told by SQLite's errors, ended by a write that succeeds.
import { type SeenTrouble, StoreError, type StoreTrouble } from "../../domain/store_trouble.ts";
import type { Connection } from "./connection.ts";

/** SQLite's own words (sqlite3_errstr), which are fixed: not every error of the runtime carries the code. */
const WORDS: readonly [RegExp, StoreTrouble][] = [
  [/database or disk is full/, "full"],
  [/attempt to write a readonly database/, "read_only"],
  [/unable to open database file/, "read_only"],
  [/database( table)? is locked/, "locked"],
  [/database disk image is malformed|file is not a database/, "corrupt"],
  [/disk I\/O error/, "io"],
  [/is not in its place/, "moved"], // our own, see Connection.refuseWrites
];

/** The trouble that an error tells of; null for an error of another kind. */
export function troubleOf(error: unknown): StoreTrouble | null {
  if (!(error instanceof Error)) return null;
  return WORDS.find(([words]) => words.test(error.message))?.[1] ?? null;
}

/** Remembers the trouble until it ends. */
export class TroubleWatch {
  #trouble: StoreTrouble | null = null;
  #met: StoreTrouble | null = null;
  /** Whether a write was ever tried: a file that cannot be written is opened like every other. */
  #isTried = false;

  /** What tells the file that is open from every other; null while a copy is read. */
  #file: string | null;

  /**
   * `hasRoom` says whether the disk has room again for more than a page; null where nobody can tell. `identify` tells the
   * file at the path from every other, null where there is none; without it, it stays in its place.
   */
  constructor(
    private readonly connection: Connection,
    private readonly hasRoom: (() => boolean) | null,
    private readonly identify: () => string | null = () => "",
  ) {
    this.#file = connection.readsCopy ? null : identify();
  }

  /** The error to go on with, the trouble that it tells of remembered. */
  note(error: unknown): unknown {
    const trouble = this.#troubleOf(error);
    if (trouble === null) return error;
    this.#met = trouble;
    // What is damaged stays damaged, whatever else goes wrong after that.
    if (this.#trouble !== "corrupt") this.#trouble = trouble;
    // Nobody else can be answered while a statement waits for the lock.
    if (trouble === "locked") this.connection.beImpatient(true);
    return new StoreError(trouble, { cause: error });
  }

  /** The trouble as it is now: a small write is tried, and ends it when it succeeds. Throws once the store is closed. */
  current(): StoreTrouble | null {
    this.connection.mustBeOpen();
    if (this.#isMoved()) return this.#noteMoved();
    if (this.#trouble === null && this.#isTried && this.hasRoom?.() !== false) return null;
    if (this.#trouble === "corrupt") return this.#trouble;
    // The log is not cut when it has been brought in: a small write fits into it while every larger one fails.
    if ((this.#trouble ?? "full") === "full" && this.hasRoom?.() === false) return this.#noteFull();
    try {
      this.#tryWrite();
      this.#trouble = null;
      this.#file ??= this.identify();
      this.connection.beImpatient(false);
    } catch (error) {
      const trouble = this.#troubleOf(error);
      if (this.#trouble === null && trouble === null) throw error;
      if (this.#trouble === null) this.#met = trouble;
      this.#trouble = trouble ?? this.#trouble;
    }
    return this.#trouble;
  }

  /**
   * On a full disk SQLite cannot make the file that its readers share, and calls that an I/O error. A copy that is read
   * because of that takes no changes either, and whoever is told so must not look for rights that nobody took away.
   */
  #troubleOf(error: unknown): StoreTrouble | null {
    const trouble = troubleOf(error);
    const mayBeFull = trouble === "io" || trouble === "read_only" && this.connection.readsCopyOfWritable;
    return mayBeFull && this.hasRoom?.() === false ? "full" : trouble;
  }

  /** Whether another file, or none, is where the one was that is open. */
  #isMoved(): boolean {
    const isMoved = this.#file !== null && this.identify() !== this.#file;
    this.connection.refuseWrites(isMoved ? "the database's file is not in its place" : null);
    return isMoved;
  }

  /** Whoever opens the path has another database: what is written here would be lost when this process ends. */
  #noteMoved(): StoreTrouble {
    if (this.#trouble === null) this.#met = "moved";
    if (this.#trouble !== "corrupt") this.#trouble = "moved";
    return this.#trouble;
  }

  /** Of a disk without room, whatever still fits into the log: nobody may have written since it was filled. */
  #noteFull(): StoreTrouble {
    if (this.#trouble === null) this.#met = "full";
    return this.#trouble = "full";
  }

  #tryWrite(): void {
    this.#isTried = true;
    try {
      this.connection.tryWrite();
    } catch (error) {
      if (troubleOf(error) !== "read_only") throw error;
      this.connection.tryWriteAnew();
      this.#file = this.identify(); // of the file that is open from now on
    }
  }

  /** {@link TroubleWatch.current}, and what was noted since this was last asked. */
  take(): SeenTrouble {
    const now = this.current();
    const met = this.#met;
    this.#met = null;
    return { now, met };
  }
}
