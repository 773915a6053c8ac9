// The mail loop: keys that exist only in the mail, retries over days, and what the operator sees.
import assert from "node:assert/strict";
import { join } from "node:path";
import { nextMailAttempt } from "../../../src/accounts/mail/mail_loop.ts";
import { type LogFields, MailError } from "../../../src/domain/ports/ports.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { createMailer } from "../../../src/platform/mail/mailer.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { BY } from "../../store/contract/given.ts";
import { withFolder } from "../../support/process.ts";
import { PAYMENT_CONFIG } from "../../support/samples.ts";
import {
  checkoutSession,
  sendStripe,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from "../../support/stripe.ts";
import { testVault } from "../../support/vault.ts";
import { createWorld, START_MS, withWorld, type World } from "../../support/world.ts";

const DAY = 86_400_000;

const CHECKOUT = stripeEvent({
  id: "evt_1",
  type: "checkout.session.completed",
  created: START_MS / 1_000,
  object: checkoutSession(),
});

const BOUGHT = stripeEvent({
  id: "evt_bought",
  type: "customer.subscription.created",
  created: START_MS / 1_000,
  object: stripeSubscription("active", "price_team"),
});

const withPaid = (work: (world: World) => Promise<void>, options: { store?: Store } = {}) =>
  withWorld(PAYMENT_CONFIG, async (world) => {
    for (const body of [CHECKOUT, BOUGHT]) assert.equal((await sendStripe(world, body)).status, 200);
    await work(world);
  }, options);

const keyIn = (text: string): string => /rgf_[0-9a-f]{64}/.exec(text)?.[0] ?? "";

const mails = async (world: World) => await world.store.listMails({ limit: 9 });

const logOf = (world: World): string => JSON.stringify(world.platform.lines);

Deno.test("after a payment, the key in the welcome mail works at once", () =>
  withPaid(async (world) => {
    await world.app.tick();
    const [mail, ...others] = world.platform.mailer.taken;
    assert.equal(others.length, 0);
    assert.deepEqual([mail?.to, mail?.replyTo, mail?.subject], [
      "ana@firm.example",
      "support@feed.example",
      "Ihr API-Schlüssel",
    ]);
    const key = keyIn(mail?.text ?? "");
    assert.equal((await world.ask("/v1/events", { key })).status, 200);
    assert.equal((await mails(world))[0]?.status, "sent");
    await world.platform.clock.advance(9 * DAY);
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 1, "once");
  }));

Deno.test("each attempt creates a new key that replaces the last; only the key that arrived works", () =>
  withPaid(async (world) => {
    const seen: string[] = [];
    const ids: string[] = [];
    world.platform.mailer.answer = (mail) => {
      seen.push(keyIn(mail.text));
      ids.push(mail.id);
      if (seen.length < 3) throw new MailError("the connection to the mail server was lost", false);
    };
    await world.app.tick();
    assert.deepEqual((await mails(world)).map(({ status, problem }) => [status, problem]), [
      ["queued", "the connection to the mail server was lost"],
    ]);
    for (let hour = 0; hour < 2; hour++) {
      await world.platform.clock.advance(3_600_000);
      await world.app.tick();
    }
    assert.equal(new Set(seen).size, 3);
    assert.equal(new Set(ids).size, 3, "no mail program takes one for a copy of another");
    const statuses = await Promise.all(
      seen.map(async (key) => (await world.ask("/v1/events", { key })).status),
    );
    assert.deepEqual(statuses, [401, 401, 200]);
  }));

Deno.test("only the mail contains the key in plain text, not the database, its WAL, the log or other files of the outbox", () =>
  withFolder(async (folder) => {
    const file = join(folder, "regfeed.db");
    const outbox = join(folder, "outbox");
    const store = openStore(file, testVault);
    const toOutbox = createMailer({ smtp: null, outbox });
    const keys: string[] = [];
    await withPaid(async (world) => {
      const lines: { level: string; fields: LogFields }[] = world.platform.lines;
      world.platform.mailer.answer = async (mail) => {
        keys.push(keyIn(mail.text));
        if (keys.length === 1) throw new MailError("refused", false);
        await toOutbox.send(mail, new AbortController().signal);
      };
      await world.app.tick();
      await world.platform.clock.advance(120_000);
      await world.app.tick();
      assert.equal(keys.length, 2);
      assert.ok(lines.length > 0);
      const looked: string[] = [];
      for (const name of ["regfeed.db", "regfeed.db-wal", "regfeed.db-shm"]) {
        looked.push(new TextDecoder("latin1").decode(await Deno.readFile(join(folder, name))));
      }
      assert.ok(looked.join("").includes("ana@firm.example"), "what is stored would be found");
      const [queued] = await mails(world);
      looked.push(logOf(world), JSON.stringify(queued), JSON.stringify(await store.listAudit({ limit: 99 })));
      for (const key of keys) {
        for (const text of looked) {
          assert.ok(!text.includes(key), "the key");
          assert.ok(!text.includes(key.slice(4)), "the key without its prefix");
          assert.ok(!text.includes(btoa(key).slice(4, -4)), "the key in base64");
        }
      }
      const files = [...Deno.readDirSync(outbox)].map(({ name }) => name);
      assert.equal(files.length, 1);
      assert.ok((await Deno.readTextFile(join(outbox, files[0] ?? ""))).includes(keys[1] ?? "?"));
    }, { store });
  }));

