// Checks whether a phrase can match any text, and whether it covers another phrase.
import { foldPhrase } from "./fold_text.ts";

const MAX_PHRASE_CHARACTERS = 200;

/** Returns why a phrase can never match or would match far too much, or null if it is valid. */
export function phraseProblem(phrase: string): string | null {
  const folded = foldPhrase(phrase);
  const letters = folded.replaceAll("*", "").trim();
  const quoted = JSON.stringify(phrase);
  if (letters === "") return "is empty: write a word or a phrase";
  if (phrase.length > MAX_PHRASE_CHARACTERS) {
    return `has ${phrase.length} characters; the maximum is ${MAX_PHRASE_CHARACTERS}`;
  }
  if (letters.length < 2) return `is ${quoted}: one letter would match too much; write a whole word`;
  if (/\*(?! |$)/.test(folded)) {
    return `is ${quoted}, which can never match: * must be at the end of a word`;
  }
  if (/^\*| \*/.test(folded)) {
    return `is ${quoted}, which can never match: * must follow the start of a word`;
  }
  if (!/^[a-z0-9\u00c0-\uffff]/.test(folded.toLowerCase())) {
    return `is ${quoted}, which can never match: it must start with a letter or a digit`;
  }
  const mark = /[a-z0-9]{2}([.,;:!?]+)$/i.exec(folded)?.[1];
  if (mark !== undefined) {
    return `is ${quoted}, which matches only if "${mark}" follows: remove the punctuation`;
  }
  return null;
}

/** Whether `general` matches the start of every match of `special`, as "copyright*" does for "copyright law". */
export function beginsWithPhrase(special: string, general: string): boolean {
  return coversAt(wordsOf(general), wordsOf(special), 0);
}

/** Whether `general` matches the same words as `special` in every text, as "school*" does for "schools". */
export function coversPhrase(general: string, special: string): boolean {
  const [whole, part] = [wordsOf(general), wordsOf(special)];
  return whole.length === part.length && coversAt(whole, part, 0);
}

/** Whether `inner` matches within every match of `phrase`, as "draft*" does within "draft guidelines". */
export function includesPhrase(phrase: string, inner: string): boolean {
  return wordsOf(phrase).some((_, start, words) => coversAt(wordsOf(inner), words, start));
}

function wordsOf(phrase: string): string[] {
  return foldPhrase(phrase).split(" ");
}

function coversAt(general: readonly string[], special: readonly string[], start: number): boolean {
  return start + general.length <= special.length &&
    general.every((word, i) => coversWord(word, special[start + i] ?? ""));
}

/** Whether `general` covers `special`: capitals match only capitals, and `*` matches any ending. */
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
