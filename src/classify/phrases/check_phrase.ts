// What can be said of words and phrases before there is a text: whether one can match, and what it takes with it.
import { foldPhrase } from "./fold_text.ts";

/** Why a phrase can never match, or would match far too much; null when it is good. */
export function phraseProblem(phrase: string): string | null {
  const folded = foldPhrase(phrase);
  const letters = folded.replaceAll("*", "").trim();
  const quoted = JSON.stringify(phrase);
  if (letters === "") return "is empty: write a word or a phrase";
  if (phrase.length > LONGEST_PHRASE) {
    return `has ${phrase.length} characters: ${LONGEST_PHRASE} are allowed, and a few words match more`;
  }
  if (letters.length < 2) return `is ${quoted}, one letter, which would match too much: write a whole word`;
  if (/\*(?! |$)/.test(folded)) {
    return `is ${quoted}, which can never match: * stands for an ending, at the end of a word`;
  }
  if (/^\*| \*/.test(folded)) {
    return `is ${quoted}, which can never match: * stands behind the beginning of a word`;
  }
  if (!/^[a-z0-9\u00c0-\uffff]/.test(folded.toLowerCase())) {
    return `is ${quoted}, which can never match: it must begin with a letter or a digit`;
  }
  const mark = /[a-z0-9]{2}([.,;:!?]+)$/i.exec(folded)?.[1];
  if (mark !== undefined) {
    return `is ${quoted}, which matches only where "${mark}" follows: leave the mark out`;
  }
  return null;
}

/** The longest phrase that is taken, in characters. */
const LONGEST_PHRASE = 200;

/**
 * Whether wherever `special` matches, `general` matches from the same word on: "copyright*" does for "copyright law".
 * A topic counts what begins at one word once.
 */
export function beginsWithPhrase(special: string, general: string): boolean {
  const length = wordsOf(general).length;
  return coversPhrase(general, wordsOf(special).slice(0, length).join(" "));
}

/** Whether wherever `special` matches, `general` matches the same words: "school*" covers "schools". */
export function coversPhrase(general: string, special: string): boolean {
  const [whole, part] = [wordsOf(general), wordsOf(special)];
  return whole.length === part.length && whole.every((word, at) => coversWord(word, part[at] ?? ""));
}

/** Whether wherever `phrase` matches, `inner` matches within it: "draft guidelines" includes "draft*". */
export function includesPhrase(phrase: string, inner: string): boolean {
  const [words, sought] = [wordsOf(phrase), wordsOf(inner)];
  return words.some((_, start) =>
    start + sought.length <= words.length &&
    sought.every((word, at) => coversWord(word, words[start + at] ?? ""))
  );
}

function wordsOf(phrase: string): string[] {
  return foldPhrase(phrase).split(" ");
}

/** As phrases match: words in capitals need capitals, `*` is any ending. */
function coversWord(general: string, special: string): boolean {
  const stem = general.replace(/\*$/, "");
  const own = special.replace(/\*$/, "");
  const isCapital = /^[A-Z][A-Z0-9]+s?$/.test(stem);
  const fits = isCapital
    ? own.startsWith(stem) && /^[A-Z][A-Z0-9]+s?$/.test(own)
    : own.toLowerCase().startsWith(stem.toLowerCase());
  if (!fits) return false;
  return general.endsWith("*") || (own.length === stem.length && !special.endsWith("*"));
}
