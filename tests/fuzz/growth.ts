// Whether time grows faster than the input: each size is compared with a quarter of it.

/** Sizes of inputs, characters: 1, 2, 4 … 512 KB. */
const SMALLEST = 1_024;
const LARGEST = 524_288;
/** What takes less is too short to be compared, ms. */
const FLOOR_MS = 20;
/** A quarter of the input may take no less than this part of the time: linear is 4, quadratic 16. */
const MOST_TIMES = 9;
/** The most that the largest input may take, ms: growth that is linear can be too steep. */
const MOST_MS = 4_000;
/** So often a size and its quarter are measured, the shortest time counts: other programs use the processor too. */
const TRIES = 5;

/** Time that grew too fast. */
export interface Slow {
  size: number;
  ms: number;
  /** How long a quarter of it took, ms. */
  quarterMs: number;
}

/** The second of two sizes in a row that take too long for what their quarters take; null when there are none. */
export async function slowness(
  measure: (size: number) => number | Promise<number>,
  largest = LARGEST,
): Promise<Slow | null> {
  const shortest = new Map<number, number>();
  const again = async (size: number): Promise<void> => {
    shortest.set(size, Math.min(shortest.get(size) ?? Infinity, await measure(size)));
  };
  let before: Slow | null = null;
  for (let size = SMALLEST; size <= largest; size *= 2) {
    await again(size);
    let slow = slowAt(size, shortest);
    for (let tries = 1; slow !== null && tries < TRIES; tries++) {
      await again(size);
      if (shortest.has(size / 4)) await again(size / 4);
      slow = slowAt(size, shortest);
    }
    // Once is no growth: up to some size a limit may permit what it then refuses.
    if (slow !== null && (before !== null || slow.ms > MOST_MS)) return slow;
    before = slow;
  }
  return null;
}

function slowAt(size: number, shortest: ReadonlyMap<number, number>): Slow | null {
  const ms = shortest.get(size) ?? 0;
  const quarterMs = shortest.get(size / 4) ?? Infinity;
  const isSlow = ms > MOST_MS || (ms >= FLOOR_MS && ms / Math.max(quarterMs, 1) > MOST_TIMES);
  return isSlow ? { size, ms, quarterMs } : null;
}
