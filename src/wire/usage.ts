// What a customer has used, as JSON.
import * as z from "zod";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import { TIERS } from "../domain/tier.ts";
import { disclaimer, unixMs } from "./event.ts";

const count = z.int().min(0);

const dailyActions = z.strictObject({
  limit: count.meta({ description: "What the tier allows a UTC day" }),
  used: count.meta({ description: "What is used today" }),
  remaining: count.meta({ description: "What is left today" }),
  resets_at: unixMs.meta({ description: "When the day ends, Unix milliseconds" }),
});

/** The answer of `GET /v1/usage`. */
export const usageReport = z.strictObject({
  tier: z.enum(TIERS).meta({ description: "What decides the limits" }),
  api_requests: z.strictObject({
    limit: count.meta({ description: "Requests a UTC day" }),
    used: count.meta({ description: "This one included" }),
    remaining: count.meta({ description: "Requests left today" }),
    resets_at: unixMs.meta({ description: "When the day ends, Unix milliseconds" }),
  }).meta({ description: "The day's requests" }),
  webhook_deliveries: z.strictObject({
    limit: count.meta({ description: "Events delivered a UTC month" }),
    used: count.meta({ description: "Delivered or on their way" }),
    remaining: count.meta({ description: "Deliveries left this month" }),
    held: count.meta({ description: "Waiting: for the next month, or for a subscription to be switched on" }),
    held_limit: count.meta({
      description:
        "Deliveries that may be held. What follows is not stored as deliveries: `catch_up` of the subscription " +
        "has the reason `held_full`, and it goes on from there",
    }),
    resets_at: unixMs.meta({ description: "When the month ends, Unix milliseconds" }),
    notices: z.array(z.strictObject({
      kind: z.enum(["quota-80", "quota-100"]).meta({
        description: "Four fifths of the month are used; all of it is used, and what follows is held",
      }),
      at: unixMs.meta({ description: "When it came to that, Unix milliseconds" }),
    })).meta({ description: "What the customer was written about this month" }),
  }).meta({ description: "The month's deliveries" }),
  test_calls: dailyActions.meta({ description: "The day's test deliveries" }),
  replays: dailyActions.meta({
    description: "The day's deliveries that were sent again or created by replays",
  }),
  backfills: dailyActions.meta({
    description: "The day's subscriptions that were created with backfill_since",
  }),
  subscriptions: z.strictObject({
    limit: count.meta({ description: "Subscriptions that may be active" }),
    active: count.meta({ description: "Subscriptions that are active" }),
  }).meta({ description: "The subscriptions" }),
  disclaimer,
}).meta({
  id: "Usage",
  description: "Limits, and what is used of them",
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
