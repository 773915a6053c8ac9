// The language of an item: what is stated, unless its own words clearly say another.
import { LANGUAGE_DATA } from "./data.ts";
import { type FoldedText, foldPhrase } from "./text.ts";

/** The language that was decided, and the words that decided it (none when a stated language stands). */
export interface LanguageResult {
  /** ISO 639-1, or the stated code where it has no such code. */
  language: string;
  words: string[];
  why: string;
}

/** The language when nothing is stated and the words say nothing. */
export const DEFAULT_LANGUAGE = "en";

/** Languages whose words are known. */
const KNOWN = ["en", "de", "fr"] as const;
type Known = typeof KNOWN[number];

/** A function word of one language counts this much; one that is common elsewhere counts 1. */
const STRONG = 2;
/** Points that the words need to say a language where none is stated. */
const ENOUGH_ALONE = 2;
/** Points that the words need against a stated language among en, de and fr, and against any other. */
const ENOUGH_AGAINST_KNOWN = 4;
const ENOUGH_AGAINST_OTHER = 12;
/** How many times as many points as the stated (or second) language clear evidence has. */
const CLEAR_FACTOR = 2;
/** A handful of words says as much as the whole: only the first ones are counted. */
const WORDS_READ = 160;

/** Decides the language; `stated` holds BCP 47 tags or codes, the most specific first. */
export function detectLanguage(
  title: FoldedText,
  summary: FoldedText,
  stated: readonly string[],
): LanguageResult {
  const claimed = firstCode(stated);
  const counts = countWords(`${title.lower} ${summary.lower.slice(0, 1_500)}`, claimed);
  const ranked = KNOWN.map((language) => ({ language, ...counts[language] }))
    .sort((a, b) => b.points - a.points || KNOWN.indexOf(a.language) - KNOWN.indexOf(b.language));
  const [best, second] = ranked;
  if (best === undefined || second === undefined) throw new Error("there are three known languages");
  const evidence = { language: best.language, words: best.words };
  if (claimed === null) {
    if (best.points < ENOUGH_ALONE) {
      return { language: DEFAULT_LANGUAGE, words: [], why: "no language is stated and the words say none" };
    }
    return { ...evidence, why: "no language is stated; its words" };
  }
  if (best.language === claimed) return { ...evidence, why: "stated, and its words agree" };
  const known = ranked.find((entry) => entry.language === claimed);
  const enough = known === undefined ? ENOUGH_AGAINST_OTHER : ENOUGH_AGAINST_KNOWN;
  const rival = known === undefined ? second.points : known.points;
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

const WEIGHTS = wordWeights();

const SHARED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...LANGUAGE_DATA.sharedWith].map(([language, words]) => [language, new Set(words)]),
);

function wordWeights(): ReadonlyMap<string, { language: Known; strong: boolean }[]> {
  const weights = new Map<string, { language: Known; strong: boolean }[]>();
  for (const strong of [true, false]) {
    for (const language of KNOWN) {
      for (const word of (strong ? LANGUAGE_DATA.strong : LANGUAGE_DATA.weak).get(language) ?? []) {
        const key = foldPhrase(word).toLowerCase();
        weights.set(key, [...weights.get(key) ?? [], { language, strong }]);
      }
    }
  }
  return weights;
}

function countWords(
  lower: string,
  claimed: string | null,
): Record<Known, { points: number; words: string[] }> {
  const counts = {
    en: { points: 0, words: [] as string[] },
    de: { points: 0, words: [] as string[] },
    fr: { points: 0, words: [] as string[] },
  };
  const shared = claimed === null ? undefined : SHARED.get(claimed);
  let read = 0;
  for (const match of lower.matchAll(/[a-z]+/g)) {
    if (++read > WORDS_READ) break;
    const word = match[0];
    const weights = WEIGHTS.get(word);
    if (weights === undefined || shared?.has(word)) continue;
    for (const { language, strong } of weights) {
      const count = counts[language];
      count.points += strong ? STRONG : 1;
      if (count.words.length < 5 && !count.words.includes(word)) count.words.push(word);
    }
  }
  return counts;
}
