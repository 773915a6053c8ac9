// A process that delivers in many transactions at once, written through by another thread, and says of each delivery
// that is recorded so, until it is killed: FILE ROUND.
import { openWritten } from "../../src/platform/database_files.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { addCustomer, anEvent, claimAll, finished, matchAll, publish, subscribe } from "./contract/given.ts";
import { testVault } from "../support/vault.ts";

/** Deliveries made at once, and those of them that are recorded in one transaction. */
const DELIVERIES = 12;
const TOGETHER = 3;

const [file = "", round = "0"] = Deno.args;
const store = openStore(file, testVault, openWritten);
const say = (text: string): void => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
if (round === "0") {
  await addCustomer(store);
  await subscribe(store, "sub_1");
}
for (let turn = 0;; turn++) {
  const ids = Array.from({ length: DELIVERIES }, (_, at) => `evt_${round}_${turn}_${at}`);
  await publish(store, ids.map((id) => anEvent(id, { external_id: id, summary_en: "word ".repeat(200) })));
  while (await matchAll(store, { limit: DELIVERIES }) > 0);
  for (const id of ids) say(`matched ${id}`);
  const claimed = await claimAll(store);
  const recorded: Promise<void>[] = [];
  for (let at = 0; at < claimed.length; at += TOGETHER) {
    const some = claimed.slice(at, at + TOGETHER);
    recorded.push(
      store.finishAttempts(some.map((one) => finished(one, { kind: "delivered" })), 0)
        .then(() => some.forEach(({ eventId }) => say(`delivered ${eventId}`))),
    );
  }
  await Promise.all(recorded);
}
