// Time zones: their names in dates, and the instants of local times in IANA zones.
import { utcDay } from "../../domain/utc_day.ts";

/** Minutes east of UTC, or the name of an IANA zone. */
export type Zone = number | string;

const HOUR = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_OFFSET_MINUTES = 14 * HOUR;

/** Hours east of UTC by zone name. CST means the American zone, as in RFC 822. IST is left out as ambiguous. */
const HOURS: readonly [names: string, hours: number][] = [
  ["utc ut gmt z wet", 0],
  ["cet met mez bst west", 1],
  ["cest mest mesz eet oez", 2],
  ["eest oesz msk", 3],
  ["sgt hkt awst", 8],
  ["jst kst", 9],
  ["aest", 10],
  ["aedt", 11],
  ["nzst", 12],
  ["nzdt", 13],
  ["adt", -3],
  ["ast edt", -4],
  ["est cdt", -5],
  ["cst mdt", -6],
  ["mst pdt", -7],
  ["pst akdt", -8],
  ["akst", -9],
  ["hst", -10],
];
const ZONES = new Map<string, Zone>([
  ...HOURS.flatMap(([names, hours]) => names.split(" ").map((name): [string, Zone] => [name, hours * HOUR])),
  ["et", "America/New_York"],
  ["ct", "America/Chicago"],
  ["mt", "America/Denver"],
  ["pt", "America/Los_Angeles"],
]);

const OFFSET = /^(?:gmt|utc|ut|z)?([+-])(\d{1,2})(?::?(\d{2}))?$/;

/** Returns the zone of a lower-case word such as "cest", "+0200" or "gmt+2", or null if it is not a zone. */
export function zoneOf(word: string): Zone | null {
  const named = ZONES.get(word);
  if (named !== undefined) return named;
  const match = OFFSET.exec(word);
  if (match === null) return null;
  const hours = Number(match[2]);
  const minutes = Number(match[3] ?? 0);
  const total = hours * HOUR + minutes;
  if (minutes > 59 || total > MAX_OFFSET_MINUTES) return null;
  return match[1] === "-" ? -total : total;
}

/** Whether numeric dates put the month before the day in a zone, given by its name in a date or its IANA name. */
export function isMonthFirst(name: string): boolean {
  return /^(?:[ecmp][ds]?t|ak[ds]t|hst|America\/.*|US\/.*)$/.test(name);
}

/**
 * Returns the Unix time in ms of a local time, which is passed as if it were UTC. A time that the clocks skip is moved
 * past the gap. If a time occurs twice, the first occurrence is used (as in `Temporal`). An unknown IANA zone throws
 * a RangeError.
 */
export function instantOf(wallMs: number, zone: Zone): number {
  if (typeof zone === "number") return wallMs - zone * MINUTE_MS;
  if (zone === "UTC") return wallMs;
  const before = offsetMs(zone, wallMs - DAY_MS);
  const after = offsetMs(zone, wallMs + DAY_MS);
  const early = wallMs - before;
  if (before === after || offsetMs(zone, early) === before) return early;
  const late = wallMs - after;
  return offsetMs(zone, late) === after ? late : early;
}

/** Returns the date at an instant in an IANA zone, as `YYYY-MM-DD`. */
export function localDate(atMs: number, zone: string): string {
  return utcDay(atMs + (zone === "UTC" ? 0 : offsetMs(zone, atMs)));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the offset of an IANA zone from UTC at an instant, in ms. */
function offsetMs(zone: string, atMs: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    formats.set(zone, format);
  }
  const wallMs = Date.parse(`${format.format(atMs).replace(" ", "T")}Z`);
  return wallMs - Math.floor(atMs / 1000) * 1000;
}
