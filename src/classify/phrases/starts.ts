// Values by the beginning of a word, so that at each word of a text only a few are tried.

/** The words of a text by where they begin; the three lists run side by side. */
export interface WordStarts {
  at: readonly number[];
  /** The slots of the words' first two characters. */
  two: readonly number[];
  /** The slots of the words' first four characters. */
  four: readonly number[];
}

/** Where the words begin of the text that was gone through last. */
let places = new Int32Array(0);

/** The beginnings of a text's words, in order. A text is looked through once, whatever is then looked for in it. */
export function findStarts(lower: string): WordStarts {
  const { length } = lower;
  if (places.length < length) places = new Int32Array(length);
  let words = 0;
  let inWord = false;
  for (let place = 0; place < length; place++) {
    const letter = isWordCharacter(lower.charCodeAt(place));
    if (letter && !inWord) places[words++] = place;
    inWord = letter;
  }
  // Lists that grow would be copied again and again.
  const at = new Array<number>(words);
  const two = new Array<number>(words);
  const four = new Array<number>(words);
  for (let word = 0; word < words; word++) {
    const place = places[word] as number;
    at[word] = place;
    two[word] = twoAt(lower, place);
    four[word] = fourAt(lower, place);
  }
  return { at, two, four };
}

/** Lists by slot; most slots have none. */
interface Slots<V> {
  /** A bit for each slot that has a list: so little that it stays at hand while texts are gone through. */
  taken: Int32Array;
  lists: Map<number, V[]>;
}

/**
 * Values under the first four characters of a word, or the first two where it has fewer: lists by slot. Different
 * beginnings may share a slot: what is found is still compared.
 */
export interface StartIndex<V> {
  two: Slots<V>;
  four: Slots<V>;
}

/** An empty index. */
export function createStartIndex<V>(): StartIndex<V> {
  return { two: emptySlots(), four: emptySlots() };
}

/** Adds a value for words that begin with `beginning`, of which at least two characters are given. */
export function addByStart<V>(index: StartIndex<V>, beginning: string, value: V): void {
  const long = isLongStart(beginning);
  const { taken, lists } = long ? index.four : index.two;
  const slot = long ? fourAt(beginning, 0) : twoAt(beginning, 0);
  taken[slot >> 5] = (taken[slot >> 5] ?? 0) | (1 << (slot & 31));
  const list = lists.get(slot);
  if (list === undefined) lists.set(slot, [value]);
  else list.push(value);
}

/** Whether a beginning is known by four characters; by two otherwise. */
export function isLongStart(beginning: string): boolean {
  return beginning.length >= LONG;
}

/** The values of short beginnings that may stand at this slot of two characters; undefined for none. */
export function shortAt<V>(index: StartIndex<V>, slot: number): readonly V[] | undefined {
  return listAt(index.two, slot);
}

/** The values of long beginnings that may stand at this slot of four characters; undefined for none. */
export function longAt<V>(index: StartIndex<V>, slot: number): readonly V[] | undefined {
  return listAt(index.four, slot);
}

function listAt<V>({ taken, lists }: Slots<V>, slot: number): readonly V[] | undefined {
  return ((taken[slot >> 5] as number) >> (slot & 31) & 1) === 0 ? undefined : lists.get(slot);
}

/** Whether a character belongs to a word: small letters, digits, and what lies beyond Latin-1's signs. */
export function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 191;
}

/** Beginnings of this length have a slot of their own. */
const LONG = 4;

/** Slots of an index, as bits of a number: several times as many as an index has beginnings. */
const SLOT_BITS = 12;

function emptySlots<V>(): Slots<V> {
  return { taken: new Int32Array((1 << SLOT_BITS) / 32), lists: new Map() };
}

/** The slot of the two characters at a place of a text. */
export function twoAt(text: string, at: number): number {
  return slotOfTwo(codeAt(text, at), codeAt(text, at + 1));
}

/** The slot of the four characters at a place of a text. */
export function fourAt(text: string, at: number): number {
  return slotOfFour(codeAt(text, at), codeAt(text, at + 1), codeAt(text, at + 2), codeAt(text, at + 3));
}

/** The code of a character; 0 behind the end. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** The slot of two characters, by their codes. */
export function slotOfTwo(first: number, second: number): number {
  return slotOf(first * 65_536 + second);
}

/** The slot of four characters, by their codes. */
export function slotOfFour(first: number, second: number, third: number, fourth: number): number {
  return slotOf(Math.imul(first * 65_536 + second, 65_599) + third * 65_536 + fourth);
}

/** Multiplied so that the upper bits hang together with all others (Knuth, The Art of Computer Programming 3, 6.4). */
function slotOf(key: number): number {
  return Math.imul(key, 0x9e37_79b1) >>> (32 - SLOT_BITS);
}
