// Arrivals: what of a source's new and revised publications tells news from a spike.

/** The new publications of one fetch, and its revisions, counted. Where none was known, the last success stands for the newest known one. */
export interface ChangeVolume {
  count: number;
  /** Those of them that the source dates well before the newest that was known. */
  older: number;
  /** Those of them that the source dates after the newest that was known. */
  newer: number;
  /** Revisions, withdrawals among them. */
  revised: number;
  /** How many revisions a fetch brings at most, as far as is remembered. */
  usualRevised: number;
  /** How many new publications a fetch brings at most, as far as is remembered. */
  usual: number;
  /** How many publications a day the source dates, in the {@link CADENCE_MS} before the newest that was known. */
  perDay: number;
  /** Since its last success, ms. */
  elapsedMs: number;
}

/** The time from which {@link ChangeVolume.perDay} is known, ms. */
export const CADENCE_MS = 30 * 86_400_000;

/** How long before the newest known publication a new one is dated to be an old one, ms: two days. */
export const OLDER_BY_MS = 2 * 86_400_000;

/** What of a fetch is a spike, and held back: its new publications, its revisions, both or neither. */
export interface ChangeSpike {
  isNew: boolean;
  isRevised: boolean;
}

/** A fetch of which nothing is held back. */
export const NO_SPIKE: ChangeSpike = { isNew: false, isRevised: false };
