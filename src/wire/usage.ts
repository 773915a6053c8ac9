// A customer's usage and limits as JSON.
import * as z from "zod";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import type { DailyAction } from "../domain/customer/daily_limit.ts";
import { nextUtcDay, nextUtcMonth } from "../domain/customer/quota_period.ts";
import { type Tier, type TierLimits, TIERS } from "../domain/customer/tier.ts";
import type { Usage } from "../domain/ports/store/customers.ts";
import { count, disclaimer, time } from "./fields.ts";

const dailyActions = z.strictObject({
  limit: count("The limit per UTC day"),
  used: count("Used today"),
  remaining: count("Left today"),
  resets_at: time("End of the day, Unix milliseconds"),
});

/** The response of `GET /v1/usage`. */
export const usageReport = z.strictObject({
  tier: z.enum(TIERS).meta({ description: "The tier, which determines the limits" }),
  api_requests: z.strictObject({
    limit: count("Requests per UTC day"),
    used: count("Requests today, including this one"),
    remaining: count("Requests left today"),
    resets_at: time("End of the day, Unix milliseconds"),
  }).meta({ description: "Today's requests" }),
  webhook_deliveries: z.strictObject({
    limit: count("Delivered events per UTC month"),
    used: count("Events delivered or pending this month"),
    remaining: count("Deliveries left this month"),
    held: count("Deliveries held because the quota is used up or their subscription is disabled"),
    held_limit: count(
      "Maximum number of held deliveries. Further events create no deliveries: the subscription's `catch_up` has " +
        "the reason `held_full`, and delivery continues later with the first missed event",
    ),
    resets_at: time("End of the month, Unix milliseconds"),
    notices: z.array(z.strictObject({
      kind: z.enum(["quota-80", "quota-100"]).meta({
        description:
          "`quota-80`: at least 80% of the quota is used; `quota-100`: all of it is used, and further events are held",
      }),
      at: time("When the threshold was reached, Unix milliseconds"),
    })).meta({ description: "The quota notices sent to the customer this month" }),
  }).meta({ description: "This month's deliveries" }),
  test_calls: dailyActions.meta({ description: "Today's test deliveries" }),
  replays: dailyActions.meta({
    description:
      "Deliveries that replays have sent again or created today, and calls that sent pending deliveries",
  }),
  backfills: dailyActions.meta({
    description: "Subscriptions created with `backfill_since` today",
  }),
  subscriptions: z.strictObject({
    limit: count("Maximum number of active subscriptions"),
    active: count("Number of active subscriptions"),
  }).meta({ description: "Subscriptions" }),
  disclaimer,
}).meta({
  id: "Usage",
  description: "Limits and usage",
  examples: [{
    tier: "team",
    api_requests: { limit: 10_000, used: 42, remaining: 9_958, resets_at: 1_785_542_400_000 },
    webhook_deliveries: {
      limit: 5_000,
      used: 310,
      remaining: 4_690,
      held: 0,
      held_limit: 5_000,
      resets_at: 1_785_542_400_000,
      notices: [],
    },
    test_calls: { limit: 200, used: 3, remaining: 197, resets_at: 1_785_542_400_000 },
    replays: { limit: 5_000, used: 0, remaining: 5_000, resets_at: 1_785_542_400_000 },
    backfills: { limit: 20, used: 1, remaining: 19, resets_at: 1_785_542_400_000 },
    subscriptions: { limit: 5, active: 2 },
    disclaimer: DISCLAIMER,
  }],
});

type UsageReport = z.infer<typeof usageReport>;

/** Returns a customer's limits and usage at `nowMs`, Unix ms. */
export function toUsage({ tier, limits, requests, month, today, nowMs }: {
  tier: Tier;
  limits: TierLimits;
  /** Today's requests. */
  requests: number;
  month: Usage;
  today: Readonly<Record<DailyAction, number>>;
  nowMs: number;
}): Omit<UsageReport, "disclaimer"> {
  const daily = (limit: number, used: number) => ({
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resets_at: nextUtcDay(nowMs),
  });
  return {
    tier,
    api_requests: daily(limits.apiRequestsPerDay, requests),
    webhook_deliveries: {
      limit: limits.webhookDeliveriesPerMonth,
      used: month.deliveries,
      remaining: Math.max(0, limits.webhookDeliveriesPerMonth - month.deliveries),
      held: month.held,
      held_limit: limits.heldDeliveries,
      resets_at: nextUtcMonth(nowMs),
      notices: noticesOf(month),
    },
    test_calls: daily(limits.testCallsPerDay, today.test_calls),
    replays: daily(limits.replaysPerDay, today.replays),
    backfills: daily(limits.backfillsPerDay, today.backfills),
    subscriptions: { limit: limits.activeSubscriptions, active: month.activeSubscriptions },
  };
}

function noticesOf({ warnedAtMs, spentAtMs }: Usage): { kind: "quota-80" | "quota-100"; at: number }[] {
  return [
    ...warnedAtMs === null ? [] : [{ kind: "quota-80" as const, at: warnedAtMs }],
    ...spentAtMs === null ? [] : [{ kind: "quota-100" as const, at: spentAtMs }],
  ];
}
