// `customer show`, `customer erase`, `payment`, `mail` and `audit list`, as an operator uses them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Connection } from "../../../src/store/sqlite/connection/connection.ts";
import { createPayments } from "../../../src/store/sqlite/customers/payments.ts";
import { assertFails, regfeed, regfeedJson, withConfig } from "../../support/process.ts";
import { PAYMENT_CONFIG } from "../../support/samples.ts";
import { aPayment, aReview } from "../../store/contract/customers/given_payments.ts";

type Rows = Record<string, Record<string, unknown>[]>;

Deno.test("a customer is added, shown and erased, and the audit log does not contain its address", () =>
  withConfig(PAYMENT_CONFIG, async (folder) => {
    const added = ["customer", "add", "--email", "ana@b.example", "--tier", "embedded", "--requests", "77"];
    const { customer } = await regfeedJson<{ customer: { id: string } }>(folder, added);
    const shown = await regfeedJson<{ customer: { own_limits: unknown }; keys: unknown[] }>(
      folder,
      "customer show ana@b.example",
    );
    assert.deepEqual([shown.customer.own_limits, shown.keys.length], [{ api_requests_per_day: 77 }, 1]);
    assert.match(
      (await regfeed(folder, `customer show ${customer.id}`)).stdout,
      /^ {2}email +ana@b\.example$/m,
    );
    await regfeedJson(folder, `key rotate ${customer.id}`);
    const { mails } = await regfeedJson<Rows>(folder, "mail list");
    assert.deepEqual(mails?.map(({ kind, status }) => [kind, status]), [["key-rotated", "queued"]]);
    const mail = await regfeedJson<{ mail: unknown }>(folder, `mail show ${mails?.[0]?.["id"]}`);
    assert.deepEqual(mail, { mail: mails?.[0] });
    const text = (await regfeed(folder, `mail show ${mails?.[0]?.["id"]}`)).stdout;
    assert.match(text, new RegExp(`^  customer +${customer.id}\n  status +queued\n  attempts +0$`, "m"));
    const outbox = join(folder, "data", "outbox");
    await Deno.mkdir(outbox);
    const letters = [
      `${mails?.[0]?.["id"]}.eml`,
      `${mails?.[0]?.["id"]}.2.eml`,
      "mail_other.eml",
      "notes.txt",
    ];
    for (const name of letters) await Deno.writeTextFile(join(outbox, name), "To: ana@b.example");
    await assertFails(folder, `customer erase ${customer.id}`, 2, /add --yes to confirm/);
    await regfeedJson(folder, `customer erase ${customer.id} --yes`);
    assert.equal((await regfeed(folder, `customer erase ${customer.id} --yes`)).code, 1);
    const kept = [...Deno.readDirSync(outbox)].map(({ name }) => name).sort();
    assert.deepEqual(kept, ["mail_other.eml", "notes.txt"]);
    const listed = await regfeed(folder, "customer list");
    assert.match(listed.stdout, /^cus_\S+ +none +embedded +erased /m);
    assert.match((await regfeed(folder, `customer show ${customer.id}`)).stdout, /^ {2}email +erased$/m);
    const audit = await regfeed(folder, `audit list --customer ${customer.id}`);
    assert.match(audit.stdout, /tier: embedded, enabled: true, limits: api_requests_per_day 77/);
    for (const act of ["customer.erase", "key.rotate", "customer.add"]) {
      assert.ok(audit.stdout.includes(act), act);
    }
    assert.doesNotMatch(audit.stdout, /ana@b\.example/);
    for (const name of ["regfeed.db", "regfeed.db-wal"]) {
      const bytes = await Deno.readFile(join(folder, "data", name)).catch(() => new Uint8Array());
      assert.ok(!new TextDecoder("latin1").decode(bytes).includes("ana@b.example"), `${name} has data`);
    }
  }));

