// Subscriptions as JSON: requests, records and responses.
import * as z from "zod";
import { headerProblem, MAX_HEADERS, MAX_VALUE_LENGTH } from "../domain/delivery/custom_headers.ts";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import { DISABLED_REASONS, isEnabled, type ListedSubscription } from "../domain/delivery/subscription.ts";
import { DELIVERY_TYPES } from "./delivery.ts";
import { filterRecord, sentExclusions, sentFilter, toFilterRecord } from "./event_filter.ts";
import { EXAMPLE_SUBSCRIPTION } from "./examples.ts";
import {
  count,
  disclaimer,
  identifier,
  ownText,
  sentTime,
  statusOrNull,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from "./fields.ts";

/** Maximum lengths of a name and a note, characters. */
const MAX_NAME = 100;
const MAX_NOTE = 1_000;

const sentName = ownText(MAX_NAME, { lines: false });
const sentNote = ownText(MAX_NOTE, { lines: true });

const headerValue = z.string().meta({ minLength: 1, maxLength: MAX_VALUE_LENGTH });
const namedHeaders = z.record(z.string(), headerValue).superRefine((headers, context) => {
  const names = Object.keys(headers);
  const refuse = (message: string, path: string[] = []) =>
    context.addIssue({ code: "custom", message, path });
  if (names.length > MAX_HEADERS) refuse(`may have at most ${MAX_HEADERS} entries`);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) refuse("has the same name twice");
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value);
    if (problem !== null) refuse(problem, [name]);
  }
}).meta({ maxProperties: MAX_HEADERS });
// z.record drops the name `__proto__`, so it is refused before.
const sentHeaders = z.preprocess((sent, context) => {
  if (Object.hasOwn(Object(sent), "__proto__")) {
    context.addIssue({ code: "custom", message: "is not a valid header name", path: ["__proto__"] });
  }
  return sent;
}, namedHeaders);

/** Maximum length of a webhook URL, characters. */
export const MAX_WEBHOOK_URL = 2_048;

export const subscriptionId: z.ZodString = identifier("subscription", "The subscription's id").meta({
  examples: [EXAMPLE_SUBSCRIPTION.id],
});

/** The body of `POST /v1/subscriptions`; only `webhook_url` is required. */
export const subscriptionRequest = z.strictObject({
  webhook_url: z.string().min(1).max(MAX_WEBHOOK_URL).meta({
    description: "The URL to which deliveries are posted: https on a public host",
  }),
  headers: sentHeaders.default({}).meta({
    description:
      `Headers to send with every delivery, such as \`Authorization\`: at most ${MAX_HEADERS}, and none that HTTP or ` +
      `Regfeed sets. Values have at most ${MAX_VALUE_LENGTH} visible ASCII characters; they are stored encrypted and ` +
      "never shown again",
  }),
  name: sentName.default(null).meta({ description: "A name of your choice, which may repeat" }),
  note: sentNote.default(null).meta({ description: "A note of your choice, which may have several lines" }),
  topics: sentFilter.topics.default([]),
  source_filter: sentFilter.source_filter.default([]),
  severity_min: sentFilter.severity_min.default("info"),
  event_type: sentFilter.event_type.default([]),
  article: sentFilter.article.default([]),
  event_language: sentFilter.event_language.default([]),
  q: sentFilter.q.default(null),
  exclude: sentExclusions.prefault({}),
  language: z.string().min(2).max(8).default("en").meta({
    description:
      "Language of title and summary, if the event has that language: en, de, fr or another configured language",
  }),
  backfill_since: sentTime(
    "since",
    "Matching events published since then are delivered first, in the order in which they were stored, followed by new " +
      "events. These deliveries count against the monthly quota; when it is used up, the backfill pauses (`catch_up`). " +
      "If absent, only new events are delivered",
  ).optional(),
}).meta({
  id: "SubscriptionRequest",
  description: "A new subscription; filters are combined with AND",
  examples: [{
    webhook_url: EXAMPLE_SUBSCRIPTION.webhook_url,
    name: EXAMPLE_SUBSCRIPTION.name,
    topics: EXAMPLE_SUBSCRIPTION.topics,
    severity_min: EXAMPLE_SUBSCRIPTION.severity_min,
    language: EXAMPLE_SUBSCRIPTION.language,
  }],
});

export type SubscriptionRequest = z.infer<typeof subscriptionRequest>;

