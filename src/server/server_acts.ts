// What the operator's pages can do only in the server process: examine the machine, and create and verify backups.
import type { BackupTools } from "../backup/backup_ports.ts";
import { good } from "../domain/operator/finding.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { createBackup, listBackups, noteBackup, verifyBackup } from "../operate/backups.ts";
import type { ServerActs } from "../operate/operator_acts.ts";
import type { RealPlatform } from "../platform/platform.ts";
import { examine } from "./checks/examine.ts";
import type { CommandCall } from "./command_context.ts";
import type { LoadedConfig } from "./open_store.ts";

export function createServerActs(
  { call, loaded, platform, store, tools }: {
    call: CommandCall;
    loaded: LoadedConfig;
    platform: Pick<RealPlatform, "clock" | "http">;
    store: Pick<Store, "recordAct">;
    tools: BackupTools;
  },
): ServerActs {
  const { config, file } = loaded;
  const checkServer = () => Promise.resolve(good("server", "the server is running"));
  return {
    findings: ({ network }) => examine(call, loaded, { checkServer, network: network ? platform : null }),
    backups: () => listBackups(config, call.host),
    async createBackup(by) {
      const made = await createBackup({ config, file, tools }, { nowMs: by.atMs, secretKey: false });
      await noteBackup(store, { file: made.file, secretKey: false }, by);
      return made.file;
    },
    verifyBackup: (name) => verifyBackup({ config, tools }, name),
    outbox: call.host,
  };
}
