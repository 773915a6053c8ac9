// The part of the Store port for what customers have seen of the feed.

/** The events that are new to a customer are those stored after a position. */
export interface FeedNews {
  /** The last event that is not new; null if there was none. */
  after: { id: string; seq: number } | null;
  /** When that event was the last one, Unix ms. */
  sinceMs: number;
  /** The last event that is stored; null if there is none. */
  last: { id: string } | null;
}

export interface FeedVisitStore {
  /** Records that the customer opened the feed, as `planFeedVisit` (src/domain/plans) says. Returns what is new. */
  visitFeed(customerId: string, nowMs: number): Promise<FeedNews>;
  /** Returns those of the events that are new: stored after the position `seq`. */
  newEvents(seq: number, ids: readonly string[]): Promise<string[]>;
  /** Marks the events up to this one as read. An unknown event changes nothing. */
  markFeedRead(customerId: string, upTo: { eventId: string; nowMs: number }): Promise<void>;
}
