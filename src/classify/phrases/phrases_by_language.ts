// Builds one index of phrases per language.
import type { PhraseLists } from "../data.ts";
import { lazy } from "../memoize.ts";
import { buildPhraseIndex, type PhraseEntry, type PhraseIndex } from "./find_phrases.ts";

const LISTS: Readonly<Record<string, readonly string[]>> = {
  en: ["any", "en"],
  de: ["any", "de"],
  fr: ["any", "fr"],
};
const LISTS_OF_OTHER_LANGUAGES = ["any", "other", "en"] as const;

/** Returns the index for items in a language (ISO 639-1). */
export type PhrasesByLanguage<T> = (language: string) => PhraseIndex<T>;

/** Indexes several word lists, each with the value that its words stand for. Each index is built on first use. */
export function indexByLanguage<T>(lists: readonly { words: PhraseLists; value: T }[]): PhrasesByLanguage<T> {
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
  const other = lazy(() => build(LISTS_OF_OTHER_LANGUAGES));
  return (language) => (known.get(language) ?? other)();
}
