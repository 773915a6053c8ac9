// The number of new and revised publications of a fetch, by which a change spike is detected.

/** The new publications and revisions of one fetch. If none was known, the last success is the newest date. */
export interface ChangeVolume {
  count: number;
  /** New publications dated well before the newest known one. */
  older: number;
  /** New publications dated after the newest known one. */
  newer: number;
  /** Revisions, including withdrawals. */
  revised: number;
  /** The usual maximum number of revisions per fetch. */
  usualRevised: number;
  /** The usual maximum number of new publications per fetch. */
  usual: number;
  /** Publications per day, by their dates, in the {@link CADENCE_MS} before the newest known one. */
  perDay: number;
  /** Time since its last success, ms. */
  elapsedMs: number;
}

/** The period of {@link ChangeVolume.perDay}, ms. */
export const CADENCE_MS = 30 * 86_400_000;

/** A new publication dated this long before the newest known one is an old one, ms: two days. */
export const OLDER_BY_MS = 2 * 86_400_000;

/** The events of a fetch that are a spike and quarantined: new publications, revisions, both or neither. */
export interface ChangeSpike {
  isNew: boolean;
  isRevised: boolean;
}

/** A fetch without a spike. */
export const NO_SPIKE: ChangeSpike = { isNew: false, isRevised: false };
