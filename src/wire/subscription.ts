// Subscriptions as JSON: the request that creates one, the records and the answers.
import * as z from "zod";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import { isEnabled, type MatchedSubscription, SWITCHED_OFF_BY } from "../domain/subscription.ts";
import { disclaimer, identifier, severity, unixMs } from "./event.ts";
import { EXAMPLE_SUBSCRIPTION } from "./examples.ts";

/** The longest webhook address that is taken, characters. */
export const MAX_WEBHOOK_URL = 2_048;
/** The most entries of one filter. */
const MAX_FILTER_ENTRIES = 200;

const filterList = (what: string) =>
  z.array(z.string().min(1).max(100)).max(MAX_FILTER_ENTRIES).meta({
    description: `${what}; any of them; empty: all`,
  });

/** No event was published or stored before (in 1973): what lies between 0 and here was meant in seconds. */
const EARLIEST_MS = 100_000_000_000;
const TIME_EXAMPLE = 1_785_542_400_000;

/** A time that a client sends; 0 stands for all that there is. */
const sentTime = z.int({
  error: ({ code, input }) => {
    if (code !== "invalid_type") return undefined;
    return `${input === undefined ? "is missing: it must be" : "must be"} a time in Unix milliseconds, ` +
      `such as ${TIME_EXAMPLE}`;
  },
}).refine((ms) => ms <= 0 || ms >= EARLIEST_MS, {
  error: `is in seconds, it seems: it must be a time in Unix milliseconds, such as ${TIME_EXAMPLE}`,
}).meta({ description: "Unix milliseconds", examples: [1785512415000] });

/** The id of a subscription. */
export const subscriptionId: z.ZodString = identifier("subscription", "The subscription's id").meta({
  examples: [EXAMPLE_SUBSCRIPTION.id],
});

/** The body of `POST /v1/subscriptions`; only `webhook_url` is required. */
export const subscriptionRequest = z.strictObject({
  webhook_url: z.string().min(1).max(MAX_WEBHOOK_URL).meta({
    description: "Where deliveries are posted: an https address of a public host",
  }),
  topics: filterList("Topic ids, a parent stands for its children").default([]),
  source_filter: filterList("Source ids").default([]),
  severity_min: severity.default("info").meta({ description: "Events below it are not delivered" }),
  language: z.string().min(2).max(8).default("en").meta({
    description: "Language of title and summary, where the event has it: en, de, fr or a configured one",
  }),
  backfill_since: sentTime.optional().meta({
    description:
      "Unix ms: stored matching events published since then are delivered first, in the order in which they " +
      "were stored, then those that come. They count against the month's deliveries: when these are used up, the backfill " +
      "pauses (`catch_up`). Without it, only events that come",
  }),
}).meta({
  id: "SubscriptionRequest",
  description: "What to deliver where; the filters combine with and",
  examples: [{
    webhook_url: EXAMPLE_SUBSCRIPTION.webhook_url,
    topics: EXAMPLE_SUBSCRIPTION.topics,
    severity_min: EXAMPLE_SUBSCRIPTION.severity_min,
    language: EXAMPLE_SUBSCRIPTION.language,
  }],
});

/** What a client asks for with {@link subscriptionRequest}. */
export type SubscriptionRequest = z.infer<typeof subscriptionRequest>;

/** The body of `PATCH /v1/subscriptions/{id}`: what is left out stays. */
export const subscriptionChange = z.strictObject({
  webhook_url: z.string().min(1).max(MAX_WEBHOOK_URL).optional().meta({
    description: "Where deliveries are posted from now on, those that wait among them",
  }),
  topics: filterList("Topic ids, a parent stands for its children").optional(),
  source_filter: filterList("Source ids").optional(),
  severity_min: severity.optional().meta({ description: "Events below it are not delivered" }),
  language: z.string().min(2).max(8).optional().meta({ description: "Language of title and summary" }),
  enabled: z.boolean().optional().meta({
    description:
      "`false` switches it off: what it still has to get, and what comes, is held. `true` switches it on, also " +
      "what the service had switched off: one delivery is tried, and with its success the others follow",
  }),
}).meta({
  id: "SubscriptionChange",
  description: "What to change; at least one field",
  examples: [{ severity_min: "high", enabled: true }],
});

