// Gaps: what a fetch that went well was without, and since when.
import type { PartialFailure } from "../domain/source/source.ts";

/** Gaps of one source that are kept; of more the last one says how many there are. */
const MAX_GAPS = 20;
/** Characters of each of a gap's texts. */
const MAX_WORDS = 300;

/** What of a source could not be had, and why. */
export type FailedPart = Omit<PartialFailure, "sinceMs">;

/** The gaps after a fetch: one that was there before is as old as it was. */
export function decidePartialFailures(
  before: readonly PartialFailure[],
  found: readonly FailedPart[],
  nowMs: number,
): PartialFailure[] {
  const gaps = new Map<string, FailedPart>();
  for (const { part, reason } of found) {
    const gap = { part: shorten(withoutQueries(part)), reason: shorten(withoutQueries(reason)) };
    if (!gaps.has(gap.part)) gaps.set(gap.part, gap);
  }
  const kept = [...gaps.values()];
  const others = kept.length - MAX_GAPS;
  if (others > 0) kept.splice(MAX_GAPS, others, { part: "others", reason: `${others} more parts` });
  const since = new Map(before.map(({ part, sinceMs }) => [part, sinceMs]));
  // What began in the future began before the clock was set back.
  return kept.map((gap) => ({ ...gap, sinceMs: Math.min(since.get(gap.part) ?? nowMs, nowMs) }));
}

/** The text without the queries of its URLs: they may hold keys, and no list or log is to hold one. */
export function withoutQueries(words: string): string {
  return words.replace(/https?:\/\/\S*/gi, (url) => /^[^?#]*/.exec(url)?.[0] ?? "");
}

function shorten(words: string): string {
  return words.length <= MAX_WORDS ? words : `${words.slice(0, MAX_WORDS - 1).toWellFormed()}…`;
}
