// The tier and access of a payer do not depend on the order in which payment events arrive.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { evaluatePayer } from "../../../src/accounts/payment/payer_access.ts";
import type {
  PaymentEvent,
  PaymentFact,
  PaymentStatus,
  PaymentVerdict,
} from "../../../src/domain/customer/payment.ts";

const DAY = 86_400_000;
const T0 = Date.parse("2026-08-01T10:00:00Z");
const RULES = {
  prices: { price_indie: "indie", price_team: "team", price_gpai: "gpai" },
  graceMs: 14 * DAY,
} as const;

const STATUSES = "incomplete incomplete_expired trialing active past_due unpaid paused canceled".split(" ");

function factOf(what: string, price: string, invoice: string | undefined): PaymentFact {
  const prices = [`price_${price}`];
  if (what === "checkout" || what === "unpaid-checkout") {
    return { kind: "checkout", paid: what === "checkout", email: "ana@firm.example", language: "de" };
  }
  if (what === "paid" || what === "failed") {
    return { kind: "invoice", paid: what === "paid", prices, invoice: invoice ?? "in_1" };
  }
  if (what === "deleted") {
    return { kind: "subscription", status: "canceled", deleted: true, prices: [], invoice: null };
  }
  assert.ok(STATUSES.includes(what), what);
  const status = what as PaymentStatus;
  return { kind: "subscription", status, deleted: false, prices, invoice: invoice ?? null };
}

let count = 0;
const event = (day: number, fact: PaymentFact, subscription = "sub_1"): PaymentEvent => ({
  id: `evt_${++count}`,
  type: "x",
  createdAtMs: T0 + day * DAY,
  receivedAtMs: T0,
  payer: "cus_1",
  subscription,
  fact,
  note: null,
});

/**
 * Parses events such as `0 checkout, 0 active gpai, 30 failed in_2, 40 deleted sub_2`: the day, what happened, and
 * optionally a price, an invoice and a subscription.
 */
function eventsOf(text: string): PaymentEvent[] {
  return text.split(", ").map((one) => {
    const [day, what = "", ...more] = one.split(" ");
    const find = (pattern: RegExp) => more.find((word) => pattern.test(word));
    const fact = factOf(what, find(/^(?!in_|sub_)/) ?? "team", find(/^in_/));
    return event(Number(day), fact, find(/^sub_/));
  });
}

const judge = (events: readonly PaymentEvent[] | string, day: number) =>
  evaluatePayer(typeof events === "string" ? eventsOf(events) : events, RULES, T0 + day * DAY);

function short({ provision, tier, access, accessUntilMs, unknownPrice }: PaymentVerdict): string {
  const until = accessUntilMs === null ? "" : ` until ${(accessUntilMs - T0) / DAY}`;
  return `${provision ? "" : "no customer, "}${tier ?? "no tier"} ${access}${until}${
    unknownPrice === null ? "" : ` (${unknownPrice}?)`
  }`;
}

