// The numbers of new and revised publications in a fetch, from which a change spike is detected.

/**
 * The new publications and revisions of a fetch. If no publication was known before, the time of the last success
 * replaces the date of the newest known one.
 */
export interface ChangeVolume {
  count: number;
  /** Number of new publications dated more than {@link OLDER_BY_MS} before the newest known one. */
  older: number;
  /** Number of new publications dated after the newest known one, except those with an estimated date. */
  newer: number;
  /** Number of revisions, including withdrawals. */
  revised: number;
  /** The usual maximum number of revisions per fetch. */
  usualRevised: number;
  /** The usual maximum number of new publications per fetch. */
  usual: number;
  /** Publications per day by their dates, in the {@link CADENCE_MS} before the newest known one. */
  perDay: number;
  /** Time since the source's last success, ms. */
  elapsedMs: number;
}

/** The period of {@link ChangeVolume.perDay}, ms. */
export const CADENCE_MS = 30 * 86_400_000;

/** A new publication is old if it is dated more than this long before the newest known one, ms. */
export const OLDER_BY_MS = 2 * 86_400_000;

/** Which events of a fetch are a spike and are quarantined: new publications, revisions, both or neither. */
export interface ChangeSpike {
  isNew: boolean;
  isRevised: boolean;
}

export const NO_SPIKE: ChangeSpike = { isNew: false, isRevised: false };
