// Describes where the next fetch of a source begins, for the operator.
import type { SourceSettings, SourceState } from "../../domain/source/source.ts";
import { readCursor } from "./fetch_types.ts";
import { type ListCursor, pagesOf } from "./list_cursor.ts";
import { planWindows, rulesKey } from "./pagination.ts";
import { utcDay } from "../../domain/utc_day.ts";

type DescribedCursor = Partial<Pick<ListCursor, "atMs" | "rest">> & { settings: string; sinceMs?: number };

/** Returns a sentence for each URL whose next fetch continues from a stored position. */
export function describeCursors(
  source: SourceSettings,
  { cursor }: Pick<SourceState, "cursor">,
  nowMs: number,
): string[] {
  if (cursor === null) return [];
  if (source.urls === undefined) return describeCursor(source, cursor, nowMs);
  const cursors: Record<string, string | null> = JSON.parse(cursor);
  return Object.entries(source.urls).flatMap(([language, location]) =>
    describeCursor({ ...source, location }, cursors[language] ?? null, nowMs).map((text) =>
      `${language}: ${text}`
    )
  );
}

function describeCursor(source: SourceSettings, cursor: string | null, nowMs: number): string[] {
  const { rules } = source;
  const known = rules === undefined ? null : readCursor<DescribedCursor>(cursor, rulesKey(source));
  if (known === null || rules === undefined) return [];
  const { atMs, rest, sinceMs } = known;
  if (sinceMs !== undefined) {
    return [`the next fetch looks for pages that have changed since ${utcDay(sinceMs)}`];
  }
  if (rules.kind !== "sitemap" && rules.windows !== null && atMs !== undefined) {
    const firstMs = planWindows(rules.windows, atMs, nowMs)[0]?.sinceMs ?? nowMs;
    return [`the next fetch starts at ${utcDay(firstMs)}`];
  }
  return rest === undefined
    ? []
    : [`the list is read in parts: the next fetch continues after the ${pagesOf(rest.pages)} already read`];
}
