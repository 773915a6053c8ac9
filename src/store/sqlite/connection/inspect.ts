// Inspects a database file that is not in use: checks it and counts its rows.
import { DatabaseSync } from "node:sqlite";
import type { DatabaseFacts } from "../../../domain/ports/backup.ts";
import { Connection } from "./connection.ts";
import { schemaVersion } from "../schema/migrate.ts";
import { causeOf } from "./faults.ts";
import { Sql, sql } from "./sql.ts";

const MOST_PROBLEMS = 20;

/**
 * Moves the log into the file, then checks the file and counts its rows, which is slow for a large file. If damage
 * prevents opening the file, reports only the damage. Throws if the file is not a database.
 */
export function inspectDatabase(path: string): DatabaseFacts {
  try {
    return inspectOpened(path);
  } catch (error) {
    if (causeOf(error) !== "corrupt" || /not a database/.test((error as Error).message)) throw error;
    return { schema: 0, problems: [(error as Error).message], rows: {} };
  }
}

function inspectOpened(path: string): DatabaseFacts {
  const connection = new Connection(path);
  try {
    leaveWal(connection);
    return {
      schema: schemaVersion(connection),
      problems: findProblems(connection),
      rows: countRows(connection),
    };
  } finally {
    connection.close();
  }
}

/** Moves the log into the file, unless the file is damaged. Throws if another process has the database open. */
export function releaseDatabase(path: string): void {
  try {
    const connection = new Connection(path);
    try {
      leaveWal(connection);
    } catch (error) {
      const cause = causeOf(error);
      throw cause === null || cause === "locked" ? inUse(path, error) : error;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (causeOf(error) !== "corrupt") throw error;
    requireAlone(path);
  }
}

/** Throws if another process has a damaged database open, if the damage still allows this to be detected. */
function requireAlone(path: string): void {
  const database = new DatabaseSync(path);
  try {
    // This reads only the file's first bytes, and fails if another process holds a shared lock on it.
    database.exec("pragma locking_mode = exclusive; begin exclusive; rollback");
  } catch (error) {
    if (causeOf(error) === "locked") throw inUse(path, error);
    if (causeOf(error) !== "corrupt") throw error; // no process can use a database with a damaged header
  } finally {
    database.close();
  }
}

function inUse(path: string, cause: unknown): Error {
  return new Error(`${path} is in use: stop the server first`, { cause });
}

function leaveWal(connection: Connection): void {
  // Leaving WAL mode needs exclusive access, and moves the log into the file.
  const mode = connection.get(sql`pragma journal_mode = delete`)?.["journal_mode"];
  if (mode !== "delete" && mode !== "memory") throw new Error(`the journal mode is still ${String(mode)}`);
}

function findProblems(connection: Connection): string[] {
  const found = connection.all(new Sql(`pragma integrity_check(${MOST_PROBLEMS})`))
    .map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
  const orphans = connection.all(sql`pragma foreign_key_check`).slice(0, MOST_PROBLEMS)
    .map((row) => `a row of ${row["table"]} refers to a missing row of ${row["parent"]}`);
  return [...found, ...orphans];
}

function countRows(connection: Connection): Record<string, number> {
  // Full-text tables are left out, because the rows that they index are already counted.
  const tables = connection.all(
    sql`select name from pragma_table_list
      where schema = 'main' and type = 'table' and name not like 'sqlite%' order by name`,
  ).map((row) => String(row["name"]));
  return Object.fromEntries(
    tables.map((name) => [
      name,
      Number(connection.get(new Sql(`select count(*) as rows from "${name}"`))?.["rows"]),
    ]),
  );
}
