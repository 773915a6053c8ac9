// The SQLite engine passes the contract of the Store port. The stores are in memory.
import { openStore } from "../../../src/store/sqlite/store.ts";
import { testStoreContract } from "../contract.ts";
import { testVault } from "../../support/vault.ts";

testStoreContract(() => openStore(":memory:", testVault));
