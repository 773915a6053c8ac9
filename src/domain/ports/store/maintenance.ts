// The part of the Store port that the clock moves: endpoints that fail, a clock set back, what is old.

import type { TierTable } from "./customers.ts";
import type { SwitchedOffBy } from "../../delivery/subscription.ts";

/** Deliveries that are not on their way. */
export interface UndeliveredCounts {
  held: number;
  failed: number;
}

/** The same of everybody. */
export interface AllUndelivered extends UndeliveredCounts {
  /** Subscriptions that are behind because their customer's limit of held deliveries was reached. */
  heldFull: number;
}

/** What is stored for a customer. */
export interface CustomerStorage {
  customerId: string;
  /** About how many bytes its subscriptions, deliveries, bodies and attempts take. */
  bytes: number;
}

/** What the operator has to know of what does not arrive. */
export interface Undelivered extends AllUndelivered {
  /** Subscriptions that the service itself has switched off, the one that has been off longest first. */
  switchedOff: { id: string; by: Exclude<SwitchedOffBy, "owner"> }[];
  /** Customers for whom most is stored, the largest first. */
  largest: CustomerStorage[];
}

/** What is done from time to time, whatever else happens. Every time is in Unix ms. */
export interface MaintenanceStore {
  /** Read off indexes that hold nothing that was delivered. */
  countUndelivered(): Promise<AllUndelivered>;
  /** The customers for whom most is stored, the largest first. Nothing is counted for that. */
  largestCustomers(limit: number): Promise<CustomerStorage[]>;
  /** The same of each of a customer's subscriptions, deleted ones too, by their ids. */
  countUndeliveredOf(customerId: string): Promise<Map<string, UndeliveredCounts>>;
  /**
   * Warns the owners of endpoints that have failed for days, and switches off those that went on failing; with each a
   * mail. Returns how many.
   */
  judgeEndpoints(judge: { nowMs: number; newMailId: () => string }): Promise<number>;
  /**
   * After the clock was set back: what was to wait some time from a moment that is yet to come, waits that time from
   * now, a secret that was replaced signs for no more than a day from now, and a mail that was put off longer than any is is
   * due. Returns how many deliveries.
   */
  adjustForClockRollback(nowMs: number): Promise<number>;
  /**
   * Holds the newest subscriptions of customers that have more active ones than their tier allows, and switches on
   * again, oldest first, those that were held so and for which there is room; whose are held gets a mail. Returns how
   * many it switched.
   */
  fitSubscriptions(fit: { nowMs: number; tiers: TierTable; newMailId: () => string }): Promise<number>;
  /**
   * Removes bodies and attempts of deliveries that were over up to the one time, and what is then left of those that
   * were over up to the other, with deleted subscriptions that had no other; and deliveries that were cancelled before the
   * first attempt. At most `limit` of each. Returns how many; more may be left unless it is 0.
   */
  removeOldDeliveries(
    remove: { prunedUntilMs: number; forgottenUntilMs: number; limit: number },
  ): Promise<number>;
  /**
   * Cancels what deleted subscriptions still had to get beyond what their deletion has cancelled, or holds it for disabled
   * ones, some hundreds a call. What is enabled again meanwhile goes on. Removes deleted subscriptions that no delivery in the log belongs to, except the newest of each customer.
   * Returns how many deliveries and subscriptions it is done with; more may be left unless it is 0.
   */
  closeSubscriptions(nowMs: number): Promise<number>;
}
