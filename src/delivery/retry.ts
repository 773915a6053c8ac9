// What follows from an attempt: done, another attempt and when, or the end.
import type { AttemptResult, NextStep } from "../domain/delivery.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The pauses after the first, second, … failed attempt, ms: eleven attempts over about three days. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND,
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** By how much of itself a pause is shortened or lengthened at most, so that many do not return at one moment. */
const JITTER = 0.1;
/** How far ahead a `Retry-After` is honoured, ms. */
const MAX_RETRY_AFTER_MS = DAY;

const GONE = 410;

/**
 * The step after attempt number `attempt` (from 1) ended at `nowMs`. `random` is a number in [0, 1). A `Retry-After`
 * moves the next attempt later, by a day at most, never earlier.
 */
export function decideNextStep(
  result: AttemptResult,
  attempt: number,
  nowMs: number,
  random: number,
): NextStep {
  if (isSuccess(result)) return { kind: "delivered" };
  if (result.statusCode === GONE) return { kind: "gone" };
  const pause = RETRY_PAUSES_MS[attempt - 1];
  if (pause === undefined) return { kind: "failed" };
  const scheduled = nowMs + Math.round(pause * (1 + JITTER * (2 * random - 1)));
  const asked = Math.min(result.retryAtMs ?? 0, nowMs + MAX_RETRY_AFTER_MS);
  return { kind: "retry", atMs: Math.max(scheduled, asked) };
}

/** Whether the receiver took the delivery: any 2xx. */
export function isSuccess(result: Pick<AttemptResult, "statusCode">): boolean {
  return result.statusCode !== null && result.statusCode >= 200 && result.statusCode < 300;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;
/** The three forms of a date that a recipient must take (RFC 9110, section 5.6.7). */
const HTTP_DATES = [
  new RegExp(String.raw`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(
    String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT$`,
  ),
  new RegExp(String.raw`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`),
];
/** Longer waits than this all mean the same, and stay exact as a number. */
const MAX_DELAY_SECONDS = 1e9;

/** The time that a `Retry-After` names, Unix ms: delay in seconds or HTTP date (RFC 9110, 10.2.3); null for all else. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return nowMs + Math.min(Number(text), MAX_DELAY_SECONDS) * SECOND;
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const number = (name: string): number => Number(parts[name]);
  const year = parts["year"]?.length === 2 ? fullYear(number("year"), nowMs) : number("year");
  const month = MONTHS.indexOf(parts["month"] ?? "");
  const midnight = Date.UTC(year, month, number("day"));
  if (new Date(midnight).getUTCMonth() !== month) return null; // the 31st of a shorter month
  return midnight + number("hour") * HOUR + number("minute") * MINUTE + number("second") * SECOND;
}

/** A year of two digits: never more than 50 years ahead (RFC 9110, section 5.6.7). */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - thisYear % 100 + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
