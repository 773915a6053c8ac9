// The SQLite engine keeps the contract of the Store port, in memory and in a file.
import { join } from "node:path";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { testStoreContract } from "../contract.ts";
import { TEMPORARY } from "../../support/temporary.ts";
import { testVault } from "../../support/vault.ts";

testStoreContract("SQLite in memory", () => openStore(":memory:", testVault), () => Promise.resolve());

const folders: string[] = [];
testStoreContract(
  "SQLite in a file",
  () => {
    const folder = Deno.makeTempDirSync({ ...TEMPORARY, prefix: "regfeed-store-" });
    folders.push(folder);
    return openStore(join(folder, "regfeed.db"), testVault);
  },
  async () => {
    for (const folder of folders.splice(0)) await Deno.remove(folder, { recursive: true });
  },
);
