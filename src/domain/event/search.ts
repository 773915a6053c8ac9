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

/** The limits of a search, for descriptions of the API. */
export const SEARCH_LIMITS =
  `At most ${MAX_WORDS} words, of which at most ${MAX_PREFIXES} with \`*\`, each with at least ${MIN_PREFIX_LETTERS} letters before it`;

/** A word may contain marks that no composed character has. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const PARTS = /"([^"]*)"|([\p{L}\p{N}][\p{L}\p{N}\p{M}]*)(\*(?![\p{L}\p{N}]))?/gu;

/**
 * Parses a search: `word`, `word*` for any word with this beginning, and `"several words"` for a phrase. All terms must
 * match. Other characters only separate words. The problem continues a sentence that starts with the field's name.
 */
export function parseSearch(text: string): { terms: SearchTerm[] } | { problem: string } {
  // In NFC, because a separate combining mark would end a word.
  const composed = text.normalize("NFC");
  if (composed.split('"').length % 2 === 0) {
    return { problem: 'contains a quotation mark that is not closed; write a phrase as "several words"' };
  }
  const terms = [...composed.matchAll(PARTS)].map(([, phrase, word = "", star]): SearchTerm => ({
    words: phrase === undefined ? [word] : phrase.match(WORD) ?? [],
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
  const words = wordsOf(foldSearched(text));
  const known = new Set(words);
  const whole = joined(words);
  return (terms) =>
    terms.every((term) => {
      const sought = soughtOf(term);
      if (term.isPrefix) return whole.includes(` ${sought.join(" ")}`);
      return sought.every((word) => known.has(word)) &&
        (sought.length === 1 || whole.includes(joined(sought)));
    });
}

/** The folded words of each term, because thousands of subscriptions compare the same terms with every event. */
const SOUGHT = new WeakMap<SearchTerm, readonly string[]>();

function soughtOf(term: SearchTerm): readonly string[] {
  let sought = SOUGHT.get(term);
  if (sought === undefined) SOUGHT.set(term, sought = wordsOf(term.words.map(foldSearched).join(" ")));
  return sought;
}

function joined(words: readonly string[]): string {
  return ` ${words.join(" ")} `;
}

/** Removes case and accents, as full-text indexes of store engines do. Other marks, such as vowel points, separate words. */
export function foldSearched(text: string): string {
  return text.normalize("NFD").replace(/[\u0300-\u0331]+/g, "").normalize("NFC").toLowerCase();
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
