// The program of the worker that inspects and migrates databases.
import type { DatabaseFile } from "./domain/backup.ts";
import { serveTasks } from "./platform/thread.ts";
import { openVaultFile } from "./platform/vault.ts";
import { inspectDatabase } from "./store/sqlite/inspect.ts";
import { migrateFile } from "./store/sqlite/migrate.ts";

serveTasks({
  inspect: (path) => inspectDatabase(path as string),
  migrate: (file) => {
    const { path, keyFile } = file as DatabaseFile;
    migrateFile(path, (options) => openVaultFile(keyFile, options));
  },
});
