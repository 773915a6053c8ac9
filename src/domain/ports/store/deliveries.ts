// The part of the Store port for deliveries: matching, the queue, the log, replays and retention.
import type { Act } from "../../customer/audit.ts";
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryRecord,
  DeliveryStatus,
  FinishedAttempt,
} from "../../delivery/delivery.ts";
import type { DisabledReason, MatchedSubscription } from "../../delivery/subscription.ts";
import type { RegEvent } from "../../event/event.ts";
import type { Slots } from "../../plans/share_slots.ts";
import type { CustomerStorage, TierTable } from "./customers.ts";
import type { DisabledByService } from "./subscriptions.ts";

/** The monthly quota that deliveries count against, and ids for the emails about it. */
export interface QuotaTerms {
  nowMs: number;
  /** The UTC month ("2026-07"). */
  month: string;
  tiers: TierTable;
  newMailId: () => string;
}

export interface UnmatchedEvent {
  event: RegEvent;
  /** The previous version, from which the difference is computed. */
  previous: RegEvent | null;
}

export interface NewDelivery {
  id: string;
  subscriptionId: string;
  /** Returns the beginning of the body for the sequence number that the engine assigns. */
  opening(sequence: number): string;
  /** The rest of the body. Many deliveries of an event share it, so the engine may store it once. */
  ending: string;
}

/** Decides which of the subscriptions get the event. Must be pure. */
export type DeliveriesFor = (
  unmatched: UnmatchedEvent,
  subscriptions: readonly MatchedSubscription[],
) => NewDelivery[];

/** Which deliveries of a customer to list, newest first. All filters must match. */
export interface DeliveryQuery {
  limit: number;
  subscriptionId?: string;
  eventId?: string;
  statuses?: readonly DeliveryStatus[];
  /** Only deliveries created at or after this time, Unix ms. */
  sinceMs?: number;
  /** Only deliveries that follow this one in the list. */
  beforeId?: string;
}

/**
 * Why a delivery is not sent again. `unknown`: the customer has no such delivery. `unfinished`: it is pending or held.
 * `cancelled`: its subscription was deleted. `removed`: its body was removed. `disabled`: its subscription or its
 * customer is disabled. `limit_reached`: the day's replays are used up.
 */
export type ReplayRefusal =
  | "unknown"
  | "unfinished"
  | "cancelled"
  | "removed"
  | "disabled"
  | "limit_reached";

/**
 * Why a delivery is not sent now. `unknown`: the customer has no such delivery. `disabled`: its subscription or its
 * customer is disabled. `limit_reached`: the day's replays are used up.
 */
export type SendRefusal = "unknown" | "finished" | "held" | "disabled" | "limit_reached";

export interface SendTerms {
  nowMs: number;
  /** The customer's limit on replays per UTC day, of which each call uses one. */
  replaysPerDay: number;
}

/** A range of events in the order of their ids, which is the order in which they were stored. */
export interface EventRange {
  afterId: string;
  beforeId: string;
  maxEvents: number;
  /** Maximum number of deliveries to create or send again. */
  maxDeliveries: number;
  /** Number of deliveries sent by earlier calls of this replay. To keep the order, each is due 1 ms after the last. */
  firstPosition: number;
  /** The customer's limit on replays per UTC day. */
  replaysPerDay: number;
  /** If true, deliveries are only counted: nothing is created or sent. */
  isDryRun: boolean;
}

export interface Replayed {
  /** Number of finished deliveries that are sent again. */
  replayed: number;
  /** Number of deliveries created for events that had none. */
  created: number;
  /** How many of these deliveries are held because the monthly quota is used up. */
  held: number;
  /** The last event that was handled, or null if there was none. */
  lastEventId: string | null;
  /** Set if a delivery of the next event must be held, but the customer has reached its limit on held deliveries. */
  isFull?: true;
}

export interface StoreHealth {
  pendingDeliveries: number;
  /** When the oldest pending delivery was created, Unix ms, or null if there is none. */
  oldestPendingAtMs: number | null;
}

export interface UndeliveredCounts {
  held: number;
  failed: number;
}

export interface AllUndelivered extends UndeliveredCounts {
  /** Number of subscriptions that catch up because their customer reached its limit on held deliveries. */
  heldFull: number;
}

/** What holds deliveries: the quota, the customer (disabled or unpaid), or what disabled the subscription. */
export type HoldCause = "quota" | "customer" | DisabledReason;

export interface HeldByCause {
  cause: HoldCause;
  deliveries: number;
  subscriptions: number;
}

/** Deliveries and subscriptions that need the operator's attention. */
export interface Undelivered extends AllUndelivered {
  /** The subscriptions that the service has disabled, in the order in which they were disabled. */
  disabled: DisabledByService[];
  largest: CustomerStorage[];
}

