// Changes of webhook subscriptions: filters, address, on and off; a new secret; sending a time again.
import { DISCLAIMER } from "../../domain/disclaimer.ts";
import { AppError } from "../../domain/errors.ts";
import { isId } from "../../domain/ids.ts";
import { makeSecret, PREVIOUS_SECRET_MS } from "../../domain/secret.ts";
import type { ChangeRefusal, Replayed, SubscriptionChange } from "../../domain/catch_up_store.ts";
import type { RememberedAnswer, Store } from "../../domain/store.ts";
import type { Subscription } from "../../domain/subscription.ts";
import {
  replayReport,
  replayRequest,
  secretRotated,
  subscriptionChange,
  type SubscriptionChangeRequest,
  subscriptionId,
  subscriptionResponse,
  toSubscriptionRecord,
} from "../../wire/subscription.ts";
import type { Repetition } from "../idempotency.ts";
import { invalid } from "../findings.ts";
import { answer } from "../answer.ts";
import { keyRoute, type Route } from "../route.ts";
import {
  isDuplicate,
  limitReached,
  noSubscription,
  SECRET_NOTE,
  type SubscriptionRouteOptions,
  verifyRequest,
} from "./subscriptions.ts";

/** What the routes of changes need. */
export interface SubscriptionChangeOptions extends Omit<SubscriptionRouteOptions, "store"> {
  store: Pick<
    Store,
    "findSubscription" | "changeSubscription" | "rotateSecret" | "rememberAnswer"
  >;
  /** Sends a subscription's range of time again; `lastEventId` is where it ended before the range did. */
  replay(
    target: { customerId: string; subscriptionId: string; replaysPerDay: number },
    range: { sinceMs: number; untilMs: number | null; afterId: string | null },
  ): Promise<Replayed | "unknown" | "disabled">;
}

/** The routes of changes. */
export function subscriptionChangeRoutes(options: SubscriptionChangeOptions): Route[] {
  return [changeRoute(options), rotateRoute(options), replayRoute(options)];
}

function changeRoute(options: SubscriptionChangeOptions): Route {
  const { store, clock, limitsOf } = options;
  return keyRoute({
    method: "PATCH",
    path: "/v1/subscriptions/{id}",
    operationId: "changeSubscription",
    tag: "Subscriptions",
    summary: "Changes a subscription",
    description:
      "What is left out stays. New filters and a new language hold for events that come; what waits keeps its " +
      "bytes. A new `webhook_url` holds for the next attempt of everything, with the same secret: rotate it if the old " +
      "endpoint was not yours alone. The rules of creation hold: no duplicate, no more active ones than the tier allows.",
    params: { id: subscriptionId },
    body: subscriptionChange,
    verify: ({ body }) => verifyRequest(withoutUndefined(body), options),
    errors: [
      "not_found",
      "invalid_webhook_url",
      "subscription_limit_reached",
      "duplicate_subscription",
      "subscription_key_lost",
    ],
    answer: subscriptionResponse,
    status: 200,
    async handle({ params, body, customer }) {
      const id = idOf(params);
      if (Object.keys(body).length === 0) {
        throw invalid([{ field: "body", message: "must name what to change" }]);
      }
      const activeLimit = limitsOf(customer).activeSubscriptions;
      const outcome = await store.changeSubscription(customer.id, id, toChange(body), {
        nowMs: clock.nowMs(),
        activeLimit,
      });
      if (typeof outcome === "string") throw refusal(outcome, activeLimit);
      return answer(200, { subscription: toSubscriptionRecord(outcome), disclaimer: DISCLAIMER });
    },
  });
}

function toChange(body: SubscriptionChangeRequest): SubscriptionChange {
  return withoutUndefined({
    webhookUrl: body.webhook_url,
    topics: body.topics && [...new Set(body.topics)],
    sourceFilter: body.source_filter && [...new Set(body.source_filter)],
    severityMin: body.severity_min,
    language: body.language,
    enabled: body.enabled,
  });
}

/** The object without the properties that have no value. */
function withoutUndefined<T extends object>(given: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof withoutUndefined<T>
  >;
}

function refusal(outcome: ChangeRefusal, activeLimit: number): AppError {
  switch (outcome) {
    case "unknown":
      return noSubscription();
    case "duplicate":
    case "duplicate_held":
      return isDuplicate(outcome);
    case "limit_reached":
      return limitReached(activeLimit);
    case "key_lost":
      return new AppError(
        "subscription_key_lost",
        "The secret of this subscription is lost. POST /v1/subscriptions/{id}/rotate-secret gives a new one.",
      );
  }
}

