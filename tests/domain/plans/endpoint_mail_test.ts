// When an owner gets an email about a failing endpoint, and what it contains.
import assert from "node:assert/strict";
import { DISABLE_AFTER_MS, WARN_AFTER_MS } from "../../../src/domain/delivery/endpoint.ts";
import { disabledMail, planEndpoint } from "../../../src/domain/plans/endpoint_mail.ts";

const T0 = Date.UTC(2026, 6, 20);

const endpoint = {
  subscriptionId: "sub_1",
  customerId: "cus_1",
  webhookUrl: "https://one.example/token",
  firstFailureAtMs: T0,
  warnedAtMs: null,
};

Deno.test("planEndpoint() warns once per failure, and names only the host and the time of disabling", () => {
  const plan = planEndpoint(endpoint, { nowMs: T0 + WARN_AFTER_MS, problem: "timeout" });
  assert.equal(planEndpoint(endpoint, { nowMs: T0, problem: null }), null);
  assert.deepEqual(plan?.kind === "warn" && plan.mail, {
    kind: "delivery-warning",
    customerId: "cus_1",
    data: {
      subscriptionId: "sub_1",
      host: "one.example",
      failingSinceMs: T0,
      disabledAtMs: T0 + DISABLE_AFTER_MS,
      problem: "timeout",
    },
    onceKey: `delivery-warning:sub_1:${T0}`,
    atMs: T0 + WARN_AFTER_MS,
  });
});

Deno.test("disabledMail() is sent once a day, and mentions a lost key", () => {
  const gone = disabledMail({ ...endpoint, firstFailureAtMs: null }, {
    by: "gone",
    nowMs: T0,
    problem: "410",
  });
  assert.equal(gone.onceKey, "delivery-disabled:sub_1:2026-07-20");
  assert.deepEqual([gone.data.failingSinceMs, "isKeyLost" in gone.data], [T0, false]);
  const lost = disabledMail(endpoint, { by: "key-lost", nowMs: T0, problem: null });
  assert.ok("isKeyLost" in lost.data && lost.data.isKeyLost);
});
