// Deliveries: the promise to bring one event to one subscription, and the attempts made to keep it.

/**
 * The life of a delivery: `pending` until an attempt succeeds (`delivered`) or the schedule is used up (`failed`);
 * `held` while the month's quota is spent or its subscription is switched off; `cancelled` when its subscription
 * was deleted first.
 */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "held", "cancelled"] as const;

/** See {@link DELIVERY_STATUSES}. */
export type DeliveryStatus = typeof DELIVERY_STATUSES[number];

/** Why a delivery is held. */
export type HoldReason = "quota" | "disabled";

/** A delivery that is due, leased to the caller: whatever becomes of it, the lease runs out. */
export interface ClaimedDelivery {
  /** `dlv_` and a ULID; the same for every attempt. */
  id: string;
  subscriptionId: string;
  webhookUrl: string;
  /** The secrets that sign it, the newest first; more than one while a secret is being rotated. */
  webhookSecrets: readonly string[];
  /** The exact bytes to send, as text. */
  body: string;
  /** The number of this attempt, from 1; it is counted in the store already. */
  attempt: number;
  /** When the delivery was created, Unix ms. */
  createdAtMs: number;
}

/** What came of one attempt. */
export interface AttemptResult {
  /** Unix ms. */
  startedAtMs: number;
  durationMs: number;
  /** The answer's status; null when there was no answer. */
  statusCode: number | null;
  /** What went wrong, in words that hold no address and nothing of the receiver's; null after success. */
  problem: string | null;
  /** The answer's `Retry-After`, as a time in Unix ms; null without one. */
  retryAtMs: number | null;
}

/** What happens to a delivery after an attempt. */
export type NextStep =
  | { kind: "delivered" }
  | { kind: "retry"; atMs: number }
  | { kind: "failed" }
  /** The endpoint said that it is gone: the subscription is switched off and its deliveries are held. */
  | { kind: "gone" };

/** A finished attempt, as it is recorded. */
export interface FinishedAttempt {
  deliveryId: string;
  attempt: number;
  result: AttemptResult;
  next: NextStep;
}
