// Disk space for backups: how much a backup needs, and the error if there is too little.
import type { BackupFiles } from "../domain/ports/backup.ts";
import { formatBytes } from "../domain/format_bytes.ts";

/** Maximum space needed, as a multiple of the database's size: for a copy, the archive, and the unpacked archive. */
const BACKUP_TIMES = 3;
/** Minimum space, also as a multiple. The archive may be small, but the copy and the unpacked archive are not. */
const LEAST_TIMES = 2;
/** With less free space, any error is attributed to a full disk, which SQLite sometimes reports as an I/O error. */
const FULL_BYTES = 1024 * 1024;

/** The messages of ENOSPC and EDQUOT, and their equivalents in Windows and SQLite. */
const NO_ROOM =
  /no space left on device|os error 28\b|quota exceeded|os error 122\b|not enough space on the disk|os error 112\b|disk is full/i;

export interface DiskSpace {
  folder: string;
  /** Maximum space needed; null if it is unknown. */
  neededBytes: number | null;
  /** Null if the system does not report it. */
  freeBytes: number | null;
}

export class DiskSpaceError extends Error {
  override readonly name = "DiskSpaceError";
  constructor(readonly room: DiskSpace, work: string, todo: string, options?: ErrorOptions) {
    super(
      `not enough space ${work} in ${describeSpace(room)}: ${todo}; incomplete files were removed`,
      options,
    );
  }
}

/** Returns, for example, "/var/backups (about 1.2 GB needed, 300 MB free)". */
function describeSpace({ folder, neededBytes, freeBytes }: DiskSpace): string {
  const parts = [
    ...(neededBytes === null ? [] : [`about ${formatBytes(neededBytes)} needed`]),
    ...(freeBytes === null ? [] : [`${formatBytes(freeBytes)} free`]),
  ];
  return parts.length === 0 ? folder : `${folder} (${parts.join(", ")})`;
}

export function spaceForBackup(databaseBytes: number): number {
  return databaseBytes * BACKUP_TIMES;
}

/** Whether the space is too small for a backup, however well the archive is compressed. */
export function isTooSmall(databaseBytes: number, freeBytes: number | null): boolean {
  return freeBytes !== null && freeBytes < databaseBytes * LEAST_TIMES;
}

/** Whether an error was caused by a full disk. Call this before removing the written files, which frees space. */
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
