// Lists the elements between the ends of a range of articles, annexes, recitals, paragraphs or letters.
import { numberToRoman, type ReferenceKind, romanToNumber } from "./grammar.ts";

/** Maximum length of a range. The Act has 180 recitals and fewer articles, so a longer range is a parse error. */
const LONGEST_RANGE = 180;

/**
 * Returns the numbers strictly between `from` and `to`, or null if `from` is not lower. Of the articles with a letter,
 * such as 4a, only those with the same number as `to` are included.
 */
export function referencesBetween(kind: ReferenceKind, from: string, to: string): string[] | null {
  if (kind === "annex") {
    const [low, high] = [romanToNumber(from), romanToNumber(to)];
    return high > low ? numbersBetween(low, high).map(numberToRoman) : null;
  }
  const [low, lowSuffix] = splitNumber(from);
  const [high, highSuffix] = splitNumber(to);
  if (low > high || (low === high && lowSuffix >= highSuffix)) return null;
  if (low === high) return lettersBetween(lowSuffix, highSuffix).map((letter) => `${low}${letter}`);
  const whole = numbersBetween(low, high).map(String);
  if (highSuffix === "") return whole;
  return [...whole, String(high), ...lettersBetween("", highSuffix).map((letter) => `${high}${letter}`)];
}

/** Returns the integers strictly between two, or none if the range is too long. */
export function numbersBetween(low: number, high: number): number[] {
  if (high - low > LONGEST_RANGE) return [];
  return Array.from({ length: Math.max(0, high - low - 1) }, (_, i) => low + 1 + i);
}

/** Returns the letters strictly between two letters. An empty `low` comes before "a". */
export function lettersBetween(low: string, high: string): string[] {
  if (low.length > 1 || high.length !== 1) return [];
  const first = low === "" ? "a".charCodeAt(0) - 1 : low.charCodeAt(0);
  return numbersBetween(first, high.charCodeAt(0)).map((code) => String.fromCharCode(code));
}

function splitNumber(number: string): [number, string] {
  return [parseInt(number, 10), number.replace(/^\d+/, "")];
}
