// Checks whether a source has fewer items than its minimum, at every URL or at those of some languages.
import type { SourceSettings } from "../domain/source/source.ts";
import type { FailedPart } from "./partial_failures.ts";

/** The number of items found at the URL of each language. A source with a single URL has one entry, for null. */
export type ItemCounts = Map<string | null, number>;

function short(counts: ItemCounts, minItems: number): [language: string | null, items: number][] {
  return [...counts].filter(([, items]) => items < minItems);
}

type Minimum = Pick<SourceSettings, "urls" | "minItems" | "fetchStrategy">;

/** Whether every URL was read and had too few items. */
export function isShort({ urls, minItems = 0 }: Minimum, counts: ItemCounts): boolean {
  return short(counts, minItems).length === Object.keys(urls ?? { only: "" }).length;
}

/** Returns the languages that have too few items, unless all do, and the unread languages that had too few before. */
export function shortLanguages(
  source: Minimum,
  counts: ItemCounts,
  before: readonly FailedPart[],
): FailedPart[] {
  const { urls = {}, minItems = 0, fetchStrategy } = source;
  if (fetchStrategy === "feed" || isShort(source, counts)) return [];
  const still = before.filter(({ part }) => Object.hasOwn(urls, part) && !counts.has(part));
  const now = short(counts, minItems).flatMap(([language, items]) =>
    language === null ? [] : [{ part: language, reason: shortReason(items, minItems) }]
  );
  return [...still, ...now];
}

export function shortReason(items: number, minItems: number): string {
  const found = items === 0 ? "no items" : `only ${items} of the required ${minItems} items`;
  return `has ${found}: the URL or the extraction rules may be out of date`;
}
