// Finding many words and phrases in one pass over a text.
import { type FoldedText, foldPhrase } from "./text.ts";

/** A phrase of the data and what it stands for. */
export interface PhraseEntry<T> {
  /**
   * Words as a reader would write them. `*` at the end of a word stands for any ending; a word all in capitals
   * matches only in capitals (so that "AI" is not the French "ai"); hyphens and apostrophes count as spaces.
   */
  phrase: string;
  value: T;
}

/** A phrase found in a text. */
export interface PhraseHit<T> {
  /** As the data has it. */
  phrase: string;
  value: T;
  /** Where it starts and ends in the folded words. */
  at: number;
  end: number;
}

interface PatternWord {
  lower: string;
  /** The word as written, where it must be in capitals; null where capitals do not matter. */
  capitals: string | null;
  openEnd: boolean;
}

interface Pattern<T> {
  entry: PhraseEntry<T>;
  words: PatternWord[];
}

/** Phrases by their first two characters, so that each word of a text is compared with few of them. */
export type PhraseIndex<T> = ReadonlyMap<number, readonly Pattern<T>[]>;

const CAPITALS = /^[A-Z][A-Z0-9]+s?$/;

/** Builds an index; throws on a phrase of fewer than two characters, which would match too much. */
export function buildPhraseIndex<T>(entries: readonly PhraseEntry<T>[]): PhraseIndex<T> {
  const index = new Map<number, Pattern<T>[]>();
  for (const entry of entries) {
    const folded = foldPhrase(entry.phrase);
    if (folded.replace("*", "").length < 2) {
      throw new Error(`phrase "${entry.phrase}" is too short: give at least two characters`);
    }
    const key = keyAt(folded.toLowerCase(), 0);
    const pattern = { entry, words: folded.split(" ").map(patternWord) };
    const bucket = index.get(key);
    if (bucket === undefined) index.set(key, [pattern]);
    else bucket.push(pattern);
  }
  return index;
}

function patternWord(folded: string): PatternWord {
  const openEnd = folded.endsWith("*");
  const word = openEnd ? folded.slice(0, -1) : folded;
  return { lower: word.toLowerCase(), capitals: CAPITALS.test(word) ? word : null, openEnd };
}

/** Every phrase that starts at a word of the text, in the order of the text; overlapping ones are all found. */
export function findPhrases<T>(index: PhraseIndex<T>, text: FoldedText): PhraseHit<T>[] {
  const hits: PhraseHit<T>[] = [];
  const { lower, words } = text;
  let inWord = false;
  for (let at = 0; at < lower.length; at++) {
    const letter = isWordCharacter(lower.charCodeAt(at));
    if (letter && !inWord) {
      for (const pattern of index.get(keyAt(lower, at)) ?? []) {
        const end = matchAt(pattern, lower, words, at);
        if (end > 0) hits.push({ phrase: pattern.entry.phrase, value: pattern.entry.value, at, end });
      }
    }
    inWord = letter;
  }
  return hits;
}

/** Where the pattern that starts at `at` ends; 0 when it does not match. */
function matchAt<T>(pattern: Pattern<T>, lower: string, words: string, at: number): number {
  let place = at;
  for (const [i, word] of pattern.words.entries()) {
    if (i > 0 && lower[place++] !== " ") return 0;
    if (!lower.startsWith(word.lower, place)) return 0;
    if (word.capitals !== null && !words.startsWith(word.capitals, place)) return 0;
    place += word.lower.length;
    if (word.openEnd) { while (isWordCharacter(lower.charCodeAt(place))) place++; }
    else if (isWordCharacter(lower.charCodeAt(place))) return 0;
  }
  return place;
}

function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);
}

function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 191;
}
