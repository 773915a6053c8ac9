// The part of the Store port that concerns deliveries: matching, the queue, the log, replays and retention.
import type { Act } from "../../customer/audit.ts";
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryRecord,
  DeliveryStatus,
  FinishedAttempt,
} from "../../delivery/delivery.ts";
import type { MatchedSubscription } from "../../delivery/subscription.ts";
import type { RegEvent } from "../../event/event.ts";
import type { Slots } from "../../plans/share_slots.ts";
import type { CustomerStorage, TierTable } from "./customers.ts";
import type { DisabledByService } from "./subscriptions.ts";

/** The month's quota that deliveries are counted against, and ids for the mails about it. */
export interface QuotaTerms {
  nowMs: number;
  /** The UTC month ("2026-07"). */
  month: string;
  tiers: TierTable;
  newMailId: () => string;
}

/** An event that waits to be matched with subscriptions. */
export interface UnmatchedEvent {
  event: RegEvent;
  /** The previous version, for the difference. */
  previous: RegEvent | null;
}

export interface NewDelivery {
  id: string;
  subscriptionId: string;
  /** The beginning of its body, made from the sequence number that the engine assigns. */
  opening(sequence: number): string;
  /** The rest of it. Many deliveries of an event share it: the engine may store it once. */
  ending: string;
}

/** Decides which of the subscriptions get the event, pure. */
export type DeliveriesFor = (
  unmatched: UnmatchedEvent,
  subscriptions: readonly MatchedSubscription[],
) => NewDelivery[];

/** Which deliveries of a customer to list, the newest first; every filter narrows. */
export interface DeliveryQuery {
  limit: number;
  subscriptionId?: string;
  eventId?: string;
  statuses?: readonly DeliveryStatus[];
  /** Created at or after this time, Unix ms. */
  sinceMs?: number;
  /** Only deliveries after this one in the list. */
  beforeId?: string;
}

/**
 * Why a delivery is not sent again. `unknown`: it is not the customer's; `unfinished`: it is pending or held;
 * `cancelled`: its subscription was deleted; `removed`: its body is removed; `disabled`: its subscription or its
 * customer is disabled; `limit_reached`: the day's replays are used up.
 */
export type ReplayRefusal =
  | "unknown"
  | "unfinished"
  | "cancelled"
  | "removed"
  | "disabled"
  | "limit_reached";

/** A range of events in the order of their ids, which is the order of storing. */
export interface EventRange {
  /** Only events after this id. */
  afterId: string;
  /** Only events before this id. */
  beforeId: string;
  /** Maximum number of events that are read. */
  maxEvents: number;
  /** Maximum number of deliveries that are created or sent again. */
  maxDeliveries: number;
  /** How many went before: each is due a millisecond after the previous one, which keeps their order. */
  firstPosition: number;
  /** The customer's replays per UTC day. */
  replaysPerDay: number;
  /** Only counts what would be sent. */
  isDryRun: boolean;
}

export interface Replayed {
  /** Finished deliveries that are sent again. */
  replayed: number;
  /** Deliveries created for events that had none. */
  created: number;
  /** Of both, those that are held because the month's deliveries are used up. */
  held: number;
  /** The last event that was read; null at the end of the range. */
  lastEventId: string | null;
  /** Set when the next event would have to be held and the customer's limit of held deliveries is reached. */
  isFull?: true;
}

export interface StoreHealth {
  pendingDeliveries: number;
  /** When the oldest pending delivery was created, Unix ms; null if there is none. */
  oldestPendingAtMs: number | null;
}

export interface UndeliveredCounts {
  held: number;
  failed: number;
}

export interface AllUndelivered extends UndeliveredCounts {
  /** Subscriptions that catch up because their customer's limit of held deliveries was reached. */
  heldFull: number;
}

/** What does not arrive, for the operator. */
export interface Undelivered extends AllUndelivered {
  /** Subscriptions that the service has disabled, the one disabled first at the top. */
  disabled: DisabledByService[];
  /** The customers with the most stored data. */
  largest: CustomerStorage[];
}

