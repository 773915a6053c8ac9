// The subscriptions that a simulation has made.
import type { Subscriber } from "./simulation.ts";

export interface Filter {
  topics?: string[];
  severity_min?: string;
}

/** A subscription as its customer knows it. */
export interface Subscribed {
  id: string;
  subscriber: Subscriber;
  host: string;
  filters: Filter[];
  /** Events that were stored before it. */
  storedBefore: number;
  backfill: boolean;
  deleted: boolean;
  /** Nothing was replayed or disabled: its deliveries are created and sent in the order of storing. */
  isOrdered: boolean;
}
