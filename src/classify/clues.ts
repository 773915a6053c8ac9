// Where the clues of rules are found in an item: in its CELEX number, address, title, categories or summary.
import type { Clues } from "./data.ts";
import type { Item } from "./item.ts";
import { once } from "./once.ts";
import { buildPatternIndex, findPatterns, type PatternIndex } from "./patterns.ts";
import type { FoldedText } from "./text.ts";

/** Rules with their clues, ready to be tried on items. */
export interface ClueIndex {
  rules: readonly { clues: Clues; celex: RegExp[] }[];
  title: PatternIndex<number>;
  category: PatternIndex<number>;
  summary: PatternIndex<number>;
}

/** What fits a rule: the clue's own words and where they stand. */
export interface Clue {
  place: "celex" | "url" | "title" | "category" | "summary";
  words: string;
}

/** Makes rules ready; a rule is known by its place in the list. */
export function buildClueIndex(rules: readonly Clues[]): ClueIndex {
  const entries = (place: "title" | "category" | "summary") =>
    buildPatternIndex(rules.flatMap((rule, value) => rule[place].map((pattern) => ({ pattern, value }))));
  return {
    rules: rules.map((clues) => ({ clues, celex: clues.celex.map(globToExpression) })),
    title: entries("title"),
    category: entries("category"),
    summary: entries("summary"),
  };
}

/** The clues of an item, found place by place when they are asked for. */
export interface ItemClues {
  /** The first clue that fits the rule, in the order CELEX, address, title, category, summary; or null. */
  of(rule: number): Clue | null;
}

/** Looks through an item; each place is searched at most once. */
export function findClues(index: ClueIndex, item: Item): ItemClues {
  const places = [
    { place: "title", found: once(() => firstWords(index.title, [item.title])) },
    { place: "category", found: once(() => firstWords(index.category, item.categories)) },
    { place: "summary", found: once(() => firstWords(index.summary, [item.opening])) },
  ] as const;
  const { celex, url } = item;
  return {
    of(number) {
      const rule = index.rules[number];
      if (rule === undefined) return null;
      if (celex !== "" && rule.celex.some((pattern) => pattern.test(celex))) {
        return { place: "celex", words: celex };
      }
      const part = rule.clues.url.find((text) => url.includes(text));
      if (part !== undefined) return { place: "url", words: part };
      for (const { place, found } of places) {
        const words = rule.clues[place].length === 0 ? undefined : found().get(number);
        if (words !== undefined) return { place, words };
      }
      return null;
    },
  };
}

function firstWords(index: PatternIndex<number>, texts: readonly FoldedText[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const text of texts) {
    for (const hit of findPatterns(index, text)) {
      if (!found.has(hit.value)) found.set(hit.value, hit.words);
    }
  }
  return found;
}

/** "3????R*": ? is one character, * any number of them. */
function globToExpression(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("?", ".").replaceAll("*", ".*");
  return new RegExp(`^${source}$`);
}
