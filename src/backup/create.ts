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
import { type BackupTools, WORK_PREFIX } from "./backup_ports.ts";

/** A running backup writes at least this often, ms: an older folder was left by a killed process. */
const STALE_MS = 1_800_000;

export interface BackupRequest {
  /** The path of the archive; it must not exist. */
  to: string;
  nowMs: number;
  database: string;
  config: string;
  /** The file of the key for sealing secrets; null leaves it out. */
  secretKey: string | null;
}

/** Makes the archive, reads it back and moves it to its path. Throws with a message for the operator. */
export async function createBackup(request: BackupRequest, tools: BackupTools): Promise<BackupManifest> {
  const { files } = tools;
  const folder = dirname(request.to);
  if (await files.exists(request.to)) throw new Error(`${request.to} already exists: choose another name`);
  await makeFolderLike(folder, files, request.database);
  // Leftovers of a killed process are as large as the database.
  await removeLeftovers(folder, request.nowMs, files);
  const databaseBytes = await files.sizeOf(request.database) + await files.sizeOf(`${request.database}-wal`);
  const freeBytes = await files.freeBytes(folder);
  const room = { folder, neededBytes: spaceForBackup(databaseBytes), freeBytes };
  if (isTooSmall(databaseBytes, freeBytes)) throw noSpace(room);
  // Beside the archive: the system's folder for temporary files may be too small for a database.
  const work = await files.makeFolderIn(folder, WORK_PREFIX);
  try {
    return await makeIn(work, request, tools);
  } catch (error) {
    throw await cameOfFullDisk(error, folder, files) ? noSpace(room, error) : error;
  } finally {
    await files.removeFolder(work);
  }
}

/** {@link createBackup} in a folder of its own. */
async function makeIn(work: string, request: BackupRequest, tools: BackupTools): Promise<BackupManifest> {
  const { files, archives } = tools;
  // If root is killed here, the service can remove the folder.
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
  // Copied first: a change of the config meanwhile affects neither the list nor the archive.
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

/** Creates a folder and its missing parents; those made by root get the owner of `like`, or else of the folder above. */
export async function makeFolderLike(
  folder: string,
  files: Pick<BackupFiles, "exists" | "makeFolder" | "chownLike">,
  like?: string,
): Promise<void> {
  const missing: string[] = [];
  let above = folder;
  for (; !await files.exists(above); above = dirname(above)) missing.push(above);
  await files.makeFolder(folder, 0o700);
  for (const path of missing) await files.chownLike(like ?? above, path);
}

/** The folders of backups that were killed; they contain copies of the database. */
export async function findLeftovers(
  folder: string,
  nowMs: number,
  files: Pick<BackupFiles, "exists" | "findFolders">,
): Promise<string[]> {
  if (!await files.exists(folder)) return [];
  const found = await files.findFolders(folder, WORK_PREFIX);
  return found.filter(({ changedAtMs }) => changedAtMs < nowMs - STALE_MS).map(({ path }) => path).sort();
}

export interface Leftovers {
  removed: string[];
  /** Folders that could not be removed, usually because root owns them, with the reason. */
  kept: { path: string; reason: string }[];
}

/** Removes {@link findLeftovers}; one that cannot be removed does not prevent backups. */
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

/** The prefix of scheduled backups, which the schedule removes again; backups by hand have other names. */
const SCHEDULED = "scheduled-";

/** The name of a scheduled backup: `scheduled-regfeed-20261121T031500Z.tar.gz`. */
export function scheduledName(nowMs: number): string {
  return `${SCHEDULED}${backupName(nowMs)}`;
}

export function isScheduled(name: string): boolean {
  return name.startsWith(SCHEDULED) && backupTime(name) !== null;
}

/** The time in a name of {@link backupName} or {@link scheduledName}, Unix ms; null for any other name. */
export function backupTime(name: string): number | null {
  const parts = /^(?:scheduled-)?regfeed-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz$/.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
