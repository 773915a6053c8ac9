// Classifications that are made before they are asked for: another thread makes them, and this one when it has to wait.
import type { Classify } from "./classify_request.ts";
import { type AheadOfTime, type AheadRequest, classifierAhead } from "./contents.ts";
import type { NormalisedItem } from "./normalise/item.ts";
import { itemsOf, SHARE_ITEMS, takeShare } from "./shares.ts";

/** By what this thread classifies its shares. */
export interface AheadOptions {
  request: AheadRequest;
  classify: Classify;
  /** Gives other work its turn when it is time. */
  pause(): Promise<void>;
}

/** What has come of a document's classifications. */
export class Ahead {
  readonly #options: AheadOptions;
  readonly #items: NormalisedItem[] = [];
  readonly #found = new Map<NormalisedItem, AheadOfTime>();
  #classifyOne: (item: NormalisedItem) => AheadOfTime = () => null;
  #areAllRead = false;
  #isOver = false;
  #next = Promise.withResolvers<void>();

  constructor(options: AheadOptions) {
    this.#options = options;
  }

  /** Null when the item is not relevant and no more is known; undefined when nothing is. */
  get(item: NormalisedItem): AheadOfTime | undefined {
    return this.#found.get(item);
  }

  /** The document states this language, and its items come now. */
  begin(language: string | null): void {
    this.#classifyOne = classifierAhead(this.#options.request, language, this.#options.classify);
  }

  /** An item was read: the next in the order of the document. */
  addItem(item: NormalisedItem): void {
    this.#items.push(item);
  }

  /** Takes over what the other thread has found of a share. */
  addFound(share: number, found: readonly AheadOfTime[]): void {
    for (const [at, item] of itemsOf(this.#items, share).entries()) this.#found.set(item, found[at] ?? null);
  }

  /** Something has come: whoever waits looks again. */
  tell({ areAllRead }: { areAllRead: boolean }): void {
    this.#areAllRead = areAllRead;
    this.#wake();
  }

  /** No more comes: what is missing is missing for good. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Classifies shares of what has come until all items are there, or no more comes. */
  async untilAllRead(): Promise<void> {
    while (!this.#areAllRead && !this.#isOver) await this.#goOn();
  }

  /** Resolves when all of these were classified, or no more comes; takes the shares that are left meanwhile. */
  async until(items: readonly NormalisedItem[]): Promise<void> {
    while (!this.#isOver && items.some((item) => !this.#found.has(item))) await this.#goOn();
  }

  /** Classifies a share, or waits for the next that comes when there is none. */
  async #goOn(): Promise<void> {
    const shares = this.#items.length / SHARE_ITEMS;
    const ready = this.#areAllRead ? Math.ceil(shares) : Math.floor(shares);
    const share = takeShare(this.#options.request.taken, ready);
    if (share === null) return await this.#next.promise;
    for (const item of itemsOf(this.#items, share)) {
      this.#found.set(item, this.#classifyOne(item));
      await this.#options.pause();
    }
  }

  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
