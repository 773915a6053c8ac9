// Creates a store with a config and a key for the tests of backups.
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { createBackup } from "../../src/backup/create.ts";
import type { BackupTools } from "../../src/backup/backup_ports.ts";
import type { BackupManifest } from "../../src/domain/ports/backup.ts";
import { createArchives } from "../../src/platform/files/archive.ts";
import { createDatabaseFiles } from "../../src/platform/files/database_files.ts";
import { createFiles } from "../../src/platform/files/files.ts";
import { copyDatabase } from "../../src/store/sqlite/connection/copy.ts";
import { inspectDatabase } from "../../src/store/sqlite/connection/inspect.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../store/contract/given.ts";
import { testVault } from "../support/vault.ts";
import { TEMPORARY } from "../support/temporary.ts";

export const NOW_MS = Date.parse("2026-08-01T03:15:00Z");

/** A folder with a store of three events, a config and a key, and the machine's real tools for backups. */
export interface Place {
  folder: string;
  database: string;
  config: string;
  key: string;
  archive: string;
  tools: BackupTools;
}

export async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-backup-" });
  const databaseFiles = createDatabaseFiles();
  const at = (name: string) => join(folder, name);
  const place: Place = {
    folder,
    database: at("regfeed.db"),
    config: at("regfeed.toml"),
    key: at("regfeed.db.key"),
    archive: at("backup.tar.gz"),
    tools: {
      files: createFiles(),
      archives: createArchives(),
      copyDatabase: (from, to) => copyDatabase(from, to, databaseFiles),
      inspect: (path) => Promise.resolve(inspectDatabase(path)),
      version: "1.2.3",
    },
  };
  try {
    const store = openStore(place.database, testVault);
    await publish(store, [anEvent("evt_1"), anEvent("evt_2"), anEvent("evt_3")]);
    await store.close();
    await Deno.writeTextFile(place.config, "# the config\n");
    await Deno.writeTextFile(place.key, "k".repeat(32));
    await work(place);
  } finally {
    databaseFiles.close();
    await Deno.remove(folder, { recursive: true });
  }
}

export function create(
  { archive, database, config, key, tools }: Place,
  withKey = false,
): Promise<BackupManifest> {
  const secretKey = withKey ? key : null;
  return createBackup({ to: archive, nowMs: NOW_MS, database, config, secretKey }, tools);
}

export async function names(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) found.push(name);
  return found.sort();
}

export async function readArchive(archive: string): Promise<{ name: string; data: Uint8Array }[]> {
  const entries = await unpackTar(gunzipSync(await Deno.readFile(archive)));
  return entries.map(({ header, data }) => ({ name: header.name, data: data ?? new Uint8Array() }));
}

export async function listed(archive: string): Promise<string[]> {
  return (await readArchive(archive)).map(({ name }) => name);
}
