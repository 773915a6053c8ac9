// Records of fetches: each fetch for 90 days, and the totals of each UTC day for good.

/** How long single fetches are kept, ms. The totals of their days stay. */
export const FETCHES_KEPT_MS = 90 * 86_400_000;

/** The outcomes that are recorded. `partial`: fetched, but a part was missing. The others are those of a fetch. */
const RECORDED_OUTCOMES = ["ok", "partial", "failing", "blocked", "empty"] as const;
export type RecordedOutcome = typeof RECORDED_OUTCOMES[number];

/**
 * Why a fetch failed. These categories are public, in contrast to the reasons for the operator. `refused`: the host
 * refuses or throttles this client. `timeout`: no complete response in time. `connection`: no connection, or a broken
 * one. `http_error`: an error status or an unusable redirect. `unreadable`: a document that cannot be read.
 * `too_few_items`: fewer items than required. `internal`: a fault of this service, such as a full disk.
 */
const FETCH_CAUSES = [
  "refused",
  "timeout",
  "connection",
  "http_error",
  "unreadable",
  "too_few_items",
  "internal",
] as const;
export type FetchCause = typeof FETCH_CAUSES[number];

/** The numbers of items in a fetch. `skipped` items do not concern AI regulation. */
export interface FetchCounts {
  new: number;
  revised: number;
  unchanged: number;
  translated: number;
  skipped: number;
  refused: number;
}

export const NO_COUNTS: FetchCounts = {
  new: 0,
  revised: 0,
  unchanged: 0,
  translated: 0,
  skipped: 0,
  refused: 0,
};

/** One fetch of a source. Times are in Unix ms. */
export interface FetchRecord {
  startedAtMs: number;
  endedAtMs: number;
  outcome: RecordedOutcome;
  /** Null for a successful fetch. */
  cause: FetchCause | null;
  counts: FetchCounts;
  /** The SHA-256 of the last document that was parsed, or null if none was, for example because nothing had changed. */
  documentHash: string | null;
}

/** The fetches of a source that ended on one UTC day. */
export interface FetchDay {
  /** Days since 1970-01-01. */
  day: number;
  /** The number of fetches by outcome. */
  fetches: Record<RecordedOutcome, number>;
  /** The longest time without a successful fetch that ended on this day, ms; 0 if none did. */
  longestGapMs: number;
  /** When the next fetch was due after the last one of the day, Unix ms. */
  nextDueAtMs: number;
}

export function isSuccess(outcome: RecordedOutcome): boolean {
  return outcome === "ok" || outcome === "partial";
}
