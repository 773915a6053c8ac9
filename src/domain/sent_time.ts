// Times that clients and operators send, in Unix ms or ISO 8601.

/**
 * What a date without a time means: as a lower bound (`since`) its first ms, as an inclusive upper bound (`until`) its
 * last ms, and as an exclusive upper bound (`before`) the first ms of the next day. Days are those of UTC.
 */
export type TimeBound = "since" | "until" | "before";

const DAY = 86_400_000;
const OF_DATE: Readonly<Record<TimeBound, number>> = { since: 0, until: DAY - 1, before: DAY };

/** The latest time that a Date can represent, in Unix ms (ECMA-262, 21.4.1.1). */
const LAST_MS = 8_640_000_000_000_000;
/** Integers that are assumed to be times in seconds, from 2001 to 2286. In ms, they are all in January to April 1970. */
const FIRST_SECONDS = 1_000_000_000;
const LAST_SECONDS = 9_999_999_999;

const INTEGER = /^(0|-?[1-9]\d{0,15})$/;
/** A date, or a date and time. A space may replace the `T`, and the `+` of an offset, which means a space in a URL. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+ -]\d\d:\d\d)?)?$/i;

/** The numbers in {@link ISO} after the year, in order, with their limits. */
const PARTS = [
  ["month", 1, 12],
  ["day", 1, 31],
  ["hour", 0, 23],
  ["minute", 0, 59],
  ["second", 0, 59],
] as const;

export const TIME_FORMS =
  "a time in Unix milliseconds such as 1785542400000, or in ISO 8601 such as 2026-08-01 or 2026-08-01T10:00:00Z";

/** The problem of a text that does not have one of the forms. */
export const NOT_A_TIME = `must be ${TIME_FORMS}`;

/**
 * Returns a time in Unix ms, or what is wrong with it, as the continuation of a sentence that starts with the field. A
 * time without an offset is in UTC.
 */
export function readTime(text: string, bound: TimeBound): { ms: number } | { problem: string } {
  if (INTEGER.test(text)) {
    const ms = Number(text);
    if (ms >= FIRST_SECONDS && ms <= LAST_SECONDS) {
      return { problem: `seems to be in seconds; write ${ms * 1_000} for this time in Unix milliseconds` };
    }
    if (Math.abs(ms) <= LAST_MS) return { ms };
  }
  const [, date, time, zone = "Z"] = ISO.exec(text) ?? [];
  if (date === undefined) return { problem: NOT_A_TIME };
  const ms = Date.parse(`${date}T${time ?? "00:00"}${zone.replace(" ", "+").toUpperCase()}`);
  // Date takes 31 June as 1 July.
  const isDate = !Number.isNaN(ms) && new Date(`${date}T00:00Z`).toISOString().startsWith(date);
  return isDate
    ? { ms: time === undefined ? ms + OF_DATE[bound] : ms }
    : { problem: `is not a valid time: ${impossiblePart(date, time, zone)}` };
}

function impossiblePart(date: string, time: string | undefined, zone: string): string {
  const numbers = `${date.slice(5)}-${time ?? ""}`.match(/\d+/g) ?? [];
  for (const [at, [name, least, most]] of PARTS.entries()) {
    const number = Number(numbers[at] ?? least);
    if (number < least || number > most) return `the ${name} is ${number}, not ${least} to ${most}`;
  }
  const [, month = 0, day = 0] = date.split("-").map(Number);
  const days = new Date(Date.UTC(Number(date.slice(0, 4)), month, 0)).getUTCDate();
  return day > days ? `${date.slice(0, 7)} has only ${days} days` : `${zone} is not an offset from UTC`;
}
