// The word lists of the data as one index for each language.
import type { WordLists } from "../data.ts";
import { lazy } from "../lazy.ts";
import { buildPhraseIndex, type PhraseEntry, type PhraseIndex } from "./find_phrases.ts";

/** Which lists an item of a language is read with; a language without lists is read with the English ones too. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  en: ["any", "en"],
  de: ["any", "de"],
  fr: ["any", "fr"],
};
const LISTS_OF_OTHERS = ["any", "other", "en"] as const;

/** Indexes by language. */
export interface WordSets<T> {
  /** The index for an item of this language (ISO 639-1). */
  of(language: string): PhraseIndex<T>;
}

/** Builds, each when it is first needed, the indexes of several word lists, each with the value that its words stand for. */
export function buildWordSets<T>(lists: readonly { words: WordLists; value: T }[]): WordSets<T> {
  const build = (names: readonly string[]): PhraseIndex<T> => {
    const entries = new Map<string, PhraseEntry<T>>();
    for (const [i, { words, value }] of lists.entries()) {
      for (const name of names) {
        for (const phrase of words.get(name) ?? []) entries.set(`${i} ${phrase}`, { phrase, value });
      }
    }
    return buildPhraseIndex([...entries.values()]);
  };
  const known = new Map(
    Object.entries(LISTS).map(([language, names]) => [language, lazy(() => build(names))]),
  );
  const other = lazy(() => build(LISTS_OF_OTHERS));
  return { of: (language) => (known.get(language) ?? other)() };
}
