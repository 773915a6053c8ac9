// The files, archives and database functions that backups are made and read with.
import type { Archives, BackupFiles, DatabaseFacts } from "../domain/ports/backup.ts";

/** What the folders are called in which backups are made and read. */
export const WORK_PREFIX = ".regfeed-backup-";

/** What backups are made with. */
export interface BackupTools {
  files: BackupFiles;
  archives: Archives;
  /** Copies the database that is in use, as one state of it. */
  copyDatabase(from: string, to: string): Promise<void>;
  /** Looks into a database file that nobody uses; it stands alone after that. */
  inspect(path: string): Promise<DatabaseFacts>;
  /** Regfeed's own version. */
  version: string;
}
