// The tier and access of a payer, for events in any order.
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

let count = 0;

function event(day: number, fact: PaymentFact, subscription = "sub_1"): PaymentEvent {
  return {
    id: `evt_${++count}`,
    type: "x",
    createdAtMs: T0 + day * DAY,
    receivedAtMs: T0,
    payer: "cus_1",
    subscription,
    fact,
    note: null,
  };
}

const checkout = (day: number, paid = true, subscription?: string): PaymentEvent =>
  event(day, { kind: "checkout", paid, email: "ana@firm.example", language: "de" }, subscription);
const state = (
  day: number,
  status: PaymentStatus,
  price = "price_team",
  subscription?: string,
): PaymentEvent =>
  event(day, { kind: "subscription", status, deleted: false, prices: [price], invoice: null }, subscription);
const billed = (day: number, status: PaymentStatus, invoice: string): PaymentEvent =>
  event(day, { kind: "subscription", status, deleted: false, prices: ["price_team"], invoice });
const bill = (day: number, paid: boolean, invoice = "in_1", price = "price_team"): PaymentEvent =>
  event(day, { kind: "invoice", paid, prices: [price], invoice });
const deleted = (day: number, subscription?: string): PaymentEvent =>
  event(
    day,
    { kind: "subscription", status: "canceled", deleted: true, prices: [], invoice: null },
    subscription,
  );

const judge = (events: readonly PaymentEvent[], day: number) => evaluatePayer(events, RULES, T0 + day * DAY);

/** A verdict as one line. */
function short({ provision, tier, access, accessUntilMs, unknownPrice }: PaymentVerdict): string {
  const until = accessUntilMs === null ? "" : ` until ${(accessUntilMs - T0) / DAY}`;
  return `${provision ? "" : "no customer, "}${tier ?? "no tier"} ${access}${until}${
    unknownPrice === null ? "" : ` (${unknownPrice}?)`
  }`;
}