const ROWS: [name: string, events: string, day: number, expected: string][] = [
  ["a paid checkout alone", "0 checkout", 0, "no tier granted"],
  ["a checkout that is not paid yet", "0 unpaid-checkout", 0, "no customer, no tier granted"],
  ["a checkout that is paid later", "0 unpaid-checkout, 3 checkout", 3, "no tier granted"],
  ["a subscription without a checkout", "0 active", 0, "no customer, team granted"],
  ["the subscription's price", "0 checkout, 0 active gpai", 0, "gpai granted"],
  ["the invoice's price", "0 checkout, 0 paid gpai", 0, "gpai granted"],
  ["the subscription's price before the invoice's", "0 checkout, 0 active, 1 paid gpai", 1, "team granted"],
  ["a changed price", "0 checkout, 0 active, 9 active gpai", 9, "gpai granted"],
  ["an unknown price keeps the tier", "0 checkout, 0 active, 9 active x", 9, "team granted (price_x?)"],
  ["an unknown price from the start", "0 checkout, 0 active x", 9, "no tier granted (price_x?)"],
  ["on trial", "0 checkout, 0 trialing", 9, "team granted"],
  ["the first payment in progress", "0 checkout, 0 incomplete", 9, "team granted"],
  ["past due, in the grace period", "0 checkout, 0 active, 30 past_due", 40, "team granted until 44"],
  ["past due, after the grace period", "0 checkout, 0 active, 30 past_due", 44, "team ended"],
  [
    "the grace period begins with the first failure",
    "0 checkout, 30 failed, 33 past_due, 37 failed",
    40,
    "team granted until 44",
  ],
  ["paid again", "0 checkout, 30 past_due, 35 paid", 60, "team granted"],
  ["failed, paid, failed", "0 checkout, 30 failed, 31 paid, 60 failed", 62, "team granted until 74"],
  ["unpaid", "0 checkout, 0 active, 30 unpaid", 30, "team ended"],
  ["unpaid, then active", "0 checkout, 30 unpaid, 40 active", 40, "team granted"],
  [
    "a failed attempt after unpaid begins no grace period",
    "0 checkout, 0 active, 30 past_due, 44 unpaid, 44.1 failed",
    45,
    "team ended",
  ],
  [
    "a failed attempt in the same second as unpaid",
    "0 checkout, 0 active, 30 failed, 44 unpaid, 44 failed",
    45,
    "team ended",
  ],
  ["paused, then a failed invoice", "0 checkout, 30 paused, 31 failed", 32, "team ended"],
  ["unpaid, then past due", "0 checkout, 0 active, 30 unpaid, 40 past_due", 45, "team granted until 54"],
  [
    "an older invoice fails again while a newer one is paid",
    "0 checkout, 0 active in_1, 30 failed in_2, 30 past_due in_2, 60 active in_3, 60 paid in_3, 61 failed in_2",
    80,
    "team granted",
  ],
  [
    "the newest invoice fails, whichever event names it first",
    "0 checkout, 0 active in_1, 29 failed in_2, 30 past_due in_2",
    42,
    "team granted until 43",
  ],
  ["paused", "0 checkout, 0 trialing, 30 paused", 30, "team ended"],
  ["resumed", "0 checkout, 30 paused, 31 active", 31, "team granted"],
  ["deleted", "0 checkout, 0 active, 30 deleted", 30, "team ended"],
  ["deleted is final", "0 checkout, 30 deleted, 40 active, 41 paid", 50, "team ended"],
  ["deleted before the checkout", "0 deleted, 5 checkout", 5, "no tier ended"],
  ["expired without a payment", "0 checkout, 1 incomplete_expired", 2, "team ended"],
  [
    "a second subscription continues",
    "0 checkout, 0 active, 30 deleted, 40 checkout sub_2, 40 active indie sub_2",
    50,
    "indie granted",
  ],
  ["the higher tier of two", "0 checkout, 0 active indie, 1 active gpai sub_2", 2, "gpai granted"],
  ["one paid, one past due", "0 checkout, 0 active indie, 1 past_due gpai sub_2", 2, "indie granted"],
  [
    "an unknown price beside an ended subscription",
    "0 checkout, 0 active, 9 deleted, 9 active x sub_2",
    10,
    "team granted (price_x?)",
  ],
];

Deno.test("evaluatePayer() derives tier and access from all events, in any order", () => {
  for (const [name, text, day, expected] of ROWS) {
    const events = eventsOf(text);
    assert.equal(short(judge(events, day)), expected, name);
    assert.equal(short(judge(events.reverse(), day)), expected, `${name}, reversed`);
  }
});

Deno.test("evaluatePayer() orders events within one second by outcome, not by arrival or id", () => {
  const rows: [one: string, other: string, expected: string][] = [
    ["incomplete", "active", "team granted"],
    ["past_due", "active", "team granted"],
    ["failed", "past_due", "team granted until 24"],
    ["failed", "unpaid", "team ended"],
    ["past_due", "unpaid", "team ended"],
    ["past_due", "paid", "team granted"],
    ["failed", "paid", "team granted"],
    ["failed", "active", "team granted"],
    ["active", "canceled", "team ended"],
  ];
  for (const [one, other, expected] of rows) {
    for (const text of [`0 checkout, 10 ${one}, 10 ${other}`, `0 checkout, 10 ${other}, 10 ${one}`]) {
      assert.equal(short(judge(text, 10)), expected, text);
    }
  }
});

Deno.test("evaluatePayer() uses the email address and language of the newest checkout", () => {
  const later = event(5, { kind: "checkout", paid: true, email: null, language: "fr" });
  const { email, language } = judge([later, ...eventsOf("0 checkout")], 6);
  assert.deepEqual([email, language], ["ana@firm.example", "fr"]);
  assert.equal(judge([later], 6).email, "");
});

