// The volume of a fetch's new and revised publications, by which a change spike is detected.

/** The new publications of one fetch, and its revisions, counted. Where none was known, the last success stands for the newest known one. */
export interface ChangeVolume {
  count: number;
  /** Those of them that the source dates well before the newest that was known. */
  older: number;
  /** Those of them that the source dates after the newest that was known. */
  newer: number;
  /** Revisions, withdrawals among them. */
  revised: number;
  /** The usual maximum number of revisions per fetch. */
  usualRevised: number;
  /** The usual maximum number of new publications per fetch. */
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

/** Which events of a fetch are a spike and quarantined: new publications, revisions, both or neither. */
export interface ChangeSpike {
  isNew: boolean;
  isRevised: boolean;
}

/** A fetch without a spike. */
export const NO_SPIKE: ChangeSpike = { isNew: false, isRevised: false };
