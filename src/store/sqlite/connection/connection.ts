// A connection to the database file: its settings, cached statements and transactions.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Sql, sql, type Value } from "./sql.ts";

/** Maximum time in ms that a statement waits for another process that is writing. */
const BUSY_TIMEOUT_MS = 5_000;
/** Maximum time in ms that a statement waits while another process is known to hold the lock for a long time. */
const IMPATIENT_TIMEOUT_MS = 50;
const CACHE_KIB = 16_384;
/** The value of `pragma auto_vacuum` for incremental vacuum. */
const INCREMENTAL = 2;
/** Maximum number of cached statements. The limit is needed because list queries vary with their filters. */
const MAX_STATEMENTS = 256;

export type Row = Record<string, Value>;

/**
 * What a commit survives. A `durable` commit survives a power failure; a `relaxed` commit survives only the end of the
 * process. A power failure may undo the latest relaxed transactions, but never only a part of one.
 */
export type Durability = "durable" | "relaxed";

interface OpenOptions {
  /** Whether to open the file read-only. Otherwise, closing merges the log of a killed process into the file. */
  readOnly?: boolean;
}

/** A database connection. Its calls are synchronous, so transactions of one process never overlap. */
export class Connection {
  readonly #database: DatabaseSync;
  /** Prepared statements by their SQL, oldest first. */
  readonly #statements = new Map<string, StatementSync>();
  #durability: Durability = "durable";
  #transactions = 0;
  /** The error that every transaction throws once the file must no longer be written. */
  #refusal: Error | null = null;
  #open = true;

  /**
   * Opens the file or creates an empty one. `:memory:` creates a separate database in memory. Throws, and leaves
   * nothing open, if the file cannot be read.
   */
  constructor(path: string, { readOnly = false }: OpenOptions = {}) {
    this.#database = new DatabaseSync(path, { readOnly });
    try {
      // The timeout comes first, because the other settings read the file, which another process may have locked.
      this.#database.exec(`
        pragma busy_timeout = ${BUSY_TIMEOUT_MS};
        pragma synchronous = full;
        pragma foreign_keys = on;
        pragma cache_size = -${CACHE_KIB};
        pragma temp_store = memory;
        pragma secure_delete = fast; -- overwrites most deleted data, so that little remains in the file and in backups
      `);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /**
   * Applies the settings stored in the file: a write-ahead log, and incremental vacuum, which takes effect only before
   * the first table exists. Settings that are already correct are not written, so that a read-only file can be read.
   */
  prepareFile(): void {
    if (this.get(sql`pragma auto_vacuum`)?.["auto_vacuum"] !== INCREMENTAL) {
      this.#database.exec("pragma auto_vacuum = incremental");
    }
    if (this.get(sql`pragma journal_mode`)?.["journal_mode"] !== "wal") {
      this.#database.exec("pragma journal_mode = wal");
    }
  }

  /** Runs several statements. Only migrations need this. */
  script(text: string): void {
    this.#database.exec(text);
  }

  all({ text, values }: Sql): Row[] {
    return this.#statement(text).all(...values) as Row[];
  }

  get({ text, values }: Sql): Row | undefined {
    return this.#statement(text).get(...values) as Row | undefined;
  }

  /** Runs a statement that changes rows. Returns the number of rows changed. */
  run({ text, values }: Sql): number {
    return Number(this.#statement(text).run(...values).changes);
  }

  /** The number of write transactions so far. While it is unchanged, this connection has written nothing. */
  get transactions(): number {
    return this.#transactions;
  }

  /** Runs `work` in one write transaction, which is rolled back if `work` throws. */
  transaction<T>(durability: Durability, work: () => T): T {
    this.mustBeOpen();
    if (this.#refusal !== null) throw this.#refusal;
    this.#transactions++;
    if (durability !== this.#durability) {
      this.#database.exec(`pragma synchronous = ${durability === "durable" ? "full" : "normal"}`);
      this.#durability = durability;
    }
    this.run(sql`begin immediate`);
    try {
      const result = work();
      this.run(sql`commit`);
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Runs `work` on one consistent state of the database and discards what it writes. */
  preview<T>(work: () => T): T {
    this.run(sql`begin immediate`);
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  /** Writes an unchanged value to find out whether the file can be written. Throws if it cannot. */
  tryWrite(): void {
    this.transaction("relaxed", () => {
      const version = Number(this.get(sql`pragma user_version`)?.["user_version"]);
      this.#database.exec(`pragma user_version = ${version}`);
    });
  }

  /** Sets whether statements wait for other processes' locks for the usual time or only briefly. */
  waitForLocks(isPatient: boolean): void {
    this.#database.exec(`pragma busy_timeout = ${isPatient ? BUSY_TIMEOUT_MS : IMPATIENT_TIMEOUT_MS}`);
  }

  /**
   * Stops writing to a file that is no longer at its path. Every transaction then throws `reason`. Moves the log into
   * the file, because SQLite would apply a log that is left behind to the next database at the path.
   */
  abandonFile(reason: Error): void {
    this.#refusal = reason;
    this.waitForLocks(false);
    try {
      this.all(sql`pragma wal_checkpoint(truncate)`);
    } catch {
      // The file or its disk is gone, so nothing can be moved.
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Throws if the connection is closed. Without this check, Deno 2.4 crashes if a statement outlives its database. */
  mustBeOpen(): void {
    if (!this.#open) throw new Error("the store is closed");
  }

  /** Closes the connection. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    this.#database.close();
  }

  #statement(text: string): StatementSync {
    this.mustBeOpen();
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size === MAX_STATEMENTS) this.#statements.delete(oldest);
    const statement = this.#prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #prepare(text: string): StatementSync {
    try {
      return this.#database.prepare(text);
    } catch (error) {
      // Deno 2.4 hides the reason. If the file is faulty, reading its first page throws the actual error.
      if ((error as Error).message === "failed to prepare statement") {
        this.#database.exec("pragma schema_version");
      }
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.run(sql`rollback`);
    } catch {
      // After errors such as a full disk, SQLite has already rolled back. The first error is the one to throw.
    }
  }
}
