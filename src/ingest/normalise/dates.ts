// Parses dates as publishers write them. A date that is not fully understood is refused, not guessed.
import type { DatePrecision } from "../../domain/event/event.ts";
import { IGNORED_WORDS, MONTHS, WEEKDAYS } from "./date_words.ts";
import { instantOf, isMonthFirst, localDate, type Zone, zoneOf } from "./zones.ts";
import { utcDay } from "../../domain/utc_day.ts";

const MAX_DATE_CHARACTERS = 120;
/** Years outside this range are placeholders (0001, 1900, 9999) or mistakes. */
const MIN_YEAR = 1950;
const MAX_YEAR = 2199;
/** Times within this many ms of the epoch are placeholders for "no date". */
const EPOCH_MARGIN_MS = 86_400_000;

interface Day {
  year: number;
  month: number;
  day: number;
}

interface Time {
  hour: number;
  minute: number;
  second: number;
  ms: number;
}

const MIDNIGHT: Time = { hour: 0, minute: 0, second: 0, ms: 0 };

/** A date as a publisher states it. */
export interface StatedDate {
  /** Unix time in ms. */
  atMs: number;
  precision: DatePrecision;
  /** The date in the time zone in which it is stated, `YYYY-MM-DD`. */
  on: string;
}

/** Parses a date like {@link parseStatedDate} and returns it as Unix time in ms, or null. */
export function parseDate(text: string, options: { timezone: string }): number | null {
  return parseStatedDate(text, options)?.atMs ?? null;
}

/**
 * Parses a date, or returns null. Accepts RFC 822 and its successors, ISO 8601 (complete
 * dates), `asctime`, dates in words or digits in the languages of {@link MONTHS}, with or without a time, and Unix time
 * in seconds or ms. Weekdays are not checked, because publishers get them wrong. A date without a time means the start
 * of the day. `timezone` is the IANA zone of dates that state none; an unknown zone throws a RangeError.
 *
 * In "06/07/2024" the day comes first, as in Europe, unless the numbers rule that out, the stated weekday fits only the
 * other order, or the zone is American. Two-digit years up to 49 are 20xx (RFC 2822).
 */
export function parseStatedDate(text: string, options: { timezone: string }): StatedDate | null {
  if (text.length > MAX_DATE_CHARACTERS) return null;
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return parseDigits(trimmed, options.timezone);
  return parseWritten(trimmed, options.timezone);
}

/** Parses a number: a day, a day and a time, or Unix time. */
function parseDigits(text: string, timezone: string): StatedDate | null {
  const digits = text.split(".")[0]?.length ?? 0;
  const compact = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?$/.exec(text);
  if (compact !== null && (digits === 8 || digits === 12 || digits === 14)) {
    const day = { year: Number(compact[1]), month: Number(compact[2]), day: Number(compact[3]) };
    return compose(day, readTime(compact[4], compact[5], compact[6]), timezone);
  }
  if (digits !== 9 && digits !== 10 && digits !== 13) return null;
  const atMs = Math.round(Number(text) * (digits === 13 ? 1 : 1000));
  return isPlaceholder(atMs) ? null : { atMs, precision: "time", on: localDate(atMs, timezone) };
}

/** The forms of a day, in order of precedence. `#7#` stands for the name of a month. */
const DAY_FORMS = [
  /(?<![\d:])(?<y>\d{4})\s?([./-])\s?(?<m>\d{1,2})\s?\2\s?(?<d>\d{1,2})(?!\d)/,
  /(?<!\d)(?<y>\d{4})(?<m>\d{2})(?<d>\d{2})(?=t\d)/,
  /(?<![\d:])(?<a>\d{1,2})\s?([./-])\s?(?<b>\d{1,2})\s?\2\s?(?<y>\d{4})(?![\d:])/,
  /(?<![\d:])(?<a>\d{1,2})\s?([./])\s?(?<b>\d{1,2})\s?\2\s?(?<y>\d{2})(?![\d:])/,
  /(?<![\d:])(?<d>\d{1,2})(?:st|nd|rd|th|er|o|a)?[\s.,-]*(?:(?:de|of) )?#(?<m>\d+)#[\s.,-]*(?:(?:de|del) )?'?(?<y>\d{4}|\d{2})(?![\d:])/,
  /#(?<m>\d+)#[\s.]*(?<d>\d{1,2})(?:st|nd|rd|th)?[\s,]+(?<y>\d{4})(?![\d:])/,
  /(?<![\d:])(?<y>\d{4})[\s.-]*#(?<m>\d+)#[\s.-]*(?<d>\d{1,2})(?![\d:])/,
];

/** Matches "15:30", "15:30:12,5", "15h30", "3:30 p.m.", "15.30 Uhr", "3 pm" and "15 h". */
const TIME =
  /(?<![\d+:.-])(?<h>\d{1,2})(?:\s?[:h]\s?(?<m>\d{2})(?::(?<s>\d{2})(?:[.,](?<f>\d+))?)?|\.(?<n>\d{2})(?=\s?(?:uhr|[ap]\.?m|h)|$)|(?=\s?(?:uhr|[ap]\.?m|h)(?![a-z])))(?!\d)(?:\s?(?<p>[ap])\.?m(?:\.|(?![a-z])))?/;
/** Matches a time such as "T153012" after a day. */
const COMPACT_TIME = /(?<=\st)(?<h>\d{2})(?<m>\d{2})(?<s>\d{2})?(?:[.,](?<f>\d+))?(?!\d)/;

