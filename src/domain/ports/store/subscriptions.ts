// The part of the Store port for subscriptions and the health of their endpoints.
import type { DisabledReason, ListedSubscription, Subscription } from "../../delivery/subscription.ts";
import type { CustomHeaders } from "../../delivery/custom_headers.ts";
import type { EventFilter } from "../../event/event_filter.ts";
import type { StoredResponse, TierTable } from "./customers.ts";

/** The customer has another subscription with the same URL and filters. */
export interface Duplicate {
  /** The id of the other subscription. */
  duplicateOf: string;
  /** Whether the tier limit holds the other subscription. If not, it is active. */
  isHeld: boolean;
}

/**
 * The result of creating a subscription. `too_many_disabled`: the customer already has {@link MAX_DISABLED} disabled
 * subscriptions. `backfill_limit_reached`: the day's backfills are used up.
 */
type SubscribeResult =
  | "created"
  | Duplicate
  | "limit_reached"
  | "too_many_disabled"
  | "backfill_limit_reached";

/** A change of a subscription by its owner. Absent fields stay the same. */
export interface SubscriptionChange extends Partial<EventFilter> {
  webhookUrl?: string;
  /** Replaces all headers. Required if the URL changes and the subscription has headers. */
  headers?: CustomHeaders;
  name?: string | null;
  note?: string | null;
  language?: string;
  /** False disables the subscription and holds its pending deliveries. True enables it and releases them. */
  enabled?: boolean;
}

/**
 * Why a subscription is not changed. `unknown`: the customer has no such subscription, or has deleted it.
 * `headers_missing`: the URL changes, but the headers, which may be credentials for the old one, are not given again.
 * `headers_lost`: the values of the headers were lost with the key of the store, and are not given again.
 */
export type ChangeRefusal =
  | "unknown"
  | Duplicate
  | "limit_reached"
  | "key_lost"
  | "headers_missing"
  | "headers_lost";

/** Subscriptions. Each call is one transaction. All times are in Unix ms. */
export interface SubscriptionStore {
  /**
   * Checks the tier limit and that there is no duplicate, then stores the subscription together with the response. With
   * `backfill`, the subscription first gets the stored events published since `sinceMs`, and one of the `perDay`
   * backfills of the UTC day is used.
   */
  addSubscription(
    subscription: Subscription,
    activeLimit: number,
    options?: {
      response?: StoredResponse | undefined;
      backfill?: { sinceMs: number; perDay: number } | undefined;
    },
  ): Promise<SubscribeResult>;
  /** Lists the customer's subscriptions that are not deleted, oldest first, without secrets. */
  listSubscriptions(customerId: string): Promise<ListedSubscription[]>;
  /** Returns null unless the subscription belongs to the customer and is not deleted. */
  findSubscription(customerId: string, id: string): Promise<Subscription | null>;
  /** Whether the customer has or ever had a subscription with this id. */
  ownsSubscription(customerId: string, id: string): Promise<boolean>;
  /**
   * Changes a subscription under the rules of {@link addSubscription}. Pending deliveries go to a new URL from their
   * next attempt on, and those that wait for a retry start a new schedule. After enabling, one delivery is attempted
   * before the others follow. If the change disables the subscription, one that the tier limit holds takes its place. A
   * subscription that its owner disabled is never enabled automatically.
   */
  changeSubscription(
    customerId: string,
    id: string,
    change: SubscriptionChange,
    options: { nowMs: number; activeLimit: number },
  ): Promise<Subscription | ChangeRefusal>;
  /**
   * Marks a subscription as deleted and cancels its pending and held deliveries. If there are many, {@link
   * closeSubscriptions} cancels the rest. A subscription that the tier limit holds takes its place. Returns null unless
   * the subscription belongs to the customer and is not deleted.
   */
  deleteSubscription(
    customerId: string,
    id: string,
    options: { nowMs: number; activeLimit: number },
  ): Promise<Subscription | null>;
  /**
   * Replaces a subscription's secret and stores the response. The previous secret also signs until `previousUntilMs`,
   * unless it was lost. Returns null unless the subscription belongs to the customer and is not deleted.
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
   * Warns the owners of endpoints that have failed for days, and disables the subscriptions whose endpoints keep
   * failing. Both cause an email to the owner. Returns the number of endpoints concerned.
   */
  judgeEndpoints(judge: { nowMs: number; newMailId: () => string }): Promise<number>;
  /**
   * Applies the tier limits: holds the newest subscriptions of customers with too many active ones, and enables held
   * ones again, oldest first, if there is room. Emails customers whose subscriptions it holds. Returns the number of
   * subscriptions changed.
   */
  fitSubscriptions(fit: { nowMs: number; tiers: TierTable; newMailId: () => string }): Promise<number>;
  /**
   * Cancels the remaining deliveries of deleted subscriptions, and holds those of disabled subscriptions and customers,
   * a few hundred per call. Removes deleted subscriptions without deliveries in the log, except each customer's newest
   * ones. Returns the number of deliveries changed and subscriptions finished. Unless that is 0, more may be left.
   */
  closeSubscriptions(nowMs: number): Promise<number>;
}

export interface DisabledByService {
  id: string;
  by: Exclude<DisabledReason, "owner">;
}
