// A real vault with a fixed key.
import type { Vault } from "../../src/domain/ports/ports.ts";
import { createVault } from "../../src/platform/vault.ts";

const vault = createVault(new Uint8Array(32).fill(7));

export function testVault(): Vault {
  return vault;
}
