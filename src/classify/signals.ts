// Where the clues of rules are found in an item: in its CELEX number, address, title, categories or summary.
import type { Clues } from "./data.ts";
import type { Item } from "./item.ts";
import { buildPatternIndex, findPatterns, type PatternIndex } from "./phrases/find_patterns.ts";
import type { FoldedText } from "./phrases/fold_text.ts";

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
  return new CluesOfItem(index, item);
}

type Words = ReadonlyMap<number, string>;

class CluesOfItem implements ItemClues {
  #title: Words | null = null;
  #category: Words | null = null;
  #summary: Words | null = null;

  constructor(readonly index: ClueIndex, readonly item: Item) {}

  of(number: number): Clue | null {
    const { index, item } = this;
    const rule = index.rules[number];
    if (rule === undefined) return null;
    const { clues } = rule;
    // Hundreds of rules are tried on each item: what a rule does not look for costs nothing.
    if (
      rule.celex.length > 0 && item.celex !== "" && rule.celex.some((pattern) => pattern.test(item.celex))
    ) {
      return { place: "celex", words: item.celex };
    }
    const part = clues.url.length === 0 ? undefined : clues.url.find((text) => item.url.includes(text));
    if (part !== undefined) return { place: "url", words: part };
    if (clues.title.length > 0) {
      const words = (this.#title ??= firstWords(index.title, [item.title])).get(number);
      if (words !== undefined) return { place: "title", words };
    }
    if (clues.category.length > 0) {
      const words = (this.#category ??= firstWords(index.category, item.categories)).get(number);
      if (words !== undefined) return { place: "category", words };
    }
    if (clues.summary.length > 0) {
      const words = (this.#summary ??= firstWords(index.summary, [item.opening])).get(number);
      if (words !== undefined) return { place: "summary", words };
    }
    return null;
  }
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
