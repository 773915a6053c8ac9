// Reproducible randomness: every random value in a test follows from the test's seed.

export interface Chance {
  /** A number in [0, 1). */
  fraction(): number;
  /** An integer from `min` to `max`. */
  between(min: number, max: number): number;
  happens(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** Returns random numbers that depend only on the seed (mulberry32). */
export function createChance(seed: number): Chance {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1));
  return {
    fraction,
    between,
    happens: (probability) => fraction() < probability,
    pick: (choices) => {
      const choice = choices[between(0, choices.length - 1)];
      if (choice === undefined) throw new Error("nothing to pick from");
      return choice;
    },
  };
}

/** Returns REGFEED_SEED or a new seed. Prints the seed, so that a failed run can be repeated. */
export function seedOfRun(): number {
  const seed = Number(Deno.env.get("REGFEED_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  console.log(`seed ${seed} (REGFEED_SEED=${seed} repeats this run)`);
  return seed;
}