function rotateRoute({ store, clock, random }: SubscriptionChangeOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions/{id}/rotate-secret",
    operationId: "rotateSecret",
    tag: "Subscriptions",
    summary: "Gives a subscription a new secret",
    description:
      "The new secret is shown in this answer and never again. For 24 hours deliveries are signed with both, the " +
      "new one first, so that a receiver can change over in peace; any match is enough. A second rotation within that " +
      "time ends the first secret. Send an `Idempotency-Key`, so that a lost answer can be asked for again.",
    params: { id: subscriptionId },
    requestHeaders: ["Idempotency-Key"],
    answerHeaders: ["Idempotency-Replayed"],
    repeatable: true,
    errors: ["not_found", "idempotency_in_flight", "idempotency_key_reused"],
    answer: secretRotated,
    status: 200,
    async handle({ params, customer, repetition }) {
      const id = idOf(params);
      const before = await store.findSubscription(customer.id, id);
      if (before === null) throw noSubscription();
      const nowMs = clock.nowMs();
      const secret = makeSecret((count) => random.bytes(count));
      const json = JSON.stringify(rotatedAnswer(before, secret, nowMs));
      const rotated = await store.rotateSecret(customer.id, id, {
        secret,
        previousUntilMs: nowMs + PREVIOUS_SECRET_MS,
        nowMs,
        answer: toRemember(repetition, json),
      });
      if (rotated === null) throw noSubscription();
      return { status: 200, json };
    },
  });
}

function rotatedAnswer(before: Subscription, secret: string, nowMs: number): Record<string, unknown> {
  const wasLost = before.disabledBy === "key-lost";
  // With a secret again, it is its owner who switches it on.
  const record = toSubscriptionRecord(wasLost ? { ...before, disabledBy: "owner" } : before);
  return {
    subscription: { ...record, webhook_secret: secret },
    note: SECRET_NOTE,
    previous_secret_until: wasLost ? null : nowMs + PREVIOUS_SECRET_MS,
    disclaimer: DISCLAIMER,
  };
}

function toRemember(repetition: Repetition | null, json: string): RememberedAnswer | undefined {
  return repetition === null ? undefined : { ...repetition, json };
}

function replayRoute({ store, clock, limitsOf, replay }: SubscriptionChangeOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions/{id}/replay",
    operationId: "replaySubscription",
    tag: "Deliveries",
    summary: "Sends everything of a time again",
    description:
      "For a receiver that has lost what it got: of the events stored in the time, finished deliveries (delivered " +
      "and failed) are sent again under their ids, and matching events that never had a delivery get one, also those from " +
      "before the subscription. What is under way stays so, and what `backfill_since` still brings comes with that. In " +
      "the order of storing, at most 1000 a call: go on with `next_after`. What was delivered already does not count against the month's " +
      "deliveries again. Each delivery counts against the day's replays: when they are not enough, nothing is sent. " +
      "Replays wait for what the subscription has not been sent yet.",
    params: { id: subscriptionId },
    body: replayRequest,
    requestHeaders: ["Idempotency-Key"],
    answerHeaders: ["Idempotency-Replayed"],
    repeatable: true,
    errors: [
      "not_found",
      "subscription_disabled",
      "held_full",
      "replay_limit_reached",
      "idempotency_in_flight",
      "idempotency_key_reused",
    ],
    verify: ({ body: { since, until, after } }) =>
      Promise.resolve([
        ...(since !== undefined && until !== undefined && until <= since
          ? [{ field: "until", message: "must be later than since" }]
          : []),
        ...(after !== undefined && !isId("event", after)
          ? [{ field: "after", message: "is no event's id" }]
          : []),
      ]),
    answer: replayReport,
    status: 202,
    async handle({ params, body, customer, repetition }) {
      const { replaysPerDay } = limitsOf(customer);
      const outcome = await replay({ customerId: customer.id, subscriptionId: idOf(params), replaysPerDay }, {
        sinceMs: body.since,
        untilMs: body.until ?? null,
        afterId: body.after ?? null,
      });
      if (outcome === "unknown") throw noSubscription();
      if (outcome === "disabled") {
        throw new AppError(
          "subscription_disabled",
          "Deliveries to this subscription are switched off. Switch it on with PATCH first.",
        );
      }
      const { replayed, created, held, lastEventId } = outcome;
      if (outcome.isFull && replayed + created === 0) {
        throw new AppError(
          "held_full",
          "The month's deliveries are used up, and your tier allows no further held deliveries. Replay when those that are " +
            "held have been sent: GET /v1/usage shows how many that are.",
        );
      }
      const told = answer(202, { replayed, created, held, next_after: lastEventId, disclaimer: DISCLAIMER });
      const remembered = toRemember(repetition, told.json);
      if (remembered !== undefined) await store.rememberAnswer(customer.id, remembered, clock.nowMs());
      return told;
    },
  });
}

/** The id in the path; what has not the form of one is no subscription of anybody. */
function idOf(params: Record<string, string>): string {
  const id = params["id"] ?? "";
  if (!isId("subscription", id)) throw noSubscription();
  return id;
}
