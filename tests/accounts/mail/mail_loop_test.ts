// The mail loop: keys that exist only in the email, retries over days, and what the operator sees.
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
} from "../../support/peers/stripe.ts";
import { testVault } from "../../support/vault.ts";
import { START_MS, withWorld, type World } from "../../support/world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

const subjects = ({ platform }: World): string[] => platform.mailer.taken.map(({ subject }) => subject);

const by = (world: World) => ({ ...BY, atMs: world.platform.clock.nowMs() });

/** Advances the clock hour by hour, and does the due work each time. */
async function passHours(world: World, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    await world.app.tick();
    await world.platform.clock.advance(HOUR);
  }
}

/** Returns a function that enables or disables the only customer. */
async function enabling(world: World): Promise<(enabled: boolean) => Promise<unknown>> {
  const id = (await world.store.listCustomers())[0]?.customer.id ?? "";
  return (enabled) => world.store.changeCustomer(id, { enabled }, by(world));
}

const PAYMENT_FAILED = stripeEvent({
  id: "evt_2",
  type: "invoice.payment_failed",
  created: START_MS / 1_000 + 9,
  object: stripeInvoice("price_team"),
});

const logOf = (world: World): string => JSON.stringify(world.platform.lines);

Deno.test("after a payment, the key in the welcome email works at once", () =>
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
    await world.platform.clock.advance(HOUR);
    await passHours(world, 2);
    assert.equal(new Set(seen).size, 3);
    assert.equal(new Set(ids).size, 3, "mail programs must not treat one email as a copy of another");
    const statuses = await Promise.all(
      seen.map(async (key) => (await world.ask("/v1/events", { key })).status),
    );
    assert.deepEqual(statuses, [401, 401, 200]);
  }));

