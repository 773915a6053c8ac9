// What payments change about a customer, and which emails are sent.
import assert from "node:assert/strict";
import type { PayerState, PaymentVerdict } from "../../../src/domain/customer/payment.ts";
import {
  accessChange,
  planPayer,
  planPayerChange,
  planPaymentMail,
  planProvision,
  PRICE_WAIT_MS,
} from "../../../src/domain/plans/payment.ts";

const T0 = 1_780_000_000_000;

const verdict: PaymentVerdict = {
  provision: true,
  email: "a@one.example",
  language: "de",
  tier: "team",
  access: "granted",
  accessUntilMs: null,
  unknownPrice: null,
  isPriceAwaited: false,
  notice: null,
};

const known: PayerState = {
  payer: "payer_1",
  email: "a@one.example",
  tier: "team",
  access: "granted",
  accessUntilMs: null,
  unknownPrice: null,
};

const provision = (change: Partial<PaymentVerdict>) =>
  planProvision({ ...verdict, ...change }, { nowMs: T0, newCustomerId: () => "cus_1" });

Deno.test("planProvision() creates a customer once a checkout is paid", () => {
  assert.equal(provision({ provision: false }), null);
  const plan = provision({});
  assert.deepEqual([plan?.customer.tier, plan?.customer.enabled, plan?.disabledBy], ["team", true, null]);
  assert.equal(plan?.welcomeAtMs, T0);
});

Deno.test("planProvision() delays the welcome email while the price is awaited", () => {
  const plan = provision({ tier: null, isPriceAwaited: true });
  assert.deepEqual([plan?.customer.tier, plan?.welcomeAtMs], ["indie", T0 + PRICE_WAIT_MS]);
});

Deno.test("planProvision() creates a disabled customer if its access has already ended", () => {
  const plan = provision({ access: "ended" });
  assert.deepEqual([plan?.customer.enabled, plan?.disabledBy], [false, "payment"]);
});

Deno.test("planPayer() keeps the tier while no price is known", () => {
  assert.equal(planPayer("payer_1", { ...verdict, tier: null }, known).tier, "team");
  assert.equal(planPayer("payer_1", { ...verdict, tier: "indie" }, known).tier, "indie");
  assert.equal(planPayer("payer_1", { ...verdict, tier: null }, null).tier, null);
});

Deno.test("planPayerChange() changes tier and email address only if those of the payment have changed", () => {
  const change = (of: Partial<PaymentVerdict>, disabledBy: "operator" | "payment" | null = null) =>
    planPayerChange({ ...verdict, ...of }, { known, disabledBy });
  assert.deepEqual(change({}), { change: { language: "de" }, disabledBy: null });
  assert.deepEqual(change({ tier: "indie" }).change, { language: "de", tier: "indie" });
  assert.deepEqual(change({ email: "b@one.example" }).change, { language: "de", email: "b@one.example" });
  assert.deepEqual(change({ email: "" }).change, { language: "de" });
  assert.equal(change({ access: "ended" }).disabledBy, "payment");
  assert.equal(change({}, "payment").disabledBy, null);
  assert.ok(!("disabledBy" in change({}, "operator")), "the operator's decision stays");
});

Deno.test("accessChange() distinguishes restored access from access in its grace period", () => {
  assert.equal(accessChange({ before: true, after: true }, verdict), null);
  assert.equal(accessChange({ before: true, after: false }, verdict), "ended");
  assert.equal(accessChange({ before: false, after: true }, verdict), "restored");
  assert.equal(accessChange({ before: false, after: true }, { accessUntilMs: T0 }), "in_grace");
});

Deno.test("planPaymentMail() returns a name for each occasion, and its former names", () => {
  const failed = { kind: "payment-failed", data: { accessUntilMs: T0 }, occasion: "due:in_1" } as const;
  const notice = { ...failed, formerOccasions: ["due:1"] };
  assert.equal(planPaymentMail(verdict, { customerId: "cus_1", isNew: false }), null);
  assert.deepEqual(planPaymentMail({ notice }, { customerId: "cus_1", isNew: true }), {
    content: { kind: "payment-failed", data: { accessUntilMs: T0 } },
    onceKey: "payment-failed:cus_1:due:in_1",
    formerKeys: ["payment-failed:cus_1:due:1"],
  });
});

Deno.test("planPaymentMail() does not notify a new customer that access has ended", () => {
  const notice = { kind: "access-ended", data: { endedAtMs: T0 }, occasion: "sub_1" } as const;
  assert.equal(planPaymentMail({ notice }, { customerId: "cus_1", isNew: true }), null);
  assert.equal(
    planPaymentMail({ notice }, { customerId: "cus_1", isNew: false })?.onceKey,
    "access-ended:cus_1:sub_1",
  );
});
