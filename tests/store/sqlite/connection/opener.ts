// A process that waits for a start file, opens a store, and adds a customer. Arguments: FILE START DIGIT.
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { addCustomer } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";

const [file = "", start = "", digit = ""] = Deno.args;
await Deno.writeTextFile(`${start}.${digit}`, "");
while (true) {
  try {
    Deno.statSync(start);
    break;
  } catch {
    // The start file does not exist yet.
  }
}
const store = openStore(file, testVault);
await addCustomer(store, digit);
await store.close();
