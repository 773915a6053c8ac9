// Values by the beginning of a word, so that at each word of a text only a few are tried.

/**
 * Values under the first four characters of a word, or the first two where it has fewer. Different beginnings may share
 * a key: what is found is still compared.
 */
export interface StartIndex<V> {
  two: Map<number, V[]>;
  four: Map<number, V[]>;
}

/** An empty index. */
export function createStartIndex<V>(): StartIndex<V> {
  return { two: new Map(), four: new Map() };
}

/** Adds a value for words that begin with `beginning`, of which at least two characters are given. */
export function addByStart<V>(index: StartIndex<V>, beginning: string, value: V): void {
  const long = beginning.length >= LONG;
  const map = long ? index.four : index.two;
  const key = long ? keyOfFour(beginning, 0) : keyOfTwo(beginning, 0);
  const bucket = map.get(key);
  if (bucket === undefined) map.set(key, [value]);
  else bucket.push(value);
}

/** The values of short beginnings that may stand at this place of the text. */
export function shortAt<V>(index: StartIndex<V>, text: string, at: number): readonly V[] {
  return index.two.get(keyOfTwo(text, at)) ?? NONE;
}

/** The values of long beginnings that may stand at this place of the text. */
export function longAt<V>(index: StartIndex<V>, text: string, at: number): readonly V[] {
  return index.four.get(keyOfFour(text, at)) ?? NONE;
}

/** Whether a character belongs to a word: small letters, digits, and what lies beyond Latin-1's signs. */
export function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 191;
}

const NONE: readonly never[] = [];

/** Beginnings of this length have a key of their own. */
const LONG = 4;

function keyOfTwo(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);
}

function keyOfFour(text: string, at: number): number {
  const first = Math.imul(text.charCodeAt(at), 65_599) + text.charCodeAt(at + 1);
  return Math.imul(Math.imul(first, 65_599) + text.charCodeAt(at + 2), 65_599) + text.charCodeAt(at + 3);
}
