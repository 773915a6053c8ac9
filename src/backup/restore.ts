// Puts a backup in the place of a store, or where there was none, and keeps what it replaces.
import { dirname, join } from "node:path";
import { ARCHIVE_NAMES, type BackupFiles, type BackupManifest } from "../domain/ports/backup.ts";
import type { BackupTools } from "./tools.ts";
import { withBackup } from "./verify.ts";

/** Where a backup goes. */
export interface RestoreRequest {
  /** The archive. */
  from: string;
  /** Where the database will stand. */
  database: string;
  /** Where the key that secrets are sealed with will stand, if the archive holds it. */
  secretKey: string;
  /** Replaces a database that is there. */
  force: boolean;
  /** Unix ms. */
  nowMs: number;
}

/** The further ports of restoring. */
export interface RestoreTools extends Pick<BackupTools, "files" | "archives" | "inspect"> {
  /**
   * Claims the database for this restore alone, until the returned function is called. Throws while a server or another
   * restore has it.
   */
  claim(path: string): Promise<() => void>;
  /** Makes the database's file stand alone; throws while another process has it open. */
  release(path: string): void;
  /** The schema that this version reads and writes. */
  schemaVersion: number;
}

/** The result of a restore. */
export interface Restored {
  manifest: BackupManifest;
  /** The files that were put in place. */
  written: string[];
  /** Where the files are now that stood in their place. */
  kept: string[];
  /** Whether the key that secrets are sealed with is in its place. */
  hasSecretKey: boolean;
}

/**
 * Checks the whole archive before it touches anything. Throws with a message for the operator when there is a database
 * and `force` is not given, when it is in use, and when the archive is damaged or of a newer schema; nothing has been
 * changed then.
 */
export async function restoreBackup(request: RestoreRequest, tools: RestoreTools): Promise<Restored> {
  const { files } = tools;
  const { database } = request;
  await makeFolderLikeAbove(dirname(database), files);
  const giveUp = await tools.claim(database);
  try {
    await requireFree(request, files);
    return await withBackup(
      request.from,
      tools,
      ({ manifest }, unpacked) => putInPlace(manifest, unpacked, { request, tools }),
      dirname(database),
    );
  } finally {
    giveUp();
  }
}

async function requireFree({ database, force }: RestoreRequest, files: BackupFiles): Promise<void> {
  if (force || !await files.exists(database)) return;
  throw new Error(
    `${database} already exists: add --force to replace it with the backup; the existing database is kept ` +
      "under another name",
  );
}

async function putInPlace(
  manifest: BackupManifest,
  unpacked: string,
  { request, tools }: { request: RestoreRequest; tools: RestoreTools },
): Promise<Restored> {
  const { files, schemaVersion } = tools;
  const { database, secretKey } = request;
  if (manifest.schema > schemaVersion) {
    throw new Error(
      `the backup has schema ${manifest.schema}, this version of Regfeed reads schemas up to ` +
        `${schemaVersion}: restore it with Regfeed ${manifest.version} or a newer one`,
    );
  }
  if (await files.exists(database)) tools.release(database);
  const owned = await files.exists(database) ? database : dirname(database);
  // Files written by root must belong to the service's user.
  for (const { name } of manifest.files) await files.chownLike(owned, join(unpacked, name));
  const place = createPlacing(request, tools);
  const has = (name: string) => manifest.files.some((file) => file.name === name);
  // The key comes first: a database without its key would be of no use, a key without its database harms nobody.
  if (has(ARCHIVE_NAMES.secretKey)) await place.put(join(unpacked, ARCHIVE_NAMES.secretKey), secretKey);
  for (const side of ["-wal", "-shm"]) await place.moveAway(`${database}${side}`);
  await place.put(join(unpacked, ARCHIVE_NAMES.database), database);
  return { manifest, ...place.done, hasSecretKey: await files.exists(secretKey) };
}

/** Creates the folder and its missing parents; if root does, they get the owner of the folder above. */
async function makeFolderLikeAbove(folder: string, files: BackupFiles): Promise<void> {
  const missing: string[] = [];
  let above = folder;
  for (; !await files.exists(above); above = dirname(above)) missing.push(above);
  await files.makeFolder(folder, 0o700);
  for (const path of missing) await files.chownLike(above, path);
}

/** Puts the config of a good archive where there is none. Throws with a message for the operator. */
export async function restoreConfig(
  from: string,
  to: string,
  tools: Pick<BackupTools, "files" | "archives" | "inspect">,
): Promise<void> {
  const { files } = tools;
  const folder = dirname(to);
  await files.makeFolder(folder, 0o700);
  await withBackup(from, tools, async ({ manifest }, unpacked) => {
    if (!manifest.files.some(({ name }) => name === ARCHIVE_NAMES.config)) {
      throw new Error(`${from} contains no config`);
    }
    await files.move(join(unpacked, ARCHIVE_NAMES.config), to);
  }, folder);
}

/** Moves files to their paths and keeps the previous ones. */
function createPlacing({ nowMs }: RestoreRequest, { files }: RestoreTools) {
  const stamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:]/g, "");
  const done: { written: string[]; kept: string[] } = { written: [], kept: [] };
  /** Under a name that nothing has: the restore before this one may have been made within the same second. */
  const keep = async (path: string): Promise<boolean> => {
    if (!await files.exists(path)) return false;
    for (let number = 1;; number++) {
      const kept = `${path}.replaced-${stamp}${number === 1 ? "" : `-${number}`}`;
      if (!await files.keepAs(path, kept)) continue;
      done.kept.push(kept);
      return true;
    }
  };
  return {
    done,
    async moveAway(path: string): Promise<void> {
      if (await keep(path) && await files.exists(path)) await files.removeFile(path);
    },
    async put(from: string, to: string): Promise<void> {
      // It keeps its name until the new one takes it: whoever is killed here leaves one or the other.
      await keep(to);
      await makeFolderLikeAbove(dirname(to), files);
      await files.move(from, to);
      done.written.push(to);
    },
  };
}
