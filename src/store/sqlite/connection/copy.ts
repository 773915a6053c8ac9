// Makes a consistent copy of a database that is in use.
import type { DatabaseFiles } from "../../../domain/ports/backup.ts";
import { Connection } from "./connection.ts";
import { causeOf, storageError } from "./faults.ts";
import { sql } from "./sql.ts";

/**
 * Copies the database to `to` and its log to `to`-wal, both in the same state. Writers wait only while the log is
 * copied. Open the copy once ({@link inspectDatabase}) to merge the log into the file.
 *
 * During the copy, a read transaction keeps later changes out of the file, so that all of them are in the log. The log
 * is copied under the write lock. Otherwise, a writer could restart the log, and the copy would mix old and new pages.
 *
 * Rejects with a StorageError if the database is too damaged to be opened.
 */
export async function copyDatabase(path: string, to: string, files: DatabaseFiles): Promise<void> {
  if (path === ":memory:") throw new Error("an in-memory database has no file to copy");
  try {
    await copyAsOne(path, to, files);
  } catch (error) {
    if (await copyUnused(error, { path, to, files })) return;
    throw causeOf(error) === "corrupt" ? storageError("corrupt", { cause: error }) : error;
  }
}

/**
 * Copies a database on a read-only disk, where SQLite cannot create its shared-memory file. If that file is missing,
 * no process has the database open. In all other cases, returns false.
 */
async function copyUnused(
  error: unknown,
  { path, to, files }: { path: string; to: string; files: DatabaseFiles },
): Promise<boolean> {
  if (causeOf(error) !== "read_only" || files.copyNow(`${path}-shm`, `${to}-shm`)) return false;
  await files.copyOpened(path, to);
  files.copyNow(`${path}-wal`, `${to}-wal`);
  return true;
}

async function copyAsOne(path: string, to: string, files: DatabaseFiles): Promise<void> {
  const reader = new Connection(path);
  try {
    reader.run(sql`begin`);
    reader.get(sql`select count(*) as objects from sqlite_schema`); // fixes the state that the transaction sees
    await files.copyOpened(path, to);
    const writer = new Connection(path);
    try {
      writer.preview(() => files.copyNow(`${path}-wal`, `${to}-wal`));
    } finally {
      writer.close();
    }
    reader.run(sql`rollback`);
  } finally {
    reader.close();
  }
}
