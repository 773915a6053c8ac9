// Detects the language of an item: the stated language, unless the item's words clearly belong to another one.
import { LANGUAGE_DATA } from "./data.ts";
import { type FoldedText, foldPhrase } from "./phrases/fold_text.ts";

/** The language with its evidence. `words` is empty if the words are not evidence for the language. */
export interface LanguageResult {
  /** ISO 639-1 code. */
  language: string;
  words: string[];
  why: string;
}

const DEFAULT_LANGUAGE = "en";

/** Points for a strong and for a weak function word of a language; see data/languages.json. */
const STRONG = 2;
const WEAK = 1;
/** Points needed if no language is stated. */
const ENOUGH_ALONE = 2;
/** Points needed to override a stated language that languages.json lists, and one that it does not list. */
const ENOUGH_AGAINST_KNOWN = 4;
const ENOUGH_AGAINST_OTHER = 12;
/**
 * To override a stated language, the best language needs this many times the points of the stated language or, if
 * languages.json does not list that language, of the second-best one.
 */
const CLEAR_FACTOR = 2;
/** Maximum number of words that are read. */
const WORDS_READ = 160;
/** Maximum number of words reported as evidence. */
const MAX_EVIDENCE = 5;

/** Maximum points for typical letters of a language. Each occurrence scores one point. */
const MAX_LETTER_POINTS = 3;
/** Number of characters searched for typical letters. */
const LETTERS_READ = 600;

const LANGUAGES: readonly string[] = [...LANGUAGE_DATA.strong.keys()];

const WORD_POINTS = new Map<string, Map<string, number>>();
for (const [lists, points] of [[LANGUAGE_DATA.strong, STRONG], [LANGUAGE_DATA.weak, WEAK]] as const) {
  for (const [language, words] of lists) {
    for (const word of words.map((listed) => foldPhrase(listed).toLowerCase())) {
      const byLanguage = WORD_POINTS.get(word) ?? new Map<string, number>();
      WORD_POINTS.set(word, byLanguage.set(language, (byLanguage.get(language) ?? 0) + points));
    }
  }
}

const LETTERS = [...LANGUAGE_DATA.letters].map(([language, letters]) => ({
  language,
  expression: new RegExp(`[${letters}]`, "g"),
}));

/**
 * Detects the language. `raw`: the unfolded title and summary. `stated`: BCP 47 tags or codes, most specific first.
 * `configured`: those of them that the config sets for the source, which the reason says.
 */
export function detectLanguage(
  { title, summary, raw }: { title: FoldedText; summary: FoldedText; raw: string },
  stated: readonly string[],
  configured: readonly string[] = [],
): LanguageResult {
  const claimed = firstCode(stated);
  const how = claimed !== null && configured.includes(claimed) ? "configured for the source" : "stated";
  const found = findKnownWords(`${title.lower} ${summary.lower}`, claimed);
  const points = pointsOf(found, raw);
  const [best, second] = [...points].sort(([, a], [, b]) => b - a);
  if (best === undefined || second === undefined) throw new Error("the data has fewer than two languages");
  const [language, most] = best;
  const words = [...new Set(found.filter((word) => WORD_POINTS.get(word)?.has(language)))].slice(
    0,
    MAX_EVIDENCE,
  );
  if (claimed === null) {
    if (most < ENOUGH_ALONE) {
      return { language: DEFAULT_LANGUAGE, words: [], why: "default: no language is stated or detected" };
    }
    return { language, words, why: "detected from its words; no language is stated" };
  }
  if (language === claimed && most > 0) return { language, words, why: `${how}, and its words agree` };
  const own = points.get(claimed);
  const enough = own === undefined ? ENOUGH_AGAINST_OTHER : ENOUGH_AGAINST_KNOWN;
  if (most >= enough && most >= CLEAR_FACTOR * (own ?? second[1])) {
    return { language, words, why: `detected from its words, although "${claimed}" is ${how}` };
  }
  return { language: claimed, words: [], why: how };
}

/** Returns the ISO 639-1 code of the first valid tag, or null if there is none. */
function firstCode(stated: readonly string[]): string | null {
  for (const tag of stated) {
    const code = tag.trim().toLowerCase().split(/[-_]/)[0] ?? "";
    if (/^[a-z]{2}$/.test(code)) return code;
    const short = LANGUAGE_DATA.codes.get(code);
    if (short !== undefined) return short;
  }
  return null;
}

/** Returns the function words among the first words of the text, except those that the stated language also has. */
function findKnownWords(lower: string, claimed: string | null): string[] {
  const shared = LANGUAGE_DATA.sharedWith.get(claimed ?? "") ?? [];
  const words = (lower.match(/[a-z]+/g) ?? []).slice(0, WORDS_READ);
  return words.filter((word) => WORD_POINTS.has(word) && !shared.includes(word));
}

/** Returns the points that each language scores for words and for letters. */
function pointsOf(found: readonly string[], raw: string): ReadonlyMap<string, number> {
  const points = new Map(LANGUAGES.map((language) => [language, 0]));
  const add = (language: string, more: number) => points.set(language, (points.get(language) ?? 0) + more);
  for (const word of found) {
    for (const [language, more] of WORD_POINTS.get(word) ?? []) add(language, more);
  }
  const start = raw.slice(0, LETTERS_READ).normalize("NFC");
  for (const { language, expression } of LETTERS) {
    add(language, Math.min(MAX_LETTER_POINTS, start.match(expression)?.length ?? 0));
  }
  return points;
}
