// The stores of a bench: as `serve` opens them, with the key beside the file.
import type { Store } from "../../src/domain/ports/store/store.ts";
import { openVaultFile } from "../../src/platform/vault.ts";
import { openStore } from "../../src/store/sqlite/store.ts";

/** Opens or creates the store in the file. */
export function openBenchStore(path: string): Store {
  return openStore(path, (options) => openVaultFile(`${path}.key`, options));
}
