// The SQLite engine passes the contract of the Store port. The engine's other tests use files.
import { openStore } from "../../../src/store/sqlite/store.ts";
import { testStoreContract } from "../contract.ts";
import { testVault } from "../../support/vault.ts";

testStoreContract(() => openStore(":memory:", testVault));
