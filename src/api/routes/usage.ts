// GET /v1/usage: the caller's limits and usage.
import { nextUtcDay, nextUtcMonth, utcMonth } from "../../domain/customer/quota_period.ts";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import type { Usage } from "../../domain/ports/store/customers.ts";
import { usageReport } from "../../wire/usage.ts";
import { responseBody } from "../http/response_body.ts";
import { keyRoute, type Route } from "../route.ts";
import type { RouteOptions } from "./route_dependencies.ts";

export function usageRoute({ store, clock, limitsOf }: RouteOptions): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/usage",
    operationId: "getUsage",
    tag: "Account",
    summary: "Returns your tier, limits and usage",
    description:
      "Requests, test calls, replays and backfills are counted per UTC day, deliveries per UTC month. This request counts too.",
    response: usageReport,
    status: 200,
    async handle({ customer, allowance }) {
      const nowMs = clock.nowMs();
      const used = await store.usageOf(customer.id, utcMonth(nowMs));
      const today = await store.usedToday(customer.id, nowMs);
      const limits = limitsOf(customer);
      const daily = (limit: number, used: number) => ({
        limit,
        used,
        remaining: Math.max(0, limit - used),
        resets_at: nextUtcDay(nowMs),
      });
      return responseBody(200, {
        tier: customer.tier,
        api_requests: {
          limit: allowance.limit,
          used: allowance.limit - allowance.remaining,
          remaining: allowance.remaining,
          resets_at: allowance.resetMs,
        },
        webhook_deliveries: {
          limit: limits.webhookDeliveriesPerMonth,
          used: used.deliveries,
          remaining: Math.max(0, limits.webhookDeliveriesPerMonth - used.deliveries),
          held: used.held,
          held_limit: limits.heldDeliveries,
          resets_at: nextUtcMonth(nowMs),
          notices: noticesOf(used),
        },
        test_calls: daily(limits.testCallsPerDay, today.test_calls),
        replays: daily(limits.replaysPerDay, today.replays),
        backfills: daily(limits.backfillsPerDay, today.backfills),
        subscriptions: { limit: limits.activeSubscriptions, active: used.activeSubscriptions },
        disclaimer: DISCLAIMER,
      });
    },
  });
}

function noticesOf({ warnedAtMs, spentAtMs }: Usage): { kind: "quota-80" | "quota-100"; at: number }[] {
  return [
    ...warnedAtMs === null ? [] : [{ kind: "quota-80" as const, at: warnedAtMs }],
    ...spentAtMs === null ? [] : [{ kind: "quota-100" as const, at: spentAtMs }],
  ];
}
