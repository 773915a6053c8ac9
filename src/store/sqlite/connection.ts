// One connection to the database file: its settings, its cached statements, its transactions.
import { DatabaseSync, type StatementSync, type SupportedValueType } from "node:sqlite";
import type { OpenWritten, WrittenFile } from "../../domain/ports.ts";

/** How long a statement waits for another process that writes, ms. */
const BUSY_TIMEOUT_MS = 5_000;
/** The same while one is known to hold it for long, ms: whoever else wants an answer waits as well. */
const IMPATIENT_TIMEOUT_MS = 50;
/** The page cache's bound, KiB. */
const CACHE_KIB = 16_384;

/** Prepared statements in each half of those that are kept: the texts of lists vary with their filters. */
const MAX_STATEMENTS = 128;

/** A value that a statement takes or gives. */
export type Value = SupportedValueType;

/** A row as a statement gives it, by column name. */
export type Row = Record<string, Value>;

/**
 * How much a commit survives: `durable` a loss of power (a promise was made to somebody), `relaxed` the end of the
 * process only (a power loss may take back the last ones, in order, never half of one).
 */
export type Durability = "durable" | "relaxed";

/** One connection; every call is synchronous, so a transaction never meets another of the same process. */
export class Connection {
  readonly #database: DatabaseSync;
  /** What was used since the last time that there were too many; */
  #statements = new Map<string, StatementSync>();
  /** and before it: what is used again goes to the others, the rest is forgotten the next time. */
  #oldStatements = new Map<string, StatementSync>();
  readonly #path: string;
  readonly #openLog: OpenWritten | null;
  /** The write-ahead log's file, once it was needed. */
  #log: WrittenFile | null = null;
  #durability: Durability = "durable";
  #transactions = 0;
  #open = true;

  /**
   * Opens or creates the file and writes nothing to it; `:memory:` gives a database of its own. `readOnly` also leaves a
   * log that a killed process left behind: without it, the last one to close brings it into the file.
   */
  constructor(
    path: string,
    openLog: OpenWritten | null = null,
    { readOnly = false }: { readOnly?: boolean } = {},
  ) {
    this.#path = path;
    this.#openLog = path === ":memory:" ? null : openLog;
    this.#database = new DatabaseSync(path, { readOnly });
    try {
      // The wait comes first: the next settings read the file already, and another process may hold it.
      this.#database.exec(`
        pragma busy_timeout = ${BUSY_TIMEOUT_MS};
        pragma synchronous = full;
        pragma foreign_keys = on;
        pragma cache_size = -${CACHE_KIB};
        pragma temp_store = memory;
        pragma secure_delete = fast; -- what a row no longer holds must not stand in the file, nor in a backup of it
      `);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /**
   * Makes the settings that the file itself keeps: a log that lets readers and a writer work at once, and pages that
   * are freed a few at a time. The second holds only when it is made before the first table.
   */
  prepareFile(): void {
    this.#database.exec("pragma auto_vacuum = incremental; pragma journal_mode = wal;");
  }

  /** Runs SQL of several statements: migrations only. */
  script(sql: string): void {
    this.#database.exec(sql);
  }

  /** Every row. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** The first row, if any. */
  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  /** Changes rows; returns how many. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** The write transactions that were begun here: while it is the same, nothing was written through this connection. */
  get transactions(): number {
    return this.#transactions;
  }

  /** Runs `work` in one write transaction: all of it is kept, or after a throw nothing. */
  transaction<T>(durability: Durability, work: () => T): T {
    this.mustBeOpen();
    this.#transactions++;
    if (durability !== this.#durability) {
      this.#database.exec(`pragma synchronous = ${durability === "durable" ? "full" : "normal"}`);
      this.#durability = durability;
    }
    this.run("begin immediate");
    try {
      const result = work();
      this.run("commit");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /**
   * A durable transaction that keeps nobody waiting for the disk: it is seen by all at once, and settles when it
   * survives a loss of power. The log is written through its file, as SQLite does it itself, by another thread; what a
   * checkpoint has moved out of it meanwhile, was written through before. SQLite's locks are on other files than the
   * log: a second handle of it takes none away. Without the means, a durable transaction like every other.
   */
  async transactionThrough<T>(work: () => T): Promise<T> {
    if (this.#openLog === null) return this.transaction("durable", work);
    const result = this.transaction("relaxed", work);
    this.#log ??= this.#openLog(`${this.#path}-wal`);
    try {
      await this.#log.writeThrough();
    } catch (error) {
      throw new Error("disk I/O error: the log is not written through", { cause: error });
    }
    return result;
  }

  /** Runs `work` on one consistent state of the database and keeps nothing of what it writes. */
  preview<T>(work: () => T): T {
    this.run("begin immediate");
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  /** Writes what is there already, to learn whether anything can be written. Throws when not. */
  tryWrite(): void {
    this.transaction("relaxed", () => {
      const version = Number(this.get("pragma user_version")?.["user_version"]);
      this.#database.exec(`pragma user_version = ${version}`);
    });
  }

  /** Whether to wait only a moment for a process that holds the database. */
  beImpatient(isImpatient: boolean): void {
    this.#database.exec(`pragma busy_timeout = ${isImpatient ? IMPATIENT_TIMEOUT_MS : BUSY_TIMEOUT_MS}`);
  }

  /** Closes the file; a second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    this.#oldStatements.clear();
    this.#log?.close();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    this.mustBeOpen();
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size === MAX_STATEMENTS) {
      this.#oldStatements = this.#statements;
      this.#statements = new Map();
    }
    const statement = this.#oldStatements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Deno 2.4 crashes when a statement outlives its database: none is run once it is closed. */
  mustBeOpen(): void {
    if (!this.#open) throw new Error("the store is closed");
  }

  #rollBack(): void {
    try {
      this.run("rollback");
    } catch {
      // Some errors (a full disk, an I/O error) have rolled the transaction back already: the first error counts.
    }
  }
}
