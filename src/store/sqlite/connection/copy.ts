// A consistent copy of a database in use.
import type { DatabaseFiles } from "../../../domain/ports/backup.ts";
import { Connection } from "./connection.ts";
import { causeOf, storageError } from "./faults.ts";
import { sql } from "./sql.ts";

/**
 * Copies the database to `to` and its log to `to`-wal, as one state of it. Writers go on meanwhile; they wait only
 * while the log is copied. Open the copy once ({@link inspectDatabase}) to have all of it in one file.
 *
 * A read transaction keeps what has been written to the file since from being overwritten, and no later page gets into
 * it while it lasts; the log then holds everything up to the moment at which it is copied. That moment needs the write
 * lock: a writer that began the log anew under the copy would leave half an old log in it.
 *
 * Rejects with a StorageError when the database is damaged so that it cannot be opened.
 */
export async function copyDatabase(path: string, to: string, files: DatabaseFiles): Promise<void> {
  if (path === ":memory:") throw new Error("a database in memory has no file to copy");
  try {
    await copyAsOne(path, to, files);
  } catch (error) {
    if (await copyUnused(error, { path, to, files })) return;
    throw causeOf(error) === "corrupt" ? storageError("corrupt", { cause: error }) : error;
  }
}

/**
 * Copies a database on a read-only disk, where SQLite cannot create the shared-memory file. No process has it open, or
 * the file would exist. False for every other error.
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
    reader.get(sql`select count(*) as objects from sqlite_schema`); // the transaction reads from here on
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
