// Where the patterns of rules match in an item: in its CELEX number, URL, title, categories or summary.
import type { SignalPatterns } from "./data.ts";
import type { Item } from "./item.ts";
import { buildPatternIndex, findPatterns, type PatternIndex } from "./phrases/find_patterns.ts";

const TEXT_FIELDS = ["title", "category", "summary"] as const;
type TextField = typeof TEXT_FIELDS[number];

/** Rules with their patterns, prepared for matching. */
export interface SignalIndex extends Record<TextField, PatternIndex<number>> {
  rules: readonly { patterns: SignalPatterns; celex: RegExp[] }[];
}

/** A match of a rule: the matched words and the field that contains them. */
export interface Signal {
  field: "celex" | "url" | TextField;
  words: string;
}

/** Prepares rules; a rule is identified by its index in the list. */
export function buildSignalIndex(rules: readonly SignalPatterns[]): SignalIndex {
  const patternsOf = (field: TextField) =>
    buildPatternIndex(rules.flatMap((rule, value) => rule[field].map((pattern) => ({ pattern, value }))));
  return {
    rules: rules.map((patterns) => ({ patterns, celex: patterns.celex.map(globToExpression) })),
    title: patternsOf("title"),
    category: patternsOf("category"),
    summary: patternsOf("summary"),
  };
}

/** The signals of one item. Each field is searched at most once, on first use. */
export class ItemSignals {
  readonly #found = new Map<TextField, ReadonlyMap<number, string>>();

  constructor(readonly index: SignalIndex, readonly item: Item) {}

  /** The first signal of the rule, in the order CELEX, URL, title, category, summary; otherwise null. */
  of(number: number): Signal | null {
    const rule = this.index.rules[number];
    if (rule === undefined) return null;
    const { patterns, celex } = rule;
    if (celex.length > 0 && celex.some((pattern) => pattern.test(this.item.celex))) {
      return { field: "celex", words: this.item.celex };
    }
    const part = patterns.url.find((text) => this.item.url.includes(text));
    if (part !== undefined) return { field: "url", words: part };
    for (const field of TEXT_FIELDS) {
      const words = patterns[field].length === 0 ? undefined : this.#wordsIn(field).get(number);
      if (words !== undefined) return { field, words };
    }
    return null;
  }

  /** The words that match in a field, by rule. */
  #wordsIn(field: TextField): ReadonlyMap<number, string> {
    let words = this.#found.get(field);
    if (words === undefined) {
      const { title, categories, opening } = this.item;
      const texts = { title: [title], category: categories, summary: [opening] }[field];
      const hits = texts.flatMap((text) => findPatterns(this.index[field], text));
      // Of several hits of a rule, the first counts.
      words = new Map(hits.reverse().map((hit) => [hit.value, hit.words]));
      this.#found.set(field, words);
    }
    return words;
  }
}

/** "3????R*": `?` matches one character, `*` any number. */
function globToExpression(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("?", ".").replaceAll("*", ".*");
  return new RegExp(`^${source}$`);
}
