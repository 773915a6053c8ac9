// Compares two measurements in alternating pairs, so that a slow machine affects both equally.

/** Two rates or two times, measured side by side. */
export interface Compared {
  /** Medians. */
  ours: number;
  theirs: number;
  /** The median of the pairs' ratios ours / theirs. */
  ratio: number;
  /** The lowest and the highest ratio of the pairs. */
  from: number;
  to: number;
}

/** Measures `ours` and `theirs` once as a warm-up and then `rounds` times, in alternating order. */
export async function compare(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Compared> {
  await theirs();
  await ours();
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) pairs.push([await ours(), await theirs()]);
    else {pairs.push(
        (([their, our]: [number, number]): [number, number] => [our, their])([await theirs(), await ours()]),
      );}
  }
  const ratios = pairs.map(([our, their]) => our / their);
  return {
    ours: median(pairs.map(([our]) => our)),
    theirs: median(pairs.map(([, their]) => their)),
    ratio: median(ratios),
    from: Math.min(...ratios),
    to: Math.max(...ratios),
  };
}

/** Returns the value below which this share of the values (0 to 1) lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}

/** Returns the middle value, or the lower of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? NaN;
}
