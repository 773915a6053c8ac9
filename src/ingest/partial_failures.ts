// Partial failures: the parts that were missing from a source's last successful fetch, and since when.
import { formatCount } from "../domain/format_count.ts";
import type { PartialFailure } from "../domain/source/source.ts";

/** Maximum number of partial failures that a source lists. One more entry counts the rest. */
const MAX_PARTS = 20;
const MAX_CHARACTERS = 300;

export type FailedPart = Omit<PartialFailure, "sinceMs">;

/** Returns the partial failures after a fetch. A part that had already failed keeps its original time. */
export function decidePartialFailures(
  before: readonly PartialFailure[],
  found: readonly FailedPart[],
  nowMs: number,
): PartialFailure[] {
  const parts = new Map<string, FailedPart>();
  for (const { part, reason } of found) {
    const one = { part: shorten(withoutQueries(part)), reason: shorten(withoutQueries(reason)) };
    if (!parts.has(one.part)) parts.set(one.part, one);
  }
  const kept = [...parts.values()];
  const others = kept.length - MAX_PARTS;
  const rest = formatCount(others, "more part");
  if (others > 0) kept.splice(MAX_PARTS, others, { part: "others", reason: rest });
  const since = new Map(before.map(({ part, sinceMs }) => [part, sinceMs]));
  // A time in the future was stored before the clock was set back.
  return kept.map((one) => ({ ...one, sinceMs: Math.min(since.get(one.part) ?? nowMs, nowMs) }));
}

/** Removes the queries from all URLs in a string, because they may contain keys. */
export function withoutQueries(text: string): string {
  return text.replace(/https?:\/\/\S*/gi, (url) => /^[^?#]*/.exec(url)?.[0] ?? "");
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
}
