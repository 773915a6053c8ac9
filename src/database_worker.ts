// The program of the worker that inspects and migrates databases.
import type { DatabaseFile } from "./domain/ports/backup.ts";
import { serveTasks } from "./platform/process/worker_thread.ts";
import { openVaultFile } from "./platform/vault.ts";
import { createSqliteEngine } from "./store/sqlite/engine.ts";

const engine = createSqliteEngine();

serveTasks({
  inspect: (path) => engine.inspect(path as string),
  migrate: (file) => {
    const { path, keyFile } = file as DatabaseFile;
    engine.migrate(path, (options) => openVaultFile(keyFile, options));
  },
});
