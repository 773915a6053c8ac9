// Simulates two processes that share a store.
import { join } from "node:path";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { TEMPORARY } from "../../support/temporary.ts";
import { testVault } from "../../support/vault.ts";
import { createWorld, type World } from "../../support/world.ts";

/** Runs `work` with two worlds whose stores share a file. */
export async function withTwoProcesses(
  config: string,
  work: (one: World, two: World) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-lease-" });
  const open = () => openStore(join(folder, "regfeed.db"), testVault);
  const one = await createWorld(config, { store: open() });
  const two = await createWorld(config, { store: open(), seed: 2 });
  try {
    await work(one, two);
  } finally {
    await one.close();
    await two.close();
    await Deno.remove(folder, { recursive: true });
  }
}
