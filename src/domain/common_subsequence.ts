// Finds what two sequences have in common, in bounded time.

/**
 * Returns the pairs of indexes of a longest common subsequence, in order. If more than `maxEdits` entries would have to
 * be removed and added, returns only the pairs of the common beginning and end.
 */
export function commonSubsequence(
  before: readonly unknown[],
  after: readonly unknown[],
  maxEdits: number,
): [before: number, after: number][] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [beforeEnd, afterEnd] = [before.length - end, after.length - end];
  const middle = fewestEdits(before.slice(start, beforeEnd), after.slice(start, afterEnd), maxEdits) ?? [];
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...middle.map(([x, y]): [number, number] => [start + x, start + y]),
    ...Array.from({ length: end }, (_, at): [number, number] => [beforeEnd + at, afterEnd + at]),
  ];
}

/**
 * Returns the pairs that the fewest edits leave, or null if there are more than `maxEdits`. Takes time proportional to
 * the length times the edits (E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986), and memory for
 * `maxEdits`².
 */
function fewestEdits(
  before: readonly unknown[],
  after: readonly unknown[],
  maxEdits: number,
): [number, number][] | null {
  // furthest[maxEdits + 1 + k] is how far into `before` the edits so far lead on diagonal k, where k = before - after.
  const furthest = new Int32Array(2 * maxEdits + 3);
  const middle = maxEdits + 1;
  const on = (k: number): number => furthest[middle + k] ?? 0;
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= maxEdits; edits++) {
    steps.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      let x = isAddition(edits, k, on) ? on(k + 1) : on(k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      furthest[middle + k] = x;
      if (x >= before.length && x - k >= after.length) return kept(steps, before.length, after.length);
    }
  }
  return null;
}

/** Whether the last of the edits that lead furthest on diagonal k is an addition. */
function isAddition(edits: number, k: number, on: (k: number) => number): boolean {
  return k === -edits || (k !== edits && on(k - 1) < on(k + 1));
}

/** Follows the edits back from the end. `steps[edits]` is what was furthest before the edit of that number. */
function kept(steps: readonly Int32Array[], before: number, after: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [before, after];
  for (let edits = steps.length - 1; edits >= 0; edits--) {
    const on = (k: number): number => steps[edits]?.[k + edits + 1] ?? 0;
    const k = x - y;
    const from = isAddition(edits, k, on) ? k + 1 : k - 1;
    const start = edits === 0 ? 0 : on(from);
    while (x > start && y > Math.max(0, start - from)) pairs.push([--x, --y]);
    if (edits > 0) [x, y] = [start, start - from];
  }
  return pairs.reverse();
}