const ROWS: [name: string, events: PaymentEvent[], day: number, expected: string][] = [
  ["a paid checkout alone", [checkout(0)], 0, "no tier granted"],
  ["a checkout that is not paid yet", [checkout(0, false)], 0, "no customer, no tier granted"],
  ["paid at last", [checkout(0, false), checkout(3)], 3, "no tier granted"],
  ["a subscription without a checkout", [state(0, "active")], 0, "no customer, team granted"],
  ["with its price", [checkout(0), state(0, "active", "price_gpai")], 0, "gpai granted"],
  ["the price of the bill", [checkout(0), bill(0, true, "in_1", "price_gpai")], 0, "gpai granted"],
  [
    "the subscription's before the bill's",
    [checkout(0), state(0, "active"), bill(1, true, "i", "price_gpai")],
    1,
    "team granted",
  ],
  ["changed", [checkout(0), state(0, "active"), state(9, "active", "price_gpai")], 9, "gpai granted"],
  [
    "an unknown price keeps the tier",
    [checkout(0), state(0, "active"), state(9, "active", "price_x")],
    9,
    "team granted (price_x?)",
  ],
  [
    "an unknown price from the start",
    [checkout(0), state(0, "active", "price_x")],
    9,
    "no tier granted (price_x?)",
  ],
  ["on trial", [checkout(0), state(0, "trialing")], 9, "team granted"],
  ["first payment under way", [checkout(0), state(0, "incomplete")], 9, "team granted"],
  [
    "past due, in grace",
    [checkout(0), state(0, "active"), state(30, "past_due")],
    40,
    "team granted until 44",
  ],
  ["past due, grace over", [checkout(0), state(0, "active"), state(30, "past_due")], 44, "team ended"],
  [
    "the grace begins with the first failure",
    [checkout(0), bill(30, false), state(33, "past_due"), bill(37, false)],
    40,
    "team granted until 44",
  ],
  ["paid again", [checkout(0), state(30, "past_due"), bill(35, true)], 60, "team granted"],
  [
    "failed, paid, failed",
    [checkout(0), bill(30, false), bill(31, true), bill(60, false)],
    62,
    "team granted until 74",
  ],
  ["unpaid", [checkout(0), state(0, "active"), state(30, "unpaid")], 30, "team ended"],
  ["unpaid, paid after all", [checkout(0), state(30, "unpaid"), state(40, "active")], 40, "team granted"],
  [
    "unpaid, and one more attempt fails: no new grace",
    [checkout(0), state(0, "active"), state(30, "past_due"), state(44, "unpaid"), bill(44.1, false)],
    45,
    "team ended",
  ],
  [
    "unpaid, and the last attempt's failure comes in the same second",
    [checkout(0), state(0, "active"), bill(30, false), state(44, "unpaid"), bill(44, false)],
    45,
    "team ended",
  ],
  ["paused, and a bill fails", [checkout(0), state(30, "paused"), bill(31, false)], 32, "team ended"],
  [
    "unpaid, then past due by its own word",
    [checkout(0), state(0, "active"), state(30, "unpaid"), state(40, "past_due")],
    45,
    "team granted until 54",
  ],
  [
    "an older bill fails once more while a newer one is paid",
    [
      checkout(0),
      billed(0, "active", "in_1"),
      bill(30, false, "in_2"),
      billed(30, "past_due", "in_2"),
      billed(60, "active", "in_3"),
      bill(60, true, "in_3"),
      bill(61, false, "in_2"),
    ],
    80,
    "team granted",
  ],
  [
    "the newest bill fails, whichever event names it first",
    [checkout(0), billed(0, "active", "in_1"), bill(29, false, "in_2"), billed(30, "past_due", "in_2")],
    42,
    "team granted until 43",
  ],
  ["paused", [checkout(0), state(0, "trialing"), state(30, "paused")], 30, "team ended"],
  ["resumed", [checkout(0), state(30, "paused"), state(31, "active")], 31, "team granted"],
  ["deleted", [checkout(0), state(0, "active"), deleted(30)], 30, "team ended"],
  [
    "deleted is final, whatever comes later",
    [checkout(0), deleted(30), state(40, "active"), bill(41, true)],
    50,
    "team ended",
  ],
  ["deleted before all else", [deleted(0), checkout(5)], 5, "no tier ended"],
  ["never begun", [checkout(0), state(1, "incomplete_expired")], 2, "team ended"],
  [
    "a second one goes on",
    [
      checkout(0),
      state(0, "active"),
      deleted(30),
      checkout(40, true, "sub_2"),
      state(40, "active", "price_indie", "sub_2"),
    ],
    50,
    "indie granted",
  ],
  [
    "the best of two",
    [checkout(0), state(0, "active", "price_indie"), state(1, "active", "price_gpai", "sub_2")],
    2,
    "gpai granted",
  ],
  [
    "one good, one due",
    [checkout(0), state(0, "active", "price_indie"), state(1, "past_due", "price_gpai", "sub_2")],
    2,
    "indie granted",
  ],
  [
    "of an unknown price beside an ended one",
    [checkout(0), state(0, "active"), deleted(9), state(9, "active", "price_x", "sub_2")],
    10,
    "team granted (price_x?)",
  ],
];

Deno.test("evaluatePayer() derives tier and access from all events, in any order", () => {
  for (const [name, events, day, expected] of ROWS) {
    assert.equal(short(judge(events, day)), expected, name);
    const reversed = short(judge([...events].reverse(), day));
    assert.equal(reversed, expected, `${name}, reversed`);
  }
});

