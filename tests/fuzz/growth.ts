// Whether time grows faster than the input: each size is compared with a quarter of it.

/** Sizes of inputs, characters: 1, 2, 4 … 512 KB. */
const SMALLEST = 1_024;
const LARGEST = 524_288;
/** Up to this size an input is tried in any case; beyond it where its time looks as if it grew too fast, or on request. */
const SCREENED = 65_536;
/** What takes less is too short to be compared, ms: in a finding, and to go on beyond {@link SCREENED}. */
const FLOOR_MS = 20;
const SCREEN_FLOOR_MS = 1;
/** At most so many times as long as a quarter of the input, and as half of it: linear is 4 and 2, quadratic 16 and 4. */
const MOST_TIMES = 9;
const MOST_TIMES_HALF = 3;
const SCREEN_TIMES = 6;
/** The most that the largest input may take, ms: growth that is linear can be too steep. */
const MOST_MS = 4_000;
/** So often a size and its quarter are measured, the shortest time counts: the collector takes time too. */
const TRIES = 5;

/** Time that grew too fast. */
export interface Slow {
  size: number;
  ms: number;
  /** How long a quarter of it took, ms. */
  quarterMs: number;
}

/** How far a case is tried. */
export interface Ladder {
  /** The longest input, characters; 512 KB where nothing limits it. */
  largest?: number | undefined;
  /** Whether to go on to the longest even where nothing looks like growth. */
  isWhole: boolean;
}

/** The second of two sizes in a row that take too long for what their quarters take; null when there are none. */
export async function slowness(
  measure: (size: number) => number | Promise<number>,
  { largest = LARGEST, isWhole }: Ladder,
): Promise<Slow | null> {
  const shortest = new Map<number, number>();
  const again = async (size: number): Promise<void> => {
    shortest.set(size, Math.min(shortest.get(size) ?? Infinity, await measure(size)));
  };
  let before: Slow | null = null;
  let goesOn = isWhole;
  for (let size = SMALLEST; size <= (goesOn ? largest : Math.min(largest, SCREENED)); size *= 2) {
    await again(size);
    let slow = slowAt(size, shortest);
    for (let tries = 1; slow !== null && tries < TRIES; tries++) {
      await again(size);
      if (shortest.has(size / 4)) await again(size / 4);
      slow = slowAt(size, shortest);
    }
    if (slow !== null && (slow.ms > MOST_MS || isGrowth(before, slow))) return slow;
    before = slow;
    goesOn ||= slow !== null || timesAt(size, shortest, SCREEN_FLOOR_MS) > SCREEN_TIMES;
  }
  return null;
}

/** Whether two sizes in a row show growth: a limit that is passed, once, makes both longer than their quarters. */
function isGrowth(before: Slow | null, slow: Slow): boolean {
  return before !== null && slow.ms > MOST_TIMES_HALF * before.ms;
}

function slowAt(size: number, shortest: ReadonlyMap<number, number>): Slow | null {
  const ms = shortest.get(size) ?? 0;
  const isSlow = ms > MOST_MS || timesAt(size, shortest, FLOOR_MS) > MOST_TIMES;
  return isSlow ? { size, ms, quarterMs: shortest.get(size / 4) ?? 0 } : null;
}

/** How many times as long a size takes as a quarter of it; 0 where that is too short to tell. */
function timesAt(size: number, shortest: ReadonlyMap<number, number>, floorMs: number): number {
  const ms = shortest.get(size) ?? 0;
  const quarterMs = shortest.get(size / 4) ?? Infinity;
  return ms < floorMs ? 0 : ms / Math.max(quarterMs, floorMs / 20);
}
