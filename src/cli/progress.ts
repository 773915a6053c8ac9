// Shows the progress of a long operation on the status line of a terminal.
import type { BackupTools } from "../backup/backup_ports.ts";
import { formatBytes } from "../domain/format_bytes.ts";
import type { CommandCall } from "../server/command_context.ts";

/** Shows a text on the status line until the next text or output replaces it. */
type ShowProgress = (text: string) => void;

/** Returns a function that shows nothing with `--json` or without a terminal. */
export function progressOf({ host, flags }: CommandCall): ShowProgress {
  return flags.has("json") ? () => {} : (text) => host.showStatus(text);
}

/** Returns tools that show each long step of a backup or restore. */
export function showSteps<T extends BackupTools>(tools: T, show: ShowProgress): T {
  const { files, archives } = tools;
  return {
    ...tools,
    copyDatabase: async (from, to) => {
      show(`copying the database (${formatBytes(await files.sizeOf(from))}) …`);
      await tools.copyDatabase(from, to);
    },
    inspect: (path) => {
      show("checking the database …");
      return tools.inspect(path);
    },
    archives: {
      ...archives,
      pack: (to, entries) => {
        show("packing the archive …");
        return archives.pack(to, entries);
      },
      unpack: (file, ...rest) => {
        show("reading the archive …");
        return archives.unpack(file, ...rest);
      },
    },
  };
}
