// The delivery log: list, show and replay deliveries.
import * as z from "zod";
import { utcMonth } from "../../domain/customer/quota_period.ts";
import type { Customer } from "../../domain/customer/customer.ts";
import { overDailyLimit } from "../../domain/customer/daily_limit.ts";
import { DELIVERY_STATUSES } from "../../domain/delivery/delivery.ts";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import { type AppError, type FieldError, standardError } from "../../domain/error_codes.ts";
import { type IdNoun, isId } from "../../domain/event/ids.ts";
import type { ReplayRefusal, SendTerms } from "../../domain/ports/store/deliveries.ts";
import {
  deliveryId,
  deliveryList,
  deliveryResponse,
  replayResponse,
  sendResponse,
  toDeliveryRecord,
  toDeliveryWithAttempts,
} from "../../wire/delivery_log.ts";
import { definedFields } from "../input/without_undefined.ts";
import { invalid, quoteSent } from "../../http/invalid_fields.ts";
import { choiceParameter, integerParameter } from "../../http/parameters.ts";
import { nextLink, pageOf, responseBody } from "../response_body.ts";
import { keyRoute, type Route } from "../route.ts";
import { idOf, notFound } from "./path_id.ts";
import type { RouteOptions } from "./route_dependencies.ts";

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

const deliveriesQuery = z.strictObject({
  limit: integerParameter({ min: 1, max: MAX_LIMIT, description: "Maximum number of deliveries per page" })
    .default(DEFAULT_LIMIT),
  subscription: z.string().optional().meta({
    description: "The id of a subscription, even of a deleted one",
  }),
  status: choiceParameter(DELIVERY_STATUSES, "Statuses, combined with OR").optional(),
  event: z.string().optional().meta({ description: "An event's id" }),
  before: z.string().optional().meta({
    description: 'A delivery\'s id. Returns the deliveries after it in the list. Used by `Link: rel="next"`',
  }),
});

export function deliveryRoutes(options: RouteOptions): Route[] {
  return [listRoute(options), deliveryRoute(options), sendRoute(options), replayRoute(options)];
}

function listRoute({ store, publicUrl }: RouteOptions): Route {
  const find = async (customer: Customer, id: string) =>
    isId("delivery", id) ? await store.findDelivery(customer.id, id) : null;
  return keyRoute({
    method: "GET",
    path: "/v1/deliveries",
    operationId: "listDeliveries",
    tag: "Deliveries",
    summary: "Lists deliveries, newest first",
    description:
      "The deliveries of your subscriptions and their results. Filters are combined with AND. Continue with " +
      '`Link: rel="next"`; no delivery is lost or repeated, even if new ones are created in the meantime. Test deliveries ' +
      "are not listed.",
    query: deliveriesQuery,
    response: deliveryList,
    status: 200,
    responseHeaders: ["Link"],
    async handle({ query, customer, address }) {
      const { subscription: subscriptionId, event: eventId, before: beforeId, status, limit } = query;
      const errors: FieldError[] = [];
      const refuse = (field: string, id: string, noun: IdNoun) =>
        errors.push({ field, message: `${quoteSent(id)} is not the id of a ${noun} of yours` });
      if (subscriptionId !== undefined) {
        const isOwn = isId("subscription", subscriptionId) &&
          await store.ownsSubscription(customer.id, subscriptionId);
        if (!isOwn) refuse("subscription", subscriptionId, "subscription");
      }
      if (beforeId !== undefined && await find(customer, beforeId) === null) {
        refuse("before", beforeId, "delivery");
      }
      if (eventId !== undefined && !isId("event", eventId)) {
        errors.push({ field: "event", message: `${quoteSent(eventId)} is not a valid event id` });
      }
      if (errors.length > 0) throw invalid(errors);
      // One more than requested, to find out whether there is a next page.
      const filter = { limit: limit + 1, subscriptionId, eventId, statuses: status, beforeId };
      const listed = await store.listDeliveries(customer.id, definedFields(filter));
      const { page, last } = pageOf(listed, limit);
      const next = last === null ? {} : { link: nextLink(publicUrl + address, { before: last.id }) };
      const body = { deliveries: page.map(toDeliveryRecord), count: page.length, disclaimer: DISCLAIMER };
      return { ...responseBody(200, body), headers: next };
    },
  });
}

