// The program of the second thread: what of the database's work takes long.
import type { DatabaseFile } from "./domain/backup.ts";
import { answerCalls } from "./platform/thread.ts";
import { openVaultFile } from "./platform/vault.ts";
import { inspectDatabase } from "./store/sqlite/inspect.ts";
import { migrateFile } from "./store/sqlite/migrate.ts";

answerCalls({
  inspect: (path) => inspectDatabase(path as string),
  migrate: (file) => {
    const { path, keyFile } = file as DatabaseFile;
    migrateFile(path, (options) => openVaultFile(keyFile, options));
  },
});
