// Floods: more new publications, or more revisions, in one fetch than a source's history allows.
import type { ChangeSpike, ChangeVolume } from "../../domain/source/change_volume.ts";

/** So many new publications, and so many revisions, are no flood, whatever was usual. */
const ALWAYS_ALLOWED = 20;
/** So many times what is expected is no flood. */
const ALLOWED_TIMES_EXPECTED = 5;
/** What is new is a flood when it is more than this part of the items: most of them. */
const NEW_PART = 0.5;
/** What is revised is one when it is more than this part: publishers correct an item or two, whoever changes all. */
const REVISED_PART = 0.25;
/** An old publication counts for so many: news are new, and what a site has renumbered is old. */
const WEIGHT_OF_OLD = 3;
/** One that the source dates after all that was known counts for so little: that is what news look like. */
const WEIGHT_OF_NEWS = 0.25;
const DAY_MS = 86_400_000;

/** What of a fetch that held so many items is a flood. */
export function detectSpike(arrivals: ChangeVolume, items: number): ChangeSpike {
  return { isNew: isSpikeOfNew(arrivals, items), isRevised: isSpikeOfRevisions(arrivals, items) };
}

/**
 * Whether the new publications are one: most of the items are new, and they weigh more than {@link ALWAYS_ALLOWED} and
 * more than {@link ALLOWED_TIMES_EXPECTED} times what is expected. That is the most that a fetch usually brings, or as
 * many as the source publishes in the time since its last success, if that is more: a source that was down for a week
 * has the news of a week.
 */
function isSpikeOfNew(
  { count, older, newer, usual, perDay, elapsedMs }: ChangeVolume,
  items: number,
): boolean {
  const weight = count - older - newer + WEIGHT_OF_OLD * older + WEIGHT_OF_NEWS * newer;
  const expected = Math.max(usual, perDay * elapsedMs / DAY_MS);
  return count > items * NEW_PART && weight > Math.max(ALWAYS_ALLOWED, ALLOWED_TIMES_EXPECTED * expected);
}

/**
 * Whether the revisions are one: a site that has changed its template, or that writes the time of day into its texts,
 * revises everything. Expected is the most that a fetch usually brings, for each day since the last success.
 */
function isSpikeOfRevisions({ revised, usualRevised, elapsedMs }: ChangeVolume, items: number): boolean {
  const expected = usualRevised * Math.max(1, elapsedMs / DAY_MS);
  return revised > items * REVISED_PART &&
    revised > Math.max(ALWAYS_ALLOWED, ALLOWED_TIMES_EXPECTED * expected);
}
