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

/** Tells a database's file, its log or the index of that from every other; null where there is none. */
export type Identify = (side: "" | "-wal" | "-shm") => string | null;

/** What is done about a database's file that is not in its place any more. */
export interface WhenMoved {
  /** Removes what lies beside its path. */
  removeBeside(side: "-wal" | "-shm"): void;
  /** Keeps what the file of this identity holds under another name, if it has none any more. Says what comes of it. */
  keepRemoved(identity: string | null): void;
  /** Nothing of it is open any more. */
  closed(): void;
}

/** A database's files. */
interface Place {
  file: string | null;
  log: string | null;
  /** What all who have the database open share, to find what stands in the log. */
  index: string | null;
}

/** Whether all that is known of the other is where it was. */
function isAt(now: Place, known: Place): boolean {
  return now.log === known.log && now.index === known.index;
}

/** Remembers the trouble until it ends. */
export class TroubleWatch {
  #trouble: StoreTrouble | null = null;
  #met: StoreTrouble | null = null;
  /** Whether a write was ever tried: a file that cannot be written is opened like every other. */
  #isTried = false;

  /** What tells the files that are open from every other. */
  #place: Place;
  /** Whether nothing stands any more in the log of a file that was moved. */
  #isWhole = false;
  #isEnding = false;

  /**
   * `hasRoom` says whether the disk has room again for more than a page; null where nobody can tell. `identify` tells the
   * file at the path, or beside it, from every other, null where there is none; without it, all stay in their places.
   * `whenMoved` does what has to be done elsewhere once it is not in its place.
   */
  constructor(
    private readonly connection: Connection,
    private readonly hasRoom: (() => boolean) | null,
    private readonly identify: Identify = () => "",
    private readonly whenMoved: WhenMoved | null = null,
  ) {
    this.#place = this.#look();
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
    if (!this.#isInPlace()) return this.#noteMoved();
    if (this.#trouble === null && this.#isTried && this.hasRoom?.() !== false) return null;
    if (this.#trouble === "corrupt") return this.#trouble;
    // The log is not cut when it has been brought in: a small write fits into it while every larger one fails.
    if ((this.#trouble ?? "full") === "full" && this.hasRoom?.() === false) return this.#noteFull();
    try {
      this.#tryWrite();
      this.#trouble = null;
      this.connection.beImpatient(false);
    } catch (error) {
      const trouble = this.#troubleOf(error);
      if (this.#trouble === null && trouble === null) throw error;
      if (this.#trouble === null) this.#met = trouble;
      this.#trouble = trouble ?? this.#trouble;
    }
    return this.#trouble;
  }

  /** On a full disk SQLite cannot make the file that its readers share, and calls that an I/O error. */
  #troubleOf(error: unknown): StoreTrouble | null {
    const trouble = troubleOf(error);
    return trouble === "io" && this.hasRoom?.() === false ? "full" : trouble;
  }

  /** Whether what is open is what others open at the path; brings about what can be, and lets nothing be written if not. */
  #isInPlace(): boolean {
    const now = this.#look();
    const known = this.#place;
    const isMoved = now.file !== known.file;
    if (isMoved) this.#keepWhole(now, known);
    // What was not there yet when it was looked for, is what was made for this connection.
    else this.#place = { ...now, log: known.log ?? now.log, index: known.index ?? now.index };
    const isInPlace = !isMoved && (isAt(now, this.#place) || this.#openAnew());
    this.connection.refuseWrites(isInPlace ? null : "the database's file, or its log, is not in its place");
    if (isInPlace) this.#isWhole = false;
    return isInPlace;
  }

  /**
   * Brings the log into the file that was moved away from it: SQLite no longer does that at the end, and whoever opened
   * what is at the path now would find in it the log of another database, and follow it. Where a new log stands beside the
   * index that both share, that one belongs to somebody else already, and its pages are none of this file's.
   */
  #keepWhole(now: Place, known: Place): void {
    const isOthers = now.index === known.index && now.log !== null && now.log !== known.log;
    if (this.#isWhole || isOthers) return;
    this.connection.beImpatient(true);
    try {
      this.#isWhole = this.connection.bringLogIn();
      if (!this.#isWhole) return;
      this.#leavePlace(now, known);
      this.whenMoved?.keepRemoved(known.file);
    } catch {
      // That it is moved is told, and with the next look this is tried again.
    }
  }

  /**
   * Leaves nothing of a file that was moved away at its path: whoever made another there would write into the log of this
   * one, which would read that as its own as soon as it is back.
   */
  #leavePlace(now: Place, known: Place): void {
    if (now.log !== null && now.log === known.log) this.whenMoved?.removeBeside("-wal");
    if (now.index !== null && now.index === known.index) this.whenMoved?.removeBeside("-shm");
  }

  /**
   * Opens the file anew whose log, or the index of it, was removed or replaced: whoever else opened it would make others,
   * and neither would see what the other writes. Gives whether that could be done.
   */
  #openAnew(): boolean {
    this.connection.refuseWrites(null);
    try {
      if (!this.connection.bringLogIn()) return false;
      this.connection.openAnew();
      this.#place = this.#look();
      return true;
    } catch {
      return false; // told as moved, and tried again with the next look
    }
  }

  /** Before the connection is closed: what was moved since the last look is kept whole as well. */
  beforeClose(): void {
    this.#isWhole = false; // another process may have gone on to write to the file that was moved
    if (!this.#isEnding) this.#isInPlace();
    this.#isEnding = true;
  }

  /** After the connection was closed. */
  afterClose(): void {
    this.whenMoved?.closed();
  }

  #look(): Place {
    return { file: this.identify(""), log: this.identify("-wal"), index: this.identify("-shm") };
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
    this.connection.tryWrite();
  }

  /** {@link TroubleWatch.current}, and what was noted since this was last asked. */
  take(): SeenTrouble {
    const now = this.current();
    const met = this.#met;
    this.#met = null;
    return { now, met };
  }
}
