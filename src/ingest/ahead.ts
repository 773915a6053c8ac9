// Classifications that another thread makes while this one decides and stores.
import type { AheadOfTime } from "./contents.ts";
import type { NormalisedItem } from "./normalise/item.ts";

/** What has come of a document's classifications, in the order of its items. */
export class Ahead {
  readonly #found = new Map<NormalisedItem, AheadOfTime>();
  #next = Promise.withResolvers<void>();
  #isOver = false;

  /** Null when the item is not relevant and no more is known; undefined when nothing is. */
  get(item: NormalisedItem): AheadOfTime | undefined {
    return this.#found.get(item);
  }

  /** Takes over what was found. */
  add(items: readonly NormalisedItem[], found: readonly AheadOfTime[]): void {
    for (const [at, item] of items.entries()) this.#found.set(item, found[at] ?? null);
    this.#tell();
  }

  /** No more comes: what is missing is missing for good. */
  end(): void {
    this.#isOver = true;
    this.#tell();
  }

  /** Resolves when all of them were classified, or no more comes. */
  async until(items: readonly NormalisedItem[]): Promise<void> {
    while (!this.#isOver && items.some((item) => !this.#found.has(item))) await this.#next.promise;
  }

  #tell(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
