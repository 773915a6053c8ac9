// Creates a backup: copies the database, which may be in use, checks the copy, and packs and verifies the archive.
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

/** A work folder unchanged for this long (ms) was left by a killed process. A running backup writes more often. */
const STALE_MS = 1_800_000;

interface BackupRequest {
  /** The path of the archive, which must not exist yet. */
  to: string;
  nowMs: number;
  database: string;
  config: string;
  /** The path of the secret key file, or null if the archive must not contain the key. */
  secretKey: string | null;
}

/** Creates the archive, verifies it and moves it to its path. Throws errors whose messages are for the operator. */
export async function createBackup(request: BackupRequest, tools: BackupTools): Promise<BackupManifest> {
  const { files } = tools;
  const folder = dirname(request.to);
  if (await files.exists(request.to)) throw new Error(`${request.to} already exists: choose another name`);
  await makeFolderLike(folder, files, request.database);
  // Leftover files of killed backups can take up more space than the database.
  await removeLeftovers(folder, request.nowMs, files);
  const databaseBytes = await files.sizeOf(request.database) + await files.sizeOf(`${request.database}-wal`);
  const freeBytes = await files.freeBytes(folder);
  const room = { folder, neededBytes: spaceForBackup(databaseBytes), freeBytes };
  if (isTooSmall(databaseBytes, freeBytes)) throw noSpace(room);
  // The work folder is beside the archive, because the system's temporary folder may be too small for a database.
  const work = await files.makeFolderIn(folder, WORK_PREFIX);
  try {
    return await makeIn(work, request, tools);
  } catch (error) {
    throw await cameOfFullDisk(error, folder, files) ? noSpace(room, error) : error;
  } finally {
    await files.removeFolder(work);
  }
}

async function makeIn(work: string, request: BackupRequest, tools: BackupTools): Promise<BackupManifest> {
  const { files, archives } = tools;
  // If this process runs as root and is killed, the service can still remove the folder.
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
  // The copy is digested and packed, so that the digest is right even if the config changes in the meantime.
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
  const todo =
    "free some space, or write the backup to another disk (`backup create FILE`, or folder in [backup])";
  return new DiskSpaceError(room, "for a backup", todo, { cause });
}

/**
 * Creates a folder and its missing parents. If this process runs as root, gives them to the owner of `like`
 * (default: the nearest existing parent).
 */
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

/** Finds the work folders that killed backups have left in a folder. These can contain copies of the database. */
export async function findLeftovers(
  folder: string,
  nowMs: number,
  files: Pick<BackupFiles, "exists" | "findFolders">,
): Promise<string[]> {
  if (!await files.exists(folder)) return [];
  const found = await files.findFolders(folder, WORK_PREFIX);
  return found.filter(({ changedAtMs }) => changedAtMs < nowMs - STALE_MS).map(({ path }) => path).sort();
}

interface Leftovers {
  removed: string[];
  /** The folders that could not be removed, each with the reason. Usually, root owns them. */
  kept: { path: string; reason: string }[];
}

/** Removes the folders found by {@link findLeftovers}. Does not throw if one cannot be removed. */
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

/** Returns the file name of a backup, such as `regfeed-20261121T190500Z.tar.gz`. */
export function backupName(nowMs: number): string {
  return `regfeed-${stampOf(nowMs)}.tar.gz`;
}

/** Formats a time for file names: `20261121T190500Z`. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:]/g, "");
}

/** The prefix of scheduled backups, which are the only backups that are removed automatically. */
const SCHEDULED = "scheduled-";

/** Returns the file name of a scheduled backup, such as `scheduled-regfeed-20261121T031500Z.tar.gz`. */
export function scheduledName(nowMs: number): string {
  return `${SCHEDULED}${backupName(nowMs)}`;
}

export function isScheduled(name: string): boolean {
  return name.startsWith(SCHEDULED) && backupTime(name) !== null;
}

/** Returns the time in a name from {@link backupName} or {@link scheduledName}, Unix ms, or null for any other name. */
export function backupTime(name: string): number | null {
  const parts = /^(?:scheduled-)?regfeed-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.gz$/.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
