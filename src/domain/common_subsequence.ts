// Finds what two sequences have in common, in bounded time.

/**
 * Returns the pairs of indexes of a longest common subsequence, in order, or null if more than `maxEdits` entries would
 * have to be removed and added. Takes time proportional to the length times the edits (E. W. Myers, "An O(ND)
 * Difference Algorithm and Its Variations", 1986), and memory for `maxEdits`².
 */
export function commonSubsequence(
  before: readonly unknown[],
  after: readonly unknown[],
  maxEdits: number,
): [before: number, after: number][] | null {
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
