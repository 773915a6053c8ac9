// The ports with which backups are created and read.
import type { Archives, BackupFiles, DatabaseFacts } from "../domain/ports/backup.ts";

export const WORK_PREFIX = ".regfeed-backup-";

export interface BackupTools {
  files: BackupFiles;
  archives: Archives;
  /** Copies one consistent state of a database that may be in use. */
  copyDatabase(from: string, to: string): Promise<void>;
  /** Merges the write-ahead log of a database into its file, then inspects the file, which must not be in use. */
  inspect(path: string): Promise<DatabaseFacts>;
  version: string;
}
