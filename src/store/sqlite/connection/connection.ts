// One connection to the database file: its settings, its cached statements, its transactions.
import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite";
import type { AfterTurn } from "../../../domain/ports/ports.ts";
import { BUSY_TIMEOUT_MS, openDatabase } from "./open_database.ts";

/** How long a statement waits for a process that is known to hold the lock for long, ms. */
const IMPATIENT_TIMEOUT_MS = 50;

/** The value of `pragma auto_vacuum` for incremental vacuum. */
const INCREMENTAL = 2;

/** Prepared statements in each half of those that are kept: the texts of lists vary with their filters. */
const MAX_STATEMENTS = 128;

/** A value of a statement. */
export type Value = SupportedValueType;

/** A row by column name. */
export type Row = Record<string, Value>;

/**
 * How much a commit survives: `durable` a loss of power (a promise was made to somebody), `relaxed` the end of the
 * process only (a power loss may take back the last ones, in order, never half of one).
 */
export type Durability = "durable" | "relaxed";

/** A statement, also of Deno 2.4, which gives rows by names only. */
interface MayReturnArrays extends StatementSync {
  setReturnArrays?(isOn: boolean): void;
}

/** How a file is opened. */
export interface OpenOptions {
  /** Also leaves a log that a killed process left behind: without it, the last one to close brings it into the file. */
  readOnly?: boolean;
  /** Calls back when what is ready now is done; without it each statement takes its locks. */
  afterTurn?: AfterTurn;
}

