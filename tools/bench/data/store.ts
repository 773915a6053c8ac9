// Opens stores for benchmarks as `serve` does, with the secret key beside the database.
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { openVaultFile } from "../../../src/platform/vault.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";

export function openBenchStore(path: string): Store {
  return openStore(path, (options) => openVaultFile(`${path}.key`, options));
}
