// `store new-key`: replaces a lost secret key.
import { join } from "node:path";
import { backupName, createBackup } from "../../backup/create.ts";
import { createIds } from "../../domain/event/ids.ts";
import type { Platform } from "../../domain/ports/ports.ts";
import type { DiscardedSecrets } from "../../domain/ports/store/engine.ts";
import { openVaultFile } from "../../platform/vault.ts";
import { keyProblem } from "../../server/checks/store.ts";
import type { Command } from "../command.ts";
import { print } from "../print.ts";
import { progressOf, showSteps } from "../progress.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { actOf } from "../customer/named_customer.ts";
import { hasNoDatabase, type LoadedConfig, withPlatform } from "../../server/open_store.ts";
import { createBackupTools } from "../../server/migrate_with_backup.ts";

const CONSEQUENCES =
  "this permanently discards the secrets of all subscriptions: each is disabled, and its events are held " +
  "until its owner rotates the secret and enables the subscription; the old key cannot be used again";

export const newKeyCommand: Command = {
  name: "store new-key",
  usage: "--yes [--json]",
  summary: "creates a new secret key if the old one is lost; every subscription then needs a new secret",
  example: "regfeed store new-key --yes",
  options: { yes: { kind: "flag", help: "confirm; this cannot be undone" } },
  run: (call) => withPlatform(call, (opened) => makeNewKey(call, opened)),
};

async function makeNewKey(
  call: CommandCall,
  { config, file, platform }: LoadedConfig & { platform: Platform },
): Promise<void> {
  const { host } = call;
  const { path, keyFile } = config.store;
  if (await hasNoDatabase(call, path)) {
    throw new CommandError(`no database at ${path}: there is nothing to replace`);
  }
  const engine = await call.loadEngine();
  const problem = keyProblem(engine, config.store);
  if (problem === null) {
    throw new CommandError(
      `no new key is needed: ${keyFile} exists and belongs to the database. To rotate the secret of one ` +
        "subscription, its owner uses POST /v1/subscriptions/{id}/rotate-secret",
    );
  }
  if (!call.flags.has("yes")) throw new CommandError(`add --yes to confirm: ${CONSEQUENCES}`, EXIT.usage);
  try {
    engine.release(path);
    const nowMs = platform.clock.nowMs();
    const to = join(config.backup.folder, `before-new-key-${backupName(nowMs)}`);
    const tools = createBackupTools(host, engine);
    try {
      const request = { to, nowMs, database: path, config: file, secretKey: null };
      await createBackup(request, showSteps(tools, progressOf(call)));
    } finally {
      tools.close();
    }
    const newId = createIds(() => nowMs, (count) => platform.random.bytes(count));
    progressOf(call)("discarding the old secrets …");
    const customers = engine.replaceKey(path, (options) => openVaultFile(keyFile, options), {
      by: actOf(call, platform),
      random: platform.random,
      newMailId: () => newId("mail"),
    });
    const fields = { key: keyFile, backup: to, customers };
    print(call, fields, describe);
  } catch (error) {
    throw new CommandError(`no new key was created: ${(error as Error).message}`);
  }
}

function describe(
  { key, backup, customers }: { key: string; backup: string; customers: DiscardedSecrets },
): string {
  const subscriptions = Object.values(customers).flat().length;
  const lines = [
    `the store has a new key: ${key}; keep a copy of it separate from the database`,
    `backup of the previous database: ${backup}`,
    `subscriptions that need a new secret: ${subscriptions}`,
    ...Object.entries(customers).map(([id, ids]) => `  ${id}  ${ids.join(" ")}`),
  ];
  if (subscriptions > 0) {
    lines.push(
      "their owners get an email when the server runs (with [mail]). POST /v1/subscriptions/{id}/rotate-secret returns a new",
      'secret; then PATCH /v1/subscriptions/{id} with {"enabled": true} sends the held deliveries',
    );
  }
  return `${lines.join("\n")}\n`;
}