/** One connection; every call is synchronous, so a transaction never meets another of the same process. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #afterTurn: AfterTurn | null;
  /** Whether a read transaction is open that {@link Connection.reading} has left for the next one. */
  #isHeld = false;
  #isReading = false;
  #isWriting = false;
  /** Used since the last rotation. */
  #statements = new Map<string, StatementSync>();
  /** Used before it; dropped at the next rotation unless used again. */
  #oldStatements = new Map<string, StatementSync>();
  #durability: Durability = "durable";
  #transactions = 0;
  /** Thrown by every transaction once nothing may be written any more. */
  #refusal: Error | null = null;
  #open = true;

  /** Opens or creates the file and writes nothing to it; `:memory:` gives a database of its own. */
  constructor(path: string, options: OpenOptions = {}) {
    this.#afterTurn = options.afterTurn ?? null;
    this.#database = openDatabase(path, options);
  }

  /**
   * Makes the settings that the file itself keeps: a log that lets readers and a writer work at once, and pages that
   * are freed a few at a time. The second holds only when it is made before the first table. What is so already is not
   * written again: a file that cannot be written may still be read.
   */
  prepareFile(): void {
    if (this.get("pragma auto_vacuum")?.["auto_vacuum"] !== INCREMENTAL) {
      this.#database.exec("pragma auto_vacuum = incremental");
    }
    if (this.get("pragma journal_mode")?.["journal_mode"] !== "wal") {
      this.#database.exec("pragma journal_mode = wal");
    }
  }

  /** Runs SQL of several statements: migrations only. */
  script(sql: string): void {
    this.#mustNotRead();
    this.#letGo();
    this.#database.exec(sql);
  }

  /** Every row. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /**
   * Every row as its values, in the order of the columns: for what reads many rows again and again. A row by names
   * costs as much again, and more when its values are looked up.
   */
  tuples(sql: string, ...values: Value[]): Value[][] {
    const statement: MayReturnArrays = this.#statement(sql);
    if (statement.setReturnArrays === undefined) {
      return this.all(sql, ...values).map((row) => Object.values(row));
    }
    statement.setReturnArrays(true);
    try {
      return statement.all(...values) as unknown as Value[][];
    } finally {
      statement.setReturnArrays(false); // it is kept for whoever asks for names
    }
  }

  /** The first row, if any. */
  get(sql: string, ...values: Value[]): Row | undefined {
    const statement = this.#statement(sql);
    // Most look-ups have one value; spreading costs a measurable part.
    const [value] = values;
    const row = values.length === 1 && value !== undefined ? statement.get(value) : statement.get(...values);
    return row as Row | undefined;
  }

  /** Changes rows; returns how many. */
  run(sql: string, ...values: Value[]): number {
    this.#mustNotRead();
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** The write transactions that were begun here: while it is the same, nothing was written through this connection. */
  get transactions(): number {
    return this.#transactions;
  }

  /**
   * Runs `work`, which only reads, on one state of the database. That state stays for whoever reads next in this way,
   * until the turn of the event loop ends or anything else is done here: requests that came together share the locks,
   * which cost a read as much as all else that SQLite does for it. What is written here is seen at once, what another
   * process writes in the next turn, and no checkpoint is held up for longer.
   */
  reading<T>(work: () => T): T {
    if (this.#afterTurn === null || this.#isWriting || this.#isReading) return work();
    if (!this.#isHeld) {
      this.run("begin");
      this.#isHeld = true;
      this.#afterTurn(() => this.#letGo());
    }
    this.#isReading = true;
    let isDone = false;
    try {
      const result = work();
      isDone = true;
      return result;
    } finally {
      this.#isReading = false;
      if (!isDone) this.#letGo();
    }
  }

  /** Runs `work` in one write transaction, which is rolled back when it throws. */
  transaction<T>(durability: Durability, work: () => T): T {
    this.mustBeOpen();
    if (this.#refusal !== null) throw this.#refusal;
    this.#mustNotRead();
    this.#letGo();
    this.#transactions++;
    if (durability !== this.#durability) {
      this.#database.exec(`pragma synchronous = ${durability === "durable" ? "full" : "normal"}`);
      this.#durability = durability;
    }
    this.run("begin immediate");
    this.#isWriting = true;
    try {
      const result = work();
      this.run("commit");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }

  /** Runs `work` on one consistent state of the database and keeps nothing of what it writes. */
  preview<T>(work: () => T): T {
    this.run("begin immediate");
    this.#isWriting = true;
    try {
      return work();
    } finally {
      this.#isWriting = false;
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

  /** Waits for locks of other processes as long as usual, or only for a moment. */
  waitForLocks(isPatient: boolean): void {
    this.#database.exec(`pragma busy_timeout = ${isPatient ? BUSY_TIMEOUT_MS : IMPATIENT_TIMEOUT_MS}`);
  }

  /**
   * Writes nothing any more to a file that is no longer at its path; every transaction throws the reason. What is in
   * the log is moved into the file: SQLite would apply a log that is left at the path to whatever database is there
   * next.
   */
  abandonFile(reason: Error): void {
    this.#refusal = reason;
    this.waitForLocks(false);
    try {
      this.all("pragma wal_checkpoint(truncate)");
    } catch {
      // The file or its disk is gone: nothing can be moved.
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Closes the file; a second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#letGo();
    this.#open = false;
    this.#statements.clear();
    this.#oldStatements.clear();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    this.mustBeOpen();
    if (!this.#isReading) this.#letGo();
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size === MAX_STATEMENTS) {
      this.#oldStatements = this.#statements;
      this.#statements = new Map();
    }
    const statement = this.#oldStatements.get(sql) ?? this.#prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #prepare(sql: string): StatementSync {
    try {
      return this.#database.prepare(sql);
    } catch (error) {
      // Deno 2.4 says no more than that: where the file is the cause, reading its first page tells it.
      if ((error as Error).message === "failed to prepare statement") {
        this.#database.exec("pragma schema_version");
      }
      throw error;
    }
  }

  /** Deno 2.4 crashes when a statement outlives its database: none is run once it is closed. */
  mustBeOpen(): void {
    if (!this.#open) throw new Error("the store is closed");
  }

  #mustNotRead(): void {
    if (this.#isReading) throw new Error("nothing is written while reading");
  }

  /** Ends the read transaction that was left open, if any. */
  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#rollBack();
  }

  #rollBack(): void {
    try {
      this.run("rollback");
    } catch {
      // Some errors (a full disk, an I/O error) have rolled the transaction back already: the first error counts.
    }
  }
}
