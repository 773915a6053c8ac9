// Identifiers: a prefix for the noun, and a ULID that is monotonic within a process.
import { encodeTime, monotonicFactory } from "ulid";

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

/** Makes a new identifier of a noun. Each ULID is greater than the one before. */
export type NewId = (noun: IdNoun) => string;

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; // Crockford's base 32
const RANDOM_CHARACTERS = 16;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const MAX_TIME_MS = 2 ** 48 - 1;

/**
 * Identifiers from a clock (Unix ms) and a source of random bytes. If the clock stands still or goes back, the random part
 * of the last ULID is incremented instead.
 */
export function createIds(nowMs: () => number, randomBytes: (count: number) => Uint8Array): NewId {
  let bytes: Uint8Array = new Uint8Array();
  let used = 0;
  const fraction = (): number => {
    if (used === bytes.length) {
      bytes = randomBytes(RANDOM_CHARACTERS);
      used = 0;
    }
    return (bytes[used++] as number) / 256;
  };
  const nextUlid = monotonicFactory(fraction);
  return (noun) => ID_PREFIXES[noun] + nextUlid(nowMs());
}

/** The smallest identifier of a noun that can be made at a time (Unix ms). Those made before are smaller. */
export function firstIdAt(noun: IdNoun, ms: number): string {
  const time = encodeTime(Math.min(Math.max(0, ms), MAX_TIME_MS));
  return ID_PREFIXES[noun] + time + "0".repeat(RANDOM_CHARACTERS);
}

/** The identifier of a noun with the time 0 and the given 10 bytes. */
export function idOfNumber(noun: IdNoun, bytes: Uint8Array): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let text = "";
  for (let digit = 0; digit < RANDOM_CHARACTERS; digit++, rest /= 32n) {
    text = ALPHABET[Number(rest % 32n)] + text;
  }
  return ID_PREFIXES[noun] + encodeTime(0) + text;
}

/** Whether a text has the form of an identifier of the noun. */
export function isId(noun: IdNoun, text: string): boolean {
  const prefix = ID_PREFIXES[noun];
  return text.startsWith(prefix) && ULID.test(text.slice(prefix.length));
}
