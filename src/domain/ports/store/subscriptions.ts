// The part of the Store port that concerns subscriptions and the health of their endpoints.
import type { DisabledReason, MatchedSubscription, Subscription } from "../../delivery/subscription.ts";
import type { Severity } from "../../event/severity.ts";
import type { StoredResponse, TierTable } from "./customers.ts";

/**
 * The result of creating a subscription. `duplicate_held`: the plan limits hold an equal one. `too_many_disabled`: the
 * customer has {@link MAX_DISABLED} disabled ones. `backfill_limit_reached`: the day's backfills are used up.
 */
export type SubscribeResult =
  | "created"
  | "duplicate"
  | "duplicate_held"
  | "limit_reached"
  | "too_many_disabled"
  | "backfill_limit_reached";

/** A change of a subscription by its owner; what is left out stays. */
export interface SubscriptionChange {
  webhookUrl?: string;
  topics?: string[];
  sourceFilter?: string[];
  severityMin?: Severity;
  language?: string;
  /** False disables it and holds its pending deliveries; true enables it and releases them. */
  enabled?: boolean;
}

/** `unknown`: it is not the customer's, or deleted. `duplicate_held`: the plan limits hold an equal one. */
export type ChangeRefusal = "unknown" | "duplicate" | "duplicate_held" | "limit_reached" | "key_lost";

/** Subscriptions. Each call is one transaction. Every time is in Unix ms. */
export interface SubscriptionStore {
  /**
   * Checks the limit and duplicates, and stores it together with the response, which is stored only on success. With
   * `backfill` it gets the stored events published since then before new ones; that counts towards the backfills of the
   * UTC day, of which `perDay` are allowed.
   */
  addSubscription(
    subscription: Subscription,
    activeLimit: number,
    options?: {
      response?: StoredResponse | undefined;
      backfill?: { sinceMs: number; perDay: number } | undefined;
    },
  ): Promise<SubscribeResult>;
  /** The customer's subscriptions that are not deleted, oldest first, without secrets. */
  listSubscriptions(customerId: string): Promise<MatchedSubscription[]>;
  /** Null unless it is the customer's and not deleted. */
  findSubscription(customerId: string, id: string): Promise<Subscription | null>;
  /** Whether the customer has, or ever had, a subscription of this id. */
  ownsSubscription(customerId: string, id: string): Promise<boolean>;
  /**
   * Changes it, under the rules of {@link addSubscription}. Pending deliveries go to a new URL from their next attempt
   * on. When it is enabled, one delivery is tried before the others follow. When it is disabled, a subscription that
   * was disabled by the plan limits takes its place. A subscription that its owner disables is never enabled
   * automatically.
   */
  changeSubscription(
    customerId: string,
    id: string,
    change: SubscriptionChange,
    options: { nowMs: number; activeLimit: number },
  ): Promise<Subscription | ChangeRefusal>;
  /**
   * Deletes it softly and cancels its pending and held deliveries, or the first hundreds of them ({@link
   * closeSubscriptions}); null unless it is the customer's and not deleted. A subscription that the plan limits hold
   * takes its place.
   */
  deleteSubscription(
    customerId: string,
    id: string,
    options: { nowMs: number; activeLimit: number },
  ): Promise<Subscription | null>;
  /**
   * Replaces its secret; the previous one keeps signing until `previousUntilMs`. Stores the response. Null unless it is
   * the customer's and not deleted.
   */
  rotateSecret(
    customerId: string,
    id: string,
    rotation: {
      secret: string;
      previousUntilMs: number;
      nowMs: number;
      response?: StoredResponse | undefined;
    },
  ): Promise<Subscription | null>;
  /**
   * Warns the owners of endpoints that have failed for days, and disables the subscriptions whose endpoints kept
   * failing; each with a mail. Returns how many.
   */
  judgeEndpoints(judge: { nowMs: number; newMailId: () => string }): Promise<number>;
  /**
   * Applies the plan limits: holds the newest subscriptions of customers with too many active ones, and returns held
   * ones, oldest first, where there is room. Held ones are announced by mail. Returns how many it changed.
   */
  fitSubscriptions(fit: { nowMs: number; tiers: TierTable; newMailId: () => string }): Promise<number>;
  /**
   * Cancels the remaining deliveries of deleted subscriptions and holds those of disabled ones, some hundreds per call.
   * Removes deleted subscriptions without deliveries in the log, except the newest of each customer. Returns how many
   * deliveries and subscriptions it finished; more may be left unless it is 0.
   */
  closeSubscriptions(nowMs: number): Promise<number>;
}

export interface DisabledByService {
  id: string;
  by: Exclude<DisabledReason, "owner">;
}