/** Two events of the same second, and the state after both. */
const SAME_SECOND: [PaymentStatus | "failed" | "paid", PaymentStatus | "failed" | "paid", string][] = [
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

Deno.test("evaluatePayer() orders events of one second by outcome, not by arrival or id", () => {
  const make = (what: typeof SAME_SECOND[number][0]): PaymentEvent =>
    what === "failed" || what === "paid" ? bill(10, what === "paid") : state(10, what);
  for (const [one, other, expected] of SAME_SECOND) {
    for (const pair of [[one, other], [other, one]] as const) {
      const events = [checkout(0), ...pair.map(make)];
      assert.equal(short(judge(events, 10)), expected, `${pair}`);
    }
  }
});

Deno.test("evaluatePayer() uses the email address and language of the newest checkout", () => {
  const later: PaymentEvent = event(5, { kind: "checkout", paid: true, email: null, language: "fr" });
  const { email, language } = judge([later, checkout(0)], 6);
  assert.deepEqual([email, language], ["ana@firm.example", "fr"]);
  assert.equal(judge([later], 6).email, "");
});

Deno.test("evaluatePayer() gives each failure and the end of access separate occasions", () => {
  const events = [checkout(0), bill(30, false, "in_2"), bill(33, false, "in_2")];
  const until = T0 + 44 * DAY;
  assert.deepEqual(judge(events, 33).notice, {
    kind: "payment-failed",
    occasion: "due:in_2",
    data: { accessUntilMs: until },
  });
  assert.deepEqual(judge(events, 44).notice, {
    kind: "payment-failed",
    occasion: "ended:in_2",
    data: { accessUntilMs: null },
  });
  assert.equal(judge([...events, bill(34, true, "in_2")], 44).notice, null);
});

Deno.test("evaluatePayer() reports one failure once, with and without its invoice", () => {
  const told = (events: readonly PaymentEvent[], day: number) => {
    const notice = judge(events, day).notice;
    const former = notice !== null && "formerOccasions" in notice ? notice.formerOccasions ?? [] : [];
    return [notice?.occasion, ...former];
  };
  const at = (day: number) => `due:${T0 + day * DAY}`;
  const paid = [checkout(0), state(0, "active")];
  const [failed, due] = [bill(10, false, "in_1"), state(12, "past_due")];
  assert.deepEqual(told([...paid, failed], 12), ["due:in_1"]);
  assert.deepEqual(told([...paid, failed, due], 12), ["due:in_1", at(12)], "the bill stays known");
  assert.deepEqual(told([...paid, due], 12), [at(12), at(12)], "the bill comes later");
  assert.deepEqual(told([...paid, state(10, "past_due"), due], 12), [at(10), at(10), at(12)]);
  assert.deepEqual(told([...paid, failed, due, state(14, "active"), bill(20, false, "in_2")], 21), [
    "due:in_2",
  ]);
  const unpaid = told([...paid, failed, state(30, "unpaid")], 31);
  assert.equal(unpaid[0], "ended:in_1", "that it is given up is the same end");
});

Deno.test("evaluatePayer() announces the end of a subscription once, for a week, without a dunning notice", () => {
  const notice = (subscription: string, day: number) => ({
    kind: "access-ended",
    occasion: subscription,
    data: { endedAtMs: T0 + day * DAY },
  });
  assert.deepEqual(judge([checkout(0), deleted(9)], 9).notice, notice("sub_1", 9));
  const twice = [checkout(0), state(9, "canceled"), deleted(10)];
  assert.deepEqual(judge(twice, 12).notice, notice("sub_1", 9), "canceled, and then deleted, is one end");
  assert.deepEqual(judge([checkout(0), bill(1, false), deleted(9)], 9).notice, notice("sub_1", 9));
  assert.equal(judge([checkout(0), deleted(9)], 17).notice, null, "a week later it is none");
  const second = [checkout(0), deleted(3), checkout(4, true, "sub_2")];
  assert.equal(judge(second, 5).notice, null, "another goes on");
  assert.deepEqual(judge([...second, deleted(6, "sub_2")], 6).notice, notice("sub_2", 6));
});

Deno.test("evaluatePayer() waits for a price only while none is known and one can still arrive", () => {
  assert.equal(judge([checkout(0)], 0).isPriceAwaited, true);
  assert.equal(judge([checkout(0), state(0, "active", "price_x")], 0).isPriceAwaited, false, "not known");
  assert.equal(judge([checkout(0), state(0, "active")], 0).isPriceAwaited, false);
  assert.equal(evaluatePayer([checkout(0)], { ...RULES, prices: {} }, T0).isPriceAwaited, false);
});

Deno.test("evaluatePayer() returns the same for every order of the events", () => {
  const statuses: PaymentStatus[] = ["incomplete", "trialing", "active", "past_due", "unpaid", "paused"];
  const one = fc.tuple(fc.nat(20), fc.nat(9), fc.nat(2), fc.constantFrom("sub_1", "sub_2")).map(
    ([day, kind, price, subscription]) => {
      const name = ["price_team", "price_gpai", "price_x"][price] ?? "";
      if (kind < 6) return state(day, statuses[kind] ?? "active", name, subscription);
      if (kind === 6) return checkout(day, true, subscription);
      return kind === 9 ? deleted(day, subscription) : bill(day, kind === 7, `in_${day}`, name);
    },
  );
  const orders = fc.array(one, { maxLength: 12 }).chain((events) =>
    fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }), fc.nat(40))
  );
  fc.assert(fc.property(orders, ([events, shuffled, day]) => {
    assert.deepEqual(judge(shuffled, day), judge(events, day));
  }));
});
