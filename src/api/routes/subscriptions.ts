// Webhook subscriptions: create, list, delete, test.
import { DISCLAIMER } from "../../domain/disclaimer.ts";
import type { Customer } from "../../domain/customer.ts";
import { AppError, type FieldError } from "../../domain/errors.ts";
import { isId, type NewId } from "../../domain/ids.ts";
import type { Clock, Random } from "../../domain/ports.ts";
import { makeSecret } from "../../domain/secret.ts";
import type { RememberedAnswer, Store } from "../../domain/store.ts";
import { isEnabled, type Subscription } from "../../domain/subscription.ts";
import type { TierLimits } from "../../domain/tier.ts";
import type { Topic } from "../../domain/topic.ts";
import {
  subscriptionAnswer,
  subscriptionCreated,
  subscriptionList,
  type SubscriptionRequest,
  subscriptionRequest,
  testAnswer,
  toSubscriptionRecord,
} from "../../wire/subscription.ts";
import { createIdempotency } from "../idempotency.ts";
import { invalid } from "../input.ts";
import { answer, keyRoute, type Route } from "../route.ts";

const SECRET_NOTE = "Keep webhook_secret now: it is shown only this once and verifies every delivery.";

/** What became of a test delivery. */
export interface TestResult {
  delivery_id: string;
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  problem: string | null;
}

/** What the routes of subscriptions need. */
export interface SubscriptionRouteOptions {
  store: Pick<
    Store,
    "addSubscription" | "findAnswer" | "listSubscriptions" | "findSubscription" | "deleteSubscription"
  >;
  clock: Clock;
  random: Random;
  newId: NewId;
  topics: readonly Topic[];
  /** Languages that a subscription may ask for. */
  languages: readonly string[];
  limitsOf(customer: Customer): TierLimits;
  isSource(id: string): Promise<boolean>;
  /** Whether deliveries may go to this address. */
  mayReceive(url: string): Promise<boolean>;
  /** Sends a synthetic delivery at once. */
  sendTest(subscription: Subscription): Promise<TestResult>;
}

/** The routes of subscriptions. */
export function subscriptionRoutes(options: SubscriptionRouteOptions): Route[] {
  const { store, clock } = options;
  const idempotency = createIdempotency({ store, clock, status: 201 });
  return [
    keyRoute({
      method: "POST",
      path: "/v1/subscriptions",
      summary: "Creates a webhook subscription",
      body: subscriptionRequest,
      answer: subscriptionCreated,
      status: 201,
      handle: (call) =>
        idempotency.run(call, async (remember) => {
          const { body, customer } = call;
          await checkRequest(body, options);
          const subscription = newSubscription(body, customer, options);
          const created = answer(201, {
            subscription: {
              ...toSubscriptionRecord(subscription),
              webhook_secret: subscription.webhookSecret,
            },
            note: SECRET_NOTE,
            disclaimer: DISCLAIMER,
          });
          await add(subscription, { customer, remembered: remember(created.json) }, options);
          return created;
        }),
    }),
    keyRoute({
      method: "GET",
      path: "/v1/subscriptions",
      summary: "The caller's subscriptions",
      answer: subscriptionList,
      status: 200,
      async handle({ customer }) {
        const subscriptions = (await store.listSubscriptions(customer.id)).map(toSubscriptionRecord);
        return answer(200, { subscriptions, count: subscriptions.length, disclaimer: DISCLAIMER });
      },
    }),
    keyRoute({
      method: "DELETE",
      path: "/v1/subscriptions/{id}",
      summary: "Deletes a subscription; the record is kept",
      answer: subscriptionAnswer,
      status: 200,
      async handle({ params, customer }) {
        const id = params["id"] ?? "";
        const deleted = isId("subscription", id)
          ? await store.deleteSubscription(customer.id, id, clock.nowMs())
          : null;
        if (deleted === null) throw noSubscription();
        return answer(200, { subscription: toSubscriptionRecord(deleted), disclaimer: DISCLAIMER });
      },
    }),
    keyRoute({
      method: "POST",
      path: "/v1/subscriptions/{id}/test",
      summary: "Sends one synthetic delivery",
      answer: testAnswer,
      status: 200,
      async handle({ params, customer }) {
        const id = params["id"] ?? "";
        const subscription = isId("subscription", id) ? await store.findSubscription(customer.id, id) : null;
        if (subscription === null) throw noSubscription();
        if (!isEnabled(subscription)) {
          throw new AppError("subscription_disabled", "Deliveries to this subscription are switched off.");
        }
        return answer(200, { ...await options.sendTest(subscription), disclaimer: DISCLAIMER });
      },
    }),
  ];
}

function noSubscription(): AppError {
  return new AppError("not_found", "You have no subscription of this id.");
}

async function checkRequest(body: SubscriptionRequest, options: SubscriptionRouteOptions): Promise<void> {
  const errors: FieldError[] = [];
  const topics = new Set(options.topics.map((topic) => topic.id));
  for (const id of body.topics) {
    if (topics.has(id)) continue;
    errors.push({ field: "topics", message: `${JSON.stringify(id)} is no topic; GET /v1/topics lists them` });
  }
  for (const id of body.source_filter) {
    if (await options.isSource(id)) continue;
    errors.push({
      field: "source_filter",
      message: `${JSON.stringify(id)} is no source; GET /v1/sources lists them`,
    });
  }
  if (!options.languages.includes(body.language)) {
    errors.push({ field: "language", message: `must be one of ${options.languages.join(", ")}` });
  }
  if (errors.length > 0) throw invalid(errors);
  if (!await options.mayReceive(body.webhook_url)) {
    // One answer for every cause: what a host name resolves to inside is not for the caller to learn.
    const message = "must be an https address of a public host that can be reached";
    throw new AppError("invalid_webhook_url", `webhook_url ${message}.`, [{ field: "webhook_url", message }]);
  }
}

function newSubscription(
  body: SubscriptionRequest,
  customer: Customer,
  { clock, random, newId }: SubscriptionRouteOptions,
): Subscription {
  return {
    id: newId("subscription"),
    customerId: customer.id,
    webhookUrl: body.webhook_url,
    webhookSecret: makeSecret((count) => random.bytes(count)),
    topics: [...new Set(body.topics)],
    sourceFilter: [...new Set(body.source_filter)],
    severityMin: body.severity_min,
    language: body.language,
    createdAtMs: clock.nowMs(),
    disabledAtMs: null,
    deletedAtMs: null,
  };
}

async function add(
  subscription: Subscription,
  { customer, remembered }: { customer: Customer; remembered: RememberedAnswer | undefined },
  { store, limitsOf }: SubscriptionRouteOptions,
): Promise<void> {
  const limit = limitsOf(customer).activeSubscriptions;
  const outcome = await store.addSubscription(subscription, limit, remembered);
  if (outcome === "duplicate") {
    throw new AppError(
      "duplicate_subscription",
      "You have an active subscription with this webhook_url and these filters. Delete it first, or use it.",
    );
  }
  if (outcome === "limit_reached") {
    throw new AppError(
      "subscription_limit_reached",
      `Your tier allows ${limit} active subscription${
        limit === 1 ? "" : "s"
      }. Delete one, or ask for a higher tier.`,
    );
  }
}
