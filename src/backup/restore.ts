// Restores a backup in the place of a store, and keeps the replaced files.
import { dirname, join } from "node:path";
import { ARCHIVE_NAMES, type BackupFiles, type BackupManifest } from "../domain/ports/backup.ts";
import { makeFolderLike } from "./create.ts";
import type { BackupTools } from "./backup_ports.ts";
import { withBackup } from "./verify.ts";

export interface RestoreRequest {
  from: string;
  database: string;
  /** The path of the key for sealing secrets, if the archive contains it. */
  secretKey: string;
  force: boolean;
  nowMs: number;
}

export interface RestoreTools extends Pick<BackupTools, "files" | "archives" | "inspect"> {
  /** Locks the database until the returned function is called. Throws while a server or another restore has it. */
  claim(path: string): Promise<() => void>;
  /** Moves the log into the database's file; throws while another process has it open. */
  release(path: string): void;
  schemaVersion: number;
}

export interface Restored {
  manifest: BackupManifest;
  written: string[];
  /** The new paths of the replaced files. */
  kept: string[];
  /** Whether the key for sealing secrets exists. */
  hasSecretKey: boolean;
}

/**
 * Checks the whole archive first. Throws with a message for the operator, with nothing changed, when the database
 * exists and `force` is not given, when it is in use, and when the archive is damaged or has a newer schema.
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
  // The key comes first: a database without its key is useless, a key without its database is harmless.
  if (has(ARCHIVE_NAMES.secretKey)) await place.put(join(unpacked, ARCHIVE_NAMES.secretKey), secretKey);
  for (const side of ["-wal", "-shm"]) await place.moveAway(`${database}${side}`);
  await place.put(join(unpacked, ARCHIVE_NAMES.database), database);
  return { manifest, ...place.done, hasSecretKey: await files.exists(secretKey) };
}

/** Restores the config of an intact archive where there is none. Throws with a message for the operator. */
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
  const stamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:]/g, "");
  const done: { written: string[]; kept: string[] } = { written: [], kept: [] };
  /** Under an unused name: the previous restore may have been in the same second. */
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
      // The old file keeps its name until the new one replaces it: a killed process leaves one or the other.
      await keep(to);
      await makeFolderLike(dirname(to), files);
      await files.move(from, to);
      done.written.push(to);
    },
  };
}
