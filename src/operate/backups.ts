// Creates, lists and verifies backups.
import { basename, join } from "node:path";
import type { BackupTools } from "../backup/backup_ports.ts";
import { backupName, backupTime, createBackup as create, isScheduled } from "../backup/create.ts";
import { withBackupIn } from "../backup/verify.ts";
import type { Config } from "../config/config.ts";
import type { Act } from "../domain/customer/audit.ts";
import type { ListedBackup } from "../domain/operator/listed_backup.ts";
import type { BackupManifest } from "../domain/ports/backup.ts";
import type { FolderListing } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";

interface BackupOperation {
  config: Pick<Config, "backup" | "store">;
  /** The path of the config file. */
  file: string;
  tools: BackupTools;
}

/** Creates and verifies an archive: at the path `to`, or in the config's folder under a name with the time. */
export async function createBackup(
  { config, file, tools }: BackupOperation,
  { to: given, nowMs, secretKey }: { to?: string; nowMs: number; secretKey: boolean },
): Promise<{ file: string; manifest: BackupManifest }> {
  const to = given ?? join(config.backup.folder, backupName(nowMs));
  const { path: database, keyFile } = config.store;
  const request = { to, nowMs, database, config: file, secretKey: secretKey ? keyFile : null };
  return { file: to, manifest: await create(request, tools) };
}

export async function noteBackup(
  store: Pick<Store, "recordAct">,
  { file, secretKey }: { file: string; secretKey: boolean },
  by: Act,
): Promise<void> {
  await store.recordAct(by, "backup.create", { file: basename(file), secret_key: secretKey });
}

/** Lists the archives in the config's folder, newest first. */
export async function listBackups(
  { backup: { folder } }: Pick<Config, "backup">,
  files: { exists(path: string): Promise<boolean>; list(folder: string): Promise<FolderListing> },
): Promise<ListedBackup[]> {
  if (!await files.exists(folder)) return [];
  const { files: listed } = await files.list(folder);
  return listed.flatMap(({ name, sizeBytes }) => {
    const createdAtMs = backupTime(name);
    return createdAtMs === null
      ? []
      : [{ name, createdAtMs, bytes: sizeBytes, isScheduled: isScheduled(name) }];
  }).sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Unpacks an archive in the config's folder and checks its database. Throws if it is damaged. */
export async function verifyBackup(
  { config: { backup: { folder } }, tools }: Pick<BackupOperation, "config" | "tools">,
  name: string,
): Promise<BackupManifest> {
  const { manifest } = await withBackupIn(
    join(folder, basename(name)),
    tools,
    (backup) => Promise.resolve(backup),
    [folder],
  );
  return manifest;
}