function deliveryRoute({ store }: RouteOptions): Route {
  return keyRoute({
    method: "GET",
    path: "/v1/deliveries/{id}",
    operationId: "getDelivery",
    tag: "Deliveries",
    summary: "Returns a delivery with its body and attempts",
    description:
      "The body as sent, while it is kept, and for each attempt its time and duration, the endpoint's response, and " +
      "what went wrong.",
    params: { id: deliveryId },
    errors: ["not_found"],
    response: deliveryResponse,
    status: 200,
    async handle({ params, customer }) {
      const id = idOf("delivery", params);
      const delivery = await store.findDelivery(customer.id, id);
      if (delivery === null) throw notFound("delivery");
      const [payload, attempts] = [await store.findPayload(id), await store.listAttempts(id)];
      const whole = toDeliveryWithAttempts(delivery, { payload, attempts });
      return responseBody(200, { delivery: whole, disclaimer: DISCLAIMER });
    },
  });
}

function sendRoute({ store, clock, limitsOf }: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/deliveries/{id}/send",
    operationId: "sendDelivery",
    tag: "Deliveries",
    summary: "Sends a pending delivery now",
    description:
      "Sends a delivery that is waiting for a retry immediately and restarts its retry schedule, even if your endpoint " +
      "asked for a pause with `Retry-After`. The delivery gets the next free slot of its subscription, before the others. " +
      "If an attempt is in progress, nothing changes. Each call counts against the daily replays.",
    params: { id: deliveryId },
    errors: [
      "not_found",
      "delivery_finished",
      "delivery_held",
      "subscription_disabled",
      "replay_limit_reached",
    ],
    response: sendResponse,
    status: 202,
    async handle({ params, customer }) {
      const terms = { nowMs: clock.nowMs(), replaysPerDay: limitsOf(customer).replaysPerDay };
      const outcome = await store.sendDelivery(customer.id, idOf("delivery", params), terms);
      switch (outcome) {
        case "unknown":
          throw notFound("delivery");
        case "finished":
          throw standardError("delivery_finished");
        case "held":
          throw standardError("delivery_held");
        case "disabled":
          throw refusal(outcome);
        case "limit_reached":
          throw replayLimitError(terms);
      }
      return responseBody(202, { delivery: toDeliveryRecord(outcome), disclaimer: DISCLAIMER });
    },
  });
}

/** The day's replays, of which a call that sends pending deliveries uses one, are used up. */
export function replayLimitError({ nowMs, replaysPerDay }: SendTerms): AppError {
  return overDailyLimit({ code: "replay_limit_reached", nouns: "replays", limit: replaysPerDay, nowMs });
}

function replayRoute({ store, clock, tiers, limitsOf, newId }: RouteOptions): Route {
  return keyRoute({
    method: "POST",
    path: "/v1/deliveries/{id}/replay",
    operationId: "replayDelivery",
    tag: "Deliveries",
    summary: "Replays a finished delivery",
    description:
      "Sends the same bytes with the same `webhook-id`, a new signature and the full retry schedule. A delivery that had " +
      "succeeded does not count against the monthly quota again; a failed one does, and is held while the quota is " +
      "used up. Each replay counts against the daily replays, and is sent after the subscription's new deliveries.",
    params: { id: deliveryId },
    errors: [
      "not_found",
      "delivery_unfinished",
      "delivery_cancelled",
      "delivery_removed",
      "subscription_disabled",
      "replay_limit_reached",
    ],
    repeatable: true,
    response: replayResponse,
    status: 202,
    async handle({ params, customer, repetition }) {
      const nowMs = clock.nowMs();
      const { replaysPerDay } = limitsOf(customer);
      const month = utcMonth(nowMs);
      const terms = { nowMs, month, tiers, newMailId: () => newId("mail"), replaysPerDay };
      const outcome = await store.replayDelivery(customer.id, idOf("delivery", params), terms);
      if (outcome === "limit_reached") throw replayLimitError(terms);
      if (typeof outcome === "string") throw refusal(outcome);
      const response = responseBody(202, { delivery: toDeliveryRecord(outcome), disclaimer: DISCLAIMER });
      // If the service crashes before it stores the response, a repeated request gets `delivery_unfinished`.
      if (repetition !== null) {
        await store.storeResponse(customer.id, { ...repetition, json: response.json }, nowMs);
      }
      return response;
    },
  });
}

function refusal(outcome: Exclude<ReplayRefusal, "limit_reached">): AppError {
  switch (outcome) {
    case "unknown":
      return notFound("delivery");
    case "unfinished":
      return standardError("delivery_unfinished");
    case "cancelled":
      return standardError("delivery_cancelled");
    case "removed":
      return standardError("delivery_removed");
    case "disabled":
      return standardError("subscription_disabled");
  }
}
