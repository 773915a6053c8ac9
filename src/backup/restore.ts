// Puts a backup in the place of a store, or where there was none, and keeps what it replaces.
import { dirname, join } from "node:path";
import { ARCHIVE_NAMES, type BackupManifest } from "../domain/backup.ts";
import type { BackupTools } from "./create.ts";
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

/** What restoring needs beside what making backups does. */
export interface RestoreTools extends Pick<BackupTools, "files" | "archives" | "inspect"> {
  /** Makes the database's file stand alone; throws while another process has it open. */
  release(path: string): void;
  /** The schema that this version reads and writes. */
  schemaVersion: number;
}

/** What a restore did. */
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
  const folder = dirname(request.database);
  const isReplacing = await files.exists(request.database);
  if (isReplacing && !request.force) {
    throw new Error(
      `${request.database} is there already: add --force to put the backup in its place; what stands there is kept ` +
        "under another name",
    );
  }
  await files.makeFolder(folder, 0o700);
  return await withBackup(request.from, tools, async ({ manifest }, unpacked) => {
    if (manifest.schema > tools.schemaVersion) {
      throw new Error(
        `the backup has schema ${manifest.schema}, this version of Regfeed reads schemas up to ` +
          `${tools.schemaVersion}: restore it with Regfeed ${manifest.version} or a newer one`,
      );
    }
    if (isReplacing) tools.release(request.database);
    const place = createPlacing(request, tools);
    const has = (name: string) => manifest.files.some((file) => file.name === name);
    // The key comes first: a database without its key would be of no use, a key without its database harms nobody.
    if (has(ARCHIVE_NAMES.secretKey)) {
      await place.put(join(unpacked, ARCHIVE_NAMES.secretKey), request.secretKey);
    }
    for (const side of ["-wal", "-shm"]) await place.moveAway(`${request.database}${side}`);
    await place.put(join(unpacked, ARCHIVE_NAMES.database), request.database);
    return { manifest, ...place.done, hasSecretKey: await files.exists(request.secretKey) };
  }, folder);
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
      throw new Error(`${from} holds no config`);
    }
    await files.move(join(unpacked, ARCHIVE_NAMES.config), to);
  }, folder);
}

/** Puts files in their places and moves away what stands there. */
function createPlacing({ nowMs }: RestoreRequest, { files }: RestoreTools) {
  const stamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:]/g, "");
  const done: { written: string[]; kept: string[] } = { written: [], kept: [] };
  const moveAway = async (path: string): Promise<void> => {
    if (!await files.exists(path)) return;
    const kept = `${path}.replaced-${stamp}`;
    await files.move(path, kept);
    done.kept.push(kept);
  };
  return {
    done,
    moveAway,
    async put(from: string, to: string): Promise<void> {
      await moveAway(to);
      await files.makeFolder(dirname(to), 0o700);
      await files.move(from, to);
      done.written.push(to);
    },
  };
}
