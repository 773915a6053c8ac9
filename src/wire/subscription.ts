// Subscriptions as JSON: the request that creates one, the records and the answers.
import { z } from "zod";
import { isEnabled, type Subscription } from "../domain/subscription.ts";
import { disclaimer, severity, unixMs } from "./event.ts";

/** The longest webhook address that is taken, characters. */
export const MAX_WEBHOOK_URL = 2_048;
/** The most entries of one filter. */
const MAX_FILTER_ENTRIES = 200;

const filterList = (what: string) =>
  z.array(z.string().min(1).max(100)).max(MAX_FILTER_ENTRIES).meta({
    description: `${what}; any of them; empty: all`,
  });

/** The body of `POST /v1/subscriptions`; only `webhook_url` is required. */
export const subscriptionRequest = z.strictObject({
  webhook_url: z.string().min(1).max(MAX_WEBHOOK_URL),
  topics: filterList("Topic ids, a parent stands for its children").default([]),
  source_filter: filterList("Source ids").default([]),
  severity_min: severity.default("info"),
  language: z.string().min(2).max(8).default("en").meta({
    description: "ISO 639-1 code: en, de, fr or a configured one",
  }),
}).meta({ id: "SubscriptionRequest" });

/** What a client asks for with {@link subscriptionRequest}. */
export type SubscriptionRequest = z.infer<typeof subscriptionRequest>;

/** A subscription without its secret (specification, section 2.3). */
export const subscriptionRecord = z.strictObject({
  id: z.string(),
  webhook_url: z.string(),
  topics: z.array(z.string()),
  source_filter: z.array(z.string()),
  severity_min: severity,
  language: z.string(),
  enabled: z.boolean(),
  created_at: unixMs,
}).meta({ id: "Subscription" });

/** The answer of `POST /v1/subscriptions`: the only one that holds the secret. */
export const subscriptionCreated = z.strictObject({
  subscription: subscriptionRecord.extend({
    webhook_secret: z.string().regex(/^[0-9a-f]{64}$/).meta({ description: "Shown only here" }),
  }),
  note: z.string(),
  disclaimer,
}).meta({ id: "SubscriptionCreated" });

/** The answer of `GET /v1/subscriptions`. */
export const subscriptionList = z.strictObject({
  subscriptions: z.array(subscriptionRecord),
  count: z.int(),
  disclaimer,
}).meta({ id: "SubscriptionList" });

/** The answer of `DELETE /v1/subscriptions/{id}`. */
export const subscriptionAnswer = z.strictObject({ subscription: subscriptionRecord, disclaimer }).meta({
  id: "SubscriptionAnswer",
});

/** The answer of `POST /v1/subscriptions/{id}/test`. */
export const testAnswer = z.strictObject({
  delivery_id: z.string(),
  delivered: z.boolean(),
  status_code: z.int().nullable(),
  duration_ms: z.int(),
  problem: z.string().nullable(),
  disclaimer,
}).meta({ id: "TestDelivery" });

/** The record of a subscription; the secret is not in it. */
export function toSubscriptionRecord(subscription: Subscription): z.infer<typeof subscriptionRecord> {
  return {
    id: subscription.id,
    webhook_url: subscription.webhookUrl,
    topics: subscription.topics,
    source_filter: subscription.sourceFilter,
    severity_min: subscription.severityMin,
    language: subscription.language,
    enabled: isEnabled(subscription),
    created_at: subscription.createdAtMs,
  };
}
