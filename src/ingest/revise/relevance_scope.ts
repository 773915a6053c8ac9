// Suppresses notifications about items that were skipped before a source changed from relevance = "ai" to "all".
import type { SourceSettings, SourceState } from "../../domain/source/source.ts";
import { seenItems } from "../schedule/publication_cadence.ts";
import type { NormalisedItem } from "../normalise/item.ts";

/** Tolerance for dates without a time, in ms. */
const DATE_TOLERANCE_MS = 86_400_000;

type DatedItem = Pick<NormalisedItem, "title" | "link" | "publishedAtMs" | "updatedAtMs">;

/**
 * Returns a function that tells whether an item was probably skipped: the last fetch with relevance = "ai" skipped it,
 * or it is older than that fetch, or it is undated and the list of skipped items may be incomplete.
 */
export function wasIrrelevantBefore(
  { relevance, fetchStrategy, urls }: Pick<SourceSettings, "relevance" | "fetchStrategy" | "urls">,
  { narrowUntilMs, cadence }: Pick<SourceState, "narrowUntilMs" | "cadence">,
): (item: DatedItem) => boolean {
  if (relevance !== "all" || narrowUntilMs === null) return () => false;
  const seen = seenItems(cadence);
  // A feed is a single document, so an item that the last fetch did not contain is new.
  const isAllSeen = seen.isWhole && fetchStrategy === "feed" && urls === undefined;
  return (item) => {
    if (seen.has(item)) return true;
    const dateMs = item.publishedAtMs ?? item.updatedAtMs;
    return dateMs === null ? !isAllSeen : dateMs <= narrowUntilMs - DATE_TOLERANCE_MS;
  };
}

/** Returns {@link SourceState.narrowUntilMs} after a success. `isWhole` means that no part of the source failed. */
export function narrowUntilAfter(
  { relevance }: Pick<SourceSettings, "relevance">,
  { narrowUntilMs }: Pick<SourceState, "narrowUntilMs">,
  { isWhole, nowMs }: { isWhole: boolean; nowMs: number },
): number | null {
  if (relevance === "ai") return nowMs;
  return isWhole ? null : narrowUntilMs;
}
