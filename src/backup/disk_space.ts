// Disk space for backups: how much creating and reading one needs, and the error when it is missing.
import type { BackupFiles } from "../domain/ports/backup.ts";
import { formatBytes } from "../domain/format_bytes.ts";

/** The database, its archive and the archive read back: the maximum size in databases. */
const BACKUP_TIMES = 3;
/** The archive may be small; the other two are not. */
const LEAST_TIMES = 2;
/** With less free space, any error counts as a full disk: SQLite reports some as I/O errors. */
const FULL_BYTES = 1024 * 1024;

/** ENOSPC, EDQUOT and the equivalents of Windows and SQLite. */
const NO_ROOM =
  /no space left on device|os error 28\b|quota exceeded|os error 122\b|not enough space on the disk|os error 112\b|disk is full/i;

export interface DiskSpace {
  folder: string;
  /** The maximum; null while it is unknown. */
  neededBytes: number | null;
  /** Null if the system does not report it. */
  freeBytes: number | null;
}

/** A folder has too little space. */
export class DiskSpaceError extends Error {
  override readonly name = "DiskSpaceError";
  constructor(readonly room: DiskSpace, work: string, todo: string, options?: ErrorOptions) {
    super(
      `not enough space ${work} in ${describeSpace(room)}: ${todo}; incomplete files were removed`,
      options,
    );
  }
}

/** "/var/backups, which needs about 1.2 GB and has 300 MB free" */
function describeSpace({ folder, neededBytes, freeBytes }: DiskSpace): string {
  const parts = [
    ...(neededBytes === null ? [] : [`needs about ${formatBytes(neededBytes)}`]),
    ...(freeBytes === null ? [] : [`has ${formatBytes(freeBytes)} free`]),
  ];
  return parts.length === 0 ? folder : `${folder}, which ${parts.join(" and ")}`;
}

/** The space needed to back up a database, bytes. */
export function spaceForBackup(databaseBytes: number): number {
  return databaseBytes * BACKUP_TIMES;
}

/** Whether even the best compression leaves too little space. */
export function isTooSmall(databaseBytes: number, freeBytes: number | null): boolean {
  return freeBytes !== null && freeBytes < databaseBytes * LEAST_TIMES;
}

/** Whether an error was caused by a full disk; call it before the written files are removed. */
export async function cameOfFullDisk(
  error: unknown,
  folder: string,
  files: Pick<BackupFiles, "freeBytes">,
): Promise<boolean> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (NO_ROOM.test(cause.message)) return true;
  }
  const freeBytes = await files.freeBytes(folder);
  return freeBytes !== null && freeBytes < FULL_BYTES;
}
