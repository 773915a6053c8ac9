// Verifies an archive: that it is complete, and that its database opens and matches the manifest.
import { dirname, join, resolve } from "node:path";
import { formatCount } from "../domain/format_count.ts";
import {
  ARCHIVE_NAMES,
  type ArchivedFile,
  type BackupFiles,
  type BackupManifest,
  type DatabaseFacts,
} from "../domain/ports/backup.ts";
import { type BackupTools, WORK_PREFIX } from "./backup_ports.ts";
import { cameOfFullDisk, DiskSpaceError } from "./disk_space.ts";

interface VerifiedBackup {
  manifest: BackupManifest;
  database: DatabaseFacts;
}

type ReadingTools = Pick<BackupTools, "files" | "archives" | "inspect">;

/**
 * Unpacks the archive into a new folder in `folder` (by default beside the archive), verifies it and calls `use`, which
 * may move the unpacked files away. Then removes the new folder. Throws errors whose messages are for the operator.
 */
export async function withBackup<T>(
  file: string,
  tools: ReadingTools,
  use: (backup: VerifiedBackup, unpacked: string) => Promise<T>,
  folder: string = dirname(resolve(file)),
): Promise<T> {
  const { files } = tools;
  const freeBytes = await files.freeBytes(folder);
  const work = await files.makeFolderIn(folder, WORK_PREFIX);
  try {
    return await readIn(work, file, { tools, use });
  } catch (error) {
    if (!await cameOfFullDisk(error, folder, files)) throw error;
    const room = { folder, neededBytes: await unpackedBytes(work, files), freeBytes };
    throw new DiskSpaceError(room, `to unpack ${file}`, "free some space there", { cause: error });
  } finally {
    await files.removeFolder(work);
  }
}

/** Returns the total size of the files that the manifest lists, or null if the manifest was not unpacked. */
async function unpackedBytes(work: string, files: BackupFiles): Promise<number | null> {
  try {
    const manifest: unknown = JSON.parse(await files.readText(join(work, ARCHIVE_NAMES.manifest)));
    return isManifest(manifest) ? manifest.files.reduce((sum, { bytes }) => sum + bytes, 0) : null;
  } catch {
    return null; // the full disk may have truncated the manifest, too
  }
}

async function readIn<T>(
  work: string,
  file: string,
  { tools: { files, archives, inspect }, use }: {
    tools: ReadingTools;
    use(backup: VerifiedBackup, unpacked: string): Promise<T>;
  },
): Promise<T> {
  const found = await archives.unpack(file, work, Object.values(ARCHIVE_NAMES));
  if (!found.some(({ name }) => name === ARCHIVE_NAMES.manifest)) {
    throw new Error(`${file} contains no ${ARCHIVE_NAMES.manifest}: it is not a Regfeed backup`);
  }
  const manifest = readManifest(await files.readText(join(work, ARCHIVE_NAMES.manifest)), file);
  requireWhole(manifest, found);
  const database = await inspect(join(work, ARCHIVE_NAMES.database));
  requireSame(manifest, database);
  return await use({ manifest, database }, work);
}

/**
 * Calls {@link withBackup} with the first of `folders` that is writable and has enough space, because the medium of the
 * archive may be read-only or full. If there is none, the error states the reason for each folder.
 */
export async function withBackupIn<T>(
  file: string,
  tools: ReadingTools,
  use: (backup: VerifiedBackup, unpacked: string) => Promise<T>,
  folders: readonly string[],
): Promise<T> {
  const failures: string[] = [];
  for (const folder of folders) {
    try {
      if (await tools.files.mayMakeIn(folder)) return await withBackup(file, tools, use, folder);
      failures.push(`${folder} is not writable`);
    } catch (error) {
      if (!(error instanceof DiskSpaceError)) throw error;
      failures.push(error.message);
    }
  }
  throw new Error(`${[...new Set(failures)].join("; ")}; choose another folder with --folder FOLDER`);
}

/** Throws unless the files are exactly those in the manifest, unchanged, and include a database. */
export function requireWhole(manifest: BackupManifest, found: readonly ArchivedFile[]): void {
  for (const { name, bytes, sha256 } of manifest.files) {
    const file = found.find((one) => one.name === name);
    if (file === undefined) throw new Error(`the archive is incomplete: ${name} is missing`);
    if (file.bytes !== bytes || file.sha256 !== sha256) {
      throw new Error(`the archive is damaged: ${name} does not match its manifest`);
    }
  }
  const listed = new Set(manifest.files.map(({ name }) => name));
  const other = found.find(({ name }) => name !== ARCHIVE_NAMES.manifest && !listed.has(name));
  if (other !== undefined) {
    throw new Error(`the archive is damaged: ${other.name} is not in its manifest`);
  }
  if (!listed.has(ARCHIVE_NAMES.database)) throw new Error("the archive contains no database");
}

function requireSame(manifest: BackupManifest, database: DatabaseFacts): void {
  const [problem] = database.problems;
  if (problem !== undefined) throw new Error(`the archive's database is damaged: ${problem}`);
  if (database.schema !== manifest.schema) {
    throw new Error(
      `the archive's database has schema ${database.schema}, but its manifest says ${manifest.schema}`,
    );
  }
  for (const table of new Set([...Object.keys(manifest.rows), ...Object.keys(database.rows)])) {
    const [said, counted] = [manifest.rows[table] ?? 0, database.rows[table] ?? 0];
    if (said !== counted) {
      throw new Error(
        `the archive's table ${table} contains ${formatCount(counted, "row")}, but its manifest says ${said}`,
      );
    }
  }
}

function readManifest(text: string, file: string): BackupManifest {
  try {
    const read: unknown = JSON.parse(text);
    if (isManifest(read)) return read;
    const format = (read as { format?: unknown } | null)?.format;
    if (typeof format === "number" && format > 1) {
      throw new Error(
        `${file} was created by a newer version of Regfeed (format ${format}): use that version to read it`,
      );
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${file} has a ${ARCHIVE_NAMES.manifest} that is not from Regfeed`);
}

/** The largest time value of a Date (ECMA-262, 21.4.1.1), ms. */
const MOST_MS = 8.64e15;

function isTime(ms: unknown): boolean {
  return Number.isInteger(ms) && Math.abs(ms as number) <= MOST_MS;
}

function isManifest(read: unknown): read is BackupManifest {
  const manifest = read as Partial<BackupManifest> | null;
  return manifest?.format === 1 && typeof manifest.version === "string" &&
    isTime(manifest.created_at) && Number.isInteger(manifest.schema) &&
    typeof manifest.rows === "object" && manifest.rows !== null &&
    Object.values(manifest.rows).every((rows) => Number.isInteger(rows)) &&
    Array.isArray(manifest.files) &&
    manifest.files.every((file) =>
      typeof file?.name === "string" && Number.isInteger(file.bytes) && /^[0-9a-f]{64}$/.test(file.sha256)
    );
}
