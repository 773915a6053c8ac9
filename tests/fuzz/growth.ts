// Finds inputs whose time grows faster than their size: each size is compared with a quarter of it.

/** Sizes of inputs, characters: 1, 2, 4 … 512 KB. */
const SMALLEST = 1_024;
const LARGEST = 524_288;
/** Every input is tried up to this size. Larger sizes are tried if the time grows suspiciously, or on request. */
const SCREENED = 65_536;
/**
 * Times in ms below which nothing is compared: for a finding, and for the decision to continue beyond {@link
 * SCREENED}.
 */
const FLOOR_MS = 20;
const SCREEN_FLOOR_MS = 1;
/**
 * Maximum ratios of a time to the times of a quarter and of half of the input. Linear growth gives 4 and 2, and
 * quadratic growth gives 16 and 4.
 */
const MOST_TIMES = 9;
const MOST_TIMES_HALF = 3;
const SCREEN_TIMES = 6;
/** Maximum time of an input of any size, ms, because even linear growth can be too steep. */
const MOST_MS = 4_000;
/**
 * Maximum number of measurements per size. The shortest time counts, because garbage collection prolongs the others.
 */
const TRIES = 5;

/** A time that grew too fast. */
export interface Slow {
  size: number;
  ms: number;
  /** The time of a quarter of the input, ms. */
  quarterMs: number;
}

export interface Ladder {
  /** The longest input, characters; default 512 KB. */
  largest?: number | undefined;
  /** Whether to try all sizes even if the time does not grow suspiciously. */
  isWhole: boolean;
}

/**
 * Returns the first size that takes more than MOST_MS, or that is slow directly after another slow size (see
 * {@link isGrowth}). Returns null if there is none.
 */
export async function slowness(
  measure: (size: number) => number | Promise<number>,
  { largest = LARGEST, isWhole }: Ladder,
): Promise<Slow | null> {
  const shortest = new Map<number, number>();
  const again = async (size: number): Promise<void> => {
    shortest.set(size, Math.min(shortest.get(size) ?? Infinity, await measure(size)));
  };
  let before: Slow | null = null;
  let isContinued = isWhole;
  for (let size = SMALLEST; size <= (isContinued ? largest : Math.min(largest, SCREENED)); size *= 2) {
    await again(size);
    let slow = slowAt(size, shortest);
    for (let tries = 1; slow !== null && tries < TRIES; tries++) {
      await again(size);
      if (shortest.has(size / 4)) await again(size / 4);
      slow = slowAt(size, shortest);
    }
    if (slow !== null && (slow.ms > MOST_MS || isGrowth(before, slow))) return slow;
    before = slow;
    isContinued ||= slow !== null || timesAt(size, shortest, SCREEN_FLOOR_MS) > SCREEN_TIMES;
  }
  return null;
}

/**
 * Returns whether the time also grew too fast from one slow size to the next. A single jump, such as when a cache is
 * full, makes both sizes slow compared with a quarter of them, but it does not make the second slow compared with the
 * first.
 */
function isGrowth(before: Slow | null, slow: Slow): boolean {
  return before !== null && slow.ms > MOST_TIMES_HALF * before.ms;
}

function slowAt(size: number, shortest: ReadonlyMap<number, number>): Slow | null {
  const ms = shortest.get(size) ?? 0;
  const isSlow = ms > MOST_MS || timesAt(size, shortest, FLOOR_MS) > MOST_TIMES;
  return isSlow ? { size, ms, quarterMs: shortest.get(size / 4) ?? 0 } : null;
}

/**
 * Returns the ratio of a size's time to the time of a quarter of that size, or 0 if the time is too short to compare.
 */
function timesAt(size: number, shortest: ReadonlyMap<number, number>, floorMs: number): number {
  const ms = shortest.get(size) ?? 0;
  const quarterMs = shortest.get(size / 4) ?? Infinity;
  return ms < floorMs ? 0 : ms / Math.max(quarterMs, floorMs / 20);
}
