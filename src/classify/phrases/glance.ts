// A glance at a text as it came: whether it may hold a phrase, told without folding it, since most texts hold none.
import { once } from "../lazy.ts";
import type { PhraseIndex, Step } from "./find_phrases.ts";
import { isWordCharacter, longAt, shortAt, slotOfFour, slotOfTwo } from "./starts.ts";
import { foldText } from "./fold_text.ts";

/** Beyond these characters a text is not glanced at: it is folded and searched. */
const LAST_KNOWN = 0x2bff;

const SPACE = 32;
const STOP = 46;
const BACKTICK = 96;
const SMALL_A = 97;
const SMALL_I = 105;

/** What stands in {@link FOLDED} for a character that is left out, that becomes two, and of which nothing is known. */
const LEFT_OUT = 0xffff;
const BECOMES_TWO = 0xfffe;
const UNKNOWN = 0xfffd;

/** What each character becomes in `lower` of a folded text, wherever it stands. */
const FOLDED = once(() => {
  const folded = new Uint16Array(LAST_KNOWN + 1).fill(UNKNOWN);
  const two = new Map<number, string>();
  for (let code = 0; code <= LAST_KNOWN; code++) {
    const character = String.fromCharCode(code);
    // Marks join with what stands before them, and a backtick is one only where nothing is beyond ASCII.
    if (/\p{M}|[\u0300-\u1dff]/u.test(character) || code === BACKTICK) continue;
    const lower = foldText(`x${character}x`, 3).lower.slice(1, -1);
    if (lower.length > 2) continue;
    if (lower.length === 2) two.set(code, lower);
    folded[code] = lower === "" ? LEFT_OUT : lower.length === 1 ? lower.charCodeAt(0) : BECOMES_TWO;
  }
  return { folded, two };
});

/** What was folded last: no text is kept of it. */
let codes = new Uint16Array(0);

/**
 * Whether the first `limit` characters of a text may hold a phrase. Never says no where `hasPhrase` finds one in the
 * folded text; says yes, too, where only capitals tell a phrase from another word, and of writings that it does not know.
 */
export function mayHavePhrase<T>(index: PhraseIndex<T>, raw: string, limit: number): boolean {
  const length = foldCodes(raw, Math.min(raw.length, limit));
  if (length === null) return true;
  let inWord = false;
  for (let at = 0; at < length; at++) {
    const letter = isWordCharacter(codes[at] as number);
    if (letter && !inWord && startsHere(index, at)) return true;
    inWord = letter;
  }
  return false;
}

function startsHere<T>({ byStart }: PhraseIndex<T>, at: number): boolean {
  const short = shortAt(byStart, slotOfTwo(codes[at] as number, codes[at + 1] as number));
  if (short !== undefined && someEnds(short, at)) return true;
  const long = longAt(
    byStart,
    slotOfFour(
      codes[at] as number,
      codes[at + 1] as number,
      codes[at + 2] as number,
      codes[at + 3] as number,
    ),
  );
  return long !== undefined && someEnds(long, at);
}

/** Whether a phrase that goes on with one of these steps ends somewhere behind a place. */
function someEnds<T>(steps: readonly Step<T>[], at: number): boolean {
  for (const step of steps) if (ends(step, at)) return true;
  return false;
}

function ends<T>({ lower, openEnd, ending, next }: Step<T>, at: number): boolean {
  for (let place = 0; place < lower.length; place++) {
    if (codes[at + place] !== lower.charCodeAt(place)) return false;
  }
  let end = at + lower.length;
  if (openEnd) { while (isWordCharacter(codes[end] as number)) end++; }
  else if (isWordCharacter(codes[end] as number)) return false;
  if (ending.length > 0) return true;
  if (next.size === 0 || codes[end] !== SPACE) return false;
  const steps = next.get(codes[end + 1] as number);
  return steps !== undefined && someEnds(steps, end + 1);
}

/** Folds the beginning of a text into {@link codes}, with no letter behind it. Returns its length; null: it must be read. */
function foldCodes(raw: string, limit: number): number | null {
  const { folded, two } = FOLDED();
  // Room for characters that become two, and to look at what would stand behind the end.
  const room = 2 * limit + 4;
  if (codes.length < room) codes = new Uint16Array(room);
  let length = 0;
  for (let at = 0; at < limit; at++) {
    const code = raw.charCodeAt(at);
    const to = code <= LAST_KNOWN ? folded[code] as number : UNKNOWN;
    if (to < UNKNOWN) {
      if (to === SPACE && length > 0 && codes[length - 1] === SPACE) continue;
      // "A.I." loses its stops.
      if (to === STOP && length > 1 && codes[length - 2] === STOP && isInitial(codes[length - 1] as number)) {
        return null;
      }
      codes[length++] = to;
    } else if (to === BECOMES_TWO) {
      const pair = two.get(code) as string;
      codes[length++] = pair.charCodeAt(0);
      codes[length++] = pair.charCodeAt(1);
    } else if (to === UNKNOWN) return null;
  }
  codes.fill(0, length, length + 4);
  return length;
}

function isInitial(code: number): boolean {
  return code === SMALL_A || code === SMALL_I;
}
