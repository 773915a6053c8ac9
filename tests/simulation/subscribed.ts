// The state of a simulated subscription.
import type { Subscriber } from "./simulation.ts";

export interface Filter {
  topics?: string[];
  severity_min?: string;
}

/** A subscription, as its customer knows it. */
export interface Subscribed {
  id: string;
  subscriber: Subscriber;
  host: string;
  filters: Filter[];
  /** Number of events that were stored before the subscription. */
  storedBefore: number;
  backfill: boolean;
  deleted: boolean;
  /**
   * Whether nothing was replayed or disabled. Deliveries are then created and sent in the order in which the events
   * were stored.
   */
  isOrdered: boolean;
}
