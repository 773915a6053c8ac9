// The part of the Store port with which customers catch up: the log of deliveries, replays, changes, the past.
import type { Act } from "../../customer/audit.ts";
import type { AttemptRecord, DeliveryRecord, DeliveryStatus } from "../../delivery/delivery.ts";
import type { RegEvent } from "../../event/event.ts";
import type { Severity } from "../../event/severity.ts";
import type { MatchedSubscription, Subscription } from "../../delivery/subscription.ts";
import type { Tier, TierLimits } from "../../customer/tier.ts";

/** What of a subscription its owner changes; what is left out stays. */
export interface SubscriptionChange {
  webhookUrl?: string;
  topics?: string[];
  sourceFilter?: string[];
  severityMin?: Severity;
  language?: string;
  /** False switches it off and holds what it still has to get; true switches it on, and lets that go. */
  enabled?: boolean;
}

/**
 * Why a subscription is not changed; `unknown`: it is not the customer's, or deleted. `duplicate_held`: the tier holds
 * another one that is the same.
 */
export type ChangeRefusal = "unknown" | "duplicate" | "duplicate_held" | "limit_reached" | "key_lost";

/** Which deliveries of a customer to list, the newest first; every filter narrows. */
export interface DeliveryQuery {
  limit: number;
  subscriptionId?: string;
  eventId?: string;
  statuses?: readonly DeliveryStatus[];
  /** Only what was made at this time or later, Unix ms. */
  sinceMs?: number;
  /** Only what stands behind this delivery in the list. */
  beforeId?: string;
}

/**
 * Why a delivery is not sent again. `unknown`: it is not the customer's; `unfinished`: it is pending or held;
 * `cancelled`: its subscription was deleted; `removed`: its body is gone; `disabled`: its subscription is switched off,
 * or its customer kept out; `limit_reached`: the day's replays are used.
 */
export type ReplayRefusal =
  | "unknown"
  | "unfinished"
  | "cancelled"
  | "removed"
  | "disabled"
  | "limit_reached";

/** A stretch of the events in the order of their ids, which is that of storing. */
export interface EventRange {
  /** Only events behind this id. */
  afterId: string;
  /** Only events before this id. */
  beforeId: string;
  /** The most events that are looked at. */
  maxEvents: number;
  /** The most deliveries that are made or sent again. */
  maxDeliveries: number;
  /** How many went before them: each is due a millisecond after the one before it, so that the order is kept. */
  firstPosition: number;
  /** The replays that the customer has a UTC day. */
  replaysPerDay: number;
  /** Only counts what it would send. */
  isDryRun: boolean;
}

/** What became of a stretch of events. */
export interface Replayed {
  /** Finished deliveries that are sent again. */
  replayed: number;
  /** Deliveries made of events that had none. */
  created: number;
  /** Of both, those that are held because the month's deliveries are used up. */
  held: number;
  /** The last event that was looked at; null when there is nothing left in the stretch. */
  lastEventId: string | null;
  /** Set when the next event would have to be held and the customer's limit of held deliveries is reached. */
  isFull?: true;
}

/** The month's quota as deliveries are counted towards it. */
export interface QuotaTerms {
  nowMs: number;
  /** The UTC month ("2026-07"). */
  month: string;
  tiers: Record<Tier, TierLimits>;
  /** For the mails that tell a customer how much of the month is used. */
  newMailId: () => string;
}

