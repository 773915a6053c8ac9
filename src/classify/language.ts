// The language of an item: what is stated, unless its own words clearly say another.
import { LANGUAGE_DATA } from "./data.ts";
import { type FoldedText, foldPhrase } from "./phrases/fold_text.ts";

/** The language that was decided, and the words that decided it (none when a stated language stands). */
export interface LanguageResult {
  /** ISO 639-1, or the stated code where it has no such code. */
  language: string;
  words: string[];
  why: string;
}

/** The language when nothing is stated and the words say nothing. */
export const DEFAULT_LANGUAGE = "en";

/** A function word of one language counts this much; one that is common elsewhere counts 1. */
const STRONG = 2;
/** Points that the words need to say a language where none is stated. */
const ENOUGH_ALONE = 2;
/** Points that the words need against a stated language that the data knows, and against any other. */
const ENOUGH_AGAINST_KNOWN = 4;
const ENOUGH_AGAINST_OTHER = 12;
/** How many times as many points as the stated (or second) language clear evidence has. */
const CLEAR_FACTOR = 2;
/** A handful of words says as much as the whole: only the first ones are counted. */
const WORDS_READ = 160;
/** So many of them are named as evidence. */
const TELLING_WORDS = 5;

/** A letter counts this much, and the letters of one language this much at most. */
const LETTER = 1;
const LETTERS_AT_MOST = 3;
/** How much of a text is looked through for letters, in characters. */
const LETTERS_READ = 600;

/**
 * Decides the language; `raw` is the title and summary as they came (folding takes the letters' marks away), `stated`
 * holds BCP 47 tags or codes, the most specific first.
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
  if (best === undefined || second === undefined) throw new Error("the data holds several languages");
  const evidence = { language: best.language, words: tellingWords(found, best.language) };
  if (claimed === null) {
    if (best.points < ENOUGH_ALONE) {
      return { language: DEFAULT_LANGUAGE, words: [], why: "no language is stated and the words say none" };
    }
    return { ...evidence, why: "no language is stated; its words" };
  }
  if (best.language === claimed && best.points > 0) {
    return { ...evidence, why: "stated, and its words agree" };
  }
  const known = LANGUAGES.indexOf(claimed);
  const enough = known < 0 ? ENOUGH_AGAINST_OTHER : ENOUGH_AGAINST_KNOWN;
  const rival = known < 0 ? second.points : points[known] ?? 0;
  if (best.points >= enough && best.points >= CLEAR_FACTOR * rival) {
    return { ...evidence, why: `"${claimed}" is stated, but its words are clear` };
  }
  return { language: claimed, words: [], why: "stated" };
}

/** The ISO 639-1 code of the first usable tag, null when there is none. */
function firstCode(stated: readonly string[]): string | null {
  for (const tag of stated) {
    const code = tag.trim().toLowerCase().split(/[-_]/)[0] ?? "";
    if (/^[a-z]{2}$/.test(code)) return code;
    const short = LANGUAGE_DATA.codes.get(code);
    if (short !== undefined) return short;
  }
  return null;
}

/** The languages that the data tells apart. */
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

/** What is such a letter, or may become one when it is composed: no quotation mark and no dash does. */
const MAY_BE_LETTER = new RegExp(
  `[${[...LANGUAGE_DATA.letters.values()].join("")}\\u00c0-\\u1fff\\u2070-\\uffff]`,
);

/** The points of each language for its words and for its letters. */
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

/** The first few words that speak for a language, each once. */
function tellingWords(found: readonly KnownWord[], language: string): string[] {
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
