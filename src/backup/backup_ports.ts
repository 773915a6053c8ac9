// The ports that backups are created and read with.
import type { Archives, BackupFiles, DatabaseFacts } from "../domain/ports/backup.ts";

export const WORK_PREFIX = ".regfeed-backup-";

export interface BackupTools {
  files: BackupFiles;
  archives: Archives;
  /** Copies a database in use, as one state of it. */
  copyDatabase(from: string, to: string): Promise<void>;
  /** Inspects a database file that is not in use, and moves its log into it. */
  inspect(path: string): Promise<DatabaseFacts>;
  version: string;
}