/** The body of `PATCH /v1/subscriptions/{id}`. Absent fields stay unchanged. */
export const subscriptionChange = z.strictObject({
  webhook_url: z.string().min(1).max(MAX_WEBHOOK_URL).optional().meta({
    description: "The URL to which deliveries are posted, including those that are pending",
  }),
  headers: sentHeaders.optional().meta({
    description:
      "Replaces all headers; `{}` removes them. Required if `webhook_url` changes and the subscription has headers, " +
      "because they may contain credentials for the old URL, and when you enable it after its values were lost " +
      "(`key-lost`)",
  }),
  name: sentName.optional().meta({ description: "A name of your choice; null removes it" }),
  note: sentNote.optional().meta({ description: "A note of your choice; null removes it" }),
  topics: sentFilter.topics.optional(),
  source_filter: sentFilter.source_filter.optional(),
  severity_min: sentFilter.severity_min.optional(),
  event_type: sentFilter.event_type.optional(),
  article: sentFilter.article.optional(),
  event_language: sentFilter.event_language.optional(),
  q: sentFilter.q.optional(),
  exclude: sentExclusions.optional().meta({ description: "Replaces all exclusions" }),
  language: z.string().min(2).max(8).optional().meta({ description: "Language of title and summary" }),
  enabled: z.boolean().optional().meta({
    description:
      "`false` disables the subscription: pending and new deliveries are held. `true` enables it, even if the service " +
      "disabled it: one delivery is attempted, and the others follow if it succeeds",
  }),
}).meta({
  id: "SubscriptionChange",
  description: "The fields to change; at least one",
  examples: [{ severity_min: "high", enabled: true }],
});

export type SubscriptionChangeRequest = z.infer<typeof subscriptionChange>;

/** The body of `POST /v1/subscriptions/{id}/replay`. */
export const replayRequest = z.strictObject({
  since: sentTime("since", "Replays events stored since then (`ingested_at`); 0 means all"),
  until: sentTime("before", "Replays only events stored before then; a date includes that day").optional(),
  after: z.string().optional().meta({
    description: "`next_after` of the previous response: continues after that event",
  }),
}).meta({
  id: "ReplayRequest",
  description: "The period to replay",
  examples: [{ since: "2026-07-30" }],
});

/** The response of `POST /v1/subscriptions/{id}/replay`. */
export const replayReport = z.strictObject({
  replayed: count("Finished deliveries that are sent again"),
  created: count("New deliveries of matching events that had none"),
  held: count("How many of these deliveries are held because the monthly quota is used up"),
  next_after: identifier("event", "Send it as `after` to continue").nullable().meta({
    description:
      "The event at which this response ends; send it as `after` to continue. Null at the end of the period",
  }),
  disclaimer,
}).meta({
  id: "ReplayReport",
  description: "The result of a replay",
  examples: [{ replayed: 41, created: 2, held: 0, next_after: null, disclaimer: DISCLAIMER }],
});

/** A subscription without its secret (specification, section 2.3). */
const subscriptionRecord = z.strictObject({
  id: subscriptionId,
  webhook_url: text("The URL to which deliveries are posted"),
  header_names: texts("The names of your headers, in lower case; their values are never shown"),
  name: textOrNull("The name that you gave the subscription; null if it has none"),
  note: textOrNull("The note that you wrote; null if there is none"),
  ...filterRecord,
  language: text("ISO 639-1 code of the language of title and summary"),
  enabled: z.boolean().meta({ description: "True if the subscription is active" }),
  disabled_by: z.enum(DISABLED_REASONS).nullable().meta({
    description:
      "Why the subscription is disabled. `owner`: by its owner; `gone`: the endpoint responded with 410; `failing`: " +
      "no success for days; `key-lost`: its secret is lost, so rotate it, then enable the subscription; `tier`: it " +
      "exceeds your tier's limit on active subscriptions, and is enabled again automatically when the limit allows. " +
      "Null while enabled",
  }),
  created_at: time("When the subscription was created, Unix milliseconds"),
  last_success_at: timeOrNull(
    "When the endpoint last accepted a delivery, at most a minute out of date, Unix milliseconds; null if never",
  ),
  failing_since: timeOrNull(
    "The first failed attempt since the last success, Unix milliseconds; null if the endpoint is not failing",
  ),
  pending: count("Number of deliveries that wait for their next attempt"),
  held: count("Number of deliveries that are held; their `reason` in `GET /v1/deliveries` says why"),
  catch_up: z.strictObject({
    reason: z.enum(["backfill", "held_full"]).meta({
      description:
        "`backfill`: you requested stored events (`backfill_since`); `held_full`: your tier's limit on held " +
        "deliveries was reached, so no more deliveries were created",
    }),
    state: z.enum(["running", "paused"]).meta({
      description:
        "`running`: stored events are being delivered; `paused`: delivery continues automatically when the monthly " +
        "quota allows and the held deliveries have been sent, or when the subscription is enabled",
    }),
    since: time("When the subscription fell behind, Unix milliseconds"),
    next_event_id: identifier("event", "The stored event with which delivery continues").nullable().meta({
      description: "The stored event with which delivery continues; null if that is the next new event",
    }),
  }).nullable().meta({
    id: "CatchUp",
    description:
      "Set while the subscription is behind: stored events are delivered in order, as far as the monthly quota " +
      "allows, before new ones. Nothing is lost. Null if the subscription is up to date",
  }),
}).meta({ id: "Subscription", description: "A webhook subscription, without its secret" });

