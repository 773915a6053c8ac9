// Finds the words and phrases of the rules in a text.
import { type FoldedText, foldPhrase } from "./fold_text.ts";
import { isWordCharacter, WordIndex } from "./word_index.ts";

export interface PhraseEntry<T> {
  /**
   * Words in normal spelling. `*` at the end of a word matches any ending. A word in capitals matches only in capitals
   * (so that "AI" is not the French "ai"). Hyphens and apostrophes count as spaces.
   */
  phrase: string;
  value: T;
}

export interface PhraseHit<T> {
  phrase: string;
  value: T;
  /** The start and end offsets in `words` of the folded text. */
  start: number;
  end: number;
}

interface Phrase<T> extends PhraseEntry<T> {
  words: PhraseWord[];
}

interface PhraseWord {
  lower: string;
  /** The word as written if it must be in capitals; otherwise null. */
  capitals: string | null;
  openEnd: boolean;
}

/** Phrases, indexed by the start of their first word. */
export type PhraseIndex<T> = WordIndex<Phrase<T>>;

const CAPITALS = /^[A-Z][A-Z0-9]+s?$/;

/** Builds an index. Throws if a phrase has fewer than two characters, because it would match too much. */
export function buildPhraseIndex<T>(entries: readonly PhraseEntry<T>[]): PhraseIndex<T> {
  const index: PhraseIndex<T> = new WordIndex();
  for (const entry of entries) {
    const folded = foldPhrase(entry.phrase);
    if (folded.replace("*", "").length < 2) {
      throw new Error(`phrase "${entry.phrase}" is too short: give at least two characters`);
    }
    const words = folded.split(" ").map(readWord);
    const first = words[0]?.lower ?? "";
    // A phrase that starts with a single letter, such as "l'IA", has a key that includes the space.
    index.add(first.length > 1 ? first : folded.toLowerCase().slice(0, 2), { ...entry, words });
  }
  return index;
}

function readWord(folded: string): PhraseWord {
  const openEnd = folded.endsWith("*");
  const word = openEnd ? folded.slice(0, -1) : folded;
  return { lower: word.toLowerCase(), capitals: CAPITALS.test(word) ? word : null, openEnd };
}

/**
 * Returns every phrase in the text, sorted by position, even if phrases overlap. At the same position, phrases with a
 * short first word come first.
 */
export function findPhrases<T>(index: PhraseIndex<T>, text: FoldedText): PhraseHit<T>[] {
  const hits: PhraseHit<T>[] = [];
  for (const start of text.wordStarts) {
    for (const { phrase, value, words } of index.at(text.lower, start)) {
      const end = matchWords(words, text, start);
      if (end !== null) hits.push({ phrase, value, start, end });
    }
  }
  return hits;
}

/** Returns the end of the match if the words are at this position; otherwise null. */
function matchWords(
  phrase: readonly PhraseWord[],
  { lower, words }: FoldedText,
  start: number,
): number | null {
  let end = start;
  for (const [i, word] of phrase.entries()) {
    if (i > 0 && lower[end++] !== " ") return null;
    if (!lower.startsWith(word.lower, end)) return null;
    if (word.capitals !== null && !words.startsWith(word.capitals, end)) return null;
    end += word.lower.length;
    while (word.openEnd && isWordCharacter(lower.charCodeAt(end))) end++;
    if (isWordCharacter(lower.charCodeAt(end))) return null;
  }
  return end;
}
