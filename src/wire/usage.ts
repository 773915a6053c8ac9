// What a customer has used, as JSON.
import { z } from "zod";
import { TIERS } from "../domain/tier.ts";
import { disclaimer, unixMs } from "./event.ts";

const count = z.int().min(0);

/** The answer of `GET /v1/usage`. */
export const usageReport = z.strictObject({
  tier: z.enum(TIERS),
  api_requests: z.strictObject({
    limit: count.meta({ description: "Requests a UTC day" }),
    used: count.meta({ description: "This one included" }),
    remaining: count,
    resets_at: unixMs,
  }),
  webhook_deliveries: z.strictObject({
    limit: count.meta({ description: "Events delivered a UTC month" }),
    used: count.meta({ description: "Delivered or on their way" }),
    remaining: count,
    held: count.meta({ description: "Waiting: for the next month, or for a subscription to be switched on" }),
    resets_at: unixMs,
  }),
  subscriptions: z.strictObject({ limit: count, active: count }),
  disclaimer,
}).meta({ id: "Usage" });
