// The type of the stores for the read and list rows.

/** Stores of several sizes; each contains the events of the smaller ones. */
export interface ReadStores {
  /** An API key that works for all stores. */
  key: string;
  /** The ids of the events in the largest store, as they were stored. Smaller stores contain the first of them. */
  ids: readonly string[];
  /** The stores, smallest first. The database is `regfeed.db` in the folder. */
  stores: readonly { events: number; folder: string }[];
}
