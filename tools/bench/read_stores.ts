// The stores that read benches use.

/** Stores of which each holds what the smaller ones hold. */
export interface ReadStores {
  /** A key of all of them. */
  key: string;
  /** The ids of the biggest one's events, in the order of storing: those of the others are the first of them. */
  ids: readonly string[];
  /** The smallest first; each has its database as `regfeed.db` in its folder. */
  stores: readonly { events: number; folder: string }[];
}
