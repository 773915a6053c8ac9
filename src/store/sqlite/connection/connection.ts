// One connection to the database file: its settings, its cached statements, its transactions.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Sql, sql, type Value } from "./sql.ts";

/** How long a statement waits for another process that writes, ms. */
const BUSY_TIMEOUT_MS = 5_000;
/** The same while a process is known to hold the lock for a long time. */
const IMPATIENT_TIMEOUT_MS = 50;
const CACHE_KIB = 16_384;
/** The value of `pragma auto_vacuum` for incremental vacuum. */
const INCREMENTAL = 2;
/** Maximum number of prepared statements: the texts of lists vary with their filters. */
const MAX_STATEMENTS = 256;

export type Row = Record<string, Value>;

/**
 * What a commit survives: `durable` a loss of power, `relaxed` only the end of the process. A loss of power may undo the
 * last relaxed transactions, in order, never half of one.
 */
export type Durability = "durable" | "relaxed";

export interface OpenOptions {
  /** Nothing is written, not even the log that a killed process left: otherwise the last close moves it into the file. */
  readOnly?: boolean;
}

/** One connection. Calls are synchronous, so transactions of one process never overlap. */
export class Connection {
  readonly #database: DatabaseSync;
  /** By their text, the oldest first. */
  readonly #statements = new Map<string, StatementSync>();
  #durability: Durability = "durable";
  #transactions = 0;
  /** Thrown by every transaction once the file must not be written. */
  #refusal: Error | null = null;
  #open = true;

  /**
   * Opens or creates the file and writes nothing to it; `:memory:` gives a database of its own. Throws, and leaves nothing
   * open, when it cannot be read.
   */
  constructor(path: string, { readOnly = false }: OpenOptions = {}) {
    this.#database = new DatabaseSync(path, { readOnly });
    try {
      // The timeout comes first: the next settings read the file, and another process may hold it.
      this.#database.exec(`
        pragma busy_timeout = ${BUSY_TIMEOUT_MS};
        pragma synchronous = full;
        pragma foreign_keys = on;
        pragma cache_size = -${CACHE_KIB};
        pragma temp_store = memory;
        pragma secure_delete = fast; -- deleted data must not remain in the file or in a backup
      `);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /**
   * Makes the settings that the file keeps: a write-ahead log, and incremental vacuum, which takes effect only before the
   * first table. A setting that is correct is not written again: a read-only file can still be read.
   */
  prepareFile(): void {
    if (this.get(sql`pragma auto_vacuum`)?.["auto_vacuum"] !== INCREMENTAL) {
      this.#database.exec("pragma auto_vacuum = incremental");
    }
    if (this.get(sql`pragma journal_mode`)?.["journal_mode"] !== "wal") {
      this.#database.exec("pragma journal_mode = wal");
    }
  }

  /** Runs several statements: migrations only. */
  script(text: string): void {
    this.#database.exec(text);
  }

  all({ text, values }: Sql): Row[] {
    return this.#statement(text).all(...values) as Row[];
  }

  get({ text, values }: Sql): Row | undefined {
    return this.#statement(text).get(...values) as Row | undefined;
  }

  /** Changes rows; returns how many. */
  run({ text, values }: Sql): number {
    return Number(this.#statement(text).run(...values).changes);
  }

  /** The number of write transactions: while it stays, nothing was written through this connection. */
  get transactions(): number {
    return this.#transactions;
  }

  /** Runs `work` in one write transaction, which is rolled back when it throws. */
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

  /** Writes an unchanged value, to find out whether the file can be written. Throws when it cannot. */
  tryWrite(): void {
    this.transaction("relaxed", () => {
      const version = Number(this.get(sql`pragma user_version`)?.["user_version"]);
      this.#database.exec(`pragma user_version = ${version}`);
    });
  }

  /** Waits for locks of other processes for the usual time, or only briefly. */
  waitForLocks(isPatient: boolean): void {
    this.#database.exec(`pragma busy_timeout = ${isPatient ? BUSY_TIMEOUT_MS : IMPATIENT_TIMEOUT_MS}`);
  }

  /**
   * Stops writing to a file that is no longer at its path; every transaction throws the reason. The log is moved into the
   * file: SQLite would apply a log that is left at the path to the next database there.
   */
  abandonFile(reason: Error): void {
    this.#refusal = reason;
    this.waitForLocks(false);
    try {
      this.all(sql`pragma wal_checkpoint(truncate)`);
    } catch {
      // The file or its disk is gone: nothing can be moved.
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Throws when it is closed: Deno 2.4 crashes when a statement outlives its database. */
  mustBeOpen(): void {
    if (!this.#open) throw new Error("the store is closed");
  }

  /** Closes the file; a second call does nothing. */
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
      // Deno 2.4 gives no other reason: reading the first page shows a fault of the file.
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
      // Some errors (a full disk, an I/O error) have rolled the transaction back already: the first error counts.
    }
  }
}