/** Deliveries. Each call is one transaction, and decisions are pure. All times are in Unix ms. */
export interface DeliveryStore {
  /**
   * Matches waiting events, oldest first. Stores the deliveries that `deliveriesFor` returns for the subscriptions that
   * existed when the event was stored, or whose backfill covers it. Holds deliveries over the quota, up to the customer's limit on held deliveries.
   * Beyond that limit, the subscription gets events through {@link catchUp}. Returns the number of events matched.
   */
  matchEvents(match: QuotaTerms & { limit: number; deliveriesFor: DeliveriesFor }): Promise<number>;
  /**
   * Takes one step with a subscription that is behind: creates deliveries of the stored events that its backfill
   * requests, in the order in which they were stored, and then of the events matched since. Never holds deliveries. If
   * the quota is used up or the subscription is disabled, pauses it until {@link releaseHeld} resumes it. Customers
   * take turns. Returns 1, or 0 if no subscription can take a step.
   */
  catchUp(terms: QuotaTerms & { deliveriesFor: DeliveriesFor }): Promise<number>;
  /**
   * Leases due deliveries and counts the attempts. `shareSlots` of src/domain/plans shares the free `slots`. Within a
   * subscription, deliveries go longest due first, and replays go last. A probed endpoint gets one delivery at a time.
   * Apart from `slots`, which is the caller's capacity, a claim depends only on the database, so that several processes
   * can claim at the same time.
   */
  claimDeliveries(claim: {
    nowMs: number;
    leaseMs: number;
    /** The caller's free slots. The claim takes one for each claimed delivery. */
    slots: Slots;
    /** Maximum number of attempts in progress per subscription. */
    perSubscription: number;
  }): Promise<ClaimedDelivery[]>;
  /**
   * Ends the leases of interrupted attempts. The attempts stay counted, and the deliveries are due now. Deliveries that
   * have changed since the claim are left alone.
   */
  endLeases(claimed: readonly Pick<ClaimedDelivery, "id" | "attempt">[], nowMs: number): Promise<void>;
  /**
   * Records attempts and their effects. A success always counts, even if the delivery has changed since the claim. Any
   * other outcome only has an effect if its attempt is the latest and has no result yet.
   */
  finishAttempts(finished: readonly FinishedAttempt[], nowMs: number): Promise<void>;
  /**
   * Releases held deliveries whose cause has ended, oldest first, a few hundred per call. Then resumes paused
   * subscriptions. Returns how many deliveries and subscriptions changed. Unless the number is 0, more may be left.
   */
  releaseHeld(release: QuotaTerms): Promise<number>;

  listDeliveries(customerId: string, query: DeliveryQuery): Promise<DeliveryRecord[]>;
  /** Lists the deliveries of all customers, newest first, for the operator. */
  listAllDeliveries(query: Omit<DeliveryQuery, "subscriptionId">): Promise<DeliveryRecord[]>;
  /** Returns the id of the customer that has or had the subscription or delivery, or null if there is none. */
  findOwner(of: "subscription" | "delivery", id: string): Promise<string | null>;
  /** Returns null unless the delivery belongs to the customer. */
  findDelivery(customerId: string, id: string): Promise<DeliveryRecord | null>;
  /** Returns the body of a delivery exactly as sent, or null once it has been removed. */
  findPayload(deliveryId: string): Promise<string | null>;
  /** Lists a delivery's attempts, oldest first. */
  listAttempts(deliveryId: string): Promise<AttemptRecord[]>;
  /**
   * Sends a finished delivery again with the same id, the same bytes and a whole new schedule. With `replaysPerDay`,
   * uses one of the day's replays. With `by`, the replay is an act of the operator and is audited.
   */
  replayDelivery(
    customerId: string,
    id: string,
    terms: QuotaTerms & { by?: Act; replaysPerDay?: number },
  ): Promise<DeliveryRecord | ReplayRefusal>;
  /**
   * Makes a pending delivery due now, before the subscription's others, with a whole new schedule, even if its receiver
   * asked for a later time. An attempt in progress is left alone. A probed endpoint gets it as its next attempt. An act
   * of the operator (`by`) is audited and uses no replay.
   */
  sendDelivery(
    customerId: string,
    id: string,
    terms: SendTerms | { nowMs: number; by: Act },
  ): Promise<DeliveryRecord | SendRefusal>;
  /** Makes all pending deliveries of a subscription due now, under the rules of {@link sendDelivery}. */
  sendPending(
    customerId: string,
    subscriptionId: string,
    terms: SendTerms,
  ): Promise<"sent" | "unknown" | "disabled" | "limit_reached">;
  /**
   * Sends finished deliveries of a range of events again, and creates deliveries of matching events that have none, in
   * the order in which the events were stored. Skips events that are quarantined, or that the subscription will get by
   * catching up. Each delivery uses one of the day's replays. If too few are left, nothing is sent.
   */
  replayEvents(
    customerId: string,
    subscriptionId: string,
    terms: QuotaTerms & EventRange & { deliveriesFor: DeliveriesFor },
  ): Promise<Replayed | "unknown" | "disabled" | "limit_reached">;

  health(): Promise<StoreHealth>;
  /**
   * Returns the earliest time up to `untilMs` since which a delivery has been due although its endpoint works and
   * responds fast, Unix ms; null if there is none. Replays do not count.
   */
  oldestOverdue(untilMs: number): Promise<number | null>;
  /** Counts held and failed deliveries. Uses only small indexes, which contain no delivered ones. */
  countUndelivered(): Promise<AllUndelivered>;
  /** Counts the held deliveries of all customers by cause. */
  countHeldByCause(): Promise<HeldByCause[]>;
  /** Returns the counts for each subscription of a customer, by the subscription's id. Includes deleted ones. */
  countUndeliveredOf(customerId: string): Promise<Map<string, UndeliveredCounts>>;
  /**
   * Adjusts times after the clock was set back. Waits whose start is in the future begin now, a replaced secret signs
   * for at most a day from now, and emails that would wait too long become due. Returns how many deliveries changed.
   */
  adjustForClockRollback(nowMs: number): Promise<number>;
  /**
   * Deletes old data: the bodies and attempts of deliveries that finished up to `prunedUntilMs`,
   * deliveries that finished up to `forgottenUntilMs`, deleted subscriptions whose deliveries have all been removed,
   * deliveries that were cancelled before their first attempt, and matches that no subscription needs to catch up.
   * Finds at most `limit` rows of each kind, and returns how many it found. Unless the number is 0, more may be left.
   */
  removeOldDeliveries(
    remove: { prunedUntilMs: number; forgottenUntilMs: number; limit: number },
  ): Promise<number>;
}