Deno.test("evaluatePayer() returns a separate occasion for each failure and for the end of access", () => {
  const events = "0 checkout, 30 failed in_2, 33 failed in_2";
  const notice = (occasion: string, accessUntilMs: number | null) => ({
    kind: "payment-failed",
    occasion,
    data: { accessUntilMs },
  });
  assert.deepEqual(judge(events, 33).notice, notice("due:in_2", T0 + 44 * DAY));
  assert.deepEqual(judge(events, 44).notice, notice("ended:in_2", null));
  assert.equal(judge(`${events}, 34 paid in_2`, 44).notice, null);
});

Deno.test("evaluatePayer() reports each failure once, with or without its invoice", () => {
  const at = (day: number) => `due:${T0 + day * DAY}`;
  const rows: [events: string, day: number, occasions: string[]][] = [
    ["10 failed", 12, ["due:in_1"]],
    ["10 failed, 12 past_due", 12, ["due:in_1", at(12)]], // the invoice is still known
    ["12 past_due", 12, [at(12), at(12)]], // no invoice is known yet
    ["10 past_due, 12 past_due", 12, [at(10), at(10), at(12)]],
    ["10 failed, 12 past_due, 14 active, 20 failed in_2", 21, ["due:in_2"]],
  ];
  const occasionsOf = (events: string, day: number) => {
    const notice = judge(`0 checkout, 0 active, ${events}`, day).notice;
    const former = notice !== null && "formerOccasions" in notice ? notice.formerOccasions ?? [] : [];
    return [notice?.occasion, ...former];
  };
  for (const [events, day, occasions] of rows) assert.deepEqual(occasionsOf(events, day), occasions, events);
  assert.equal(occasionsOf("10 failed, 30 unpaid", 31)[0], "ended:in_1", "unpaid ends access too");
});

Deno.test("evaluatePayer() announces the end of a subscription once, for a week, without a notice about payment", () => {
  const rows: [events: string, day: number, notice: [subscription: string, endedDay: number] | null][] = [
    ["0 checkout, 9 deleted", 9, ["sub_1", 9]],
    ["0 checkout, 9 canceled, 10 deleted", 12, ["sub_1", 9]],
    ["0 checkout, 1 failed, 9 deleted", 9, ["sub_1", 9]],
    ["0 checkout, 9 deleted", 17, null], // more than a week later
    ["0 checkout, 3 deleted, 4 checkout sub_2", 5, null], // another subscription continues
    ["0 checkout, 3 deleted, 4 checkout sub_2, 6 deleted sub_2", 6, ["sub_2", 6]],
  ];
  for (const [events, day, expected] of rows) {
    const { kind, occasion, data } = judge(events, day).notice ?? {};
    if (expected === null) assert.equal(kind, undefined, events);
    else {
      const endedAtMs = T0 + expected[1] * DAY;
      assert.deepEqual([kind, occasion, data], ["access-ended", expected[0], { endedAtMs }], events);
    }
  }
});

Deno.test("evaluatePayer() waits for a price only while none is known and one can still arrive", () => {
  assert.equal(judge("0 checkout", 0).isPriceAwaited, true);
  assert.equal(judge("0 checkout, 0 active x", 0).isPriceAwaited, false, "unknown");
  assert.equal(judge("0 checkout, 0 active", 0).isPriceAwaited, false);
  const withoutPrices = { ...RULES, prices: {} };
  assert.equal(evaluatePayer(eventsOf("0 checkout"), withoutPrices, T0).isPriceAwaited, false);
});

Deno.test("evaluatePayer() returns the same verdict for every order of the events", () => {
  const kinds = ["incomplete", "trialing", "active", "past_due", "unpaid", "paused", "checkout", "paid"];
  const one = fc.tuple(
    fc.nat(20),
    fc.constantFrom(...kinds, "failed", "deleted"),
    fc.constantFrom("team", "gpai", "x"),
    fc.constantFrom("sub_1", "sub_2"),
  ).map(([day, what, price, subscription]) => {
    const invoice = ["paid", "failed"].includes(what) ? ` in_${day}` : "";
    return eventsOf(`${day} ${what} ${price} ${subscription}${invoice}`)[0]!;
  });
  const orders = fc.array(one, { maxLength: 12 }).chain((events) =>
    fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }), fc.nat(40))
  );
  fc.assert(fc.property(orders, ([events, shuffled, day]) => {
    assert.deepEqual(judge(shuffled, day), judge(events, day));
  }));
});
