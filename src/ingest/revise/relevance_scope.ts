// Sources that take everything now and took only AI regulation before: what they passed over then is no news.
import type { SourceSettings, SourceState } from "../../domain/source/source.ts";
import { seenItems } from "../schedule/publication_cadence.ts";
import type { NormalisedItem } from "../normalise/item.ts";

/** A date may name a day alone: what is dated so long before the last narrow fetch was there by then, ms. */
const DATE_TOLERANCE_MS = 86_400_000;

/** What of an item is looked at. */
export type DatedItem = Pick<NormalisedItem, "title" | "link" | "publishedAtMs" | "updatedAtMs">;

/**
 * Says of an item that is not stored whether it may have been there when the source was last read for AI regulation
 * alone: it stood in the last document then, or its date is older, or nothing tells. Asked only of what does not concern
 * AI regulation: what does would have been stored.
 */
export function wasIrrelevantBefore(
  { relevance, fetchStrategy, urls }: Pick<SourceSettings, "relevance" | "fetchStrategy" | "urls">,
  { narrowUntilMs, cadence }: Pick<SourceState, "narrowUntilMs" | "cadence">,
): (item: DatedItem) => boolean {
  if (relevance !== "all" || narrowUntilMs === null) return () => false;
  const seen = seenItems(cadence);
  // A feed's document is all of it: what was not in the last one is new.
  const isAllSeen = seen.isWhole && fetchStrategy === "feed" && urls === undefined;
  return (item) => {
    if (seen.has(item)) return true;
    const dateMs = item.publishedAtMs ?? item.updatedAtMs;
    return dateMs === null ? !isAllSeen : dateMs <= narrowUntilMs - DATE_TOLERANCE_MS;
  };
}

/** {@link SourceState.narrowUntilMs} after a success; `isWhole`: nothing of the source was left for another fetch. */
export function narrowUntilAfter(
  { relevance }: Pick<SourceSettings, "relevance">,
  { narrowUntilMs }: Pick<SourceState, "narrowUntilMs">,
  { isWhole, nowMs }: { isWhole: boolean; nowMs: number },
): number | null {
  if (relevance === "ai") return nowMs;
  return isWhole ? null : narrowUntilMs;
}
