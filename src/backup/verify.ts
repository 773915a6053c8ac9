// Reads an archive: whether it is whole, whether its database opens and holds what the manifest says.
import { dirname, join, resolve } from "node:path";
import {
  ARCHIVE_NAMES,
  type ArchivedFile,
  type BackupManifest,
  type DatabaseFacts,
} from "../domain/backup.ts";
import { type BackupTools, WORK_PREFIX } from "./create.ts";

/** An archive that was read, opened and counted. */
export interface VerifiedBackup {
  manifest: BackupManifest;
  database: DatabaseFacts;
}

/**
 * Unpacks the archive beside itself, or in `folder`, and checks every part of it; then `use` may take the files away
 * before the rest is removed. Throws with a message for the operator.
 */
export async function withBackup<T>(
  file: string,
  tools: Pick<BackupTools, "files" | "archives" | "inspect">,
  use: (backup: VerifiedBackup, unpacked: string) => Promise<T>,
  folder: string = dirname(resolve(file)),
): Promise<T> {
  const { files, archives } = tools;
  const work = await files.makeFolderIn(folder, WORK_PREFIX);
  try {
    const found = await archives.unpack(file, work, Object.values(ARCHIVE_NAMES));
    if (!found.some(({ name }) => name === ARCHIVE_NAMES.manifest)) {
      throw new Error(`${file} holds no ${ARCHIVE_NAMES.manifest}: it is no backup of Regfeed`);
    }
    const manifest = readManifest(await files.readText(join(work, ARCHIVE_NAMES.manifest)), file);
    requireWhole(manifest, found);
    const database = await tools.inspect(join(work, ARCHIVE_NAMES.database));
    requireSame(manifest, database);
    return await use({ manifest, database }, work);
  } finally {
    await files.removeFolder(work);
  }
}

/** Throws unless every file of the manifest is there, as it was, and nothing else is. */
export function requireWhole(manifest: BackupManifest, found: readonly ArchivedFile[]): void {
  for (const { name, bytes, sha256 } of manifest.files) {
    const file = found.find((one) => one.name === name);
    if (file === undefined) throw new Error(`the archive is incomplete: it has no ${name}`);
    if (file.bytes !== bytes || file.sha256 !== sha256) {
      throw new Error(`the archive is damaged: ${name} is not the file that its manifest describes`);
    }
  }
  const listed = new Set(manifest.files.map(({ name }) => name));
  const other = found.find(({ name }) => name !== ARCHIVE_NAMES.manifest && !listed.has(name));
  if (other !== undefined) {
    throw new Error(`the archive is damaged: its manifest knows nothing of ${other.name}`);
  }
  if (!listed.has(ARCHIVE_NAMES.database)) throw new Error("the archive holds no database");
}

function requireSame(manifest: BackupManifest, database: DatabaseFacts): void {
  const [problem] = database.problems;
  if (problem !== undefined) throw new Error(`the database of the archive is damaged: ${problem}`);
  if (database.schema !== manifest.schema) {
    throw new Error(
      `the archive's database has schema ${database.schema}, its manifest says ${manifest.schema}`,
    );
  }
  for (const table of new Set([...Object.keys(manifest.rows), ...Object.keys(database.rows)])) {
    const [said, counted] = [manifest.rows[table] ?? 0, database.rows[table] ?? 0];
    if (said !== counted) {
      throw new Error(
        `the archive's table ${table} holds ${counted} ${
          counted === 1 ? "row" : "rows"
        }, its manifest says ${said}`,
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
      throw new Error(`${file} was written by a newer Regfeed (format ${format}): read it with that one`);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${file} has a ${ARCHIVE_NAMES.manifest} that is none of Regfeed's`);
}

function isManifest(read: unknown): read is BackupManifest {
  const manifest = read as Partial<BackupManifest> | null;
  return manifest?.format === 1 && typeof manifest.version === "string" &&
    Number.isInteger(manifest.created_at) && Number.isInteger(manifest.schema) &&
    typeof manifest.rows === "object" && manifest.rows !== null &&
    Object.values(manifest.rows).every((rows) => Number.isInteger(rows)) &&
    Array.isArray(manifest.files) &&
    manifest.files.every((file) =>
      typeof file?.name === "string" && Number.isInteger(file.bytes) && /^[0-9a-f]{64}$/.test(file.sha256)
    );
}
