// `backup …`: creates archives of the config and the database, verifies them, and restores from them.
import { dirname, join, resolve } from "node:path";
import { formatCount } from "../../domain/format_count.ts";
import type { BackupTools } from "../../backup/backup_ports.ts";
import { findNewestBackup } from "../../backup/schedule.ts";
import { restoreBackup, restoreConfig, type Restored } from "../../backup/restore.ts";
import { withBackupIn } from "../../backup/verify.ts";
import { formatBytes } from "../../domain/format_bytes.ts";
import type { BackupManifest } from "../../domain/ports/backup.ts";
import { createClock } from "../../platform/clock.ts";
import type { StoreEngine } from "../../domain/ports/store/engine.ts";
import { type Host, shellQuote } from "../../platform/process/process.ts";
import { createBackup, noteBackup } from "../../operate/backups.ts";
import { actOf } from "../customer/named_customer.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";
import { locateTarget } from "../../server/config_file.ts";
import { hasNoDatabase, loadConfig, withStore } from "../../server/open_store.ts";
import { createBackupTools } from "../../server/migrate_with_backup.ts";
import { lockStore } from "../../server/instance_lock.ts";
import { print } from "../print.ts";
import { progressOf, showSteps } from "../progress.ts";
import { formatTime } from "../../domain/format_time.ts";
import { formatTable } from "../table.ts";

export const backupCommands: Command[] = [
  {
    name: "backup create",
    usage: "[FILE] [--secret-key] [--json]",
    summary: "creates an archive of the config and the database; the server may be running",
    example: "regfeed backup create /mnt/backups/regfeed.tar.gz",
    options: {
      "secret-key": {
        kind: "flag",
        help: "include the secret key; anyone with the archive can then read the secrets",
      },
    },
    async run(call) {
      const { host, positionals: [name], flags } = call;
      const { config, file } = await loadConfig(call);
      const { path: database } = config.store;
      if (await hasNoDatabase(call, database)) {
        throw new CommandError(
          `no database at ${database} yet: start \`${host.program} serve\` to create it`,
        );
      }
      const secretKey = flags.has("secret-key");
      const given = name === undefined ? {} : { to: resolve(host.cwd, name) };
      const nowMs = createClock().nowMs();
      const { file: to, manifest } = await withTools(
        call,
        (tools) => createBackup({ config, file, tools }, { ...given, nowMs, secretKey }),
      );
      const known = new Map([...call.texts, ["config", file]]);
      await noteInAudit({ ...call, texts: known, flags: new Set() }, { file: to, secretKey });
      print(
        call,
        { file: to, ...manifest },
        () =>
          `${to}: ${describe(manifest)}\n` +
          (!secretKey
            ? `It does not contain the secret key. Keep a copy of ${config.store.keyFile} elsewhere; without ` +
              "it, the secrets of subscriptions cannot be read.\n"
            : "It contains the secret key: keep the archive where nobody else can read it.\n"),
      );
    },
  },
  {
    name: "backup verify",
    usage: "[FILE] [--folder FOLDER] [--json]",
    summary: "unpacks an archive, checks the whole database and counts its rows",
    details: "Without FILE, verifies the newest archive in the config's backup folder.",
    example: "regfeed backup verify regfeed-20261121T031500Z.tar.gz",
    options: {
      folder: {
        kind: "text",
        value: "FOLDER",
        help: "unpack here (default: next to the archive, or in the temporary folder)",
      },
    },
    async run(call) {
      const { host, positionals: [name], texts } = call;
      const file = name === undefined ? await newestArchive(call) : await requireFile(host, name);
      const given = texts.get("folder");
      const folders = given === undefined
        ? [dirname(file), host.temporaryFolder()]
        : [resolve(host.cwd, given)];
      const { manifest, database } = await withTools(
        call,
        (tools) => withBackupIn(file, tools, (backup) => Promise.resolve(backup), folders),
      );
      print(call, { file, ok: true, ...manifest }, () =>
        `${file} is good: ${describe(manifest)}\n` +
        formatTable(["TABLE", "ROWS"], Object.entries(database.rows)));
    },
  },
  {
    name: "backup restore",
    usage: "FILE [--force] [--json]",
    summary: "replaces the database with the one in an archive; keeps the old database under another name",
    example: "regfeed backup restore regfeed-20261121T031500Z.tar.gz --config /etc/regfeed/regfeed.toml",
    options: {
      force: { kind: "flag", help: "replace an existing database" },
    },
    async run(call) {
      const { host, positionals: [name = ""], flags } = call;
      const from = await requireFile(host, name);
      const restored = await withTools(call, async (tools, engine) => {
        const { config, ...target } = await targetOf(call, from, tools);
        const request = { from, force: flags.has("force"), nowMs: createClock().nowMs(), ...target };
        const done = await restoreBackup(request, {
          ...tools,
          claim: (database) => lockForRestore(database, tools),
          release: engine.release,
          schemaVersion: engine.schemaVersion,
        });
        const written = [...config === null ? [] : [config], ...done.written];
        return { done: { ...done, written }, keyFile: target.secretKey };
      });
      const serve = serveCommand(call);
      print(call, restored.done, () => describeRestored(restored.done, restored.keyFile, serve));
    },
  },
];

