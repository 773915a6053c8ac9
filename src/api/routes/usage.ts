// GET /v1/usage: the caller's limits and usage.
import { utcMonth } from "../../domain/customer/quota_period.ts";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import { toUsage, usageReport } from "../../wire/usage.ts";
import { responseBody } from "../response_body.ts";
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
      const usage = toUsage({
        tier: customer.tier,
        limits: limitsOf(customer),
        requests: allowance.limit - allowance.remaining,
        month: await store.usageOf(customer.id, utcMonth(nowMs)),
        today: await store.usedToday(customer.id, nowMs),
        nowMs,
      });
      return responseBody(200, { ...usage, disclaimer: DISCLAIMER });
    },
  });
}
