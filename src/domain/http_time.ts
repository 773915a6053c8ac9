// Parses times in HTTP headers: dates and `Retry-After`.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** The three date formats that a recipient must accept (RFC 9110, section 5.6.7). */
const HTTP_DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)$/;
/** Maximum delay, seconds. It keeps the computed times exact integers. */
const MAX_DELAY_SECONDS = 1e9;

/** Returns the time in a `Retry-After` header (RFC 9110, section 10.2.3), Unix ms, or null if it is invalid. */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | null {
  if (header === null || header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return nowMs + Math.min(Number(text), MAX_DELAY_SECONDS) * SECOND;
  return parseHttpDate(text, nowMs);
}

/** Returns the time of an HTTP date (RFC 9110, section 5.6.7), Unix ms, or null if it is invalid. */
export function parseHttpDate(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  const time = parts?.["time"] ?? "";
  if (parts === undefined || !TIME.test(time)) return null;
  const number = (name: string): number => Number(parts[name]);
  const year = parts["year"]?.length === 2 ? fullYear(number("year"), nowMs) : number("year");
  const month = MONTHS.indexOf(parts["month"] ?? "");
  if (month === -1) return null;
  const midnight = Date.UTC(year, month, number("day"));
  if (new Date(midnight).getUTCMonth() !== month) return null; // such as the 31st of a shorter month
  const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number);
  return midnight + hour * HOUR + minute * MINUTE + second * SECOND;
}

/** Completes a two-digit year to one that is at most 50 years in the future (RFC 9110, section 5.6.7). */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - thisYear % 100 + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