/** Adds an entry to the audit log. A backup also succeeds if this version cannot open the database. */
async function noteInAudit(call: CommandCall, backup: { file: string; secretKey: boolean }): Promise<void> {
  try {
    await withStore(call, ({ platform, store }) => noteBackup(store, backup, actOf(call, platform)));
  } catch (error) {
    call.host.err(`The audit log has no entry about this backup: ${(error as Error).message}\n`);
  }
}

function serveCommand({ host, texts }: CommandCall): string {
  const config = texts.get("config");
  return `${host.program} serve${config === undefined ? "" : ` --config ${shellQuote(config)}`}`;
}

/** Locks the database. If run as root, gives the lock file to the owner of the database's folder. */
async function lockForRestore(database: string, { files }: BackupTools): Promise<() => void> {
  const { release, file } = await lockStore(database, "a restore");
  await files.chownLike(dirname(database), file);
  return release;
}

async function withTools<T>(
  call: CommandCall,
  work: (tools: BackupTools, engine: StoreEngine) => Promise<T>,
): Promise<T> {
  const engine = await call.loadEngine();
  const tools = createBackupTools(call.host, engine);
  try {
    return await work(showSteps(tools, progressOf(call)), engine);
  } finally {
    tools.close();
  }
}

async function newestArchive(call: CommandCall): Promise<string> {
  const { config: { backup: { folder } } } = await loadConfig(call);
  const { host } = call;
  const newest = await findNewestBackup(folder, { files: host, nowMs: createClock().nowMs() });
  if (newest === null) {
    throw new CommandError(`no backup in ${folder}: create one with \`${host.program} backup create\``);
  }
  return join(folder, newest.name);
}

async function requireFile(host: Host, name: string): Promise<string> {
  const file = resolve(host.cwd, name);
  if (!await host.exists(file)) throw new CommandError(`there is no file ${file}`);
  return file;
}

/**
 * Reads the config, and returns the paths of the database and of the secret key. If there is no config, first restores
 * the one in the archive, and also returns its path. If secrets that the config names are missing on this machine,
 * throws an error that lists them.
 */
async function targetOf(
  call: CommandCall,
  from: string,
  tools: BackupTools,
): Promise<{ database: string; secretKey: string; config: string | null }> {
  const { host, texts } = call;
  const { file, isMissing } = await locateTarget(host, texts.get("config"));
  if (isMissing) {
    await restoreConfig(from, file, tools);
    host.err(`restored the backup's config to ${file}\n`);
  }
  const { config } = await loadConfig({ ...call, texts: new Map([...texts, ["config", file]]) });
  return { database: config.store.path, secretKey: config.store.keyFile, config: isMissing ? file : null };
}

function describe({ created_at, version, schema, rows, files }: BackupManifest): string {
  const events = rows["events"] ?? 0;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `created ${formatTime(created_at)} UTC by Regfeed ${version}, schema ${schema}, ` +
    `${formatCount(events, "event")}, ${formatBytes(bytes)} unpacked`;
}

function describeRestored(
  { manifest, written, kept, hasSecretKey }: Restored,
  keyFile: string,
  serve: string,
): string {
  return [
    `restored the backup ${describe(manifest)}\n`,
    ...written.map((path) => `  restored  ${path}\n`),
    ...kept.map((path) => `  kept      ${path}\n`),
    hasSecretKey
      ? ""
      : `The secret key is missing. Copy it to ${keyFile} before you start the server; otherwise, the ` +
        "secrets of subscriptions cannot be read.\n",
    `${hasSecretKey ? "Start the server now" : "Start the server after that"}: \`${serve}\`.\n`,
    "Events since the backup are collected and delivered again with new ids, and sequence numbers repeat. " +
    "Changes since the backup are undone, including their audit entries. Tell your subscribers what a restore loses: " +
    'see docs/run/backup.md, "What a restore loses".\n',
  ].join("");
}
