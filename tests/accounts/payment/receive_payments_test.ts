// POST /v1/webhooks/payment: which events are rejected, what the others change, and that each takes effect once.
import assert from "node:assert/strict";
import {
  checkoutSession,
  postStripe,
  sendStripe,
  stripeEvent,
  stripeInvoice,
  stripeSignature,
  stripeSubscription,
} from "../../support/peers/stripe.ts";
import { createPayments } from "../../../src/accounts/payment/receive_payments.ts";
import { createApp } from "../../../src/app.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { testVault } from "../../support/vault.ts";
import { PAYMENT_CONFIG, STRIPE_SECRET } from "../../support/samples.ts";
import { createWorld, START_MS, withWorld as createdWorld, type World } from "../../support/world.ts";
import { TEMPORARY } from "../../support/temporary.ts";

const DAY = 86_400_000;
const SECONDS = START_MS / 1_000;

const withWorld = (work: (world: World) => Promise<void>, config = PAYMENT_CONFIG) =>
  createdWorld(config, work);

const event = (id: string, type: string, object: Record<string, unknown>, created = SECONDS): string =>
  stripeEvent({ id, type, created, object });

const checkout = (id = "evt_checkout", change: Record<string, unknown> = {}): string =>
  event(id, "checkout.session.completed", checkoutSession(change));

const state = (id: string, status: string, price: string, created = SECONDS): string =>
  event(id, "customer.subscription.updated", stripeSubscription(status, price), created);

/** Sends the events of a customer who has paid for the tier `team`. */
const startTeam = async (world: World): Promise<void> => {
  for (const body of [checkout(), state("evt_1", "active", "price_team")]) await sendStripe(world, body);
};

const tierOf = async ({ store }: World) => (await store.listCustomers())[0]?.customer.tier;

const accessLines = ({ platform }: World) =>
  platform.lines.filter(({ message }) => message.startsWith("access"));

const warnings = (world: World): string =>
  world.platform.lines.filter(({ level }) => level === "warn").map((line) => JSON.stringify(line)).join("\n");

Deno.test("a paid checkout creates the customer, and its price determines the tier", () =>
  withWorld(async (world) => {
    const unpaid = checkout("evt_1", { payment_status: "unpaid" });
    assert.equal((await sendStripe(world, unpaid)).json.outcome, "waiting");
    assert.deepEqual(await world.store.listCustomers(), []);
    const paid = event("evt_2", "checkout.session.async_payment_succeeded", checkoutSession());
    const reply = await sendStripe(world, paid);
    assert.deepEqual([reply.status, reply.json.received, reply.json.outcome], [200, true, "applied"]);
    await sendStripe(world, state("evt_state", "active", "price_team"));
    const customers = await world.store.listCustomers();
    assert.deepEqual(customers.map(({ customer: { email, tier, enabled } }) => [email, tier, enabled]), [
      ["ana@firm.example", "team", true],
    ]);
  }));

Deno.test("checkouts by two payers with the same email address create two customers; two checkouts by one payer create one", () =>
  withWorld(async (world) => {
    await sendStripe(world, checkout("evt_1"));
    await sendStripe(world, checkout("evt_2", { subscription: "sub_2" }));
    assert.equal((await world.store.listCustomers()).length, 1);
    await sendStripe(world, checkout("evt_3", { customer: "cus_other", subscription: "sub_3" }));
    assert.equal((await world.store.listCustomers()).length, 2);
  }));

Deno.test("an invalid signature gets 400, and the log contains the likely cause and no secret", () =>
  withWorld(async (world) => {
    const body = checkout();
    const reply = await sendStripe(world, body, await stripeSignature(body, START_MS, "whsec_another"));
    assert.deepEqual([reply.status, reply.json.code], [400, "invalid_signature"]);
    assert.match(warnings(world), /belongs to another endpoint/);
    const signature = await stripeSignature(body, START_MS);
    assert.equal((await sendStripe(world, body.replace("9900", "9901"), signature)).status, 400);
    const unsigned = await world.ask("/v1/webhooks/payment", { method: "POST", body });
    assert.equal(unsigned.status, 400);
    assert.ok(!JSON.stringify(world.platform.lines).includes(STRIPE_SECRET));
    assert.deepEqual(await world.store.listPayments({ limit: 9 }), []);
  }));

