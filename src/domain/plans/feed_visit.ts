// Which events are new to a customer who opens the feed: those stored since the previous visit.

/** What a customer has seen of the feed. Positions are those of the order in which events were stored. */
export interface FeedVisit {
  /** Events stored after this position are new. */
  readSeq: number;
  /** When the events up to that position were seen, or marked as read. */
  readAtMs: number;
  /** The last event that was there when the feed was opened most recently. */
  seenSeq: number;
  seenAtMs: number;
}

/** A visit ends when the feed has not been opened for this long. */
const VISIT_ENDS_AFTER_MS = 30 * 60_000;
/** How exactly `seenAtMs` is kept while nothing else changes. */
const NOTED_EVERY_MS = 60_000;

/**
 * Returns the visit after the feed was opened. During a visit, the events that were new at its start stay new; the next
 * visit begins with what the last one showed. To a first-time visitor, no event is new. Returns `known` itself if the
 * change is not worth storing.
 */
export function planFeedVisit(known: FeedVisit | null, now: { lastSeq: number; nowMs: number }): FeedVisit {
  const seen = { seenSeq: now.lastSeq, seenAtMs: now.nowMs };
  if (known === null) return { readSeq: now.lastSeq, readAtMs: now.nowMs, ...seen };
  if (now.nowMs - known.seenAtMs >= VISIT_ENDS_AFTER_MS) {
    return { readSeq: Math.max(known.readSeq, known.seenSeq), readAtMs: known.seenAtMs, ...seen };
  }
  const isSame = known.seenSeq === now.lastSeq && now.nowMs - known.seenAtMs < NOTED_EVERY_MS;
  return isSame ? known : { ...known, ...seen };
}
