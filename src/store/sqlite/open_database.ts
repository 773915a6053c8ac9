// How a database file is opened: the settings that each connection makes for itself.
import { DatabaseSync } from "node:sqlite";
import type { ReadableCopy } from "./readable_copy.ts";

/** How long a statement waits for another process that writes, ms. */
export const BUSY_TIMEOUT_MS = 5_000;
/** The page cache's bound, KiB. */
const CACHE_KIB = 16_384;

/** Opens or creates the file, or a copy of it that takes no changes; closed again when it cannot be read. */
export function openDatabase(
  path: string,
  { readOnly = false, copy }: { readOnly?: boolean; copy?: ReadableCopy },
): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly });
  try {
    // The wait comes first: the next settings read the file already, and another process may hold it.
    database.exec(`
      pragma busy_timeout = ${BUSY_TIMEOUT_MS};
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = memory;
      pragma secure_delete = fast; -- what a row no longer holds must not stand in the file, nor in a backup of it
    `);
    // Without a log it needs no second file; a copy that takes changes would take promises with it.
    if (copy !== undefined) database.exec("pragma journal_mode = delete; pragma query_only = on;");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
