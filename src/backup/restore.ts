// Replaces a database with a backup, and keeps the replaced files under new names.
import { dirname, join } from "node:path";
import { ARCHIVE_NAMES, type BackupFiles, type BackupManifest } from "../domain/ports/backup.ts";
import { makeFolderLike, stampOf } from "./create.ts";
import type { BackupTools } from "./backup_ports.ts";
import { withBackup } from "./verify.ts";

interface RestoreRequest {
  from: string;
  database: string;
  /** The path of the secret key file, which is replaced if the archive contains a key. */
  secretKey: string;
  force: boolean;
  nowMs: number;
}

interface RestoreTools extends Pick<BackupTools, "files" | "archives" | "inspect"> {
  /** Locks the database until the returned function is called. Throws if a server or another restore has locked it. */
  claim(path: string): Promise<() => void>;
  /** Merges the write-ahead log of the database into its file. Throws if another process has the database open. */
  release(path: string): void;
  schemaVersion: number;
}

export interface Restored {
  manifest: BackupManifest;
  written: string[];
  /** The new paths of the replaced files. */
  kept: string[];
  hasSecretKey: boolean;
}

/**
 * Verifies the archive and puts its database and key in place. Throws an error for the operator, and replaces nothing,
 * if the database is in use, if it exists and `force` is false, or if the archive is damaged or has a newer schema.
 */
export async function restoreBackup(request: RestoreRequest, tools: RestoreTools): Promise<Restored> {
  const { files } = tools;
  const { database } = request;
  await makeFolderLike(dirname(database), files);
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
      `the backup has schema ${manifest.schema}, but this version of Regfeed supports schemas up to ` +
        `${schemaVersion}: restore it with Regfeed ${manifest.version} or a newer one`,
    );
  }
  if (await files.exists(database)) tools.release(database);
  const owned = await files.exists(database) ? database : dirname(database);
  // If root restores the backup, the files must still belong to the service's user.
  for (const { name } of manifest.files) await files.chownLike(owned, join(unpacked, name));
  const place = createPlacing(request, tools);
  const has = (name: string) => manifest.files.some((file) => file.name === name);
  // The key comes first, so that a restore that is killed in between leaves no restored database without its key.
  if (has(ARCHIVE_NAMES.secretKey)) await place.put(join(unpacked, ARCHIVE_NAMES.secretKey), secretKey);
  for (const side of ["-wal", "-shm"]) await place.moveAway(`${database}${side}`);
  await place.put(join(unpacked, ARCHIVE_NAMES.database), database);
  return { manifest, ...place.done, hasSecretKey: await files.exists(secretKey) };
}

/** Verifies an archive and writes its config to a path. Throws errors whose messages are for the operator. */
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

function createPlacing({ nowMs }: RestoreRequest, { files }: RestoreTools) {
  const stamp = stampOf(nowMs);
  const done: { written: string[]; kept: string[] } = { written: [], kept: [] };
  /** Keeps a file under an unused name, because another restore may have run in the same second. */
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
      // Where hard links are supported, the old file stays at its path until the new one replaces it.
      await keep(to);
      await makeFolderLike(dirname(to), files);
      await files.move(from, to);
      done.written.push(to);
    },
  };
}