/** Deliveries. Each call is one transaction, and decisions are pure. Every time is in Unix ms. */
export interface DeliveryStore {
  /**
   * Takes waiting events, oldest first, and stores the deliveries that `deliveriesFor` makes for the subscriptions that
   * existed when the event was stored. Deliveries over the quota are held, up to the customer's limit of held
   * deliveries: from then on the subscription gets events by {@link catchUp}. Returns how many events were matched.
   */
  matchEvents(match: QuotaTerms & { limit: number; deliveriesFor: DeliveriesFor }): Promise<number>;
  /**
   * Takes one step with one subscription that catches up: creates deliveries of the stored events that its backfill
   * asks for, in the order of storing, then of those that were matched meanwhile. Nothing is held: the subscription is
   * paused until {@link releaseHeld} finds room again. Customers take turns. Returns 1, or 0 when there is nothing to
   * do.
   */
  catchUp(terms: QuotaTerms & { deliveriesFor: DeliveriesFor }): Promise<number>;
  /**
   * Leases due deliveries and counts the attempt: as many as `slots` allows, shared by `planShares` of
   * src/domain/plans, oldest first within a subscription; of a probed endpoint one at a time. `slots` is the caller's
   * capacity; apart from it a claim depends on the database alone, so that several processes can claim at the same
   * time.
   */
  claimDeliveries(claim: {
    nowMs: number;
    leaseMs: number;
    /** The free slots of the caller; those of the claimed deliveries are taken. */
    slots: Slots;
    /** Maximum number of attempts in progress per subscription. */
    perSubscription: number;
  }): Promise<ClaimedDelivery[]>;
  /**
   * Ends the leases of interrupted attempts: the attempts stay counted, and the deliveries are due now. A delivery that
   * has changed since stays as it is.
   */
  endLeases(claimed: readonly Pick<ClaimedDelivery, "id" | "attempt">[], nowMs: number): Promise<void>;
  /**
   * Records attempts and their effects. A success counts whatever has happened to its delivery meanwhile; another
   * outcome has no effect unless its attempt is the latest and still awaited.
   */
  finishAttempts(finished: readonly FinishedAttempt[], nowMs: number): Promise<void>;
  /**
   * Releases held deliveries whose cause has ended, oldest first, some hundreds per call, and then resumes paused
   * subscriptions. Returns how many of both; more may wait unless it is 0.
   */
  releaseHeld(release: QuotaTerms): Promise<number>;

  /** The customer's deliveries, the newest first. */
  listDeliveries(customerId: string, query: DeliveryQuery): Promise<DeliveryRecord[]>;
  /** The deliveries of all customers, the newest first: for the operator. */
  listAllDeliveries(query: Omit<DeliveryQuery, "subscriptionId">): Promise<DeliveryRecord[]>;
  /** The customer that a subscription or delivery belongs to, deleted ones included; null if there is none. */
  findOwner(of: "subscription" | "delivery", id: string): Promise<string | null>;
  /** Null unless it is the customer's. */
  findDelivery(customerId: string, id: string): Promise<DeliveryRecord | null>;
  /** A delivery's attempts, the first one first. */
  listAttempts(deliveryId: string): Promise<AttemptRecord[]>;
  /**
   * Sends a finished delivery again: the same id, the same bytes, the whole schedule. It uses one of the day's replays,
   * where `replaysPerDay` limits them. With `by` it is an act of the operator, which is audited.
   */
  replayDelivery(
    customerId: string,
    id: string,
    terms: QuotaTerms & { by?: Act; replaysPerDay?: number },
  ): Promise<DeliveryRecord | ReplayRefusal>;
  /**
   * Sends finished deliveries of a range of events again and creates those of matching events that have none, in the
   * order of storing. Each uses one of the day's replays; nothing is sent when there are too few.
   */
  replayEvents(
    customerId: string,
    subscriptionId: string,
    terms: QuotaTerms & EventRange & { deliveriesFor: DeliveriesFor },
  ): Promise<Replayed | "unknown" | "disabled" | "limit_reached">;

  health(): Promise<StoreHealth>;
  /** Counted from indexes that contain no delivered deliveries. */
  countUndelivered(): Promise<AllUndelivered>;
  /** The counts of each of a customer's subscriptions, deleted ones included, by id. */
  countUndeliveredOf(customerId: string): Promise<Map<string, UndeliveredCounts>>;
  /**
   * Adjusts times after the clock was set back: a wait that was to begin in the future begins now, a replaced secret
   * signs for a day from now at most, and mails that were put off for longer than any is are due. Returns how many
   * deliveries changed.
   */
  adjustForClockRollback(nowMs: number): Promise<number>;
  /**
   * Removes the bodies and attempts of deliveries that finished up to `prunedUntilMs`, deliveries that finished up to
   * `forgottenUntilMs` with deleted subscriptions that had no other, and deliveries that were cancelled before their
   * first attempt. At most `limit` of each. Returns how many; more may be left unless it is 0.
   */
  removeOldDeliveries(
    remove: { prunedUntilMs: number; forgottenUntilMs: number; limit: number },
  ): Promise<number>;
}
