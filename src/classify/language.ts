// Detects the language of an item: the stated one, unless its words are clearly in another.
import { LANGUAGE_DATA } from "./data.ts";
import { type FoldedText, foldPhrase } from "./phrases/fold_text.ts";

/** The language with its evidence; `words` is empty if the stated language was used. */
export interface LanguageResult {
  /** ISO 639-1, or the stated code if there is no ISO 639-1 code. */
  language: string;
  words: string[];
  why: string;
}

/** The language if none is stated and the words do not show one. */
export const DEFAULT_LANGUAGE = "en";

/** Points of a function word that only one language has; a word that several languages share counts 1. */
const STRONG = 2;
/** Points needed if no language is stated. */
const ENOUGH_ALONE = 2;
/** Points needed against a stated language that the data contains, and against any other. */
const ENOUGH_AGAINST_KNOWN = 4;
const ENOUGH_AGAINST_OTHER = 12;
/** Against a stated language, the points must be this many times those of the stated (or second) language. */
const CLEAR_FACTOR = 2;
/** Number of words that are counted. */
const WORDS_READ = 160;
/** Maximum number of words reported as evidence. */
const TELLING_WORDS = 5;

/** Points of a letter that is typical of a language, and their maximum. */
const LETTER = 1;
const LETTERS_AT_MOST = 3;
/** Number of characters searched for such letters. */
const LETTERS_READ = 600;

/**
 * Detects the language. `raw` is the unfolded title and summary, because folding removes accents. `stated` contains BCP
 * 47 tags or codes, most specific first.
 */
export function detectLanguage(
  words: { title: FoldedText; summary: FoldedText; raw: string },
  stated: readonly string[],
): LanguageResult {
  const claimed = firstCode(stated);
  const found = findKnownWords([words.title.lower, words.summary.lower], claimed);
  const points = pointsOf(found, words.raw);
  const order = LANGUAGES.map((_, at) => at).sort((a, b) => (points[b] ?? 0) - (points[a] ?? 0));
  const [best, second] = order.map((at) => ({ language: LANGUAGES[at] ?? "", points: points[at] ?? 0 }));
  if (best === undefined || second === undefined) throw new Error("the data has fewer than two languages");
  const evidence = { language: best.language, words: distinctiveWords(found, best.language) };
  if (claimed === null) {
    if (best.points < ENOUGH_ALONE) {
      return { language: DEFAULT_LANGUAGE, words: [], why: "default: no language is stated or detected" };
    }
    return { ...evidence, why: "detected from its words; no language is stated" };
  }
  if (best.language === claimed && best.points > 0) {
    return { ...evidence, why: "stated, and its words agree" };
  }
  const known = LANGUAGES.indexOf(claimed);
  const enough = known < 0 ? ENOUGH_AGAINST_OTHER : ENOUGH_AGAINST_KNOWN;
  const rival = known < 0 ? second.points : points[known] ?? 0;
  if (best.points >= enough && best.points >= CLEAR_FACTOR * rival) {
    return { ...evidence, why: `detected from its words, although "${claimed}" is stated` };
  }
  return { language: claimed, words: [], why: "stated" };
}

/** The ISO 639-1 code of the first valid tag, or null. */
function firstCode(stated: readonly string[]): string | null {
  for (const tag of stated) {
    const code = tag.trim().toLowerCase().split(/[-_]/)[0] ?? "";
    if (/^[a-z]{2}$/.test(code)) return code;
    const short = LANGUAGE_DATA.codes.get(code);
    if (short !== undefined) return short;
  }
  return null;
}

/** The languages that the data distinguishes. */
const LANGUAGES: readonly string[] = [...LANGUAGE_DATA.strong.keys()];

/** A function word of the data with its points for each of {@link LANGUAGES} that has it, by index. */
interface KnownWord {
  word: string;
  weights: { language: number; points: number }[];
}

const KNOWN_WORDS = knownWords();

const SHARED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...LANGUAGE_DATA.sharedWith].map(([language, words]) => [language, new Set(words)]),
);

function knownWords(): ReadonlyMap<string, KnownWord> {
  const known = new Map<string, KnownWord>();
  for (const [lists, points] of [[LANGUAGE_DATA.strong, STRONG], [LANGUAGE_DATA.weak, 1]] as const) {
    for (const [code, words] of lists) {
      const language = LANGUAGES.indexOf(code);
      for (const listed of language < 0 ? [] : words) {
        const word = foldPhrase(listed).toLowerCase();
        const entry = known.get(word) ?? { word, weights: [] };
        known.set(word, entry);
        entry.weights.push({ language, points });
      }
    }
  }
  return known;
}

const LETTERS = [...LANGUAGE_DATA.letters].map(([language, letters]) => ({
  language: LANGUAGES.indexOf(language),
  letters: new RegExp(`[${letters}]`, "g"),
}));
const ANY_LETTER = new RegExp(`[${[...LANGUAGE_DATA.letters.values()].join("")}]`);

/** Such a letter, or a character that may become one by normalisation (not quotation marks or dashes). */
const MAY_BE_LETTER = new RegExp(
  `[${[...LANGUAGE_DATA.letters.values()].join("")}\\u00c0-\\u1fff\\u2070-\\uffff]`,
);

/** The points of each language for words and letters. */
function pointsOf(found: readonly KnownWord[], raw: string): number[] {
  const points = LANGUAGES.map(() => 0);
  for (const { weights } of found) {
    for (const weight of weights) points[weight.language] = (points[weight.language] ?? 0) + weight.points;
  }
  const start = raw.slice(0, LETTERS_READ);
  const letters = MAY_BE_LETTER.test(start) ? start.normalize("NFC") : "";
  if (!ANY_LETTER.test(letters)) return points;
  for (const { language, letters: own } of LETTERS) {
    const count = letters.match(own)?.length ?? 0;
    if (language >= 0) points[language] = (points[language] ?? 0) + Math.min(LETTERS_AT_MOST, count * LETTER);
  }
  return points;
}

/** The first words that are evidence for a language, without duplicates. */
function distinctiveWords(found: readonly KnownWord[], language: string): string[] {
  const own = LANGUAGES.indexOf(language);
  const words = new Set<string>();
  for (const { word, weights } of found) {
    if (words.size === TELLING_WORDS) break;
    if (weights.some((weight) => weight.language === own)) words.add(word);
  }
  return [...words];
}

/** The known words among the first words of the texts (in lower case), without those that the stated language shares. */
function findKnownWords(texts: readonly string[], claimed: string | null): KnownWord[] {
  const shared = claimed === null ? undefined : SHARED.get(claimed);
  const found: KnownWord[] = [];
  for (const word of texts.flatMap((lower) => lower.match(/[a-z]+/g) ?? []).slice(0, WORDS_READ)) {
    const known = KNOWN_WORDS.get(word);
    if (known !== undefined && !shared?.has(word)) found.push(known);
  }
  return found;
}
