// Deliveries: one event for one subscription, and the attempts to send it.
import type { Lane } from "../plans/share_slots.ts";
import type { DisabledReason } from "./subscription.ts";

/**
 * The life of a delivery: `pending` until an attempt succeeds (`delivered`) or the schedule is used up (`failed`);
 * `held` while the month's quota is spent or its subscription is disabled; `cancelled` when its subscription was
 * deleted first.
 */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "held", "cancelled"] as const;

/** See {@link DELIVERY_STATUSES}. */
export type DeliveryStatus = typeof DELIVERY_STATUSES[number];

/** Why a delivery is held. */
export type HoldReason = "quota" | "disabled";

/** A due delivery, leased to the caller. */
export interface ClaimedDelivery {
  /** `dlv_` and a ULID; the same for every attempt. */
  id: string;
  customerId: string;
  subscriptionId: string;
  /** The kind of slot that it takes. */
  lane: Lane;
  eventId: string;
  webhookUrl: string;
  /** The secrets that sign it, the newest first; more than one while a secret is being rotated. */
  webhookSecrets: readonly string[];
  /** The exact bytes to send: a JSON text in UTF-8. */
  body: Uint8Array;
  /** The number of this attempt, from 1; it is counted in the store already. */
  attempt: number;
  /**
   * Its place in the schedule, from 1: one more than the attempts that are known to have failed since the delivery was
   * last asked to go. One whose end nobody told, because the service was killed, is none of them.
   */
  tries: number;
  /** When the delivery was created, Unix ms. */
  createdAtMs: number;
}

/** Maximum size of a stored response body, bytes. */
export const MAX_KEPT_ANSWER = 1_024;
/** Attempts that are kept of a delivery, the newest: those of two schedules. */
export const MAX_KEPT_ATTEMPTS = 25;

/** The result of one attempt. */
export interface AttemptResult {
  /** Unix ms. */
  startedAtMs: number;
  durationMs: number;
  /** The status of the response; null without one. */
  statusCode: number | null;
  /** The problem, without URLs and text of the receiver; null after success. */
  problem: string | null;
  /** `Retry-After` as a time in Unix ms; null without one. */
  retryAtMs: number | null;
  /** The beginning of the response body as text, for the subscription's owner alone; null without one. */
  response: string | null;
}

/** The next step of a delivery after an attempt. */
export type NextStep =
  | { kind: "delivered" }
  /** `notBeforeMs`: the time that the receiver asked for. */
  | { kind: "retry"; atMs: number; notBeforeMs?: number }
  | { kind: "failed" }
  /** The endpoint answered 410: the subscription is disabled and its deliveries are held. */
  | { kind: "gone" };

/** A finished attempt, as it is recorded. */
export interface FinishedAttempt {
  deliveryId: string;
  subscriptionId: string;
  /** The URL of the attempt, which may have changed meanwhile. */
  webhookUrl: string;
  attempt: number;
  /** Its place in the schedule, as it was claimed. */
  tries: number;
  result: AttemptResult;
  next: NextStep;
  /** The id of the mail about an endpoint that is gone; null without one. */
  mailId: string | null;
}

/** A delivery as its subscription's owner sees it. Every time is in Unix ms. */
export interface DeliveryRecord {
  id: string;
  /** Whose subscription it goes to. */
  customerId: string;
  subscriptionId: string;
  eventId: string;
  /** Whether the event is a revision, not a first version. */
  isRevision: boolean;
  sequence: number;
  status: DeliveryStatus;
  /** Null unless it is held. */
  holdReason: HoldReason | null;
  /** Why its subscription is disabled, null while it is enabled. */
  subscriptionDisabledBy: DisabledReason | null;
  /** Attempts made or begun. */
  attempts: number;
  /** The latest recorded attempt: its status and what went wrong; null without one. */
  lastStatusCode: number | null;
  lastProblem: string | null;
  nextAttemptAtMs: number;
  createdAtMs: number;
  /** When it first arrived, null while it never has. */
  arrivedAtMs: number | null;
  /** When it was delivered, failed or cancelled, null before. */
  finishedAtMs: number | null;
}

/** An attempt as it is kept. */
export interface AttemptRecord extends Omit<AttemptResult, "retryAtMs"> {
  /** From 1. */
  number: number;
  /** The beginning of the response body as text; null without one. */
  response: string | null;
}

const HOLD_WORDS: Record<HoldReason, string> = {
  quota: "held: the monthly quota is used up; it is sent next month or with a higher tier",
  disabled: "held: the subscription is disabled; it is sent when the subscription is enabled",
};

const HELD_BY_TIER =
  "held: the subscription exceeds the tier's limit of active subscriptions; it is sent with a higher tier, " +
  "or when another one is deleted or disabled";

/** Why a delivery is not delivered, in words for its owner and the operator; null when it is, or is on its way without a failure. */
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
      // It arrived; only its replay failed.
      return lastProblem === null || arrivedAtMs === null
        ? null
        : `delivered; its replay failed: ${lastProblem}`;
  }
}
