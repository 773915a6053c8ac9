// Full-text search: parses the text of a search, and tells whether a text matches it.

/** Adjacent words that a text must contain. A word with `isPrefix` is only the beginning of a word in the text. */
export interface SearchTerm {
  words: readonly string[];
  isPrefix: boolean;
}

export const MAX_SEARCH_LENGTH = 200;
const MAX_WORDS = 10;
/** Each prefix is compared with all words that begin with it, so the number and the breadth of prefixes are limited. */
const MAX_PREFIXES = 3;
const MIN_PREFIX_LETTERS = 3;

const PARTS = /"([^"]*)"|([\p{L}\p{N}]+)(\*(?![\p{L}\p{N}]))?/gu;

/**
 * Parses a search: `word`, `word*` for any word that begins so, and `"several words"` for adjacent words. All terms must
 * match. Other characters only separate words. The problem continues a sentence that starts with the field's name.
 */
export function parseSearch(text: string): { terms: SearchTerm[] } | { problem: string } {
  // In NFC, because a separate combining mark would end a word.
  const composed = text.normalize("NFC");
  if (composed.split('"').length % 2 === 0) {
    return { problem: 'contains a quotation mark that is not closed; write a phrase as "several words"' };
  }
  const terms = [...composed.matchAll(PARTS)].map(([, phrase, word = "", star]): SearchTerm => ({
    words: phrase === undefined ? [word] : wordsOf(phrase),
    isPrefix: star !== undefined,
  })).filter(({ words }) => words.length > 0);
  const count = terms.reduce((sum, { words }) => sum + words.length, 0);
  if (count === 0 || count > MAX_WORDS) return { problem: `must contain 1 to ${MAX_WORDS} words` };
  const prefixes = terms.filter(({ isPrefix }) => isPrefix).map(({ words }) => words.join());
  const short = prefixes.find((prefix) => [...prefix].length < MIN_PREFIX_LETTERS);
  if (short !== undefined) {
    return { problem: `contains ${short}*; write at least ${MIN_PREFIX_LETTERS} letters before *` };
  }
  if (prefixes.length > MAX_PREFIXES) return { problem: `may contain at most ${MAX_PREFIXES} words with *` };
  return { terms };
}

/** Returns a function that tells whether a text contains all terms of a search, ignoring case and accents. */
export function searchMatcher(text: string): (terms: readonly SearchTerm[]) => boolean {
  const known = joined(wordsOf(foldSearched(text)));
  return (terms) =>
    terms.every(({ words, isPrefix }) => {
      const sought = joined(words.map(foldSearched));
      return known.includes(isPrefix ? sought.slice(0, -1) : sought);
    });
}

function joined(words: readonly string[]): string {
  return ` ${words.join(" ")} `;
}

/** Removes case and accents, as full-text indexes of store engines do. */
export function foldSearched(text: string): string {
  return text.normalize("NFD").replace(/\p{M}+/gu, "").normalize("NFC").toLowerCase();
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
