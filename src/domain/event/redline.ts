// Compares two texts by word, for readers: what stayed, what was removed, and what was added.
import { commonSubsequence } from "../common_subsequence.ts";

/** A part of a comparison. In a change, one of the texts may be empty. */
export type RedlinePart = { kept: string } | { removed: string; added: string };

/** Maximum number of words, spaces and signs that differ. Above it, all but the common ends counts as changed. */
const MAX_EDITS = 600;

/** Words with their combining marks, white space, and single other characters. */
const TOKEN = /[\p{L}\p{N}\p{M}]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu;

/**
 * Compares two texts by word. The kept and removed parts together are `before`, the kept and added ones `after`; no two
 * kept parts and no two changes are adjacent. Short words that happen to be in both texts do not interrupt a change.
 * Takes at most about 10 ms for texts of 10,000 characters.
 */
export function redline(before: string, after: string): RedlinePart[] {
  const [old, now] = [tokensOf(before), tokensOf(after)];
  const parts: RedlinePart[] = [];
  let [x, y] = [0, 0];
  const pairs = commonSubsequence(old, now, MAX_EDITS);
  for (const [oldAt, nowAt] of [...pairs, [old.length, now.length] as const]) {
    parts.push({ removed: old.slice(x, oldAt).join(""), added: now.slice(y, nowAt).join("") });
    parts.push({ kept: old[oldAt] ?? "" });
    [x, y] = [oldAt + 1, nowAt + 1];
  }
  return withoutConfetti(joined(parts));
}

function tokensOf(text: string): string[] {
  return text.toWellFormed().match(TOKEN) ?? [];
}

/** Joins adjacent parts of the same kind, and drops empty ones. */
function joined(parts: readonly RedlinePart[]): RedlinePart[] {
  const whole: RedlinePart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if ("kept" in part) {
      if (part.kept === "") continue;
      if (last !== undefined && "kept" in last) last.kept += part.kept;
      else whole.push({ ...part });
    } else {
      if (part.removed === "" && part.added === "") continue;
      if (last !== undefined && "removed" in last) {
        last.removed += part.removed;
        last.added += part.added;
      } else whole.push({ ...part });
    }
  }
  return whole;
}

/**
 * Lets a change swallow a kept part that is no longer than the removed or added text on both of its sides, unless a
 * sentence ends in it.
 */
function withoutConfetti(parts: readonly RedlinePart[]): RedlinePart[] {
  const size = (part: RedlinePart | undefined): number =>
    part !== undefined && "removed" in part ? Math.max(part.removed.length, part.added.length) : 0;
  const cleaned: RedlinePart[] = [];
  for (const [at, part] of parts.entries()) {
    const isSwallowed = "kept" in part && part.kept.length <= MAX_SWALLOWED && !/[.!?:;\n]/.test(part.kept) &&
      part.kept.length <= Math.min(size(cleaned.at(-1)), size(parts[at + 1]));
    cleaned.push(isSwallowed ? { removed: part.kept, added: part.kept } : { ...part });
    if (cleaned.length > 1) cleaned.push(...joined(cleaned.splice(-2)));
  }
  return cleaned;
}

/** Length of the longest kept part that a change may swallow. */
const MAX_SWALLOWED = 12;