Deno.test("payment list escapes control characters in events; --json prints the original values", () =>
  withConfig(PAYMENT_CONFIG, async (folder) => {
    await regfeedJson(folder, "customer add --email bob@b.example");
    const connection = new Connection(join(folder, "data", "regfeed.db"));
    const id = "evt_\u001b[2J\u009b31m\u202e\nevt_forged";
    await createPayments(connection).recordPayment(
      aPayment(id, { type: "a\tb\u2028c", payer: "payer_\u001b]0;x\u0007" }),
      aReview(),
    );
    connection.close();
    for (const line of ["payment list", `payment show ${id}`]) {
      const { stdout } = await regfeed(folder, line);
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]|^evt_forged/m);
      assert.match(stdout, /evt_\[2J31m evt_forged/);
    }
    const { payments } = await regfeedJson<Rows>(folder, "payment list");
    assert.equal(payments?.[0]?.["id"], id);
  }));

Deno.test("payment events are listed, shown and applied again", () =>
  withConfig(PAYMENT_CONFIG, async (folder) => {
    await regfeedJson(folder, "customer add --email bob@b.example");
    assert.equal((await regfeed(folder, "payment list")).stdout, "no payment events\n");
    const connection = new Connection(join(folder, "data", "regfeed.db"));
    const store = createPayments(connection);
    await store.recordPayment(aPayment("evt_1"), aReview());
    await store.recordPayment(
      aPayment("evt_2", { payer: "payer_2", fact: null, note: "of nobody" }),
      aReview(),
    );
    const active = { kind: "subscription", status: "active", deleted: false, invoice: null } as const;
    const fact = { ...active, prices: ["price_gold"] };
    await store.recordPayment(
      aPayment("evt_3", { payer: "payer_3", fact }),
      aReview({ provision: false }),
    );
    connection.close();
    const { payments } = await regfeedJson<Rows>(folder, "payment list");
    assert.deepEqual(payments?.map(({ id, state, note }) => [id, state, note]), [
      ["evt_3", "waiting", null],
      ["evt_2", "ignored", "of nobody"],
      ["evt_1", "applied", null],
    ]);
    const shown = (await regfeed(folder, "payment show evt_1")).stdout;
    assert.match(shown, /^ {2}content +a paid checkout by ana@firm\.example\n {2}state +applied$/m);
    assert.match(shown, /^ {2}created +2026-07-20 12:00:00 UTC$/m);
    const priced = (await regfeed(folder, "payment show evt_3")).stdout;
    assert.match(priced, /^ {2}content +a paid subscription that is active, with the price price_gold$/m);
    assert.match(
      priced,
      /^ {2}price +price_gold is not in payment\.prices .*add it, then run\s+`regfeed payment replay EVENT`$/m,
    );
    assert.match((await regfeed(folder, "payment show evt_2")).stdout, /^ {2}state +ignored: of nobody$/m);
    const replayed = await regfeedJson<{ outcome: string }>(folder, "payment replay evt_1");
    assert.equal(replayed.outcome, "applied");
    const { customers } = await regfeedJson<Rows>(folder, "customer list");
    const paying = customers?.find(({ email }) => email === "ana@firm.example");
    assert.deepEqual([paying?.["disabled_by"], paying?.["erased_at"]], [null, null]);
    await regfeedJson(folder, "customer erase ana@firm.example --yes");
    const gone = await regfeed(folder, "payment replay evt_1");
    assert.deepEqual([gone.code, /belongs to an erased customer/.test(gone.stderr)], [1, true]);
    assert.match((await regfeed(folder, "payment list")).stdout, /^evt_1 .* erased +cus_\S+$/m);
    for (
      const line of ["payment show evt_9", "payment replay evt_9", "mail retry mail_9", "mail show mail_9"]
    ) {
      assert.equal((await regfeed(folder, line)).code, 1, line);
    }
    const wrong = await regfeed(folder, "mail list --status lost");
    assert.deepEqual([wrong.code, /queued, sent, failed, cancelled/.test(wrong.stderr)], [2, true]);
  }));
