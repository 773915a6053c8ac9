// Creates a backup: copies the running database, checks and counts the copy, packs it, and verifies the archive.
import { basename, dirname, join } from "node:path";
import {
  ARCHIVE_NAMES,
  type ArchivedFile,
  type BackupFiles,
  type BackupManifest,
} from "../domain/ports/backup.ts";
import { cameOfFullDisk, type DiskSpace, DiskSpaceError, isTooSmall, spaceForBackup } from "./disk_space.ts";
import { requireWhole } from "./verify.ts";
import { type BackupTools, WORK_PREFIX } from "./tools.ts";

/** So long no backup goes on without writing anything, ms: whoever made a folder that is older was ended. */
const STALE_MS = 1_800_000;

/** The contents of a backup. */
export interface BackupRequest {
  /** The archive's path; nothing may stand there. */
  to: string;
  /** Unix ms. */
  nowMs: number;
  /** The database's file. */
  database: string;
  /** The config file. */
  config: string;
  /** The file of the key that secrets are sealed with; null leaves it out. */
  secretKey: string | null;
}

/**
 * Makes the archive. It stands at its path only when everything in it has been read back, so whatever has that name is
 * good. Throws with a message for the operator; nothing is left behind then.
 */
export async function createBackup(request: BackupRequest, tools: BackupTools): Promise<BackupManifest> {
  const { files } = tools;
  const folder = dirname(request.to);
  if (await files.exists(request.to)) throw new Error(`${request.to} already exists: choose another name`);
  await makeBackupFolder(folder, request.database, files);
  // Leftovers of a killed process are as large as the database.
  await removeLeftovers(folder, request.nowMs, files);
  const databaseBytes = await files.sizeOf(request.database) + await files.sizeOf(`${request.database}-wal`);
  const freeBytes = await files.freeBytes(folder);
  const room = { folder, neededBytes: spaceForBackup(databaseBytes), freeBytes };
  if (isTooSmall(databaseBytes, freeBytes)) throw noSpace(room);
  // Beside the archive: a folder of the system's for temporary files may be too small for a database.
  const work = await files.makeFolderIn(folder, WORK_PREFIX);
  try {
    return await makeIn(work, request, tools);
  } catch (error) {
    throw await cameOfFullDisk(error, folder, files) ? noSpace(room, error) : error;
  } finally {
    await files.removeFolder(work);
  }
}

/** {@link createBackup} in a folder of its own, which the archive leaves at the end. */
async function makeIn(work: string, request: BackupRequest, tools: BackupTools): Promise<BackupManifest> {
  const { files, archives } = tools;
  // Should root be killed at it, the service can still remove what is left.
  await files.chownLike(request.database, work);
  const copy = join(work, ARCHIVE_NAMES.database);
  await tools.copyDatabase(request.database, copy);
  const { schema, rows, problems } = await tools.inspect(copy);
  if (problems.length > 0) {
    throw new Error(
      `no backup was created, because the database is damaged (${
        problems[0]
      }): keep your older backups, and see docs/run/operations.md on damaged databases`,
    );
  }
  // Copied as well: whoever changes the config meanwhile changes neither what is listed nor what is packed.
  const names: string[] = [ARCHIVE_NAMES.config, ARCHIVE_NAMES.database];
  await files.copy(request.config, join(work, ARCHIVE_NAMES.config));
  if (request.secretKey !== null) {
    names.push(ARCHIVE_NAMES.secretKey);
    await files.copy(request.secretKey, join(work, ARCHIVE_NAMES.secretKey));
  }
  const entries = names.map((name) => ({ name, path: join(work, name) }));
  const listed: ArchivedFile[] = [];
  for (const { name, path } of entries) listed.push({ name, ...await files.digest(path) });
  const manifest: BackupManifest = {
    format: 1,
    version: tools.version,
    created_at: request.nowMs,
    schema,
    rows,
    files: listed,
  };
  const manifestPath = join(work, ARCHIVE_NAMES.manifest);
  await files.writeText(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`, 0o600);
  const draft = join(work, basename(request.to));
  await archives.pack(draft, [{ name: ARCHIVE_NAMES.manifest, path: manifestPath }, ...entries]);
  const readBack = await files.makeFolderIn(work, "read-");
  await files.chownLike(request.database, readBack);
  requireWhole(manifest, await archives.unpack(draft, readBack, Object.values(ARCHIVE_NAMES)));
  await files.move(draft, request.to);
  await files.chownLike(request.database, request.to);
  return manifest;
}

function noSpace(room: DiskSpace, cause?: unknown): DiskSpaceError {
  const todo = "free some space, or write it to another disk (`backup create FILE`, or folder in [backup])";
  return new DiskSpaceError(room, "for a backup", todo, { cause });
}

/** Makes what is missing of the folder; what root makes is the service's, which writes there as well. */
async function makeBackupFolder(folder: string, database: string, files: BackupFiles): Promise<void> {
  const missing: string[] = [];
  for (let path = folder; !await files.exists(path); path = dirname(path)) missing.push(path);
  await files.makeFolder(folder, 0o700);
  for (const path of missing) await files.chownLike(database, path);
}

/** The folders that backups have left behind which were ended in the middle: copies of the database lie in them. */
export async function findLeftovers(
  folder: string,
  nowMs: number,
  files: Pick<BackupFiles, "exists" | "findFolders">,
): Promise<string[]> {
  if (!await files.exists(folder)) return [];
  const found = await files.findFolders(folder, WORK_PREFIX);
  return found.filter(({ changedAtMs }) => changedAtMs < nowMs - STALE_MS).map(({ path }) => path).sort();
}

/** The result of removing leftovers. */
export interface Leftovers {
  removed: string[];
  /** Still there, with why: another user's, mostly root's. */
  kept: { path: string; reason: string }[];
}

/** Removes {@link findLeftovers}, as far as this user may: one that stays keeps nobody from making backups. */
export async function removeLeftovers(
  folder: string,
  nowMs: number,
  files: Pick<BackupFiles, "exists" | "findFolders" | "removeFolder">,
): Promise<Leftovers> {
  const leftovers: Leftovers = { removed: [], kept: [] };
  for (const path of await findLeftovers(folder, nowMs, files)) {
    try {
      await files.removeFolder(path);
      leftovers.removed.push(path);
    } catch (error) {
      leftovers.kept.push({ path, reason: (error as Error).message });
    }
  }
  return leftovers;
}

/** The name of a backup made at a time, Unix ms: `regfeed-20261121T190500Z.tar.gz`. */
export function backupName(nowMs: number): string {
  return `regfeed-${new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:]/g, "")}.tar.gz`;
}

/** What the names of backups begin with that the schedule makes, and removes again: nobody else gives such a name. */
const SCHEDULED = "scheduled-";

/** The name of a backup that the schedule makes: `scheduled-regfeed-20261121T031500Z.tar.gz`. */
export function scheduledName(nowMs: number): string {
  return `${SCHEDULED}${backupName(nowMs)}`;
}

/** Whether {@link scheduledName} gave the name. */
export function isScheduled(name: string): boolean {
  return name.startsWith(SCHEDULED) && backupTime(name) !== null;
}

/** The time in a name that {@link backupName} or {@link scheduledName} gave, Unix ms; null for every other name. */
export function backupTime(name: string): number | null {
  const parts = /^(?:scheduled-)?regfeed-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz$/.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
