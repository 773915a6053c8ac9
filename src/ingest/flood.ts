// Floods: more new publications in one fetch than a source's history allows.
import type { Arrivals } from "../domain/store.ts";

/** So many new publications are no flood, whatever was usual. */
const ALWAYS_ALLOWED = 20;
/** So many times what is usual is no flood. */
const ALLOWED_TIMES_USUAL = 5;
/** An old publication counts for so many: news are new, and what a site has renumbered is old. */
const WEIGHT_OF_OLD = 3;

/**
 * Whether the new publications of a fetch that held so many items are a flood: most of the items are new, and they are
 * more than {@link ALWAYS_ALLOWED} and more than {@link ALLOWED_TIMES_USUAL} times the most that is usual, old ones
 * counted {@link WEIGHT_OF_OLD} times.
 */
export function isFlood({ count, older, usual }: Arrivals, items: number): boolean {
  const weight = count + (WEIGHT_OF_OLD - 1) * older;
  return count > items / 2 && weight > Math.max(ALWAYS_ALLOWED, ALLOWED_TIMES_USUAL * usual);
}
