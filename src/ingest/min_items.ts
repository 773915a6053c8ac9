// Fewer items than a source must have: in all that was read of it, or at the address of one of its languages.
import type { SourceSettings } from "../domain/source/source.ts";
import type { FailedPart } from "./partial_failures.ts";

interface Count {
  documents: number;
  items: number;
}

/** Counts the items of a fetch, by the language of their address; null for a source with one address. */
export class ItemCounts {
  readonly #counts = new Map<string | null, Count>();

  /** Items of all documents. */
  get items(): number {
    return [...this.#counts.values()].reduce((sum, { items }) => sum + items, 0);
  }

  /** Counts a document that was read. */
  add(language: string | null, items: number): void {
    const before = this.#counts.get(language) ?? { documents: 0, items: 0 };
    this.#counts.set(language, { documents: before.documents + 1, items: before.items + items });
  }

  /** Whether nothing was read in a language. */
  isUnread(language: string): boolean {
    return !this.#counts.has(language);
  }

  /** The addresses that had fewer than so many, each by its language. */
  short(minItems: number): { language: string | null; items: number }[] {
    return [...this.#counts].filter(([, { items }]) => items < minItems)
      .map(([language, { items }]) => ({ language, items }));
  }
}

type Minimum = Pick<SourceSettings, "urls" | "minItems" | "fetchStrategy">;

/** Whether none of a source's addresses had enough. What was not read says nothing. */
export function isShort({ urls, minItems = 0 }: Minimum, counts: ItemCounts): boolean {
  return counts.short(minItems).length === Object.keys(urls ?? { only: "" }).length;
}

/**
 * The languages that had too few items where others had enough. A feed of a language may still be empty; where rules
 * find nothing, they may no longer fit the page. What has not changed since is as short as it was.
 */
export function shortLanguages(
  source: Minimum,
  counts: ItemCounts,
  before: readonly FailedPart[],
): FailedPart[] {
  const { urls = {}, minItems = 0, fetchStrategy } = source;
  if (fetchStrategy === "feed" || isShort(source, counts)) return [];
  const still = before.filter(({ part }) => Object.hasOwn(urls, part) && counts.isUnread(part));
  const now = counts.short(minItems).flatMap(({ language, items }) =>
    language === null ? [] : [{ part: language, reason: shortReason(items, minItems) }]
  );
  return [...still, ...now];
}

/** What is wrong with so few items, for the operator. */
export function shortReason(items: number, minItems: number): string {
  const found = items === 0 ? "no item" : `only ${items} of at least ${minItems} items`;
  return `has ${found}: the URL or the rules may no longer match the page`;
}
