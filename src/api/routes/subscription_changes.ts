// Changes to subscriptions: filters, URL, enabling; secret rotation; sending now; replay of a period.
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import { type AppError, standardError } from "../../domain/error_codes.ts";
import { toCustomHeaders } from "../../domain/delivery/custom_headers.ts";
import { isId } from "../../domain/event/ids.ts";
import { makeSecret, PREVIOUS_SECRET_MS } from "../../domain/delivery/secret.ts";
import type { ChangeRefusal, SubscriptionChange } from "../../domain/ports/store/subscriptions.ts";
import type { Subscription } from "../../domain/delivery/subscription.ts";
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
import { toFilter } from "../input/event_filter.ts";
import { definedFields } from "../input/without_undefined.ts";
import { type Finding, invalid, quoteSent } from "../../http/invalid_fields.ts";
import { duplicateError, limitError } from "../refusals.ts";
import { responseBody } from "../response_body.ts";
import { keyRoute, type Route } from "../route.ts";
import { idOf, notFound } from "./path_id.ts";
import type { RouteOptions } from "./route_dependencies.ts";
import { replayLimitError } from "./deliveries.ts";
import { SECRET_NOTE, verifyRequest } from "./subscriptions.ts";

export function subscriptionChangeRoutes(options: RouteOptions): Route[] {
  return [changeRoute(options), rotateRoute(options), sendRoute(options), replayRoute(options)];
}

function changeRoute(options: RouteOptions): Route {
  const { store, clock, limitsOf } = options;
  return keyRoute({
    method: "PATCH",
    path: "/v1/subscriptions/{id}",
    operationId: "changeSubscription",
    tag: "Subscriptions",
    summary: "Changes a subscription",
    description:
      "Absent fields stay unchanged. New filters and a new language apply to new events; pending deliveries keep " +
      "their bytes. A new `webhook_url` applies to the next attempt of every delivery, with the same secret. Rotate " +
      "the secret if others have access to the old endpoint. If the subscription has `headers`, send them again with a " +
      "new URL. The rules for new subscriptions apply: no duplicates, and no more active subscriptions than the tier " +
      "allows.",
    params: { id: subscriptionId },
    body: subscriptionChange,
    verify: ({ body }) => verifyRequest(definedFields(body), options),
    errors: [
      "not_found",
      "invalid_webhook_url",
      "subscription_limit_reached",
      "duplicate_subscription",
      "subscription_key_lost",
    ],
    response: subscriptionResponse,
    status: 200,
    async handle({ params, body, customer }) {
      const id = idOf("subscription", params);
      if (Object.keys(body).length === 0) {
        throw invalid([{ field: "body", message: "must contain a field to change" }]);
      }
      const activeLimit = limitsOf(customer).activeSubscriptions;
      const outcome = await store.changeSubscription(customer.id, id, toChange(body), {
        nowMs: clock.nowMs(),
        activeLimit,
      });
      if (typeof outcome === "string" || "duplicateOf" in outcome) throw refusal(outcome, activeLimit);
      return responseBody(200, { subscription: toSubscriptionRecord(outcome), disclaimer: DISCLAIMER });
    },
  });
}

function toChange(body: SubscriptionChangeRequest): SubscriptionChange {
  return definedFields({
    webhookUrl: body.webhook_url,
    headers: body.headers && toCustomHeaders(body.headers),
    name: body.name,
    note: body.note,
    ...toFilter(body),
    language: body.language,
    enabled: body.enabled,
  });
}

function refusal(outcome: ChangeRefusal, activeLimit: number): AppError {
  if (typeof outcome === "object") return duplicateError(outcome);
  switch (outcome) {
    case "unknown":
      return notFound("subscription");
    case "limit_reached":
      return limitError(activeLimit);
    case "headers_missing":
      return invalid([{
        field: "headers",
        message:
          "must be sent again with a new webhook_url, because they may contain credentials for the old URL; " +
          "{} removes them",
      }]);
    case "headers_lost":
      return invalid([{
        field: "headers",
        message: "must be sent again, because the operator has lost their values; {} removes them",
      }]);
    case "key_lost":
      return standardError("subscription_key_lost");
  }
}

function rotateRoute({ store, clock, random }: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions/{id}/rotate-secret",
    operationId: "rotateSecret",
    tag: "Subscriptions",
    summary: "Rotates a subscription's secret",
    description:
      "The new secret is shown only in this response. For 24 hours, deliveries are signed with both secrets, the new " +
      "one first; one match is enough. A second rotation within that time invalidates the oldest secret. Send an " +
      "`Idempotency-Key`, so that you can repeat the request if the response is lost.",
    params: { id: subscriptionId },
    repeatable: true,
    errors: ["not_found"],
    response: secretRotated,
    status: 200,
    async handle({ params, customer, repetition }) {
      const id = idOf("subscription", params);
      const before = await store.findSubscription(customer.id, id);
      if (before === null) throw notFound("subscription");
      const nowMs = clock.nowMs();
      const secret = makeSecret((count) => random.bytes(count));
      const json = JSON.stringify(rotationResponse(before, secret, nowMs));
      const rotated = await store.rotateSecret(customer.id, id, {
        secret,
        previousUntilMs: nowMs + PREVIOUS_SECRET_MS,
        nowMs,
        response: repetition === null ? undefined : { ...repetition, json },
      });
      if (rotated === null) throw notFound("subscription");
      return { status: 200, json };
    },
  });
}