Deno.test("only the email contains the key in plain text, not the database, its WAL, the log or other files of the outbox", () =>
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
      world.platform.mailer.isOutbox = toOutbox.isOutbox ?? assert.fail();
      await world.app.tick();
      await world.platform.clock.advance(120_000);
      await world.app.tick();
      assert.equal(keys.length, 2);
      assert.ok(lines.length > 0);
      assert.match(logOf(world), /"mail written to the outbox"/);
      const searched: string[] = [];
      for (const name of ["regfeed.db", "regfeed.db-wal", "regfeed.db-shm"]) {
        searched.push(new TextDecoder("latin1").decode(await Deno.readFile(join(folder, name))));
      }
      assert.ok(searched.join("").includes("ana@firm.example"), "the search can find stored data");
      const [queued] = await mails(world);
      searched.push(logOf(world), JSON.stringify([queued, await store.listAudit({ limit: 99 })]));
      for (const key of keys) {
        for (const text of searched) {
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

Deno.test("an email that cannot be sent fails after days, appears in health and log, and is sent by a manual retry", () =>
  withPaid(async (world) => {
    const ids: string[] = [];
    world.platform.mailer.answer = ({ id }) => {
      ids.push(id);
      throw new MailError("the mail server refuses the connection", false);
    };
    await passHours(world, 24 * 5);
    const [mail] = await mails(world);
    assert.deepEqual([mail?.status, mail?.attempts], ["failed", 10]);
    assert.ok((mail?.finishedAtMs ?? 0) - START_MS > 3 * DAY);
    const { json } = await world.ask("/v1/health");
    assert.deepEqual([json.status, json.mails], ["degraded", { queued: 0, failed: 1 }]);
    assert.match(logOf(world), /mail not sent, giving up/);
    assert.doesNotMatch(logOf(world), /ana@firm/, "the log contains no email address");
    world.platform.mailer.answer = ({ id }) => void ids.push(id);
    await world.store.retryMail(mail?.id ?? "", by(world));
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 1);
    assert.equal(new Set(ids).size, 11, "the retry has a new id too: one of the ten may have arrived");
  }));

Deno.test("a welcome email to a disabled customer waits without degrading health, and is sent when the customer is enabled", () =>
  withPaid(async (world) => {
    const enable = await enabling(world);
    await enable(false);
    await passHours(world, 24 * 5);
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

Deno.test("a cancelled welcome email is not sent when the customer is enabled, unless it is retried", () =>
  withPaid(async (world) => {
    const enable = await enabling(world);
    await enable(false);
    await passHours(world, 24);
    await world.store.cancelMail((await mails(world))[0]?.id ?? "", by(world));
    await enable(true);
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 0);
    await enable(false);
    await world.store.retryMail((await mails(world))[0]?.id ?? "", by(world));
    await world.app.tick();
    await enable(true);
    await world.app.tick();
    assert.equal(world.platform.mailer.taken.length, 1);
  }));

Deno.test("a permanently rejected address is not retried", () =>
  withPaid(async (world) => {
    world.platform.mailer.answer = () => {
      throw new MailError("the mail server refuses the email address (550)", true);
    };
    await world.app.tick();
    assert.deepEqual((await mails(world)).map(({ status, attempts }) => [status, attempts]), [["failed", 1]]);
  }));

Deno.test("a mail server that never responds fails one attempt, and does not delay other emails", () =>
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

Deno.test("a customer without an email address appears in the log and in health", () =>
  withWorld(PAYMENT_CONFIG, async (world) => {
    const { mailer } = world.platform;
    const details = { customer_details: { email: "x\r\nBcc: y@z.example" }, customer_email: null };
    const object = checkoutSession(details);
    const body = stripeEvent({ id: "evt_1", type: "checkout.session.completed", created: 1, object });
    assert.equal((await sendStripe(world, body)).json.outcome, "applied");
    assert.equal((await sendStripe(world, BOUGHT)).json.outcome, "applied");
    await world.app.tick();
    assert.deepEqual(mailer.taken, []);
    assert.deepEqual((await mails(world)).map(({ status, problem }) => [status, problem]), [
      ["failed", "the customer has no email address"],
    ]);
    assert.match(logOf(world), /the checkout has no valid email address/);
    const change = { ...by(world), tiers: world.config.tiers, newMailId: () => "mail_x" };
    const [row] = await world.store.listCustomers();
    await world.store.changeCustomer(row?.customer.id ?? "", { email: "ana@found.example" }, change);
    await world.app.tick();
    assert.deepEqual(mailer.taken.map(({ to }) => to), ["ana@found.example"]);
    assert.equal((await world.ask("/v1/health")).json.mails.failed, 0);
    await sendStripe(world, PAYMENT_FAILED);
    const [kept] = await world.store.listCustomers();
    assert.equal(kept?.customer.email, "ana@found.example", "the email address set by the operator is kept");
  }));

Deno.test("a welcome email waits briefly for the tier that was bought; a later tier is announced in another email", () =>
  withWorld(PAYMENT_CONFIG, async (world) => {
    const { mailer } = world.platform;
    await sendStripe(world, CHECKOUT);
    await world.platform.clock.advance(5_000);
    await world.app.tick();
    assert.deepEqual(subjects(world), [], "the price has not arrived");
    await sendStripe(world, BOUGHT);
    await world.app.tick();
    assert.match(mailer.taken[0]?.text ?? "", /Ihr\sTarif\sist\steam:\s10\.000\sAnfragen/);
    const other = (body: string) => body.replaceAll('"evt_', '"evt_x').replaceAll("cus_Nff", "cus_Xff");
    await sendStripe(world, other(CHECKOUT));
    await world.platform.clock.advance(30_000);
    await world.app.tick();
    assert.match(mailer.taken[1]?.text ?? "", /Ihr\sTarif\sist\sindie:\s.*\s1\saktives\sAbonnement\./s);
    await sendStripe(world, other(BOUGHT));
    await world.app.tick();
    assert.deepEqual(subjects(world), ["Ihr API-Schlüssel", "Ihr API-Schlüssel", "Ihr Tarif ist jetzt team"]);
  }));

Deno.test("the contents of an email are deleted long after it was sent; its record is kept", () =>
  withPaid(async (world) => {
    await world.app.tick();
    await sendStripe(world, PAYMENT_FAILED);
    await world.app.tick();
    const [mail] = await mails(world);
    assert.deepEqual([mail?.kind, mail?.status], ["payment-failed", "sent"]);
    assert.equal(await world.store.blankMails({ finishedUntilMs: START_MS - 1, limit: 9 }), 0);
    await world.platform.clock.advance(90 * DAY);
    await world.app.tick();
    const blanked = await world.store.blankMails({ finishedUntilMs: START_MS + DAY, limit: 9 });
    assert.equal(blanked, 0, "the contents have been deleted");
    await sendStripe(world, PAYMENT_FAILED.replace("evt_2", "evt_3"));
    assert.equal(subjects(world).filter((subject) => /fehlgeschlagen/.test(subject)).length, 1);
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
