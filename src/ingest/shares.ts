// Which thread classifies which items of a document: they are shared out in order, to whichever thread is free.

/** Items of one share. */
export const SHARE_ITEMS = 100;

/** How many shares of a document are taken, in memory that both threads see. */
export function noSharesTaken(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Takes the first share that nobody has, and returns its number; null when all of the first `ready` ones are taken. */
export function takeShare(taken: SharedArrayBuffer, ready: number): number | null {
  const count = new Int32Array(taken);
  let number = Atomics.load(count, 0);
  while (number < ready) {
    const found = Atomics.compareExchange(count, 0, number, number + 1);
    if (found === number) return number;
    number = found;
  }
  return null;
}

/** A share's part of the items. */
export function itemsOf<T>(items: readonly T[], share: number): T[] {
  return items.slice(share * SHARE_ITEMS, (share + 1) * SHARE_ITEMS);
}