/** Everything with which customers catch up. Every time is in Unix ms. */
export interface DeliveryLogStore {
  /** Keeps an answer under the customer's key, made at the time. */
  rememberResponse(customerId: string, answer: RememberedResponse, atMs: number): Promise<void>;
  /** The answer that was kept for the customer's key, made after the time; null without one. */
  findResponse(customerId: string, key: string, afterMs: number): Promise<RememberedResponse | null>;
  /** Forgets answers made up to the time. */
  forgetResponses(untilMs: number): Promise<void>;
  /**
   * Changes it, under the rules of `addSubscription`. What is on its way goes to a new address from its next
   * attempt on. Switched on, it is given one delivery to try before the others follow. Switched off, it makes room for
   * what the tier has held; one of those that is switched off does not come back by itself.
   */
  changeSubscription(
    customerId: string,
    id: string,
    change: SubscriptionChange,
    options: { nowMs: number; activeLimit: number },
  ): Promise<Subscription | ChangeRefusal>;
  /**
   * Deletes it softly and cancels what it still had to get, or the first hundreds of that
   * ({@link MaintenanceStore.closeSubscriptions}); null unless it is the customer's and not deleted. What the tier has held takes
   * its place.
   */
  deleteSubscription(
    customerId: string,
    id: string,
    options: { nowMs: number; activeLimit: number },
  ): Promise<Subscription | null>;
  /**
   * Gives it a new secret; the one before signs as well until the time. Keeps the answer. Null unless it is the
   * customer's and not deleted.
   */
  rotateSecret(
    customerId: string,
    id: string,
    rotation: {
      secret: string;
      previousUntilMs: number;
      nowMs: number;
      answer?: RememberedResponse | undefined;
    },
  ): Promise<Subscription | null>;
  /** Whether the customer has, or ever had, a subscription of this id. */
  ownsSubscription(customerId: string, id: string): Promise<boolean>;
  /**
   * Goes a step on with one subscription that is behind: makes deliveries of the stored events that its backfill asks for,
   * in the order of storing, then of those that were matched meanwhile. It never makes one that would have to be held: the
   * subscription is paused instead, until {@link Store.releaseHeld} finds room again. Customers take turns. Returns 1, or 0
   * when there is none to go on with.
   */
  catchUp(terms: QuotaTerms & { deliveriesFor: DeliveriesFor }): Promise<number>;
  // The log of deliveries
  /** The customer's deliveries, the newest first. */
  listDeliveries(customerId: string, query: DeliveryQuery): Promise<DeliveryRecord[]>;
  /** Everybody's deliveries, the newest first: for the operator alone. Those of a subscription are its owner's. */
  listAllDeliveries(query: Omit<DeliveryQuery, "subscriptionId">): Promise<DeliveryRecord[]>;
  /** The id of the customer whose subscription or delivery this is, deleted ones too; null where there is none such. */
  findOwner(of: "subscription" | "delivery", id: string): Promise<string | null>;
  /** Null unless it is the customer's. */
  findDelivery(customerId: string, id: string): Promise<DeliveryRecord | null>;
  /** A delivery's attempts, the first one first. */
  listAttempts(deliveryId: string): Promise<AttemptRecord[]>;
  /**
   * Sends a finished delivery again: the same id, the same bytes, the whole schedule. It takes one of the day's replays,
   * where `replaysPerDay` limits them. With `by` somebody else than its owner does it, and the audit says who.
   */
  replayDelivery(
    customerId: string,
    id: string,
    terms: QuotaTerms & { by?: Act; replaysPerDay?: number },
  ): Promise<DeliveryRecord | ReplayRefusal>;
  /**
   * Sends finished deliveries of a stretch of events again and makes those of events that match and have none, in the
   * order of storing. Each takes one of the day's replays; nothing is sent when they are not enough.
   */
  replayEvents(
    customerId: string,
    subscriptionId: string,
    terms: QuotaTerms & EventRange & { deliveriesFor: DeliveriesFor },
  ): Promise<Replayed | "unknown" | "disabled" | "limit_reached">;
}

/** Says what goes to which of the subscriptions, pure. */
export type DeliveriesFor = (
  unmatched: UnmatchedEvent,
  subscriptions: readonly MatchedSubscription[],
) => NewDelivery[];

/** The answer to a request that named a key of its own, so that its repetition is answered alike. */
export interface RememberedResponse {
  key: string;
  requestHash: string;
  json: string;
}

/** A delivery to be stored. */
export interface NewDelivery {
  id: string;
  subscriptionId: string;
  /** What its body begins with, made from the sequence number, which the engine gives. */
  opening(sequence: number): string;
  /** The rest of it. Many deliveries of an event end with the same text: the engine may keep it once. */
  ending: string;
}

/** An event that waits to be matched with subscriptions. */
export interface UnmatchedEvent {
  event: RegEvent;
  /** The version before it, for the difference. */
  previous: RegEvent | null;
}
