// Suggests the known word that was probably meant.

/**
 * Returns the known word that differs least from `word`. If even that one differs too much, returns the first known
 * word of which `word` is a prefix or which is a prefix of `word`, or otherwise null. Ignores case and separators.
 */
export function findNearest(word: string, known: readonly string[]): string | null {
  const wanted = normalise(word);
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: string | null = null;
  let least = Infinity;
  for (const candidate of known) {
    if (Math.abs(normalise(candidate).length - wanted.length) > most) continue;
    const distance = editDistance(wanted, normalise(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  if (least <= most) return nearest;
  return known.find((candidate) => isPrefix(wanted, normalise(candidate))) ?? null;
}

/** Returns ` Did you mean …?` or an empty string. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = findNearest(word, known);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}

function normalise(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function isPrefix(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 3 && long.startsWith(short);
}

/** Counts the insertions, deletions, substitutions and transpositions between two words (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(substitution, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
