// Finding many words and phrases in one pass over a text.
import { addByStart, createStartIndex, isWordCharacter, longAt, shortAt, type StartIndex } from "./starts.ts";
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

/** Phrases by the beginning of their first word, so that each word of a text is compared with few of them. */
export interface PhraseIndex<T> {
  byStart: StartIndex<Pattern<T>>;
}

const CAPITALS = /^[A-Z][A-Z0-9]+s?$/;

/** Builds an index; throws on a phrase of fewer than two characters, which would match too much. */
export function buildPhraseIndex<T>(entries: readonly PhraseEntry<T>[]): PhraseIndex<T> {
  const byStart = createStartIndex<Pattern<T>>();
  for (const entry of entries) {
    const folded = foldPhrase(entry.phrase);
    if (folded.replace("*", "").length < 2) {
      throw new Error(`phrase "${entry.phrase}" is too short: give at least two characters`);
    }
    const words = folded.split(" ").map(patternWord);
    const first = words[0]?.lower ?? "";
    // "l'IA" begins with one letter: the space after it is known too.
    addByStart(byStart, first.length > 1 ? first : folded.toLowerCase().slice(0, 2), { entry, words });
  }
  return { byStart };
}

function patternWord(folded: string): PatternWord {
  const openEnd = folded.endsWith("*");
  const word = openEnd ? folded.slice(0, -1) : folded;
  return { lower: word.toLowerCase(), capitals: CAPITALS.test(word) ? word : null, openEnd };
}

/** Every phrase that starts at a word of the text, in the order of the text; overlapping ones are all found. */
export function findPhrases<T>(index: PhraseIndex<T>, text: FoldedText): PhraseHit<T>[] {
  const hits: PhraseHit<T>[] = [];
  const { lower } = text;
  let inWord = false;
  for (let at = 0; at < lower.length; at++) {
    const letter = isWordCharacter(lower.charCodeAt(at));
    if (letter && !inWord) {
      for (const pattern of shortAt(index.byStart, lower, at)) addHit(hits, pattern, text, at);
      for (const pattern of longAt(index.byStart, lower, at)) addHit(hits, pattern, text, at);
    }
    inWord = letter;
  }
  return hits;
}

function addHit<T>(
  hits: PhraseHit<T>[],
  pattern: Pattern<T>,
  { lower, words }: FoldedText,
  at: number,
): void {
  const end = matchAt(pattern, lower, words, at);
  if (end > 0) hits.push({ phrase: pattern.entry.phrase, value: pattern.entry.value, at, end });
}

/** Whether any phrase starts at a word of the text; ends at the first. */
export function hasPhrase(index: PhraseIndex<unknown>, { lower, words }: FoldedText): boolean {
  const fits = (pattern: Pattern<unknown>, at: number) => matchAt(pattern, lower, words, at) > 0;
  let inWord = false;
  for (let at = 0; at < lower.length; at++) {
    const letter = isWordCharacter(lower.charCodeAt(at));
    if (letter && !inWord) {
      for (const pattern of shortAt(index.byStart, lower, at)) if (fits(pattern, at)) return true;
      for (const pattern of longAt(index.byStart, lower, at)) if (fits(pattern, at)) return true;
    }
    inWord = letter;
  }
  return false;
}

/** Where the pattern that starts at `at` ends; 0 when it does not match. */
function matchAt<T>(pattern: Pattern<T>, lower: string, words: string, at: number): number {
  let place = at;
  for (let i = 0; i < pattern.words.length; i++) {
    const word = pattern.words[i] as PatternWord;
    if (i > 0 && lower[place++] !== " ") return 0;
    if (!lower.startsWith(word.lower, place)) return 0;
    if (word.capitals !== null && !words.startsWith(word.capitals, place)) return 0;
    place += word.lower.length;
    if (word.openEnd) { while (isWordCharacter(lower.charCodeAt(place))) place++; }
    else if (isWordCharacter(lower.charCodeAt(place))) return 0;
  }
  return place;
}
