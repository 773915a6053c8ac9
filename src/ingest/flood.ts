// Floods: more new publications in one fetch than a source's history allows.
import type { Arrivals } from "../domain/arrivals.ts";

/** So many new publications are no flood, whatever was usual. */
const ALWAYS_ALLOWED = 20;
/** So many times what is expected is no flood. */
const ALLOWED_TIMES_EXPECTED = 5;
/** An old publication counts for so many: news are new, and what a site has renumbered is old. */
const WEIGHT_OF_OLD = 3;
/** One that the source dates after all that was known counts for so little: that is what news look like. */
const WEIGHT_OF_NEWS = 0.25;
const DAY_MS = 86_400_000;

/**
 * Whether the new publications of a fetch that held so many items are a flood: most of the items are new, and they weigh
 * more than {@link ALWAYS_ALLOWED} and more than {@link ALLOWED_TIMES_EXPECTED} times what is expected. That is the most
 * that a fetch usually brings, or as many as the source publishes in the time since its last success, if that is more:
 * a source that was down for a week has the news of a week.
 */
export function isFlood(
  { count, older, newer, usual, perDay, elapsedMs }: Arrivals,
  items: number,
): boolean {
  const weight = count - older - newer + WEIGHT_OF_OLD * older + WEIGHT_OF_NEWS * newer;
  const expected = Math.max(usual, perDay * elapsedMs / DAY_MS);
  return count > items / 2 && weight > Math.max(ALWAYS_ALLOWED, ALLOWED_TIMES_EXPECTED * expected);
}
