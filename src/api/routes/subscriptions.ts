// Webhook subscriptions: create, list, show, delete, test.
import { overDailyLimit } from "../../domain/customer/daily_limit.ts";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import type { Customer } from "../../domain/customer/customer.ts";
import { AppError, standardError } from "../../domain/error_codes.ts";
import { toCustomHeaders } from "../../domain/delivery/custom_headers.ts";
import { EVERY_EVENT } from "../../domain/event/event_filter.ts";
import { makeSecret } from "../../domain/delivery/secret.ts";
import type { StoredResponse } from "../../domain/ports/store/customers.ts";
import { MAX_DISABLED, NO_DELIVERIES, type Subscription } from "../../domain/delivery/subscription.ts";
import {
  subscriptionCreated,
  subscriptionId,
  subscriptionList,
  type SubscriptionRequest,
  subscriptionRequest,
  subscriptionResponse,
  testRequest,
  testResponse,
  toSubscriptionRecord,
} from "../../wire/subscription.ts";
import { toFilter, verifyFilter } from "../input/event_filter.ts";
import { type Finding, notAmong } from "../../http/invalid_fields.ts";
import { duplicateError, limitError } from "../refusals.ts";
import { responseBody } from "../response_body.ts";
import { keyRoute, type Route } from "../route.ts";
import { idOf, notFound } from "./path_id.ts";
import type { RouteOptions } from "./route_dependencies.ts";

export const SECRET_NOTE =
  "Store webhook_secret now: it is shown only once, and you need it to verify deliveries.";

export function subscriptionRoutes(options: RouteOptions): Route[] {
  return [
    createRoute(options),
    listRoute(options),
    showRoute(options),
    deleteRoute(options),
    testRoute(options),
  ];
}

function createRoute(options: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions",
    operationId: "createSubscription",
    tag: "Subscriptions",
    summary: "Creates a webhook subscription",
    description:
      "Only `webhook_url` is required. The filters have the meaning that they have in `GET /v1/events`: they are " +
      "combined with AND, values within a list with OR. Events that match a value of `exclude` are left out. " +
      "`webhook_secret` is shown only in this response. With `backfill_since`, stored events are delivered first. " +
      "If the monthly quota is used up, the backfill pauses, and continues automatically when there is quota again. " +
      "Your tier limits the number of backfills per UTC day.",
    errors: [
      "invalid_webhook_url",
      "subscription_limit_reached",
      "backfill_limit_reached",
      "duplicate_subscription",
    ],
    body: subscriptionRequest,
    verify: ({ body }) => verifyRequest(body, options),
    repeatable: true,
    response: subscriptionCreated,
    status: 201,
    async handle({ body, customer, repetition }) {
      const subscription = newSubscription(body, customer, options);
      const record = { ...toSubscriptionRecord(subscription), webhook_secret: subscription.webhookSecret };
      const created = responseBody(201, { subscription: record, note: SECRET_NOTE, disclaimer: DISCLAIMER });
      const response = repetition === null ? undefined : { ...repetition, json: created.json };
      await add(subscription, { customer, response, backfillSinceMs: body.backfill_since }, options);
      return created;
    },
  });
}

function listRoute({ store }: RouteOptions): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/subscriptions",
    operationId: "listSubscriptions",
    tag: "Subscriptions",
    summary: "Lists your subscriptions",
    description: "All subscriptions that are not deleted, without their secrets.",
    response: subscriptionList,
    status: 200,
    async handle({ customer }) {
      const subscriptions = (await store.listSubscriptions(customer.id)).map(toSubscriptionRecord);
      return responseBody(200, { subscriptions, count: subscriptions.length, disclaimer: DISCLAIMER });
    },
  });
}

function showRoute({ store }: RouteOptions): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/subscriptions/{id}",
    operationId: "getSubscription",
    tag: "Subscriptions",
    summary: "Returns a subscription",
    description: "A subscription without its secret, unless it is deleted.",
    params: { id: subscriptionId },
    errors: ["not_found"],
    response: subscriptionResponse,
    status: 200,
    async handle({ params, customer }) {
      const found = await store.findSubscription(customer.id, idOf("subscription", params));
      if (found === null) throw notFound("subscription");
      return responseBody(200, { subscription: toSubscriptionRecord(found), disclaimer: DISCLAIMER });
    },
  });
}