/** A zone letter of RFC 822, which means UTC (RFC 5322, section 4.3). The "h" in "15:30 h" means "hours" in German. */
const MILITARY = /(:\d\d) (?:[a-gik-z]|(?<=:\d\d:\d\d )h)$/;

/** Parses a written date: first the day, then the time. Every remaining word must be known. */
function parseWritten(text: string, timezone: string): StatedDate | null {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, " ").replace(/[\u2010-\u2015\u2212]/g, "-").trim()
    .replace(MILITARY, "$1 utc");
  const numbered = withYearFirst(withMonthNumber(plain));
  for (const form of DAY_FORMS) {
    const match = form.exec(numbered);
    if (match === null) continue;
    const rest = ` ${numbered.slice(0, match.index)} ${numbered.slice(match.index + match[0].length)}`;
    return parseAround(match.groups ?? {}, rest, timezone);
  }
  return null;
}

/** Replaces the last month name with a form such as `#7#`. An earlier "mar" is a weekday in French and Spanish. */
function withMonthNumber(text: string): string {
  for (const match of [...text.matchAll(/[a-z]+/g)].reverse()) {
    const month = MONTHS.get(match[0]);
    if (month === undefined) continue;
    return `${text.slice(0, match.index)}#${month}#${text.slice(match.index + match[0].length)}`;
  }
  return text;
}

/** Moves a year that follows the time, as in `asctime`, in front of the time. */
function withYearFirst(text: string): string {
  const year = /\s\d{4}$/.exec(text);
  const day = year === null ? null : /#\d+#\s*\d{1,2}(?=\s+\d{1,2}:)/.exec(text.slice(0, year.index));
  if (year === null || day === null) return text;
  const end = day.index + day[0].length;
  return `${text.slice(0, end)}${year[0]} ${text.slice(end, year.index)}`;
}

type Groups = Record<string, string | undefined>;

function parseAround(day: Groups, rest: string, timezone: string): StatedDate | null {
  const match = TIME.exec(rest) ?? COMPACT_TIME.exec(rest);
  const words = match === null
    ? rest
    : `${rest.slice(0, match.index)} ${rest.slice(match.index + match[0].length)}`;
  const { h, m, n, s, f, p } = match?.groups ?? {};
  let zone: Zone = timezone;
  let stated = "";
  let weekday: number | undefined;
  for (const word of words.split(/[\s,;|]+/)) {
    const bare = word.replace(/^[-/]+$|\.$/, "");
    if (bare === "" || IGNORED_WORDS.has(bare)) continue;
    const named = WEEKDAYS.get(bare);
    const own = zoneOf(bare);
    if (named !== undefined) weekday = named;
    else if (own === null) return null;
    else if (stated === "" || /\d/.test(bare)) [zone, stated] = [own, bare]; // in "GMT +0200", the offset applies
  }
  const monthFirst = isMonthFirst(stated === "" ? timezone : stated);
  return compose(dayOf(day, weekday, monthFirst), readTime(h, m ?? n ?? "00", s, f, p), zone);
}

/** Returns the day from the groups of {@link DAY_FORMS}. `a` and `b` are the day and the month, in unknown order. */
function dayOf({ y, m, d, a, b }: Groups, weekday: number | undefined, monthFirst: boolean): Day | null {
  const year = fullYear(y);
  if (a === undefined || b === undefined) return { year, month: Number(m), day: Number(d) };
  const european = { year, month: Number(b), day: Number(a) };
  const american = { year, month: Number(a), day: Number(b) };
  if (!isPossible(european)) return american;
  if (!isPossible(american)) return european;
  const fits = (day: Day): boolean => new Date(utc(day, MIDNIGHT)).getUTCDay() === weekday;
  if (weekday !== undefined && fits(european) !== fits(american)) return fits(european) ? european : american;
  return monthFirst ? american : european;
}

function fullYear(text: string | undefined): number {
  const year = Number(text);
  if (text?.length !== 2) return year;
  return year < 50 ? 2000 + year : 1900 + year;
}

/** Reads a time of day. Returns midnight if none is stated, or null if it is not valid. 24:00 is the end of the day. */
function readTime(h?: string, m?: string, s?: string, fraction?: string, half?: string): Time | null {
  if (h === undefined) return MIDNIGHT;
  let hour = Number(h);
  if (half !== undefined && (hour === 0 || (hour > 12 && half === "a"))) return null;
  if (half !== undefined && hour <= 12) hour = hour % 12 + (half === "p" ? 12 : 0);
  const minute = Number(m);
  const second = Number(s ?? 0);
  const possible = hour < 24 ? minute < 60 && second <= 60 : hour === 24 && minute + second === 0;
  const ms = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, "0"));
  return possible ? { hour, minute, second, ms } : null;
}

function compose(day: Day | null, time: Time | null, zone: Zone | null): StatedDate | null {
  if (day === null || time === null || zone === null || !isPossible(day)) return null;
  const atMs = instantOf(utc(day, time), zone);
  if (isPlaceholder(atMs)) return null;
  const on = utcDay(utc(day, MIDNIGHT));
  return { atMs, precision: time === MIDNIGHT ? "date" : "time", on };
}

function isPossible({ year, month, day }: Day): boolean {
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function utc(day: Day, time: Time): number {
  return Date.UTC(day.year, day.month - 1, day.day, time.hour, time.minute, time.second, time.ms);
}

function isPlaceholder(ms: number): boolean {
  return Math.abs(ms) <= EPOCH_MARGIN_MS;
}
