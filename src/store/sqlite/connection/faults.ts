// Maps SQLite's errors to storage faults, and monitors whether a fault persists.
import { StorageError, type StorageProblem } from "../../../domain/ports/store/storage_fault.ts";
import type { OpenStoreOptions } from "../../../domain/ports/store/engine.ts";
import type { Connection } from "./connection.ts";

const PROBLEMS = {
  full: {
    fault: "full",
    advice:
      "the database's disk is full: free some space; nothing is lost, and the service continues automatically",
  },
  read_only: {
    fault: "read_only",
    advice:
      "the database cannot be written: make its folder, the files in it, the key and the disk writable by this user",
  },
  locked: {
    fault: "unavailable",
    advice:
      "another process keeps the database locked: stop that process; Regfeed's own commands lock it only briefly",
  },
  io: {
    fault: "unavailable",
    advice: "the database's disk is failing: check the system log and the disk",
  },
  corrupt: {
    fault: "unavailable",
    advice: "the database is damaged: stop the server, keep the file, and restore the newest good backup " +
      "(`regfeed backup restore FILE --force` keeps the damaged file under a new name)",
  },
  replaced: {
    fault: "unavailable",
    advice:
      "the database file was removed or replaced while the server was running, and nothing more is stored: stop the " +
      "server, put the original file back or restore a backup (`regfeed backup restore FILE`), and start the server",
  },
} as const satisfies Record<string, StorageProblem>;

export type Cause = keyof typeof PROBLEMS;

/** The messages of sqlite3_errstr(), which are stable. For some errors, the runtime reports no code. */
const TEXTS: readonly [RegExp, Cause][] = [
  [/database or disk is full/, "full"],
  [/attempt to write a readonly database/, "read_only"],
  [/unable to open database file/, "read_only"],
  [/database( table)? is locked/, "locked"],
  [/database disk image is malformed|file is not a database/, "corrupt"],
  [/disk I\/O error/, "io"],
];

/** Returns the cause that an error of SQLite names, or null for any other error. */
export function causeOf(error: unknown): Cause | null {
  if (!(error instanceof Error)) return null;
  return TEXTS.find(([text]) => text.test(error.message))?.[1] ?? null;
}

export function storageError(cause: Cause, options?: ErrorOptions): StorageError {
  return new StorageError(PROBLEMS[cause], options);
}

/** The messages of EACCES, EROFS and SQLite's equivalents. */
const UNWRITABLE = /permission denied|read-only file system|readonly database|unable to open database file/i;

export function adviceOn(
  error: Error,
  { hasRoom = () => true }: { hasRoom?: () => boolean } = {},
): string | null {
  const cause = causeOf(error);
  if (cause === "corrupt") return PROBLEMS.corrupt.advice;
  // On a full disk, SQLite cannot create its shared-memory file and reports an I/O error.
  if (cause === "io") return PROBLEMS[hasRoom() ? "io" : "full"].advice;
  return UNWRITABLE.test(error.message) ? PROBLEMS.read_only.advice : null;
}

/** How the monitor inspects the database file, and which function it notifies of a fault. */
type FaultMonitorOptions = Pick<OpenStoreOptions, "hasRoom" | "identifyFile" | "onFault">;

/** Remembers a fault from its detection to its end. */
export class FaultMonitor {
  #cause: Cause | null = null;
  readonly #file: string | null;
  readonly #options: Required<FaultMonitorOptions>;

  constructor(
    private readonly connection: Connection,
    { hasRoom = () => true, identifyFile = () => "", onFault = () => {} }: FaultMonitorOptions = {},
  ) {
    this.#options = { hasRoom, identifyFile, onFault };
    this.#file = identifyFile();
  }

  /** Returns the error to throw for `error`. A storage fault is remembered and becomes a {@link StorageError}. */
  note(error: unknown): unknown {
    const cause = this.#causeOf(error);
    if (cause === null) return error;
    if (!this.#isFinal()) this.#set(cause);
    return storageError(cause, { cause: error });
  }

  /** Returns the current fault, or null if there is none. Tries a small write to see if an earlier fault has ended. */
  current(): StorageProblem | null {
    if (!this.#isFinal()) this.#set(this.#check());
    return this.#cause === null ? null : PROBLEMS[this.#cause];
  }

  #check(): Cause | null {
    if (this.#options.identifyFile() !== this.#file) return "replaced";
    // A small write may still fit into the log while all larger ones fail.
    if (!this.#options.hasRoom()) return "full";
    if (this.#cause === null) return null;
    try {
      this.connection.tryWrite();
      return null;
    } catch (error) {
      return this.#causeOf(error) ?? this.#cause;
    }
  }

  /** Whether only a restart of the server can end the fault. */
  #isFinal(): boolean {
    return this.#cause === "corrupt" || this.#cause === "replaced";
  }

  #set(cause: Cause | null): void {
    if (cause === this.#cause) return;
    this.#cause = cause;
    // While another process holds the lock, every statement would wait for it and delay all requests.
    this.connection.waitForLocks(cause !== "locked");
    if (cause === "replaced") this.connection.abandonFile(storageError("replaced"));
    this.#options.onFault(cause === null ? null : PROBLEMS[cause]);
  }

  /** Returns an error's cause. An I/O error on a full disk means that SQLite could not create its shared memory. */
  #causeOf(error: unknown): Cause | null {
    const cause = causeOf(error);
    return cause === "io" && !this.#options.hasRoom() ? "full" : cause;
  }
}
