// An index by the first characters of a word, so that each word of a text is compared with few values.

/** Words of at least this length are found by their first four characters, shorter words by their first two. */
const LONG = 4;

/** Values, indexed by the first characters of the words that they apply to; the caller compares the rest. */
export class WordIndex<V> {
  readonly #any: V[] = [];
  /** Values by the first two characters, and those of long words also by the next two. */
  readonly #starts = new Map<number, { short: V[]; long: Map<number, V[]> }>();

  /** Adds a value for words that start with `start` (at least two characters). An empty `start` stands for any word. */
  add(start: string, value: V): void {
    if (start === "") return void this.#any.push(value);
    const key = pairAt(start, 0);
    const entry = this.#starts.get(key) ?? { short: [] as V[], long: new Map<number, V[]>() };
    this.#starts.set(key, entry);
    if (start.length < LONG) return void entry.short.push(value);
    entry.long.set(pairAt(start, 2), [...entry.long.get(pairAt(start, 2)) ?? [], value]);
  }

  /** Returns the values for words that may start at this position: for short words, for long ones, then for any. */
  at(text: string, position: number): readonly V[] {
    const entry = this.#starts.get(pairAt(text, position));
    if (entry === undefined) return this.#any;
    const long = entry.long.get(pairAt(text, position + 2));
    if (long === undefined && this.#any.length === 0) return entry.short;
    return [...entry.short, ...long ?? [], ...this.#any];
  }
}

/** Combines two characters into a numeric key, because creating a string for each key would be slower. */
function pairAt(text: string, position: number): number {
  return text.charCodeAt(position) * 0x10000 + text.charCodeAt(position + 1);
}

export function findWordStarts(lower: string): number[] {
  const starts: number[] = [];
  let inWord = false;
  for (let i = 0; i < lower.length; i++) {
    const isLetter = isWordCharacter(lower.charCodeAt(i));
    if (isLetter && !inWord) starts.push(i);
    inWord = isLetter;
  }
  return starts;
}

/** Whether a character belongs to a word: a-z, 0-9, and everything from "À" on. */
export function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 191;
}
