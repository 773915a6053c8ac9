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
  const counts = countWords(`${words.title.lower} ${words.summary.lower}`, claimed);
  addLetters(counts, words.raw);
  const ranked = [...counts].map(([language, count]) => ({ language, ...count })).sort((a, b) =>
    b.points - a.points
  );
  const [best, second] = ranked;
  if (best === undefined || second === undefined) throw new Error("the data holds several languages");
  const evidence = { language: best.language, words: best.words };
  if (claimed === null) {
    if (best.points < ENOUGH_ALONE) {
      return { language: DEFAULT_LANGUAGE, words: [], why: "no language is stated and the words say none" };
    }
    return { ...evidence, why: "no language is stated; its words" };
  }
  if (best.language === claimed && best.points > 0) {
    return { ...evidence, why: "stated, and its words agree" };
  }
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

interface Weight {
  language: string;
  points: number;
}

const WEIGHTS = wordWeights();

const SHARED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...LANGUAGE_DATA.sharedWith].map(([language, words]) => [language, new Set(words)]),
);

function wordWeights(): ReadonlyMap<string, Weight[]> {
  const weights = new Map<string, Weight[]>();
  for (const [lists, points] of [[LANGUAGE_DATA.strong, STRONG], [LANGUAGE_DATA.weak, 1]] as const) {
    for (const [language, words] of lists) {
      for (const word of words) {
        const key = foldPhrase(word).toLowerCase();
        weights.set(key, [...weights.get(key) ?? [], { language, points }]);
      }
    }
  }
  return weights;
}

const LETTERS = [...LANGUAGE_DATA.letters].map(([language, letters]) => ({
  language,
  letters: new RegExp(`[${letters}]`, "g"),
}));

function addLetters(counts: Map<string, { points: number; words: string[] }>, raw: string): void {
  const start = raw.slice(0, LETTERS_READ).normalize("NFC");
  for (const { language, letters } of LETTERS) {
    const count = counts.get(language);
    const found = start.match(letters);
    if (count !== undefined && found !== null) {
      count.points += Math.min(LETTERS_AT_MOST, found.length * LETTER);
    }
  }
}

const SMALL_A = 97;
const SMALL_Z = 122;

/** Points and the first few telling words of every language of the data. */
function countWords(lower: string, claimed: string | null): Map<string, { points: number; words: string[] }> {
  const counts = new Map(
    [...LANGUAGE_DATA.strong.keys()].map((code) => [code, { points: 0, words: [] as string[] }]),
  );
  const shared = claimed === null ? undefined : SHARED.get(claimed);
  let read = 0;
  let start = -1;
  for (let at = 0; at <= lower.length; at++) {
    const code = lower.charCodeAt(at);
    if (code >= SMALL_A && code <= SMALL_Z) {
      if (start < 0) start = at;
      continue;
    }
    if (start < 0) continue;
    const word = lower.slice(start, at);
    start = -1;
    if (++read > WORDS_READ) break;
    const weights = WEIGHTS.get(word);
    if (weights === undefined || shared?.has(word)) continue;
    for (const { language, points } of weights) {
      const count = counts.get(language);
      if (count === undefined) continue;
      count.points += points;
      if (count.words.length < 5 && !count.words.includes(word)) count.words.push(word);
    }
  }
  return counts;
}
