// Deliveries and their attempts as JSON.
import * as z from "zod";
import {
  type AttemptRecord,
  DELIVERY_STATUSES,
  type DeliveryRecord,
  describeDelivery,
  MAX_KEPT_ATTEMPTS,
} from "../domain/delivery/delivery.ts";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import { trimEndOf } from "../domain/trim_end.ts";
import { DELIVERY_TYPES } from "./delivery.ts";
import { EXAMPLE_DELIVERY, EXAMPLE_REVISION, EXAMPLE_SUBSCRIPTION } from "./examples.ts";
import { count, disclaimer, identifier, statusOrNull, textOrNull, time, timeOrNull } from "./fields.ts";

/** Maximum length of the displayed part of an endpoint's response body, in bytes of UTF-8. */
export const MAX_RESPONSE_BYTES = 1_024;

const EXAMPLE_RECORD = {
  id: EXAMPLE_DELIVERY.delivery_id,
  subscription_id: EXAMPLE_SUBSCRIPTION.id,
  event_id: EXAMPLE_REVISION.id,
  type: "event.revised" as const,
  sequence: EXAMPLE_DELIVERY.sequence,
  status: "pending" as const,
  reason: "the last attempt failed: the endpoint responded with 503",
  attempt_count: 2,
  last_status_code: 503,
  created_at: EXAMPLE_DELIVERY.timestamp,
  next_attempt_at: EXAMPLE_DELIVERY.timestamp + 65_000,
  delivered_at: null,
  finished_at: null,
};

export const deliveryId: z.ZodString = identifier("delivery", "The delivery's id").meta({
  examples: [EXAMPLE_RECORD.id],
});

const deliveryRecord = z.strictObject({
  id: identifier("delivery", "The delivery's id, the same for every attempt and in the header `webhook-id`"),
  subscription_id: identifier("subscription", "The subscription's id"),
  event_id: identifier("event", "The id of the delivered event"),
  type: z.enum(DELIVERY_TYPES).meta({ description: "`event.published` or `event.revised`" }),
  sequence: z.int().min(1).meta({
    description: "The number of the delivery within its subscription, from 1",
  }),
  status: z.enum(DELIVERY_STATUSES).meta({
    description:
      "`pending`: waits for its next attempt; `delivered`: the endpoint responded with 2xx; `failed`: every attempt " +
      "failed; `held`: waits as long as its `reason` applies; `cancelled`: the subscription was deleted",
  }),
  reason: textOrNull(
    "Why the delivery or its replay has not succeeded; null if it has, or if it is pending and nothing has failed. " +
      "While the endpoint keeps failing, it gets one attempt at a time, and the other deliveries wait",
  ),
  attempt_count: count("Number of attempts, including one in progress"),
  last_status_code: statusOrNull("HTTP status of the endpoint's last response; null if there was none"),
  created_at: time("When the delivery was created, Unix milliseconds"),
  next_attempt_at: timeOrNull(
    "Earliest time of the next attempt, Unix milliseconds; null unless `pending`",
  ),
  delivered_at: timeOrNull("When the delivery first succeeded, Unix milliseconds; null if never"),
  finished_at: timeOrNull(
    "When the status became `delivered`, `failed` or `cancelled`, Unix milliseconds; null before that",
  ),
}).meta({ id: "Delivery", description: "The delivery of one event to one subscription" });

const attemptRecord = z.strictObject({
  number: z.int().min(1).meta({
    description: "The attempt's number, from 1; replays continue the numbering",
  }),
  started_at: time("When the attempt started, Unix milliseconds"),
  duration_ms: count("Duration of DNS, connection, request and response, milliseconds"),
  status_code: statusOrNull("HTTP status of the response; null if there was none"),
  problem: textOrNull("What went wrong; null after a success"),
  answer: textOrNull(
    `The start of the response body as text, at most ${MAX_RESPONSE_BYTES} bytes, without unsafe control characters; ` +
      "null if there was none",
  ),
}).meta({ id: "DeliveryAttempt", description: "One attempt to deliver" });

/** The response of `GET /v1/deliveries`. */
export const deliveryList = z.strictObject({
  deliveries: z.array(deliveryRecord),
  count: count("Number of deliveries in this response"),
  disclaimer,
}).meta({
  id: "DeliveryList",
  description: "Deliveries, newest first",
  examples: [{ deliveries: [EXAMPLE_RECORD], count: 1, disclaimer: DISCLAIMER }],
});

