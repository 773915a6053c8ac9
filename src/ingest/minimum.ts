// Fewer items than a source must have: in all that was read of it, or at the address of one of its languages.

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

  /**
   * What of a source held too few: all of it, where none of its addresses had enough, else the languages of those that
   * had not. What was not read says nothing. `addresses` is how many the source has.
   */
  short(
    minItems: number,
    addresses: number,
  ): { isAll: boolean; languages: { language: string; items: number }[] } {
    const short = [...this.#counts].filter(([, { items }]) => items < minItems);
    if (short.length === addresses) return { isAll: true, languages: [] };
    const languages = short.flatMap(([language, { items }]) =>
      language === null ? [] : [{ language, items }]
    );
    return { isAll: false, languages };
  }
}

/** What is wrong with so few items, for the operator. */
export function shortReason(items: number, minItems: number): string {
  const found = items === 0 ? "no item" : `only ${items} of at least ${minItems} items`;
  return `has ${found}: the address or the rules may no longer fit the page`;
}
