// The type of the stores for the read and list rows.

/** Stores of several sizes; each contains the events of the smaller ones. */
export interface ReadStores {
  /** An API key that works for all stores. */
  key: string;
  /** The ids of the largest store's events, oldest first. A smaller store contains the first of these events. */
  ids: readonly string[];
  /** The stores, smallest first. The database is `regfeed.db` in the folder. */
  stores: readonly { events: number; folder: string }[];
}
