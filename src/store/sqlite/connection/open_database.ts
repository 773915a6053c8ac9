// How a database file is opened: the settings that each connection makes for itself.
import { DatabaseSync } from "node:sqlite";

/** How long a statement waits for another process that writes, ms. */
export const BUSY_TIMEOUT_MS = 5_000;
/** The page cache's bound, KiB. */
const CACHE_KIB = 16_384;

/** Opens or creates the file. Throws, and leaves nothing open, when it cannot be read. */
export function openDatabase(path: string, { readOnly = false }: { readOnly?: boolean }): DatabaseSync {
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
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
