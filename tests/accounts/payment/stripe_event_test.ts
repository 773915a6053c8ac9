// Events of several Stripe API versions are parsed.
import assert from "node:assert/strict";
import { parseStripeEvent } from "../../../src/accounts/payment/stripe_event.ts";
import type { PaymentFact } from "../../../src/domain/customer/payment.ts";
import {
  type ApiVersion,
  checkoutSession,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from "../../support/peers/stripe.ts";

const VERSIONS: readonly ApiVersion[] = ["2020-08-27", "2024-06-20", "2025-03-31.basil"];

const read = (type: string, object: Record<string, unknown>) =>
  parseStripeEvent(JSON.parse(stripeEvent({ id: "evt_1", type, created: 1_785_578_400, object })), 5);

/** Returns the fact of an event, or the note if the event has no fact. */
function factOf(type: string, object: Record<string, unknown>): PaymentFact | string {
  const reading = read(type, object);
  assert.ok(reading.kind === "event", reading.kind);
  return reading.event.fact ?? reading.event.note ?? "";
}

function kindOf<K extends PaymentFact["kind"]>(kind: K, type: string, object: Record<string, unknown>) {
  const fact = factOf(type, object);
  assert.ok(typeof fact === "object" && fact.kind === kind, JSON.stringify(fact));
  return fact as Extract<PaymentFact, { kind: K }>;
}

Deno.test("parseStripeEvent() reads payer, subscription and time", () => {
  const reading = read("customer.subscription.updated", stripeSubscription("active", "price_team"));
  assert.deepEqual(reading, {
    kind: "event",
    livemode: false,
    event: {
      id: "evt_1",
      type: "customer.subscription.updated",
      createdAtMs: 1_785_578_400_000,
      receivedAtMs: 5,
      payer: "cus_NffrFeUfNV2Hib",
      subscription: "sub_1MowQVLkdIwHu7ix",
      fact: {
        kind: "subscription",
        status: "active",
        deleted: false,
        prices: ["price_team"],
        invoice: "in_1",
      },
      note: null,
    },
  });
});

Deno.test("parseStripeEvent() reads subscriptions and invoices of every API version", () => {
  for (const version of VERSIONS) {
    const subscription = factOf(
      "customer.subscription.created",
      stripeSubscription("past_due", "p", version),
    );
    assert.deepEqual(subscription, {
      kind: "subscription",
      status: "past_due",
      deleted: false,
      prices: ["p"],
      invoice: "in_1",
    }, version);
    const reading = read("invoice.payment_failed", stripeInvoice("p", version));
    assert.ok(reading.kind === "event");
    assert.equal(reading.event.subscription, "sub_1MowQVLkdIwHu7ix", version);
    assert.deepEqual(reading.event.fact, { kind: "invoice", paid: false, prices: ["p"], invoice: "in_1" });
  }
});

Deno.test("parseStripeEvent() reads expanded objects and legacy plans", () => {
  const expanded = {
    ...stripeSubscription("active", "x"),
    customer: { id: "cus_1", object: "customer" },
    latest_invoice: { id: "in_9" },
    items: { data: [{ plan: { id: "plan_old" } }, { price: { id: "price_b" } }, {}] },
  };
  const reading = read("customer.subscription.updated", expanded);
  assert.ok(reading.kind === "event" && reading.event.fact?.kind === "subscription");
  assert.equal(reading.event.payer, "cus_1");
  const { prices, invoice } = reading.event.fact;
  assert.deepEqual([prices, invoice], [["plan_old", "price_b"], "in_9"]);
  const single = { ...stripeSubscription("active", "x"), items: undefined, plan: { id: "plan_one" } };
  assert.deepEqual(kindOf("subscription", "customer.subscription.updated", single).prices, ["plan_one"]);
});

Deno.test("parseStripeEvent() ignores prorations when reading an invoice's price", () => {
  const line = (price: string, proration: boolean) => ({ price: { id: price }, proration });
  const lines = { data: [line("price_old", true), line("price_new", false)] };
  const object = stripeInvoice("x", "2024-06-20", { lines });
  assert.deepEqual(kindOf("invoice", "invoice.paid", object).prices, ["price_new"]);
});

Deno.test("parseStripeEvent() detects a paid checkout", () => {
  const rows: [type: string, status: string, paid: boolean][] = [
    ["completed", "paid", true],
    ["completed", "no_payment_required", true],
    ["completed", "unpaid", false],
    ["async_payment_succeeded", "paid", true],
    ["async_payment_succeeded", "unpaid", true],
    ["async_payment_failed", "unpaid", false],
  ];
  for (const [type, payment_status, paid] of rows) {
    const fact = factOf(`checkout.session.${type}`, checkoutSession({ payment_status }));
    assert.deepEqual(fact, { kind: "checkout", paid, email: "ana@firm.example", language: "de" }, type);
  }
});

Deno.test("parseStripeEvent() uses the checkout's language, or the language of the buyer's country", () => {
  const rows: [locale: string | null, country: string | null, language: string][] = [
    ["de", "US", "de"],
    ["fr-CA", "US", "fr"],
    ["en-GB", "DE", "en"],
    ["it", "DE", "en"],
    ["auto", "AT", "de"],
    [null, "FR", "fr"],
    ["auto", "CH", "en"],
    [null, null, "en"],
  ];
  for (const [locale, country, language] of rows) {
    const customer_details = { email: "a@b.example", address: { country } };
    const session = checkoutSession({ locale, customer_details });
    const fact = kindOf("checkout", "checkout.session.completed", session);
    assert.equal(fact.language, language, `${locale} ${country}`);
  }
});

Deno.test("parseStripeEvent() accepts only valid email addresses that cannot inject headers", () => {
  const rows: [details: unknown, customerEmail: unknown, expected: string | null][] = [
    ["ana@firm.example\r\nBcc: all@firm.example", null, null],
    ["ana@firm.example\nX: y", "eve@firm.example", "eve@firm.example"],
    ['"ana <x@y.example>, eve"@firm.example', null, null],
    ["ana@firm.example, eve@firm.example", null, null],
    ["<ana@firm.example>", null, null],
    ["no address", null, null],
    [null, null, null],
    [{}, 5, null],
    ["jürgen+feed@bücher.example", null, "jürgen+feed@bücher.example"],
  ];
  for (const [email, customer_email, expected] of rows) {
    const session = checkoutSession({ customer_details: { email }, customer_email });
    const fact = kindOf("checkout", "checkout.session.completed", session);
    assert.equal(fact.email, expected, JSON.stringify(email));
  }
});

Deno.test("parseStripeEvent() returns a note if an event has no effect", () => {
  const completed = "checkout.session.completed";
  const rows: [type: string, object: Record<string, unknown>, note: RegExp][] = [
    [completed, checkoutSession({ mode: "payment", subscription: null }), /without a subscription/],
    [completed, checkoutSession({ customer: null }), /without a customer/],
    ["customer.subscription.updated", stripeSubscription("dancing", "p"), /unknown status: dancing/],
    ["customer.subscription.updated", { status: "active" }, /without a customer/],
    ["invoice.paid", stripeInvoice("p", "2024-06-20", { subscription: null }), /without a subscription/],
    ["invoice.paid", {}, /without a subscription/],
  ];
  for (const [type, object, note] of rows) assert.match(String(factOf(type, object)), note, type);
  const ended = stripeSubscription("dancing", "p");
  assert.ok(kindOf("subscription", "customer.subscription.deleted", ended).deleted);
});

Deno.test("parseStripeEvent() recognises other event types and invalid events", () => {
  const other = parseStripeEvent({ id: "evt_1", type: "charge.refunded", livemode: true, created: 1 }, 0);
  assert.deepEqual(other, { kind: "unknown_type", id: "evt_1", type: "charge.refunded", livemode: true });
  for (const type of ["constructor", "__proto__", "toString"]) {
    const reading = parseStripeEvent({ id: "evt_1", type, livemode: true, created: 1 }, 0);
    assert.equal(reading.kind, "unknown_type", type);
  }
  const rows: [body: unknown, problem: RegExp][] = [
    [null, /not a Stripe event/],
    [[], /not a Stripe event/],
    ["evt_1", /not a Stripe event/],
    [{ type: "invoice.paid", livemode: true, created: 1 }, /not a Stripe event/],
    [{ id: "evt_1", type: "invoice.paid", created: 1 }, /not a Stripe event/],
    [{ id: "x".repeat(300), type: "invoice.paid", livemode: true }, /not a Stripe event/],
    ...["1", 1.5e300, 9e12, -1, 1.5].map((created): [unknown, RegExp] => [
      { id: "evt_1", type: "invoice.paid", livemode: true, created },
      /created is not a valid time/,
    ]),
    [{ object: "v2.core.event", id: "evt_1", type: "v1.billing.meter.error" }, /thin event: .*Snapshot/],
  ];
  for (const [body, problem] of rows) {
    const reading = parseStripeEvent(body, 0);
    assert.ok(reading.kind === "unreadable", JSON.stringify(body));
    assert.match(reading.problem, problem);
  }
});