/** What a client asks for with {@link subscriptionChange}. */
export type SubscriptionChangeRequest = z.infer<typeof subscriptionChange>;

/** The body of `POST /v1/subscriptions/{id}/replay`. */
export const replayRequest = z.strictObject({
  since: sentTime.meta({
    description: "Unix ms: events that were stored since then (`ingested_at`); 0: all",
  }),
  until: sentTime.optional().meta({ description: "Unix ms: and before then; without it, all since" }),
  after: z.string().optional().meta({
    description: "`next_after` of the answer before: goes on behind that event",
  }),
}).meta({
  id: "ReplayRequest",
  description: "Which time to send again",
  examples: [{ since: 1_785_400_000_000 }],
});

/** The answer of `POST /v1/subscriptions/{id}/replay`. */
export const replayReport = z.strictObject({
  replayed: z.int().min(0).meta({ description: "Finished deliveries that are sent again" }),
  created: z.int().min(0).meta({ description: "Deliveries made of matching events that had none" }),
  held: z.int().min(0).meta({
    description: "Of both, those that wait because the month's deliveries are used up",
  }),
  next_after: identifier("event", "Send it as `after` for the rest").nullable().meta({
    description: "Where this answer ends, an event's id; null when the time is done",
  }),
  disclaimer,
}).meta({
  id: "ReplayReport",
  description: "What is sent again",
  examples: [{ replayed: 41, created: 2, held: 0, next_after: null, disclaimer: DISCLAIMER }],
});

/** A subscription without its secret (specification, section 2.3). */
export const subscriptionRecord = z.strictObject({
  id: subscriptionId,
  webhook_url: z.string().meta({ description: "Where deliveries are posted" }),
  topics: z.array(z.string()).meta({ description: "Topic ids, any of them; empty: all" }),
  source_filter: z.array(z.string()).meta({ description: "Source ids, any of them; empty: all" }),
  severity_min: severity.meta({ description: "Events below it are not delivered" }),
  language: z.string().meta({ description: "ISO 639-1 code of the language of title and summary" }),
  enabled: z.boolean().meta({ description: "True when active" }),
  disabled_by: z.enum(SWITCHED_OFF_BY).nullable().meta({
    description:
      "What switched it off: its `owner`; `gone`, an answer 410; `failing`, days without one success; " +
      "`key-lost`, a secret that cannot be read any more, rotate it; `tier`, more active ones than your tier allows: " +
      "it comes back by itself when there is room; null while nothing did",
  }),
  created_at: unixMs.meta({ description: "When it was created, Unix milliseconds" }),
  catch_up: z.strictObject({
    reason: z.enum(["backfill", "held_full"]).meta({
      description:
        "`backfill`: you asked for stored events (`backfill_since`); `held_full`: your tier's limit of held " +
        "deliveries was reached, so that no further ones are stored for it",
    }),
    state: z.enum(["running", "paused"]).meta({
      description:
        "`paused`: it waits until the month has deliveries left and what is held was sent, or until it is " +
        "switched on; then it goes on by itself",
    }),
    since: unixMs.meta({ description: "Since when it is behind, Unix milliseconds" }),
    next_event_id: identifier("event", "The stored event at which it goes on").nullable().meta({
      description: "The stored event at which it goes on; null when that is the next one to come",
    }),
  }).nullable().meta({
    id: "CatchUp",
    description:
      "Set while the subscription is behind: stored events are delivered, in their order and as far as the " +
      "month's deliveries allow, before it gets new ones as they come. Nothing is lost. Null when it is up to date",
  }),
}).meta({ id: "Subscription", description: "A webhook subscription, without its secret" });