Deno.test("events of the other mode get 400, and the response names the config key", () =>
  withWorld(async (world) => {
    const live = stripeEvent({
      id: "evt_live",
      type: "invoice.paid",
      created: SECONDS,
      object: stripeInvoice("price_team"),
      livemode: true,
    });
    const reply = await sendStripe(world, live);
    assert.deepEqual([reply.status, reply.json.code], [400, "invalid_input"]);
    assert.match(reply.json.detail, /is true, but .*payment\.livemode = false/);
    assert.match(warnings(world), /wrong mode/);
  }));

Deno.test("other event types get 200 and are not stored; a signed body that is not an event gets 400", () =>
  withWorld(async (world) => {
    assert.equal((await sendStripe(world, event("evt_1", "charge.refunded", {}))).json.outcome, "ignored");
    assert.deepEqual(await world.store.listPayments({ limit: 9 }), []);
    for (const body of ["", "no json", "null", "[]", '{"id":5}', "\u{1f600}", `${"[".repeat(50_000)}`]) {
      const reply = await sendStripe(world, body);
      assert.deepEqual([reply.status, reply.json.code], [400, "invalid_input"], body.slice(0, 9));
    }
  }));

Deno.test("an invoice with a thousand lines is accepted, a longer body gets 413, and a form gets 415", () =>
  withWorld(async (world) => {
    const lines = {
      data: Array.from({ length: 1_000 }, () => ({ price: { id: "price_team" }, proration: false })),
    };
    const object = stripeInvoice("x", "2024-06-20", { lines, note: "x".repeat(700_000) });
    assert.equal((await sendStripe(world, event("evt_1", "invoice.paid", object))).status, 200);
    const tooLong = event("evt_2", "x", { note: "x".repeat(1_100_000) });
    assert.equal((await sendStripe(world, tooLong)).status, 413);
    const form = await world.ask("/v1/webhooks/payment", {
      method: "POST",
      body: "a=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(form.status, 415);
  }));

Deno.test("without [payment] in the config the path gets 404", () =>
  withWorld(async ({ app }) => {
    const request = new Request("http://regfeed.example/v1/webhooks/payment", { method: "POST", body: "{}" });
    const response = await app.fetch(request);
    assert.equal(response.status, 404);
    assert.equal((await response.json()).code, "not_found");
  }, ""));

Deno.test("a price without a tier keeps the current tier, and appears in log and health until it is configured", async () => {
  const world = await createWorld(PAYMENT_CONFIG);
  const health = async () => {
    await world.platform.clock.advance(2_000);
    const { json } = await world.ask("/v1/health");
    return [json.status, json.payments.unknown_prices];
  };
  await startTeam(world);
  await sendStripe(world, state("evt_2", "active", "price_new", SECONDS + 5));
  assert.equal(await tierOf(world), "team");
  assert.match(warnings(world), /price without a tier.*"price":"price_new"/);
  assert.deepEqual(await health(), ["degraded", 1]);
  const withPrice = PAYMENT_CONFIG.replace("prices = {", 'prices = { "price_new" = "gpai",');
  const restarted = await createWorld(withPrice, { store: world.store });
  await restarted.app.tick();
  assert.equal(await tierOf(world), "gpai", "at the start, without a new event");
  assert.equal((await world.store.accountHealth()).unknownPrices, 0);
  await world.close();
});

Deno.test("access ends after the grace period, returns with a payment, and ends with the subscription", () =>
  withWorld(async (world) => {
    const { platform: { clock, mailer }, store } = world;
    const logged = () =>
      accessLines(world).map(({ level, message, fields }) => `${level} ${message} ${fields["customer"]}`);
    await startTeam(world);
    const [{ customer: { id } } = { customer: { id: "" } }] = await store.listCustomers();
    await world.app.tick();
    await sendStripe(world, state("evt_2", "past_due", "price_team", SECONDS + 1));
    const enabled = async () => (await store.findCustomer(id))?.enabled;
    clock.set(START_MS + 14 * DAY);
    await world.app.tick();
    assert.deepEqual([logged(), await enabled()], [[], true], "within the grace period");
    clock.set(START_MS + 14 * DAY + 1_000);
    await world.app.tick();
    assert.equal(await enabled(), false);
    const end = `warn access ended: not paid ${id}`;
    assert.deepEqual(logged(), [end]);
    await sendStripe(world, state("evt_3", "active", "price_team", SECONDS + 15 * 86_400));
    const back = `info access restored: payment received ${id}`;
    assert.deepEqual([logged(), await enabled()], [[end, back], true]);
    const gone = state("evt_4", "canceled", "price_team", SECONDS + 15 * 86_400 + 9);
    await sendStripe(world, gone.replace("subscription.updated", "subscription.deleted"));
    assert.deepEqual(logged(), [end, back, end]);
    await world.app.tick();
    assert.deepEqual(mailer.taken.map(({ subject }) => subject), [
      "Ihr API-Schlüssel",
      "Ihre Zahlung ist fehlgeschlagen",
      "Ihr Zugang ist beendet",
      "Ihr Abonnement ist beendet",
    ]);
    await clock.advance(DAY);
    await world.app.tick();
    assert.equal(mailer.taken.length, 4, "once");
  }));

Deno.test("an event that reaches two servers on one store concurrently takes effect once, and stores no key", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-two-" });
  const stores = [1, 2].map(() => openStore(`${folder}/regfeed.db`, testVault));
  const [store, other] = stores;
  assert.ok(store !== undefined && other !== undefined);
  try {
    const world = await createWorld(PAYMENT_CONFIG, { store });
    const { config, platform } = world;
    const second = createApp({ config, platform, store: other, version: "0.0.0-test" });
    const hostile = { email: "ana@firm.example", name: "Ana\r\nBcc: eve@evil.example <script>" };
    const body = checkout("evt_1", { customer_details: hostile });
    const signature = await stripeSignature(body, platform.clock.nowMs());
    const apps = [world.app, second, world.app, second];
    const statuses = await Promise.all(apps.map((app) => postStripe(app, body, signature)));
    assert.deepEqual(statuses, [200, 200, 200, 200]);
    await platform.clock.advance(30_000);
    await Promise.all([world.app.tick(), second.tick()]);
    assert.equal((await store.listCustomers()).length, 1);
    const [mail, ...more] = platform.mailer.taken;
    assert.deepEqual([mail?.to, more.length], ["ana@firm.example", 0]);
    assert.doesNotMatch(JSON.stringify(mail), /evil|script/);
    const [key = ""] = /rgf_[0-9a-f]{64}/.exec(mail?.text ?? "") ?? [];
    assert.equal(key.length, 68);
    for (const { name } of Deno.readDirSync(folder)) {
      const bytes = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
      for (const secret of [key, STRIPE_SECRET]) assert.ok(!bytes.includes(secret), name);
    }
  } finally {
    for (const one of stores) await one.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("access restored by a longer grace period is not logged as paid", () =>
  withWorld(async (world) => {
    await startTeam(world);
    await sendStripe(world, state("evt_2", "past_due", "price_team", SECONDS + 1));
    await world.platform.clock.advance(20 * DAY);
    await world.app.tick();
    const { platform, store, newId, config } = world;
    assert.ok(config.payment !== null);
    const log = platform.log("payment");
    const given = { ...config.payment, store, clock: platform.clock, newId, log, tiers: config.tiers };
    await createPayments({ ...given, graceMs: 40 * DAY }).reviewAll();
    assert.deepEqual(accessLines(world).map(({ message }) => message), [
      "access ended: not paid",
      "access restored: within the grace period",
    ]);
  }));
