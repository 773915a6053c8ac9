// Room for backups: how much making and reading one needs, and what to say where there is less.
import type { BackupFiles } from "../domain/ports/backup.ts";
import { formatBytes } from "../domain/format_bytes.ts";

/** The copy of the database, its archive, and the archive read back: so many times the database, at most. */
const BACKUP_TIMES = 3;
/** The archive may be small; the copy and what is read back are not. */
const LEAST_TIMES = 2;
/** With less free, whatever went wrong went wrong for that: SQLite calls some of it an I/O error. */
const FULL_BYTES = 1024 * 1024;

/** ENOSPC, EDQUOT and what Windows and SQLite say of the same. */
const NO_ROOM =
  /no space left on device|os error 28\b|quota exceeded|os error 122\b|not enough space on the disk|os error 112\b|disk is full/i;

/** The space that a folder needs and has. */
export interface DiskSpace {
  folder: string;
  /** At most; null where nobody can tell yet. */
  neededBytes: number | null;
  /** Null where the system does not tell. */
  freeBytes: number | null;
}

/** A folder has not enough room. */
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

/** Whether it cannot be made however well it is packed. */
export function isTooSmall(databaseBytes: number, freeBytes: number | null): boolean {
  return freeBytes !== null && freeBytes < databaseBytes * LEAST_TIMES;
}

/** Whether an error came of a full disk, asked while what was written is still there. */
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