function deleteRoute({ store, clock, limitsOf }: RouteOptions): Route {
  return keyRoute({
    method: "DELETE",
    path: "/v1/subscriptions/{id}",
    operationId: "deleteSubscription",
    tag: "Subscriptions",
    summary: "Deletes a subscription",
    description:
      "Nothing more is delivered. Pending and held deliveries become `cancelled`; those that were never attempted " +
      "are then removed from the log. The record is kept for audit at least as long as the log contains its deliveries; " +
      "deleting the subscription again returns 404. If subscriptions are held by your tier's limit " +
      "(`disabled_by: tier`), the oldest of them is enabled instead.",
    params: { id: subscriptionId },
    errors: ["not_found"],
    response: subscriptionResponse,
    status: 200,
    async handle({ params, customer }) {
      const deleted = await store.deleteSubscription(customer.id, idOf("subscription", params), {
        nowMs: clock.nowMs(),
        activeLimit: limitsOf(customer).activeSubscriptions,
      });
      if (deleted === null) throw notFound("subscription");
      return responseBody(200, { subscription: toSubscriptionRecord(deleted), disclaimer: DISCLAIMER });
    },
  });
}

function testRoute({ store, limitsOf, sendTest }: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/subscriptions/{id}/test",
    operationId: "testSubscription",
    tag: "Subscriptions",
    summary: "Sends a test delivery",
    description:
      "Posts a delivery with severity `info`, source `test` and the sequence number 0 to the subscription's URL, " +
      "signed with its secret, and returns the result. This also works while the subscription is disabled. The body " +
      "is optional; with it you choose the type. Each call counts against the daily test calls, but not against the monthly " +
      "quota.",
    params: { id: subscriptionId },
    body: testRequest,
    bodyIsOptional: true,
    errors: ["not_found", "subscription_key_lost", "test_limit_reached"],
    response: testResponse,
    status: 200,
    async handle({ params, body: { type }, customer }) {
      const subscription = await store.findSubscription(customer.id, idOf("subscription", params));
      if (subscription === null) throw notFound("subscription");
      if (subscription.disabledBy === "key-lost") throw standardError("subscription_key_lost");
      const callsPerDay = limitsOf(customer).testCallsPerDay;
      const result = await sendTest(subscription, { type, callsPerDay });
      return responseBody(200, { ...result, disclaimer: DISCLAIMER });
    },
  });
}

export async function verifyRequest(
  body: Partial<SubscriptionRequest>,
  { topics, languages, sources, isSource, whyRefused, clock }: RouteOptions,
): Promise<Finding[]> {
  const findings: Finding[] = await verifyFilter(body, { topics, sources, isSource });
  if (body.language !== undefined && !languages.includes(body.language)) {
    findings.push({ field: "language", message: notAmong(body.language, languages) });
  }
  const refused = body.webhook_url === undefined ? null : await whyRefused(body.webhook_url);
  if (refused !== null) {
    findings.push({ field: "webhook_url", message: refused, code: "invalid_webhook_url" });
  }
  if (body.backfill_since !== undefined && body.backfill_since > clock.nowMs()) {
    findings.push({ field: "backfill_since", message: "must be a time in the past" });
  }
  return findings;
}

function newSubscription(
  body: SubscriptionRequest,
  customer: Customer,
  { clock, random, newId }: RouteOptions,
): Subscription {
  const headers = toCustomHeaders(body.headers);
  return {
    id: newId("subscription"),
    customerId: customer.id,
    name: body.name,
    note: body.note,
    webhookUrl: body.webhook_url,
    webhookSecret: makeSecret((count) => random.bytes(count)),
    previousSecret: null,
    headers,
    headerNames: Object.keys(headers),
    ...EVERY_EVENT,
    ...toFilter(body),
    language: body.language,
    createdAtMs: clock.nowMs(),
    disabledAtMs: null,
    disabledBy: null,
    deletedAtMs: null,
    catchUp: body.backfill_since === undefined
      ? null
      : { reason: "backfill", sinceMs: clock.nowMs(), isPaused: false, nextEventId: null },
    health: NO_DELIVERIES,
  };
}

async function add(
  subscription: Subscription,
  { customer, response, backfillSinceMs }: {
    customer: Customer;
    response: StoredResponse | undefined;
    backfillSinceMs: number | undefined;
  },
  { store, limitsOf }: RouteOptions,
): Promise<void> {
  const { activeSubscriptions, backfillsPerDay: perDay } = limitsOf(customer);
  const backfill = backfillSinceMs === undefined ? undefined : { sinceMs: backfillSinceMs, perDay };
  const outcome = await store.addSubscription(subscription, activeSubscriptions, { response, backfill });
  if (typeof outcome === "object") throw duplicateError(outcome);
  switch (outcome) {
    case "created":
      return;
    case "limit_reached":
      throw limitError(activeSubscriptions);
    case "too_many_disabled":
      throw new AppError(
        "subscription_limit_reached",
        `You have ${MAX_DISABLED} disabled subscriptions. Delete one before you create another.`,
      );
    case "backfill_limit_reached":
      throw overDailyLimit({
        code: "backfill_limit_reached",
        nouns: "backfills",
        limit: perDay,
        nowMs: subscription.createdAtMs,
      });
  }
}