/** The response of `POST /v1/subscriptions`, which contains the secret. */
export const subscriptionCreated = z.strictObject({
  subscription: subscriptionRecord.extend({
    webhook_secret: z.string().regex(/^[0-9a-f]{64}$/).meta({
      description: "Signs every delivery; 64 hexadecimal digits, shown only here",
    }),
  }).meta({ id: "SubscriptionWithSecret", description: "A webhook subscription with its secret" }),
  note: text("A reminder that the secret is shown only once"),
  disclaimer,
}).meta({
  id: "SubscriptionCreated",
  description: "The new subscription with its secret",
  examples: [{
    subscription: {
      ...EXAMPLE_SUBSCRIPTION,
      webhook_secret: "3f1c0a9be5d84276a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718",
    },
    note: "Store webhook_secret now: it is shown only once, and you need it to verify deliveries.",
    disclaimer: DISCLAIMER,
  }],
});

/** The response of `POST /v1/subscriptions/{id}/rotate-secret`. */
export const secretRotated = subscriptionCreated.extend({
  previous_secret_until: timeOrNull(
    "Time until which deliveries are signed with both secrets, Unix milliseconds; null if the previous secret was lost",
  ),
}).meta({
  id: "SecretRotated",
  description: "The subscription with its new secret",
  examples: [{
    subscription: {
      ...EXAMPLE_SUBSCRIPTION,
      webhook_secret: "b71d5c0e94a8362f17d0c5b9a3e4f86270915d3c2b8a4e6f0d1c7b5a39e8f426",
    },
    note: "Store webhook_secret now: it is shown only once, and you need it to verify deliveries.",
    previous_secret_until: 1_785_600_000_000,
    disclaimer: DISCLAIMER,
  }],
});

/** The response of `GET /v1/subscriptions`. */
export const subscriptionList = z.strictObject({
  subscriptions: z.array(subscriptionRecord),
  count: count("Number of subscriptions in this response"),
  disclaimer,
}).meta({
  id: "SubscriptionList",
  description: "Your subscriptions",
  examples: [{ subscriptions: [EXAMPLE_SUBSCRIPTION], count: 1, disclaimer: DISCLAIMER }],
});

/** The response of `GET`, `PATCH` and `DELETE /v1/subscriptions/{id}`. */
export const subscriptionResponse = z.strictObject({ subscription: subscriptionRecord, disclaimer }).meta({
  id: "SubscriptionResponse",
  description: "One subscription, after the change if there is one",
  examples: [{ subscription: { ...EXAMPLE_SUBSCRIPTION, enabled: false }, disclaimer: DISCLAIMER }],
});

/** The body of `POST /v1/subscriptions/{id}/test`, which may be absent. */
export const testRequest = z.strictObject({
  type: z.enum(DELIVERY_TYPES).default("event.test").meta({
    description:
      "The type of the delivery: `event.test`, or a sample of `event.published` or `event.revised`, the latter with " +
      "`diff_to_previous`",
  }),
}).meta({
  id: "TestRequest",
  description: "What to send; without a body, `event.test`",
  examples: [{ type: "event.revised" }],
});

/** The response of `POST /v1/subscriptions/{id}/test`. */
export const testResponse = z.strictObject({
  delivery_id: identifier("delivery", "The delivery's id, as in its header `webhook-id`"),
  delivered: z.boolean().meta({ description: "Whether the endpoint responded with 2xx" }),
  status_code: statusOrNull("HTTP status of the endpoint's response; null if there was none"),
  duration_ms: count("Duration, milliseconds"),
  problem: textOrNull("What went wrong; null if delivered"),
  disclaimer,
}).meta({
  id: "TestDelivery",
  description: "The result of a test delivery",
  examples: [{
    delivery_id: "dlv_01KYWDAKRR5WRWT5EF8803K208",
    delivered: false,
    status_code: 500,
    duration_ms: 83,
    problem: "the endpoint responded with 500",
    disclaimer: DISCLAIMER,
  }],
});

export function toSubscriptionRecord(subscription: ListedSubscription): z.infer<typeof subscriptionRecord> {
  return {
    id: subscription.id,
    webhook_url: subscription.webhookUrl,
    header_names: subscription.headerNames,
    name: subscription.name,
    note: subscription.note,
    ...toFilterRecord(subscription),
    language: subscription.language,
    enabled: isEnabled(subscription),
    disabled_by: subscription.disabledBy,
    created_at: subscription.createdAtMs,
    last_success_at: subscription.health.lastSuccessAtMs,
    failing_since: subscription.health.failingSinceMs,
    pending: subscription.health.pending,
    held: subscription.health.held,
    catch_up: subscription.catchUp === null ? null : {
      reason: subscription.catchUp.reason,
      state: subscription.catchUp.isPaused ? "paused" : "running",
      since: subscription.catchUp.sinceMs,
      next_event_id: subscription.catchUp.nextEventId,
    },
  };
}
