// Identifiers: a prefix that names the noun, and a ULID that is monotonic within a process.

/** The prefixes of identifiers, by noun. */
export const ID_PREFIXES = {
  event: "evt_",
  subscription: "sub_",
  delivery: "dlv_",
  customer: "cus_",
  mail: "mail_",
  request: "req_",
  process: "prc_",
} as const;

/** A noun that has identifiers. */
export type IdNoun = keyof typeof ID_PREFIXES;

/** Makes a new identifier of a noun; each call gives a greater ULID than the call before. */
export type NewId = (noun: IdNoun) => string;

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; // Crockford's base 32, as the ULID specification has it
const RANDOM_CHARACTERS = 16;
/** Identifiers for which random bytes are drawn together: a call for few costs what a call for many does. */
const DRAWN_TOGETHER = 64;
/** The last two characters of a ULID, by their value: most identifiers differ from the one before by these alone. */
const TAILS = Array.from({ length: 1_024 }, (_, value) => `${ALPHABET[value >> 5]}${ALPHABET[value & 31]}`);
const ULID_CHARACTERS = 26;
/** By character code, for those of ASCII. */
const IS_IN_ALPHABET = Array.from(
  { length: 128 },
  (_, code) => ALPHABET.includes(String.fromCharCode(code)),
);
/** The greatest first character of a ULID, whose time has 48 bits: `7`. */
const LAST_FIRST = 0x37;
/** The last time that a ULID can hold. */
const LAST_ULID_MS = 2 ** 48 - 1;

/**
 * Identifiers from a clock (Unix ms) and a source of random bytes. When the clock stands still or goes back, the random
 * part of the last ULID is counted up instead, so identifiers stay ordered by making.
 */
export function createIds(nowMs: () => number, randomBytes: (count: number) => Uint8Array): NewId {
  let lastMs = -1;
  const random = new Array<number>(RANDOM_CHARACTERS - 2).fill(0);
  let drawn: Uint8Array = new Uint8Array();
  let drawnAt = 0;
  let head = "";
  let tail = 0;
  const setHead = (): void => {
    head = timeCharacters(lastMs);
    for (const value of random) head += ALPHABET[value];
  };
  const draw = (): number => {
    if (drawnAt === drawn.length) {
      drawn = randomBytes(RANDOM_CHARACTERS * DRAWN_TOGETHER);
      drawnAt = 0;
    }
    return (drawn[drawnAt++] ?? 0) & 31;
  };
  const begin = (ms: number): void => {
    lastMs = ms;
    for (let place = 0; place < random.length; place++) random[place] = draw();
    tail = draw() << 5 | draw();
    setHead();
  };
  const countOn = (): void => {
    if (++tail < TAILS.length) return;
    tail = 0;
    if (!countUp(random)) lastMs++; // the random part is used up: its carry goes to the time
    setHead();
  };
  return (noun) => {
    const now = nowMs();
    if (now > lastMs) begin(now);
    else countOn();
    return `${ID_PREFIXES[noun]}${head}${TAILS[tail]}`;
  };
}

/** The least identifier of a noun that can be made at a time (Unix ms): those made before it sort before it. */
export function firstIdAt(noun: IdNoun, ms: number): string {
  return ID_PREFIXES[noun] + timeCharacters(Math.min(Math.max(0, ms), LAST_ULID_MS)) +
    "0".repeat(RANDOM_CHARACTERS);
}

/** The identifier of a noun whose time is 0 and whose rest is the given 10 bytes. */
export function idOfNumber(noun: IdNoun, bytes: Uint8Array): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let text = "";
  for (let place = 0; place < RANDOM_CHARACTERS; place++, rest /= 32n) {
    text = ALPHABET[Number(rest % 32n)] + text;
  }
  return ID_PREFIXES[noun] + timeCharacters(0) + text;
}

/** Whether a text has the form of an identifier of the noun. */
export function isId(noun: IdNoun, text: string): boolean {
  const prefix = ID_PREFIXES[noun];
  if (text.length !== prefix.length + ULID_CHARACTERS || !text.startsWith(prefix)) return false;
  if (text.charCodeAt(prefix.length) > LAST_FIRST) return false;
  // Character by character: of a request, an expression that does the same would be a tenth.
  for (let at = prefix.length; at < text.length; at++) {
    if (IS_IN_ALPHABET[text.charCodeAt(at)] !== true) return false;
  }
  return true;
}

function timeCharacters(ms: number): string {
  let text = "";
  for (let rest = ms, place = 0; place < 10; place++, rest = Math.floor(rest / 32)) {
    text = ALPHABET[rest % 32] + text;
  }
  return text;
}

/** Adds one; false when that began again at zero. */
function countUp(digits: number[]): boolean {
  for (let place = digits.length - 1; place >= 0; place--) {
    const digit = digits[place] ?? 0;
    if (digit < 31) {
      digits[place] = digit + 1;
      return true;
    }
    digits[place] = 0;
  }
  return false;
}
