// The files, archives and database functions that backups are made and read with.
import type { Archives, BackupFiles, DatabaseFacts } from "../domain/ports/backup.ts";

/** What the folders are called in which backups are made and read. */
export const WORK_PREFIX = ".regfeed-backup-";

/** The ports of backups. */
export interface BackupTools {
  files: BackupFiles;
  archives: Archives;
  /** Copies the database that is in use, as one state of it. */
  copyDatabase(from: string, to: string): Promise<void>;
  /** Inspects a database file that is not in use, and moves its log into it. */
  inspect(path: string): Promise<DatabaseFacts>;
  /** Regfeed's own version. */
  version: string;
}
