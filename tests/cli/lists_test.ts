// Long lists are printed in pages.
import assert from "node:assert/strict";
import { join } from "node:path";
import { noteAct } from "../../src/store/sqlite/customers/audit.ts";
import { Connection } from "../../src/store/sqlite/connection/connection.ts";
import { queueMail } from "../../src/store/sqlite/customers/mails.ts";
import { createPayments } from "../../src/store/sqlite/customers/payments.ts";
import { assertFails, regfeed, regfeedJson, withFolder, writeConfig } from "../support/process.ts";
import { aPayment, aReview } from "../store/contract/customers/given_payments.ts";

const ROWS = 105;

/** Adds a customer with {@link ROWS} audit entries, payment events and emails; returns its id. */
async function fill(folder: string): Promise<string> {
  await writeConfig(folder, "");
  const { customer: { id } } = await regfeedJson<{ customer: { id: string } }>(
    folder,
    "customer add --email ana@b.example",
  );
  const connection = new Connection(join(folder, "data", "regfeed.db"));
  const payments = createPayments(connection);
  for (let n = 0; n < ROWS; n++) {
    const number = String(n).padStart(3, "0");
    // Some rows have the same time, as in a busy second.
    const atMs = 1_000 + Math.floor(n / 10);
    if (n > 0) noteAct(connection, { actor: "service", atMs }, "customer.change", id, { n });
    const event = { fact: null, payer: null, subscription: null, note: "of nobody", receivedAtMs: atMs };
    await payments.recordPayment(aPayment(`evt_${number}`, event), aReview());
    const mail = {
      kind: "key-rotated",
      customerId: id,
      data: { label: "default", lastFour: "abcd", oldUntilMs: null },
    } as const;
    queueMail(connection, { ...mail, id: `mail_${number}`, onceKey: number, atMs });
  }
  connection.close();
  return id;
}

Deno.test("lists name the next page, continue from it, and print everything with --json", () =>
  withFolder(async (folder) => {
    const id = await fill(folder);
    for (
      const [list, field, name] of [["audit", "audit", "seq"], ["payment", "payments", "id"], [
        "mail",
        "mails",
        "id",
      ]]
    ) {
      type Page = { next: string | null } & Record<string, Record<string, unknown>[]>;
      const args = [list ?? "", "list"];
      const page = async (...more: string[]) => {
        const { next, ...rest } = await regfeedJson<Page>(folder, [...args, ...more]);
        return { names: rest[field ?? ""]?.map((row) => String(row[name ?? ""])) ?? [], next };
      };
      const all = await page();
      assert.deepEqual([all.names.length, new Set(all.names).size, all.next], [ROWS, ROWS, null], list);
      const shown = await regfeed(folder, args);
      assert.equal(shown.stdout.trimEnd().split("\n").length, 101, "a header and a hundred rows");
      const next = /--before (\S+)`\. More rows/.exec(shown.stderr)?.[1] ?? "";
      assert.equal(next, all.names[99], shown.stderr);
      assert.deepEqual(await page("--before", next), { names: all.names.slice(100), next: null });
      assert.deepEqual(await page("--limit", "7", "--before", next), {
        names: all.names.slice(100, 105),
        next: null,
      });
      assert.deepEqual(await page("--limit", "2"), { names: all.names.slice(0, 2), next: all.names[1] });
      const whole = await regfeed(folder, [...args, "--limit", String(ROWS)]);
      assert.deepEqual([whole.stdout.trimEnd().split("\n").length, whole.stderr], [ROWS + 1, ""], list);
      for (const wrong of ["0", "x", "1.5"]) {
        assert.equal((await regfeed(folder, [...args, "--limit", wrong])).code, 2, `${list} ${wrong}`);
      }
    }
    const shown = await regfeed(folder, `customer show ${id}`);
    assert.match(shown.stdout, new RegExp(`^  older +95: .regfeed mail list --customer ${id}.$`, "m"));
    const { mails } = await regfeedJson<{ mails: unknown[] }>(folder, `customer show ${id}`);
    assert.equal(mails.length, ROWS);
    assert.equal((await regfeed(folder, "payment list --before evt_none")).code, 1);
    await assertFails(folder, "mail list --before mail_0", 1, /there is no email mail_0;/);
    assert.equal((await regfeed(folder, "audit list --before evt_none")).code, 2);
    assert.equal((await regfeed(folder, "audit list --act customer.added")).code, 2);
    const { audit } = await regfeedJson<{ audit: { act: string }[] }>(
      folder,
      "audit list --act customer.add,key.rotate --actor cli: --since 1d",
    );
    assert.deepEqual(audit.map(({ act }) => act), ["customer.add"]);
  }));