const deliveryWithAttempts = deliveryRecord.extend({
  payload: textOrNull(
    "The body of the requests as text: encoded in UTF-8, it is byte for byte what was sent and signed. Null once it " +
      "has been removed, after a time that the operator configures or because the delivery was cancelled",
  ),
  attempts: z.array(attemptRecord).meta({
    description:
      `The newest ${MAX_KEPT_ATTEMPTS} attempts, oldest first. After the delivery has finished, they are kept for a ` +
      "time that the operator configures",
  }),
}).meta({ id: "DeliveryWithAttempts", description: "A delivery with its body and attempts" });

/** The response of `GET /v1/deliveries/{id}`. */
export const deliveryResponse = z.strictObject({ delivery: deliveryWithAttempts, disclaimer }).meta({
  id: "DeliveryResponse",
  description: "One delivery",
  examples: [{
    delivery: {
      ...EXAMPLE_RECORD,
      payload: JSON.stringify(EXAMPLE_DELIVERY),
      attempts: [
        {
          number: 1,
          started_at: EXAMPLE_DELIVERY.timestamp + 120,
          duration_ms: 3_004,
          status_code: null,
          problem: "the connection was refused",
          answer: null,
        },
        {
          number: 2,
          started_at: EXAMPLE_DELIVERY.timestamp + 5_140,
          duration_ms: 81,
          status_code: 503,
          problem: "the endpoint responded with 503",
          answer: "Deploying, back in a minute",
        },
      ],
    },
    disclaimer: DISCLAIMER,
  }],
});

/** The response of `POST /v1/deliveries/{id}/replay`. */
export const replayResponse = z.strictObject({ delivery: deliveryRecord, disclaimer }).meta({
  id: "ReplayResponse",
  description: "The delivery, now pending, or held if the monthly quota is used up",
  examples: [{
    delivery: { ...EXAMPLE_RECORD, reason: null, attempt_count: 11, last_status_code: 200 },
    disclaimer: DISCLAIMER,
  }],
});

/** The response of `POST /v1/deliveries/{id}/send`. */
export const sendResponse = z.strictObject({ delivery: deliveryRecord, disclaimer }).meta({
  id: "SendResponse",
  description: "The pending delivery, which is due now",
  examples: [{
    delivery: { ...EXAMPLE_RECORD, next_attempt_at: EXAMPLE_DELIVERY.timestamp + 9_000 },
    disclaimer: DISCLAIMER,
  }],
});

export function toDeliveryRecord(delivery: DeliveryRecord): z.infer<typeof deliveryRecord> {
  return {
    id: delivery.id,
    subscription_id: delivery.subscriptionId,
    event_id: delivery.eventId,
    type: delivery.isRevision ? "event.revised" : "event.published",
    sequence: delivery.sequence,
    status: delivery.status,
    reason: describeDelivery(delivery),
    attempt_count: delivery.attempts,
    last_status_code: delivery.lastStatusCode,
    created_at: delivery.createdAtMs,
    next_attempt_at: delivery.status === "pending" ? delivery.nextAttemptAtMs : null,
    delivered_at: delivery.arrivedAtMs,
    finished_at: delivery.finishedAtMs,
  };
}

export function toDeliveryWithAttempts(
  delivery: DeliveryRecord,
  { payload, attempts }: { payload: string | null; attempts: readonly AttemptRecord[] },
): z.infer<typeof deliveryWithAttempts> {
  return {
    ...toDeliveryRecord(delivery),
    payload,
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAtMs,
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      problem: attempt.problem,
      answer: attempt.response === null ? null : safeResponseText(attempt.response),
    })),
  };
}

// Control characters except tabs and line breaks, characters that change the direction of text, and byte order marks.
const UNSAFE = /(?![\t\n\r])\p{Cc}|\p{Bidi_Control}|\ufeff/gu;

/** Returns the start of an endpoint's response body as text that is safe to display. */
export function safeResponseText(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(UNSAFE, "").toWellFormed());
  if (bytes.length <= MAX_RESPONSE_BYTES) return new TextDecoder().decode(bytes);
  // Decoding turns an incomplete character at the end into U+FFFD.
  return trimEndOf(new TextDecoder().decode(bytes.subarray(0, MAX_RESPONSE_BYTES)), "\ufffd");
}
