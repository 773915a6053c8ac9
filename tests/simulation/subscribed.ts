// The subscriptions that a simulation has made.
import type { Subscriber } from "./simulation.ts";

/** What a subscription lets through, as it was asked for. */
export interface Filter {
  topics?: string[];
  severity_min?: string;
}

/** A subscription as its customer knows it. */
export interface Subscribed {
  id: string;
  subscriber: Subscriber;
  host: string;
  /** Every filter that it ever had. */
  filters: Filter[];
  /** Events that were stored before it. */
  storedBefore: number;
  backfill: boolean;
  deleted: boolean;
  /** Nobody asked for anything again, or switched it off: its deliveries are made, and go, in the order of storing. */
  isOrdered: boolean;
}
