// Deliveries: one event for one subscription, and the attempts to send it.
import type { Lane } from "../plans/share_slots.ts";
import type { CustomHeaders } from "./custom_headers.ts";
import type { DisabledReason } from "./subscription.ts";

/**
 * A delivery is `pending` until an attempt succeeds (`delivered`) or the schedule is used up (`failed`). It is `held`
 * while the quota is used up, or while its subscription or customer is disabled. It is `cancelled` if its subscription
 * is deleted first.
 */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "held", "cancelled"] as const;

export type DeliveryStatus = typeof DELIVERY_STATUSES[number];

export type HoldReason = "quota" | "disabled";

/** A due delivery, leased to the caller. */
export interface ClaimedDelivery {
  /** `dlv_` and a ULID; the same for every attempt. */
  id: string;
  customerId: string;
  subscriptionId: string;
  /** The kind of slot that the delivery uses. */
  lane: Lane;
  eventId: string;
  webhookUrl: string;
  /** The secrets that sign the delivery, newest first. There are two while a replaced secret still signs. */
  webhookSecrets: readonly string[];
  /** The headers that the subscription's owner adds. */
  headers: CustomHeaders;
  /** The exact bytes to send, which are JSON in UTF-8. */
  body: Uint8Array;
  /** The number of this attempt, from 1. The store has already counted it. */
  attempt: number;
  /**
   * The step of the schedule: one more than the number of failed attempts since the delivery was last queued. An
   * attempt whose result was not recorded, for example because the service was killed, does not count.
   */
  tries: number;
  createdAtMs: number;
}

/** Maximum size of a stored response body, bytes. */
export const MAX_KEPT_ANSWER = 1_024;
/** Maximum number of attempts kept for each delivery, enough for two schedules. Only the newest are kept. */
export const MAX_KEPT_ATTEMPTS = 25;

export interface AttemptResult {
  startedAtMs: number;
  durationMs: number;
  /** The HTTP status of the response, or null if there was no response. */
  statusCode: number | null;
  /** The problem, without URLs or text from the receiver; null after a success. */
  problem: string | null;
  /** The time that a valid `Retry-After` header states, Unix ms, or null if there is none. */
  retryAtMs: number | null;
  /** The beginning of the response body, or null if there was no response. Shown only to the subscription's owner. */
  response: string | null;
}

export type NextStep =
  | { kind: "delivered" }
  /** `notBeforeMs` is the time that the receiver requested. */
  | { kind: "retry"; atMs: number; notBeforeMs?: number }
  | { kind: "failed" }
  /** The endpoint responded with 410, so the subscription is disabled and its deliveries are held. */
  | { kind: "gone" };

export interface FinishedAttempt {
  deliveryId: string;
  subscriptionId: string;
  /** The URL of this attempt. The subscription's URL may have changed since. */
  webhookUrl: string;
  attempt: number;
  /** See {@link ClaimedDelivery.tries}. */
  tries: number;
  result: AttemptResult;
  next: NextStep;
  /** The id for the email about an endpoint that is gone; null unless `next` is `gone`. */
  mailId: string | null;
}

/** A delivery as its subscription's owner sees it. Times are Unix ms. */
export interface DeliveryRecord {
  id: string;
  customerId: string;
  subscriptionId: string;
  eventId: string;
  isRevision: boolean;
  sequence: number;
  status: DeliveryStatus;
  /** Null unless the delivery is held. */
  holdReason: HoldReason | null;
  /** Null while the subscription is enabled. */
  subscriptionDisabledBy: DisabledReason | null;
  /** Whether the endpoint fails and therefore gets one attempt at a time. */
  isProbed: boolean;
  /** Number of attempts, including one in progress. */
  attempts: number;
  /** The HTTP status and the problem of the latest recorded attempt, each null if there is none. */
  lastStatusCode: number | null;
  lastProblem: string | null;
  /** Earliest time of the next attempt. A probed endpoint's pause delays it. */
  nextAttemptAtMs: number;
  createdAtMs: number;
  /** When the delivery first succeeded, or null if it never did. */
  arrivedAtMs: number | null;
  /** When the delivery was delivered, failed or cancelled, or null before that. */
  finishedAtMs: number | null;
}

export interface AttemptRecord extends Omit<AttemptResult, "retryAtMs"> {
  number: number;
}

const HOLD_WORDS: Record<HoldReason, string> = {
  quota: "held: the monthly quota is used up; the delivery is sent next month or with a higher tier",
  disabled: "held: the subscription or its customer is disabled; the delivery is sent when both are enabled",
};

const HELD_BY_TIER =
  "held: the subscription exceeds the tier's limit on active subscriptions; the delivery is sent with a higher " +
  "tier, or when another subscription is deleted or disabled";

const PROBED = "the endpoint is not responding correctly: it gets one attempt at a time until one succeeds";

/**
 * Describes why a delivery or its replay has not succeeded. Returns null if it has, or if it is pending, its endpoint
 * works, and no attempt has failed yet.
 */
export function describeDelivery(
  delivery: Pick<
    DeliveryRecord,
    "status" | "holdReason" | "subscriptionDisabledBy" | "isProbed" | "lastProblem" | "arrivedAtMs"
  >,
): string | null {
  const { status, holdReason, lastProblem, arrivedAtMs } = delivery;
  switch (status) {
    case "held":
      if (holdReason === "disabled" && delivery.subscriptionDisabledBy === "tier") return HELD_BY_TIER;
      return holdReason === null ? null : HOLD_WORDS[holdReason];
    case "failed":
      return `every attempt failed; the last problem: ${lastProblem ?? "unknown"}`;
    case "cancelled":
      return "the subscription was deleted before the delivery arrived";
    case "pending": {
      const last = lastProblem === null ? [] : [`the last attempt failed: ${lastProblem}`];
      return [...last, ...(delivery.isProbed ? [PROBED] : [])].join("; ") || null;
    }
    case "delivered":
      // A problem means that a replay failed after the delivery had succeeded.
      return lastProblem === null || arrivedAtMs === null
        ? null
        : `delivered; its replay failed: ${lastProblem}`;
  }
}
