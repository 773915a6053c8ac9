// A chain of things that come and go often: taking one out costs nothing and leaves nothing behind.

/** A thing that can stand in one chain at a time; only the chain writes these. */
export interface Link<T extends Link<T>> {
  earlier: T | null;
  later: T | null;
  chain: Chain<T> | null;
}

/**
 * Things in the order in which they were added. A set that much goes through leaves outgrown tables behind, and as long
 * as these are not collected they keep all that ever stood in them; what left a chain points at nothing of it.
 */
export class Chain<T extends Link<T>> {
  #size = 0;
  #last: T | null = null;
  #first: T | null = null;

  /** How many stand in it. */
  get size(): number {
    return this.#size;
  }

  /** The one that has been in it longest, if any. */
  get first(): T | null {
    return this.#first;
  }

  /** Puts it at the end; it stands in no chain yet. */
  add(one: T): void {
    one.chain = this;
    one.earlier = this.#last;
    if (this.#last === null) this.#first = one;
    else this.#last.later = one;
    this.#last = one;
    this.#size++;
  }

  /** Takes it out; false when it does not stand in this chain. */
  remove(one: T): boolean {
    if (one.chain !== this) return false;
    const { earlier, later } = one;
    if (earlier === null) this.#first = later;
    else earlier.later = later;
    if (later === null) this.#last = earlier;
    else later.earlier = earlier;
    one.earlier = one.later = one.chain = null;
    this.#size--;
    return true;
  }

  /** Those that stand in it, the first added first; taking out the one at hand is no harm. */
  *[Symbol.iterator](): Generator<T> {
    for (let one = this.#first; one !== null;) {
      const { later } = one;
      yield one;
      one = later;
    }
  }
}
