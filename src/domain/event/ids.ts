// Identifiers: a prefix that names the noun, and a ULID that increases monotonically within a process.

export const ID_PREFIXES = {
  event: "evt_",
  subscription: "sub_",
  delivery: "dlv_",
  customer: "cus_",
  mail: "mail_",
  request: "req_",
  session: "ses_",
  process: "prc_",
  incident: "inc_",
} as const;

export type IdNoun = keyof typeof ID_PREFIXES;

/** Creates an identifier for a noun. Each call returns a greater ULID than the previous one. */
export type NewId = (noun: IdNoun) => string;

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; // Crockford's base 32, as in the ULID specification
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
/** A ULID. Its time has 48 bits, so the first character is at most `7`. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** The last time that fits in a ULID, Unix ms. */
const LAST_ULID_MS = 2 ** 48 - 1;

/**
 * Creates identifiers from a clock (Unix ms) and a source of random bytes. If the clock does not advance, the random
 * part of the last ULID is incremented instead, so that identifiers sort in the order of creation.
 */
export function createIds(nowMs: () => number, randomBytes: (count: number) => Uint8Array): NewId {
  let lastMs = -1;
  let time = "";
  let random: number[] = [];
  return (noun) => {
    const now = nowMs();
    if (now > lastMs) {
      lastMs = now;
      time = timeCharacters(now);
      random = Array.from(randomBytes(RANDOM_CHARACTERS), (byte) => byte & 31);
    } else if (!increment(random)) {
      time = timeCharacters(++lastMs);
    }
    let text = ID_PREFIXES[noun] + time;
    for (const digit of random) text += ALPHABET[digit];
    return text;
  };
}

/** Returns the smallest identifier of a noun for a time (Unix ms). */
export function firstIdAt(noun: IdNoun, ms: number): string {
  return ID_PREFIXES[noun] + timeCharacters(Math.min(Math.max(0, ms), LAST_ULID_MS)) +
    "0".repeat(RANDOM_CHARACTERS);
}

/** Returns the identifier of a noun whose time is 0 and whose random part consists of the given 10 bytes. */
export function idOfNumber(noun: IdNoun, bytes: Uint8Array): string {
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; text.length < RANDOM_CHARACTERS; rest /= 32n) text = ALPHABET[Number(rest % 32n)] + text;
  return ID_PREFIXES[noun] + timeCharacters(0) + text;
}

/** Whether a string has the form of the noun's identifiers. */
export function isId(noun: IdNoun, text: string): boolean {
  const prefix = ID_PREFIXES[noun];
  return text.startsWith(prefix) && ULID.test(text.slice(prefix.length));
}

function timeCharacters(ms: number): string {
  let text = "";
  for (let rest = ms; text.length < TIME_CHARACTERS; rest = Math.floor(rest / 32)) {
    text = ALPHABET[rest % 32] + text;
  }
  return text;
}

/** Adds one. Returns false if the digits have wrapped around to zero. */
function increment(digits: number[]): boolean {
  for (let at = digits.length - 1; at >= 0; at--) {
    const digit = digits[at] ?? 0;
    digits[at] = digit === 31 ? 0 : digit + 1;
    if (digit < 31) return true;
  }
  return false;
}
