// Formats numbers, dates and times in the language of a page. All times are UTC.
import type { Language } from "./texts.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export interface Format {
  number(value: number): string;
  percent(fraction: number): string;
  /** A size, such as `1.5 MB`. */
  bytes(count: number): string;
  /** A date, such as `2 August 2026`. Takes Unix ms or `2026-08-02`. */
  date(day: number | string): string;
  /** A date with its day of the week. */
  weekday(day: number | string): string;
  /** A date and a time to the minute, with `UTC`. */
  dateTime(ms: number): string;
  /** A time of day to the minute, without a date. */
  time(ms: number): string;
  /** How long ago or in how long, such as `3 minutes ago` or `now`. */
  relative(ms: number, nowMs: number): string;
  /** A duration in its largest unit, such as `3 minutes`. */
  duration(ms: number): string;
  list(items: readonly string[]): string;
  /** Items of which one is enough: `a, b or c`. */
  either(items: readonly string[]): string;
  /** Chooses the form for a number: French uses the singular for 0. */
  plural<T>(count: number, forms: { one: T; other: T }): T;
}

const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE", fr: "fr-FR" };

const UNITS = [
  ["year", 365 * DAY_MS],
  ["month", 30 * DAY_MS],
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", 1_000],
] as const;

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

const made = new Map<Language, Format>();

/** Returns the formats of a language. They are created once, because creating them is slow. */
export function formatFor(language: Language): Format {
  const known = made.get(language);
  if (known !== undefined) return known;
  const format = createFormat(LOCALES[language]);
  made.set(language, format);
  return format;
}

function createFormat(locale: string): Format {
  const inUtc = { timeZone: "UTC" } as const;
  const day = { ...inUtc, day: "numeric", month: "long", year: "numeric" } as const;
  const clock = { ...inUtc, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  const date = new Intl.DateTimeFormat(locale, day);
  const weekday = new Intl.DateTimeFormat(locale, { ...day, weekday: "long" });
  const dateTime = new Intl.DateTimeFormat(locale, {
    ...clock,
    day: "numeric",
    month: "short",
    year: "numeric",
  });
  const time = new Intl.DateTimeFormat(locale, clock);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "always" });
  const now = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(0, "second");
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  const either = new Intl.ListFormat(locale, { type: "disjunction" });
  const plural = new Intl.PluralRules(locale);
  const units = new Map(
    [...UNITS.map(([unit]) => unit), ...SIZES].map((unit) => [
      unit,
      new Intl.NumberFormat(locale, {
        style: "unit",
        unit,
        unitDisplay: unit.endsWith("byte") ? "short" : "long",
        maximumFractionDigits: unit === "byte" || !unit.endsWith("byte") ? 0 : 1,
      }),
    ]),
  );
  return {
    number: (value) => number.format(value),
    percent: (fraction) => percent.format(fraction),
    bytes(count) {
      const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
      return units.get(SIZES[step] ?? "byte")?.format(count / 1_000 ** step) ?? "";
    },
    date: (at) => date.format(toDate(at)),
    weekday: (at) => weekday.format(toDate(at)),
    dateTime: (ms) => `${dateTime.format(ms)} UTC`,
    time: (ms) => time.format(ms),
    relative(ms, nowMs) {
      const passed = ms - nowMs;
      if (Math.abs(passed) < 1_000) return now;
      const [unit, size] = unitOf(Math.abs(passed));
      return relative.format(Math.trunc(passed / size), unit);
    },
    duration(ms) {
      const [unit, size] = unitOf(ms);
      return units.get(unit)?.format(Math.trunc(ms / size)) ?? "";
    },
    list: (items) => list.format(items),
    either: (items) => either.format(items),
    plural: (count, { one, other }) => (plural.select(count) === "one" ? one : other),
  };
}

function toDate(at: number | string): Date {
  return new Date(at);
}

/** Returns the largest unit that fits at least once. Months and years begin later, because they are rounded down. */
function unitOf(ms: number): typeof UNITS[number] {
  if (ms >= DAY_MS && ms < 60 * DAY_MS) return ["day", DAY_MS];
  return UNITS.find(([, size]) => ms >= size) ?? ["second", 1_000];
}
