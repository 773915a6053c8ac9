// Values by the first characters of a word, so that each word of a text is compared with few of them.

/** How many characters a short and a long key have. */
const SHORT = 2;
const LONG = 4;

/**
 * An index of values under the beginnings of words. Keys are hashes, so a lookup may return values of another
 * beginning: the caller compares.
 */
export class WordIndex<V> {
  readonly #short = new Map<number, V[]>();
  readonly #long = new Map<number, V[]>();

  /** Adds a value for words that start with `start`, which has at least two characters. */
  add(start: string, value: V): void {
    const isLong = start.length >= LONG;
    const map = isLong ? this.#long : this.#short;
    const key = hashAt(start, 0, isLong ? LONG : SHORT);
    const values = map.get(key);
    if (values === undefined) map.set(key, [value]);
    else values.push(value);
  }

  /** The values that may start at this position of a text: those of short keys first, in the order of adding. */
  at(text: string, position: number): readonly V[] {
    const short = this.#short.get(hashAt(text, position, SHORT));
    const long = this.#long.get(hashAt(text, position, LONG));
    if (short === undefined) return long ?? [];
    return long === undefined ? short : [...short, ...long];
  }
}

function hashAt(text: string, position: number, length: number): number {
  let hash = 0;
  for (let i = position; i < position + length; i++) {
    hash = (Math.imul(hash, 65_599) + text.charCodeAt(i)) & 0x3fff_ffff;
  }
  return hash;
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
