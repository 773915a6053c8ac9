// Time zones: what zone names in dates stand for, and when a wall clock shows what in an IANA zone.

/** Minutes east of UTC, or the IANA zone whose rules decide. */
export type Zone = number | string;

const HOUR = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** No zone is or was further from UTC. */
const MAX_OFFSET_MINUTES = 14 * HOUR;

/**
 * Zone names that dates use, in lower case. The American ones are those of RFC 822; the military letters all mean UTC,
 * because RFC 822 printed them with the wrong sign and RFC 5322 (section 4.3) tells readers to trust none of them.
 * Names with more than one meaning in use (IST) are left out.
 */
const ZONES = new Map<string, Zone>([
  ...["utc", "ut", "gmt", "z", "wet"].map((name): [string, Zone] => [name, 0]),
  ..."abcdefghiklmnopqrstuvwxy".split("").map((letter): [string, Zone] => [letter, 0]),
  ...["cet", "met", "mez", "bst", "west"].map((name): [string, Zone] => [name, HOUR]),
  ...["cest", "mest", "mesz", "eet", "oez"].map((name): [string, Zone] => [name, 2 * HOUR]),
  ...["eest", "oesz", "msk"].map((name): [string, Zone] => [name, 3 * HOUR]),
  ...["sgt", "hkt", "awst"].map((name): [string, Zone] => [name, 8 * HOUR]),
  ...["jst", "kst"].map((name): [string, Zone] => [name, 9 * HOUR]),
  ["aest", 10 * HOUR],
  ["aedt", 11 * HOUR],
  ["nzst", 12 * HOUR],
  ["nzdt", 13 * HOUR],
  ["adt", -3 * HOUR],
  ["ast", -4 * HOUR],
  ["edt", -4 * HOUR],
  ["est", -5 * HOUR],
  ["cdt", -5 * HOUR],
  ["cst", -6 * HOUR],
  ["mdt", -6 * HOUR],
  ["mst", -7 * HOUR],
  ["pdt", -7 * HOUR],
  ["pst", -8 * HOUR],
  ["akdt", -8 * HOUR],
  ["akst", -9 * HOUR],
  ["hst", -10 * HOUR],
  ["et", "America/New_York"],
  ["ct", "America/Chicago"],
  ["mt", "America/Denver"],
  ["pt", "America/Los_Angeles"],
]);

const OFFSET = /^(?:gmt|utc|ut|z)?([+-])(\d{1,2})(?::?(\d{2}))?$/;

/** The zone that a word of a date (in lower case) names: "cest", "+0200", "gmt+2"; null when it names none. */
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

/** Whether people of a zone, by its name in a date or its IANA name, put the month before the day in figures. */
export function isMonthFirst(name: string): boolean {
  return /^(?:[ecmp][ds]?t|ak[ds]t|hst|America\/.*|US\/.*)$/.test(name);
}

/**
 * The instant (Unix ms) at which clocks of a zone show a wall time, which is given as if it were UTC. A time that the
 * spring's change skips counts from before the change, so it comes out an hour later on the clock; one that the
 * autumn's change repeats is the first. (Both as `Temporal` does by default.) An unknown IANA zone throws a RangeError.
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

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of an IANA zone are ahead of UTC at an instant, in ms. */
function offsetMs(zone: string, atMs: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  const shown = new Map(format.formatToParts(atMs).map((part) => [part.type, Number(part.value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
  const wallMs = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return wallMs - Math.floor(atMs / 1000) * 1000;
}