function rotationResponse(before: Subscription, secret: string, nowMs: number): Record<string, unknown> {
  const wasLost = before.disabledBy === "key-lost";
  // With a new secret, the owner can enable the subscription.
  const record = toSubscriptionRecord(wasLost ? { ...before, disabledBy: "owner" } : before);
  return {
    subscription: { ...record, webhook_secret: secret },
    note: SECRET_NOTE,
    previous_secret_until: wasLost ? null : nowMs + PREVIOUS_SECRET_MS,
    disclaimer: DISCLAIMER,
  };
}

function sendRoute({ store, clock, limitsOf }: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions/{id}/send",
    operationId: "sendPending",
    tag: "Deliveries",
    summary: "Sends a subscription's pending deliveries now",
    description:
      "For endpoints that work again. Sends all deliveries that are waiting for a retry immediately and restarts their " +
      "retry schedules, even if your endpoint asked for a pause with `Retry-After`. If the endpoint has been failing, one " +
      "delivery is attempted first, and the others follow if it succeeds. Held deliveries are not sent. Each call " +
      "counts as one of the daily replays.",
    params: { id: subscriptionId },
    errors: ["not_found", "subscription_disabled", "replay_limit_reached"],
    response: subscriptionResponse,
    status: 202,
    async handle({ params, customer }) {
      const id = idOf("subscription", params);
      const terms = { nowMs: clock.nowMs(), replaysPerDay: limitsOf(customer).replaysPerDay };
      const outcome = await store.sendPending(customer.id, id, terms);
      if (outcome === "disabled") throw standardError("subscription_disabled");
      if (outcome === "limit_reached") throw replayLimitError(terms);
      const subscription = await store.findSubscription(customer.id, id);
      if (outcome === "unknown" || subscription === null) throw notFound("subscription");
      return responseBody(202, {
        subscription: toSubscriptionRecord(subscription),
        disclaimer: DISCLAIMER,
      });
    },
  });
}

function replayRoute({ store, clock, limitsOf, replay }: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions/{id}/replay",
    operationId: "replaySubscription",
    tag: "Deliveries",
    summary: "Replays a period",
    description:
      "For receivers that have lost data. For the events stored in the period, finished deliveries (delivered or " +
      "failed) are sent again with the same ids, and matching events without a delivery get one, even if they are " +
      "older than the subscription. Pending deliveries and events that `backfill_since` will deliver are not " +
      "affected. Events are processed in storage order; each call sends at most 1000 deliveries. Continue with " +
      "`next_after`. Deliveries that had succeeded do not count against the monthly quota again. Each delivery counts " +
      "against the daily replays; if there are not enough left, nothing is sent. Replays are sent after the " +
      "subscription's new deliveries.",
    params: { id: subscriptionId },
    body: replayRequest,
    repeatable: true,
    errors: [
      "not_found",
      "subscription_disabled",
      "held_full",
      "replay_limit_reached",
    ],
    verify({ body: { since, until, after } }) {
      const errors: Finding[] = [];
      if (since !== undefined && until !== undefined && until <= since) {
        errors.push({ field: "until", message: "must be later than since" });
      }
      if (after !== undefined && !isId("event", after)) {
        errors.push({ field: "after", message: `${quoteSent(after)} is not a valid event id` });
      }
      return Promise.resolve(errors);
    },
    response: replayReport,
    status: 202,
    async handle({ params, body, customer, repetition }) {
      const { replaysPerDay } = limitsOf(customer);
      const outcome = await replay({
        customerId: customer.id,
        subscriptionId: idOf("subscription", params),
        replaysPerDay,
      }, {
        sinceMs: body.since,
        untilMs: body.until ?? null,
        afterId: body.after ?? null,
      });
      if (outcome === "unknown") throw notFound("subscription");
      if (outcome === "disabled") throw standardError("subscription_disabled");
      const { replayed, created, held, lastEventId } = outcome;
      if (outcome.isFull && replayed + created === 0) {
        throw standardError("held_full");
      }
      const report = { replayed, created, held, next_after: lastEventId, disclaimer: DISCLAIMER };
      const response = responseBody(202, report);
      if (repetition !== null) {
        await store.storeResponse(customer.id, { ...repetition, json: response.json }, clock.nowMs());
      }
      return response;
    },
  });
}
