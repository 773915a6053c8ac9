// What a change to a customer affects, and which email announces it.
import assert from "node:assert/strict";
import type { Customer } from "../../../src/domain/customer/customer.ts";
import {
  type CustomerChange,
  disabledAfterEnabling,
  planCustomerChange,
  planLimitsMail,
} from "../../../src/domain/plans/customer_change.ts";
import { DEFAULT_LIMITS } from "../../../src/domain/customer/tier.ts";

const customer: Customer = {
  id: "cus_1",
  email: "a@one.example",
  tier: "embedded",
  enabled: true,
  limits: { activeSubscriptions: 7 },
  language: "en",
  declared: false,
  createdAtMs: 0,
};

const plan = (change: CustomerChange) => {
  const planned = planCustomerChange({ customer, disabledBy: null }, change, DEFAULT_LIMITS);
  return planned && {
    differences: Object.keys(planned.differences).join(" "),
    effects: Object.entries(planned).filter(([, value]) => value === true).map(([name]) => name).join(" "),
    subscriptions: planned.limits?.activeSubscriptions ?? null,
  };
};

Deno.test("planCustomerChange() derives the effects of a change", () => {
  const teamLimit = DEFAULT_LIMITS.team.activeSubscriptions;
  assert.equal(plan({ change: {} }), null);
  assert.equal(plan({ change: { tier: "embedded", email: "a@one.example" }, disabledBy: null }), null);
  const rows: [CustomerChange, differences: string, effects: string, subscriptions: number | null][] = [
    [{ change: { email: "b@one.example" } }, "email", "hasNewEmail", null],
    [{ change: { limits: { activeSubscriptions: 9 } } }, "limits", "", 9],
    // The customer's own limits end with the tier.
    [{ change: { tier: "team" } }, "tier limits", "", teamLimit],
    [{ change: {}, disabledBy: "operator" }, "enabled disabled_by", "isDisabled", null],
  ];
  for (const [change, differences, effects, subscriptions] of rows) {
    assert.deepEqual(plan(change), { differences, effects, subscriptions }, JSON.stringify(change));
  }
});

Deno.test("planCustomerChange() enables a customer, and records who disables it from now on", () => {
  const disabled = { customer: { ...customer, enabled: false }, disabledBy: "payment" as const };
  const enabled = planCustomerChange(disabled, { change: {}, disabledBy: null }, DEFAULT_LIMITS);
  assert.equal(enabled?.isEnabled, true);
  const byOperator = planCustomerChange(disabled, { change: {}, disabledBy: "operator" }, DEFAULT_LIMITS);
  assert.deepEqual(byOperator?.differences, { disabled_by: { before: "payment", after: "operator" } });
});

Deno.test("planCustomerChange() keeps the email address out of the audit", () => {
  const change = { change: { email: "b@one.example" } };
  const planned = planCustomerChange({ customer, disabledBy: null }, change, DEFAULT_LIMITS);
  assert.deepEqual(planned?.differences, { email: "changed" });
});

Deno.test("planLimitsMail() announces a changed tier or held subscriptions, unless a welcome email does", () => {
  const limits = DEFAULT_LIMITS.indie;
  const none = { held: [], returned: [] };
  const some = { held: [{ id: "sub_1", host: "one.example" }], returned: [] };
  const kindOf = (facts: Partial<Parameters<typeof planLimitsMail>[0]>) =>
    planLimitsMail({ before: "team", after: "team", limits, fit: none, awaitsWelcome: false, ...facts })
      ?.kind;
  assert.equal(kindOf({}), undefined);
  assert.equal(kindOf({ fit: some }), "subscriptions-held");
  assert.equal(kindOf({ after: "indie" }), "tier-changed");
  assert.equal(kindOf({ after: "indie", fit: some }), "tier-changed");
  assert.equal(kindOf({ after: "indie", fit: some, awaitsWelcome: true }), undefined);
});

Deno.test("disabledAfterEnabling() keeps a customer whose payments have ended disabled", () => {
  assert.equal(disabledAfterEnabling(null), null);
  assert.equal(disabledAfterEnabling({ access: "granted" }), null);
  assert.equal(disabledAfterEnabling({ access: "ended" }), "payment");
});
