// Finds where the patterns of rules match in an item: in its CELEX number, URL, title, categories or summary.
import type { SignalPatterns } from "./data.ts";
import type { Item } from "./item.ts";
import { buildPatternIndex, findPatterns, type PatternIndex } from "./phrases/find_patterns.ts";

const TEXT_FIELDS = ["title", "category", "summary"] as const;
type TextField = typeof TEXT_FIELDS[number];

interface SignalIndex extends Record<TextField, PatternIndex<number>> {
  rules: readonly { url: readonly string[]; celex: RegExp[] }[];
}

/** A match of a rule: the matched words and the field that contains them. */
export interface Signal {
  field: "celex" | "url" | TextField;
  words: string;
}

/** Builds an index of rules. A rule is identified by its position in the list. */
export function buildSignalIndex(rules: readonly SignalPatterns[]): SignalIndex {
  const patternsOf = (field: TextField) =>
    buildPatternIndex(rules.flatMap((rule, value) => rule[field].map((pattern) => ({ pattern, value }))));
  return {
    rules: rules.map(({ url, celex }) => ({ url, celex: celex.map(globToExpression) })),
    title: patternsOf("title"),
    category: patternsOf("category"),
    summary: patternsOf("summary"),
  };
}

/** Returns the first signal of each matching rule, in the order CELEX, URL, title, category, summary. */
export function findSignals(index: SignalIndex, item: Item): ReadonlyMap<number, Signal> {
  const signals = new Map<number, Signal>();
  const add = (rule: number, signal: Signal) => {
    if (!signals.has(rule)) signals.set(rule, signal);
  };
  for (const [rule, { celex, url }] of index.rules.entries()) {
    if (celex.some((pattern) => pattern.test(item.celex))) add(rule, { field: "celex", words: item.celex });
    const part = url.find((text) => item.url.includes(text));
    if (part !== undefined) add(rule, { field: "url", words: part });
  }
  const texts = { title: [item.title], category: item.categories, summary: [item.opening] };
  for (const field of TEXT_FIELDS) {
    for (const { value, words } of texts[field].flatMap((text) => findPatterns(index[field], text))) {
      add(value, { field, words });
    }
  }
  return signals;
}

/** Converts a glob such as "3????R*", in which `?` matches one character and `*` any number. */
function globToExpression(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("?", ".").replaceAll("*", ".*");
  return new RegExp(`^${source}$`);
}
