// A process that records, matches and delivers events until it is killed, and reports each step. Argument: FILE.
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { addSubscriber, anEvent, claimAll, finished, matchAll, publish } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";

const store = openStore(Deno.args[0] ?? "", testVault);
const say = (text: string): void => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
await addSubscriber(store);
for (let number = 1;; number++) {
  const id = `evt_${number}`;
  await publish(store, [anEvent(id, { summary_en: "word ".repeat(200) })]);
  say(`stored ${id}`);
  await matchAll(store);
  say(`matched ${id}`);
  const claimed = await claimAll(store);
  await store.finishAttempts(claimed.map((delivery) => finished(delivery, { kind: "delivered" })), 0);
  say(`delivered ${id}`);
}
