// Stores in files, for the tests of the SQLite engine.
import { join } from "node:path";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { Connection } from "../../../src/store/sqlite/connection/connection.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { withFolder } from "../../support/process.ts";
import { testVault } from "../../support/vault.ts";

/** Runs `work` with the path of a database that does not exist yet, in a separate folder. */
export function withFile(work: (file: string, folder: string) => Promise<void> | void): Promise<void> {
  return withFolder(async (folder) => await work(join(folder, "regfeed.db"), folder));
}

/** Runs `work` with a store in a file, and a second connection to that file. */
export function withStore(
  work: (store: Store, outside: Connection, file: string) => Promise<void> | void,
): Promise<void> {
  return withFile(async (file) => {
    const store = openStore(file, testVault);
    const outside = new Connection(file);
    try {
      await work(store, outside, file);
    } finally {
      outside.close();
      await store.close();
    }
  });
}
