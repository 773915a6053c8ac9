// An index by the first characters of a word, so that each word of a text is compared with few values.

/** The characters in the key of a short word and of a longer one. */
const SHORT = 2;
const LONG = 4;

/** Values, indexed by the first characters of the words that they apply to; the caller compares the rest. */
export class WordIndex<V> {
  readonly #values = new Map<string, V[]>();

  /** Adds a value for words that start with `start` (at least two characters); an empty `start` stands for any word. */
  add(start: string, value: V): void {
    const key = start.slice(0, start.length < LONG ? SHORT : LONG);
    const values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, [value]);
    else values.push(value);
  }

  /** The values that may start at this position of a text: by short keys, long keys, any word; each as added. */
  at(text: string, position: number): readonly V[] {
    const word = text.slice(position, position + LONG);
    const short = this.#values.get(word.slice(0, SHORT)) ?? [];
    const long = word.length < LONG ? [] : this.#values.get(word) ?? [];
    const any = this.#values.get("") ?? [];
    return long.length + any.length === 0 ? short : [...short, ...long, ...any];
  }
}

/** Where the words of a lower-case text start. */
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