Deno.test("a mail that cannot be sent fails after days, shows in health and log, and is sent on a manual retry", () =>
  withPaid(async (world) => {
    const ids: string[] = [];
    world.platform.mailer.answer = ({ id }) => {
      ids.push(id);
      throw new MailError("the mail server refuses the connection", false);
    };
    let attempts = 0;
    for (let hour = 0; hour < 24 * 5; hour++) {
      await world.app.tick();
      await world.platform.clock.advance(3_600_000);
    }
    const [mail] = await mails(world);
    attempts = mail?.attempts ?? 0;
    assert.deepEqual([mail?.status, attempts], ["failed", 10]);
    assert.ok((mail?.finishedAtMs ?? 0) - START_MS > 3 * DAY);
    const { json } = await world.ask("/v1/health");
    assert.deepEqual([json.status, json.mails], ["degraded", { queued: 0, failed: 1 }]);
    assert.match(logOf(world), /mail not sent, giving up/);
    assert.doesNotMatch(logOf(world), /ana@firm/, "no address is in the log");
    world.platform.mailer.answer = ({ id }) => void ids.push(id);
    await world.store.retryMail(mail?.id ?? "", { actor: "cli:test", atMs: world.platform.clock.nowMs() });
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 1);
    assert.equal(new Set(ids).size, 11, "nor is it taken for a copy then: one of the ten may have arrived");
  }));

Deno.test("a welcome mail to a disabled customer waits without degrading health, and is sent when the customer is enabled", () =>
  withPaid(async (world) => {
    const [row] = await world.store.listCustomers();
    const id = row?.customer.id ?? "";
    const enable = (enabled: boolean) =>
      world.store.changeCustomer(id, { enabled }, { ...BY, atMs: world.platform.clock.nowMs() });
    await enable(false);
    for (let hour = 0; hour < 24 * 5; hour++) {
      await world.app.tick();
      await world.platform.clock.advance(3_600_000);
    }
    assert.equal(world.platform.mailer.taken.length, 0);
    assert.deepEqual((await world.ask("/v1/health")).json.mails, { queued: 0, failed: 0 });
    await enable(true);
    await world.app.tick();
    const [mail, ...others] = world.platform.mailer.taken;
    assert.equal(others.length, 0);
    assert.equal((await world.ask("/v1/events", { key: keyIn(mail?.text ?? "") })).status, 200);
    await enable(false);
    await enable(true);
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 1, "once");
  }));

Deno.test("a delayed welcome mail is sent at once when the customer is enabled, unless it was cancelled", () =>
  withPaid(async (world) => {
    const [row] = await world.store.listCustomers();
    const id = row?.customer.id ?? "";
    const by = () => ({ ...BY, atMs: world.platform.clock.nowMs() });
    await world.store.changeCustomer(id, { enabled: false }, by());
    for (let hour = 0; hour < 24; hour++) {
      await world.app.tick();
      await world.platform.clock.advance(3_600_000);
    }
    await world.store.cancelMail((await mails(world))[0]?.id ?? "", by());
    await world.store.changeCustomer(id, { enabled: true }, by());
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 0, "the operator has cancelled it");
    await world.store.changeCustomer(id, { enabled: false }, by());
    await world.store.retryMail((await mails(world))[0]?.id ?? "", by());
    await world.app.tick();
    await world.store.changeCustomer(id, { enabled: true }, by());
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 1);
  }));

Deno.test("a permanently rejected address is not retried", () =>
  withPaid(async (world) => {
    world.platform.mailer.answer = () => {
      throw new MailError("the mail server refuses the address (550)", true);
    };
    await world.app.tick();
    assert.deepEqual((await mails(world)).map(({ status, attempts }) => [status, attempts]), [["failed", 1]]);
  }));

