// An erasure removes the data from the bytes of the database's files, even while another connection is open.
import assert from "node:assert/strict";
import { join } from "node:path";
import { copyDatabase } from "../../../../src/store/sqlite/connection/copy.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { createDatabaseFiles } from "../../../../src/platform/files/database_files.ts";
import { testVault } from "../../../support/vault.ts";
import { withFolder } from "../../../support/process.ts";
import { BY, claimAll, finished, publishMany, publishMatched, subscribe, T0 } from "../../contract/given.ts";
import { aPayment, aReview, aState } from "../../contract/customers/given_payments.ts";

const PERSONAL = [
  "ana.personal@firm.example",
  "ana.second@firm.example",
  "hooks.personal.example",
  "Ana Personal said no",
  "Ana Personal's team",
  "call Ana Personal first",
  "payer_personal",
  "paid_personal",
];

Deno.test("an erasure removes personal data from the database, its log and later copies", () =>
  withFolder(async (folder) => {
    const file = join(folder, "regfeed.db");
    const store = openStore(file, testVault);
    const other = openStore(file, testVault); // like a server that runs during the command
    const bytesOf = (name: string) => new TextDecoder("latin1").decode(Deno.readFileSync(join(folder, name)));
    try {
      const pay = (id: string, change: Parameters<typeof aPayment>[1] = {}) =>
        store.recordPayment(
          aPayment(id, { payer: "payer_personal", subscription: "paid_personal", ...change }),
          aReview({ nowMs: T0 }),
        );
      const language = "en";
      await pay("evt_1", { fact: { kind: "checkout", paid: true, email: PERSONAL[0] ?? "", language } });
      const [{ customer } = { customer: null }] = await store.listCustomers();
      const id = customer?.id ?? "";
      await store.changeCustomer(id, { tier: "team" }, BY);
      for (const at of [1, 2, 3]) {
        const webhookUrl = `https://hooks.personal.example/${at}`;
        const texts = { name: PERSONAL[4] ?? "", note: PERSONAL[5] ?? "" };
        await subscribe(store, `sub_${at}`, { customerId: id, webhookUrl, createdAtMs: T0 + at, ...texts });
      }
      await publishMatched(store, 1, 30);
      const failed = (await claimAll(other)).map((delivery) =>
        finished(delivery, { kind: "failed" }, {
          statusCode: 500,
          problem: "500",
          response: "Ana Personal said no",
        })
      );
      await other.finishAttempts(failed, T0);
      await store.changeCustomer(id, { tier: "indie" }, BY);
      for (const at of [1, 2, 3, 4, 5]) {
        await pay(`evt_9${at}`, { createdAtMs: T0 + at, fact: aState(at % 2 === 0 ? "active" : "past_due") });
      }
      await store.changeCustomer(id, { email: PERSONAL[1] ?? "" }, BY);
      await store.claimMails({ nowMs: T0, leaseMs: 1, limit: 9 });
      const before = bytesOf("regfeed.db") + bytesOf("regfeed.db-wal");
      assert.deepEqual(PERSONAL.filter((text) => !before.includes(text)), [], "the search can find the data");
      assert.equal(await store.eraseCustomer(id, { actor: "cli:ops", atMs: T0 + 9 }), true);
      await publishMany(other, 31, 40);
      const files = createDatabaseFiles();
      await copyDatabase(file, join(folder, "copy.db"), files);
      files.close();
      for (const { name } of Deno.readDirSync(folder)) {
        const bytes = bytesOf(name);
        assert.deepEqual(PERSONAL.filter((text) => bytes.includes(text)), [], name);
      }
    } finally {
      await store.close();
      await other.close();
    }
  }));
