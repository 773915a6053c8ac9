// The limits of each tier, and a customer's own limits.
import assert from "node:assert/strict";
import { limitsOf } from "../../../src/domain/customer/customer.ts";
import { DEFAULT_LIMITS, limitFields, limitsFromFields, TIERS } from "../../../src/domain/customer/tier.ts";

Deno.test("DEFAULT_LIMITS are those of section 8 of the specification", () => {
  const rows = TIERS.map((tier) => {
    const { apiRequestsPerDay, webhookDeliveriesPerMonth, activeSubscriptions } = DEFAULT_LIMITS[tier];
    return [tier, apiRequestsPerDay, webhookDeliveriesPerMonth, activeSubscriptions];
  });
  assert.deepEqual(rows.slice(0, 3), [
    ["indie", 1_000, 500, 1],
    ["team", 10_000, 5_000, 5],
    ["gpai", 100_000, 50_000, 25],
  ]);
  assert.equal(DEFAULT_LIMITS.embedded.activeSubscriptions, 200);
});

Deno.test("limitsFromFields() reverses limitFields(), and omits missing fields", () => {
  const fields = limitFields(DEFAULT_LIMITS.team) as Record<string, number>;
  assert.deepEqual(limitsFromFields(fields), DEFAULT_LIMITS.team);
  assert.deepEqual(limitFields({ replaysPerDay: 0 }), { replays_per_day: 0 });
  assert.deepEqual(limitsFromFields({ replays_per_day: 0 }), { replaysPerDay: 0 });
});

Deno.test("limitsOf() returns the tier's limits; in the embedded tier, a customer's own limits take precedence", () => {
  const tiers = { ...DEFAULT_LIMITS };
  assert.deepEqual(limitsOf({ tier: "team", limits: {} }, tiers), DEFAULT_LIMITS.team);
  assert.deepEqual(
    limitsOf({ tier: "embedded", limits: { apiRequestsPerDay: 0, activeSubscriptions: 7 } }, tiers),
    {
      ...DEFAULT_LIMITS.embedded,
      apiRequestsPerDay: 0,
      activeSubscriptions: 7,
    },
  );
  const changed = { ...tiers, team: { ...tiers.team, apiRequestsPerDay: 12 } };
  assert.equal(limitsOf({ tier: "team", limits: {} }, changed).apiRequestsPerDay, 12);
  assert.equal(limitsOf({ tier: "indie", limits: {} }, changed).apiRequestsPerDay, 1_000);
});
