// Deliveries: one event for one subscription, and the attempts to send it.
import type { Lane } from "../plans/share_slots.ts";
import type { DisabledReason } from "./subscription.ts";

/**
 * `pending` until an attempt succeeds (`delivered`) or the schedule is used up (`failed`); `held` while the monthly quota
 * is used up or its subscription is disabled; `cancelled` when its subscription was deleted first.
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
  /** The kind of slot it uses. */
  lane: Lane;
  eventId: string;
  webhookUrl: string;
  /** The secrets that sign it, the newest first; several while a secret is rotated. */
  webhookSecrets: readonly string[];
  /** The exact bytes to send: a JSON text in UTF-8. */
  body: Uint8Array;
  /** The number of this attempt, from 1; the store has counted it. */
  attempt: number;
  /**
   * The step of the schedule, from 1: one more than the failed attempts since the delivery was last queued. Attempts
   * without a recorded result, because the service was killed, do not count.
   */
  tries: number;
  createdAtMs: number;
}

/** Maximum size of a stored response body, bytes. */
export const MAX_KEPT_ANSWER = 1_024;
/** How many attempts of a delivery are kept, the newest: those of two schedules. */
export const MAX_KEPT_ATTEMPTS = 25;

export interface AttemptResult {
  startedAtMs: number;
  durationMs: number;
  /** The status of the response; null if there is none. */
  statusCode: number | null;
  /** The problem, without URLs and text from the receiver; null after a success. */
  problem: string | null;
  /** `Retry-After` as a time in Unix ms; null if there is none. */
  retryAtMs: number | null;
  /** The beginning of the response body as text, for the subscription's owner only; null if there is none. */
  response: string | null;
}

/** The next step of a delivery after an attempt. */
export type NextStep =
  | { kind: "delivered" }
  /** `notBeforeMs`: the time that the receiver asked for. */
  | { kind: "retry"; atMs: number; notBeforeMs?: number }
  | { kind: "failed" }
  /** The endpoint responded with 410: the subscription is disabled and its deliveries are held. */
  | { kind: "gone" };

export interface FinishedAttempt {
  deliveryId: string;
  subscriptionId: string;
  /** The URL of the attempt; the subscription's may have changed since. */
  webhookUrl: string;
  attempt: number;
  /** See {@link ClaimedDelivery.tries}. */
  tries: number;
  result: AttemptResult;
  next: NextStep;
  /** The id for the mail about an endpoint that is gone; null if there is none. */
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
  /** Null unless it is held. */
  holdReason: HoldReason | null;
  /** Null while its subscription is enabled. */
  subscriptionDisabledBy: DisabledReason | null;
  /** Attempts, including one in progress. */
  attempts: number;
  /** The status and the problem of the latest recorded attempt; null if there is none. */
  lastStatusCode: number | null;
  lastProblem: string | null;
  nextAttemptAtMs: number;
  createdAtMs: number;
  /** When it was first delivered; null until then. */
  arrivedAtMs: number | null;
  /** When it was delivered, failed or cancelled; null until then. */
  finishedAtMs: number | null;
}

export interface AttemptRecord extends Omit<AttemptResult, "retryAtMs"> {
  /** From 1. */
  number: number;
}

const HOLD_WORDS: Record<HoldReason, string> = {
  quota: "held: the monthly quota is used up; it is sent next month or with a higher tier",
  disabled: "held: the subscription is disabled; it is sent when the subscription is enabled",
};

const HELD_BY_TIER =
  "held: the subscription exceeds the tier's limit of active subscriptions; it is sent with a higher tier, " +
  "or when another one is deleted or disabled";

/** Why a delivery is not delivered, for its owner and the operator; null when it is, or when no attempt has failed. */
export function describeDelivery(
  delivery: Pick<
    DeliveryRecord,
    "status" | "holdReason" | "subscriptionDisabledBy" | "lastProblem" | "arrivedAtMs"
  >,
): string | null {
  const { status, holdReason, lastProblem, arrivedAtMs } = delivery;
  switch (status) {
    case "held":
      if (holdReason === "disabled" && delivery.subscriptionDisabledBy === "tier") return HELD_BY_TIER;
      return holdReason === null ? null : HOLD_WORDS[holdReason];
    case "failed":
      return `every attempt failed; the last: ${lastProblem ?? "unknown"}`;
    case "cancelled":
      return "the subscription was deleted before it arrived";
    case "pending":
      return lastProblem === null ? null : `the last attempt failed: ${lastProblem}`;
    case "delivered":
      // Only its replay failed.
      return lastProblem === null || arrivedAtMs === null
        ? null
        : `delivered; its replay failed: ${lastProblem}`;
  }
}
