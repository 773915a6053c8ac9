// Migrates the database before it is opened. Creates and verifies a backup first.
import { basename, dirname, join } from "node:path";
import { backupName, createBackup } from "../backup/create.ts";
import type { BackupTools } from "../backup/backup_ports.ts";
import { withBackup } from "../backup/verify.ts";
import type { Config } from "../config/config.ts";
import { ARCHIVE_NAMES, type DatabaseFacts, type DatabaseFile } from "../domain/ports/backup.ts";
import type { LogFields } from "../domain/ports/ports.ts";
import type { StoreEngine } from "../domain/ports/store/engine.ts";
import { createArchives } from "../platform/files/archive.ts";
import { createDatabaseFiles, holdTheSame } from "../platform/files/database_files.ts";
import type { Machine } from "../platform/files/machine.ts";
import type { Host } from "../platform/process/process.ts";
import { openVaultFile } from "../platform/vault.ts";
import { VERSION } from "../version.ts";
import { storeUser } from "./instance_lock.ts";

/** Slow operations on a database file, run on this thread or in a worker. */
export interface LongWork {
  inspect(path: string): Promise<DatabaseFacts>;
  migrate(file: DatabaseFile): Promise<unknown>;
}

export function workHere(engine: StoreEngine): LongWork {
  return {
    inspect: (path) => Promise.resolve(engine.inspect(path)),
    migrate: ({ path, keyFile }) =>
      Promise.resolve(engine.migrate(path, (options) => openVaultFile(keyFile, options))),
  };
}

/** Creates the tools for backups. Call `close` at the end. */
export function createBackupTools(
  host: Host,
  engine: StoreEngine,
  work: LongWork = workHere(engine),
): BackupTools & { close(): void } {
  const databaseFiles = createDatabaseFiles();
  return {
    files: host,
    archives: createArchives(),
    copyDatabase: (from, to) => engine.copy(from, to, databaseFiles),
    inspect: work.inspect,
    version: VERSION,
    close: () => databaseFiles.close(),
  };
}

export interface Preparing {
  config: Config;
  engine: StoreEngine;
  file: string;
  /** The store's path in the config, see {@link LoadedConfig}. */
  storeName: string;
  nowMs: number;
  work: LongWork;
  machine: Pick<Machine, "volumeOf">;
  /** If false, a database with an older schema is refused. */
  mayMigrate: boolean;
  /** Takes the server's lock before anything touches the database. */
  lock?(): Promise<void>;
  say(text: string, fields: LogFields): void;
}

/**
 * Creates a missing database. Migrates one with an older schema after creating a backup. Throws if it may not migrate,
 * if another process has the older database open, or if the file cannot be written.
 */
export async function prepareDatabase(
  host: Host,
  { config, engine, file, storeName, nowMs, work, machine, mayMigrate, lock, say }: Preparing,
): Promise<void> {
  const { path, keyFile } = config.store;
  await refuseLostDatabase(host, { path, storeName });
  await host.makeFolder(dirname(path), 0o700);
  if (machine.volumeOf(dirname(path))?.isNetwork === true) {
    throw new Error(
      "its folder is on a network file system, where SQLite's locks do not work: move it to a local disk",
    );
  }
  await lock?.();
  // Throws if the file exists but cannot be written. SQLite gives its other files the same mode.
  await host.makeFile(path, 0o600);
  const schema = engine.schemaOf(path);
  if (schema === engine.schemaVersion) return;
  if (!mayMigrate) throw new Error(describeOldSchema(schema, engine));
  if (schema === 0) return;
  engine.release(path);
  const steps = { from_schema: schema, to_schema: engine.schemaVersion };
  const tools = createBackupTools(host, engine, work);
  try {
    const { folder } = config.backup;
    const prefix = `before-schema-${engine.schemaVersion}-`;
    const existing = await findSameBackup(host, { folder, prefix, path, tools, say });
    const backup = existing ?? join(folder, `${prefix}${backupName(nowMs)}`);
    if (existing === null) {
      say("migrating the database: creating a backup first", { ...steps, backup });
      await createBackup({ to: backup, nowMs, database: path, config: file, secretKey: null }, tools);
      say("backup verified; migrating the database", steps);
    } else say("migrating the database: a valid backup already exists", { ...steps, backup });
  } finally {
    tools.close();
  }
  await work.migrate({ path, keyFile });
  say("database migrated", steps);
}

/** Says what is wrong with an older schema, and which command migrates it. */
function describeOldSchema(
  schema: number,
  { schemaVersion }: Pick<StoreEngine, "schemaVersion">,
): string {
  if (schema === 0) return "the database is empty: start `regfeed serve`, which creates its tables";
  return `the database has schema ${schema}, but this version uses ${schemaVersion}: start or restart ` +
    "`regfeed serve`, which makes a backup and migrates the database";
}

/**
 * Returns the newest backup created before a migration to this schema if it is valid and has the content of the current
 * database; otherwise null. Without this check, each restart after an interrupted migration would add another backup.
 */
async function findSameBackup(
  host: Host,
  { folder, prefix, path, tools, say }:
    & { folder: string; prefix: string; path: string; tools: BackupTools }
    & Pick<Preparing, "say">,
): Promise<string | null> {
  if (!await host.exists(folder)) return null;
  const names = (await host.list(folder)).files.map(({ name }) => name);
  const newest = names.filter((name) => name.startsWith(prefix)).sort().at(-1);
  if (newest === undefined) return null;
  const file = join(folder, newest);
  try {
    const isSame = await withBackup(
      file,
      tools,
      (_, unpacked) => holdTheSame(join(unpacked, ARCHIVE_NAMES.database), path),
    );
    return isSame ? file : null;
  } catch (error) {
    say("an earlier backup cannot be used: creating another one", {
      backup: file,
      cause: (error as Error).message,
    });
    return null;
  }
}

/** Throws if there is no database but evidence of an earlier one, because a new database would hide the loss. */
async function refuseLostDatabase(
  host: Host,
  { path, storeName }: { path: string; storeName: string },
): Promise<void> {
  if (await host.exists(path).catch(() => true)) return; // opening it reports why it cannot be inspected
  if (storeName !== path) {
    throw new Error(
      `the target of the link ${storeName} does not exist: mount its disk, or create an empty file there ` +
        "for a new database",
    );
  }
  const server = await storeUser(path);
  if (server !== null) {
    throw new Error(
      `it was removed, but a server still has it open (${server}): put the same file back, or stop the server first`,
    );
  }
  const log = `${basename(path)}-wal`;
  if (!await host.exists(dirname(path))) return;
  const { files } = await host.list(dirname(path));
  if (!files.some(({ name, sizeBytes }) => name === log && sizeBytes > 0)) return;
  throw new Error(
    `it does not exist, but its write-ahead log does (${path}-wal): put the database back next to the log, which ` +
      "contains the latest changes, or move the log away to create a new database",
  );
}
