// Normalises accents, quotes, dashes and spaces of a text for matching, and limits how much of it is read.
import { findWordStarts } from "./word_index.ts";

/** Maximum number of characters read from a title. Official titles that quote other acts have up to 1,000. */
export const TITLE_LIMIT = 1_500;

export const SUMMARY_LIMIT = 10_000;

/** A title or summary in the forms that the rules match against. */
export class FoldedText {
  /** `words` in lower case, of the same length. */
  readonly lower: string;
  #wordStarts: number[] | null = null;

  /**
   * `text` has ASCII quotes and dashes, single spaces, and no accents; capitals and punctuation are unchanged. The
   * French word "à" keeps its accent, because in "points a à c" it denotes a range. `words` is `text` with brackets,
   * quotes and hyphens replaced by spaces, to match whole words: "l'IA" becomes "l IA".
   */
  constructor(readonly text: string, readonly words: string) {
    this.lower = words.toLowerCase();
  }

  get wordStarts(): readonly number[] {
    return this.#wordStarts ??= findWordStarts(this.lower);
  }
}

export function foldText(raw: string, limit: number): FoldedText {
  const text = foldCharacters(raw.length > limit ? raw.slice(0, limit) : raw);
  const words = text.replace(/[-'"()[\]{} ]+/g, " ").replaceAll("\u00e0", "a");
  return new FoldedText(text, words);
}

/** Folds a word or phrase of the rules in the same way as a text. Capitals are kept. */
export function foldPhrase(phrase: string): string {
  return foldText(phrase, phrase.length).words.trim();
}

// deno-lint-ignore no-control-regex
const BEYOND_ASCII = /[^\x00-\x7f]/;

function foldCharacters(raw: string): string {
  let text = BEYOND_ASCII.test(raw) ? foldMarks(raw) : raw;
  // The dots of "A.I." and "I.A." would split the abbreviation into letters.
  if (text.includes(".I.") || text.includes(".A.")) {
    text = text.replace(/\b(A\.I|I\.A|K\.I)\.(?!\w)/g, (dotted) => dotted.replaceAll(".", ""));
  }
  return text.replace(/\s+/g, " ").trim();
}

const STANDALONE_A_GRAVE = /(?<!\p{L})[aA]\u0300(?![\p{L}\p{M}])/gu;

function foldMarks(raw: string): string {
  return raw.normalize("NFD").replace(STANDALONE_A_GRAVE, "\u00e0")
    .replace(/[\p{M}\u00ad\u200b-\u200f\u2060\ufeff]+/gu, "")
    .replace(/[\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4]/g, "'")
    .replace(/[\u201c-\u201f\u00ab\u00bb\u2039\u203a\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\u00df/g, "ss").replace(/[\u0153\u0152]/g, (c) => c === "\u0153" ? "oe" : "OE")
    .replace(/[\u00e6\u00c6]/g, (c) => c === "\u00e6" ? "ae" : "AE");
}