/** The answer of `POST /v1/subscriptions`: the only one that holds the secret. */
export const subscriptionCreated = z.strictObject({
  subscription: subscriptionRecord.extend({
    webhook_secret: z.string().regex(/^[0-9a-f]{64}$/).meta({
      description: "Signs every delivery; 64 hexadecimal characters, shown only here",
    }),
  }).meta({ id: "SubscriptionWithSecret", description: "A new webhook subscription, with its secret" }),
  note: z.string().meta({ description: "Says that the secret is shown only once" }),
  disclaimer,
}).meta({
  id: "SubscriptionCreated",
  description: "The new subscription, with its secret",
  examples: [{
    subscription: {
      ...EXAMPLE_SUBSCRIPTION,
      webhook_secret: "3f1c0a9be5d84276a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718",
    },
    note: "Keep webhook_secret now: it is shown only this once and verifies every delivery.",
    disclaimer: DISCLAIMER,
  }],
});

/** The answer of `POST /v1/subscriptions/{id}/rotate-secret`. */
export const secretRotated = subscriptionCreated.extend({
  previous_secret_until: unixMs.nullable().meta({
    description:
      "Until then deliveries are signed with both secrets, Unix milliseconds; null when the one before it was lost",
  }),
}).meta({
  id: "SecretRotated",
  description: "The subscription with its new secret",
  examples: [{
    subscription: {
      ...EXAMPLE_SUBSCRIPTION,
      webhook_secret: "b71d5c0e94a8362f17d0c5b9a3e4f86270915d3c2b8a4e6f0d1c7b5a39e8f426",
    },
    note: "Keep webhook_secret now: it is shown only this once and verifies every delivery.",
    previous_secret_until: 1_785_600_000_000,
    disclaimer: DISCLAIMER,
  }],
});

/** The answer of `GET /v1/subscriptions`. */
export const subscriptionList = z.strictObject({
  subscriptions: z.array(subscriptionRecord),
  count: z.int().min(0).meta({ description: "Number of subscriptions in this answer" }),
  disclaimer,
}).meta({
  id: "SubscriptionList",
  description: "The caller's subscriptions",
  examples: [{ subscriptions: [EXAMPLE_SUBSCRIPTION], count: 1, disclaimer: DISCLAIMER }],
});

/** The answer of `DELETE /v1/subscriptions/{id}`. */
export const subscriptionResponse = z.strictObject({ subscription: subscriptionRecord, disclaimer }).meta({
  id: "SubscriptionResponse",
  description: "The subscription as it stands now",
  examples: [{ subscription: { ...EXAMPLE_SUBSCRIPTION, enabled: false }, disclaimer: DISCLAIMER }],
});

/** The answer of `POST /v1/subscriptions/{id}/test`. */
export const testResponse = z.strictObject({
  delivery_id: identifier("delivery", "The delivery's id, as in its header `webhook-id`"),
  delivered: z.boolean().meta({ description: "Whether the endpoint answered 2xx" }),
  status_code: z.int().nullable().meta({
    description: "The status that the endpoint answered; null without an answer",
  }),
  duration_ms: z.int().min(0).meta({ description: "How long it took, milliseconds" }),
  problem: z.string().nullable().meta({ description: "What went wrong; null when delivered" }),
  disclaimer,
}).meta({
  id: "TestDelivery",
  description: "What came of a test delivery",
  examples: [{
    delivery_id: "dlv_01KYWDAKRR5WRWT5EF8803K208",
    delivered: false,
    status_code: 500,
    duration_ms: 83,
    problem: "the endpoint answered 500",
    disclaimer: DISCLAIMER,
  }],
});

/** The record of a subscription; the secret is not in it. */
export function toSubscriptionRecord(subscription: MatchedSubscription): z.infer<typeof subscriptionRecord> {
  return {
    id: subscription.id,
    webhook_url: subscription.webhookUrl,
    topics: subscription.topics,
    source_filter: subscription.sourceFilter,
    severity_min: subscription.severityMin,
    language: subscription.language,
    enabled: isEnabled(subscription),
    disabled_by: subscription.disabledBy,
    created_at: subscription.createdAtMs,
    catch_up: subscription.catchUp === null ? null : {
      reason: subscription.catchUp.reason,
      state: subscription.catchUp.isPaused ? "paused" : "running",
      since: subscription.catchUp.sinceMs,
      next_event_id: subscription.catchUp.nextEventId,
    },
  };
}