Deno.test("a mail server that never responds ends one attempt and does not delay other mails", () =>
  withPaid(async (world) => {
    for (const [id, body] of [["evt_1", CHECKOUT], ["evt_bought", BOUGHT]] as const) {
      await sendStripe(world, body.replace(id, `${id}_too`).replaceAll("cus_Nff", "cus_Xff"));
    }
    let stuck = 0;
    world.platform.mailer.answer = () => stuck++ === 0 ? new Promise(() => {}) : undefined;
    const ticking = world.app.tick();
    for (let turn = 0; turn < 50 && stuck < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    await world.platform.clock.advance(61_000);
    await ticking;
    const states = (await mails(world)).map(({ status, problem }) => `${status} ${problem}`).sort();
    assert.deepEqual(states, ["queued the mail server did not respond in time", "sent null"]);
  }));

Deno.test("a customer without an email address shows in the log and in health", async () => {
  const world = await createWorld(PAYMENT_CONFIG);
  const nobody = checkoutSession({
    customer_details: { email: "x\r\nBcc: y@z.example" },
    customer_email: null,
  });
  const body = stripeEvent({ id: "evt_1", type: "checkout.session.completed", created: 1, object: nobody });
  assert.equal((await sendStripe(world, body)).json.outcome, "applied");
  assert.equal((await sendStripe(world, BOUGHT)).json.outcome, "applied");
  await world.app.tick();
  assert.deepEqual(world.platform.mailer.taken, []);
  assert.deepEqual((await mails(world)).map(({ status, problem }) => [status, problem]), [
    ["failed", "the customer has no email address"],
  ]);
  assert.match(logOf(world), /the checkout has no valid email address/);
  const by = { actor: "cli:test", atMs: START_MS, tiers: world.config.tiers, newMailId: () => "mail_x" };
  const [{ customer } = { customer: null }] = await world.store.listCustomers();
  await world.store.changeCustomer(customer?.id ?? "", { email: "ana@found.example" }, by);
  await world.app.tick();
  assert.deepEqual(world.platform.mailer.taken.map(({ to }) => to), ["ana@found.example"]);
  assert.equal((await world.ask("/v1/health")).json.mails.failed, 0);
  const failing = { id: "evt_2", type: "invoice.payment_failed", created: 2 };
  await sendStripe(world, stripeEvent({ ...failing, object: stripeInvoice("price_team") }));
  const [kept] = await world.store.listCustomers();
  assert.equal(kept?.customer.email, "ana@found.example", "what the operator has set stays");
  await world.close();
});

Deno.test("a welcome mail waits briefly for the tier that was bought; a later tier is announced in another mail", async () => {
  const world = await createWorld(PAYMENT_CONFIG);
  const subjects = () => world.platform.mailer.taken.map(({ subject }) => subject);
  try {
    await sendStripe(world, CHECKOUT);
    await world.platform.clock.advance(5_000);
    await world.app.tick();
    assert.deepEqual(subjects(), [], "the price is on its way");
    await sendStripe(world, BOUGHT);
    await world.app.tick();
    assert.match(world.platform.mailer.taken[0]?.text ?? "", /Ihr\sTarif\sist\steam:\s10\.000\sAnfragen/);
    const other = (body: string) => body.replaceAll('"evt_', '"evt_x').replaceAll("cus_Nff", "cus_Xff");
    await sendStripe(world, other(CHECKOUT));
    await world.platform.clock.advance(30_000);
    await world.app.tick();
    assert.match(
      world.platform.mailer.taken[1]?.text ?? "",
      /Ihr\sTarif\sist\sindie:\s.*\s1\saktives\sAbonnement\./s,
    );
    await sendStripe(world, other(BOUGHT));
    await world.app.tick();
    assert.deepEqual(subjects(), ["Ihr API-Schlüssel", "Ihr API-Schlüssel", "Ihr Tarif ist jetzt team"]);
  } finally {
    await world.close();
  }
});

Deno.test("the contents of a mail are deleted long after it was sent; its record is kept", () =>
  withPaid(async (world) => {
    await world.app.tick();
    const failing = { id: "evt_2", type: "invoice.payment_failed", created: START_MS / 1_000 + 9 };
    const failed = stripeEvent({ ...failing, object: stripeInvoice("price_team") });
    await sendStripe(world, failed);
    await world.app.tick();
    const told = async () => {
      const [mail] = await mails(world);
      return [mail?.kind, mail?.status];
    };
    assert.deepEqual(await told(), ["payment-failed", "sent"]);
    assert.equal(await world.store.blankMails({ finishedUntilMs: START_MS - 1, limit: 9 }), 0);
    await world.platform.clock.advance(90 * DAY);
    await world.app.tick();
    assert.equal(
      await world.store.blankMails({ finishedUntilMs: START_MS + DAY, limit: 9 }),
      0,
      "it is empty already",
    );
    await sendStripe(world, failed.replace("evt_2", "evt_3"));
    assert.equal(
      world.platform.mailer.taken.filter(({ subject }) => /fehlgeschlagen/.test(subject)).length,
      1,
    );
  }));

Deno.test("nextMailAttempt() retries for about three days with jitter, and then stops", () => {
  let nowMs = 0;
  let attempts = 0;
  for (let attempt = 1;; attempt++) {
    const [early, late] = [0, 0.999].map((fraction) => nextMailAttempt(attempt, nowMs, fraction));
    if (early === null || late === null || early === undefined || late === undefined) break;
    assert.ok(late > early && early > nowMs, String(attempt));
    nowMs = nextMailAttempt(attempt, nowMs, 0.5) ?? 0;
    attempts = attempt;
  }
  assert.equal(attempts, 9);
  assert.ok(nowMs > 3 * DAY && nowMs < 4 * DAY);
});
