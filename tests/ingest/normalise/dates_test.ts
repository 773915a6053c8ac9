// Dates are parsed in the formats that publishers use.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { parseDate, parseStatedDate } from "../../../src/ingest/normalise/dates.ts";

const BERLIN = "Europe/Berlin";
const iso = (text: string, timezone: string): string | null => {
  const atMs = parseDate(text, { timezone });
  return atMs === null ? null : new Date(atMs).toISOString();
};

/** Dates as publishers write them, and the instants that they mean for a source in Berlin. */
const STATED: [text: string, expected: string][] = [
  // RFC 822 and its successors
  ["Mon, 27 Jul 2026 09:37:55 GMT", "2026-07-27T09:37:55.000Z"],
  ["Mon,27 Jul 2026 09:37:55 GMT", "2026-07-27T09:37:55.000Z"],
  ["27 Jul 2026 09:37 UT", "2026-07-27T09:37:00.000Z"],
  ["Mon, 27 Jul 26 09:37:55 EST", "2026-07-27T14:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 EDT", "2026-07-27T13:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 CST", "2026-07-27T15:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 CDT", "2026-07-27T14:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 MST", "2026-07-27T16:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 MDT", "2026-07-27T15:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 PST", "2026-07-27T17:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 PDT", "2026-07-27T16:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 CEST", "2026-07-27T07:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 MESZ", "2026-07-27T07:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 BST", "2026-07-27T08:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 Z", "2026-07-27T09:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 A", "2026-07-27T09:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 H", "2026-07-27T09:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 -0000", "2026-07-27T09:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 +0530", "2026-07-27T04:07:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 +02:00", "2026-07-27T07:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 GMT+2", "2026-07-27T07:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 GMT +0200", "2026-07-27T07:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55 +0200 (CEST)", "2026-07-27T07:37:55.000Z"],
  ["Fri, 27 Jul 2026 09:37:55 GMT", "2026-07-27T09:37:55.000Z"], // 27 July is a Monday
  ["Monday, 27 July 2026 09:37:55 GMT", "2026-07-27T09:37:55.000Z"],
  ["Mon, 27 Jul 2026 9:37:55 GMT", "2026-07-27T09:37:55.000Z"],
  ["Mon, 27 Jul 2026 09:37:55", "2026-07-27T07:37:55.000Z"],
  ["Mon, 27 Jul 2026", "2026-07-26T22:00:00.000Z"],
  ["Mon Jul 27 09:37:55 2026", "2026-07-27T07:37:55.000Z"],
  ["Mon Jul 27 09:37:55 PDT 2026", "2026-07-27T16:37:55.000Z"],
  ["Mon Jul 27 2026 09:37:55 GMT+0200 (Central European Summer Time)", "2026-07-27T07:37:55.000Z"],
  // ISO 8601
  ["2026-07-31T12:00:15Z", "2026-07-31T12:00:15.000Z"],
  ["2026-07-31t12:00:15z", "2026-07-31T12:00:15.000Z"],
  ["2026-07-31T12:00Z", "2026-07-31T12:00:00.000Z"],
  ["2026-07-31T12:00:15.123456+02:00", "2026-07-31T10:00:15.123Z"],
  ["2026-07-31T12:00:15,5Z", "2026-07-31T12:00:15.500Z"],
  ["2026-07-31T12:00:15+0200", "2026-07-31T10:00:15.000Z"],
  ["2026-07-31T12:00:15+02", "2026-07-31T10:00:15.000Z"],
  ["2026-07-31T12:00:15−02:00", "2026-07-31T14:00:15.000Z"],
  ["2026-07-31 12:00:15 +0200", "2026-07-31T10:00:15.000Z"],
  ["2026-07-31 12:00:15 UTC", "2026-07-31T12:00:15.000Z"],
  ["2026-07-31 10:22", "2026-07-31T08:22:00.000Z"],
  ["2026-07-31T12:00:15", "2026-07-31T10:00:15.000Z"],
  ["2026-07-31", "2026-07-30T22:00:00.000Z"],
  ["2026-07-31Z", "2026-07-31T00:00:00.000Z"],
  ["2026-07-31+02:00", "2026-07-30T22:00:00.000Z"],
  ["2026-7-3", "2026-07-02T22:00:00.000Z"],
  ["2026/07/31 12:00", "2026-07-31T10:00:00.000Z"],
  ["20260731", "2026-07-30T22:00:00.000Z"],
  ["20260731T120015Z", "2026-07-31T12:00:15.000Z"],
  ["20260731120015", "2026-07-31T10:00:15.000Z"],
  ["2026-07-31T24:00:00Z", "2026-08-01T00:00:00.000Z"],
  ["2026-07-31T12:00:60Z", "2026-07-31T12:01:00.000Z"],
  ["2026-07-31T12:00:00+02:00[Europe/Paris]", "2026-07-31T10:00:00.000Z"],
  [" \n2026-07-31T12:00:15Z\t", "2026-07-31T12:00:15.000Z"],
  // In words
  ["Monday, July 27, 2026 - 15:30", "2026-07-27T13:30:00.000Z"],
  ["July 27, 2026", "2026-07-26T22:00:00.000Z"],
  ["July 27th, 2026 at 3:30 p.m. ET", "2026-07-27T19:30:00.000Z"],
  ["Sept. 3, 2026 12:00 AM", "2026-09-02T22:00:00.000Z"],
  ["Sept 3 2026, 12pm", "2026-09-03T10:00:00.000Z"],
  ["the 27th of July 2026", "2026-07-26T22:00:00.000Z"],
  ["27-Jul-2026", "2026-07-26T22:00:00.000Z"],
  ["15:30, 27 July 2026", "2026-07-27T13:30:00.000Z"],
  ["2026 July 27", "2026-07-26T22:00:00.000Z"],
  ["27. Juli 2026", "2026-07-26T22:00:00.000Z"],
  ["Montag, 27. Juli 2026, 15:30 Uhr", "2026-07-27T13:30:00.000Z"],
  ["Mittwoch, den 4. März 2026 um 9.05 Uhr", "2026-03-04T08:05:00.000Z"],
  ["Di., 1. Dez. 2026", "2026-11-30T23:00:00.000Z"],
  ["5. Jänner 2026", "2026-01-04T23:00:00.000Z"],
  ["27 juillet 2026", "2026-07-26T22:00:00.000Z"],
  ["lundi 27 juillet 2026 à 15h30", "2026-07-27T13:30:00.000Z"],
  ["1er août 2026", "2026-07-31T22:00:00.000Z"],
  ["mar. 28 juil. 2026 15 h 30", "2026-07-28T13:30:00.000Z"],
  ["12 févr. 2026", "2026-02-11T23:00:00.000Z"],
  ["27 de julio de 2026", "2026-07-26T22:00:00.000Z"],
  ["lunedì 27 luglio 2026 ore 15:30", "2026-07-27T13:30:00.000Z"],
  ["27 juli 2026 om 15:30 uur", "2026-07-27T13:30:00.000Z"],
  ["27 de julho de 2026", "2026-07-26T22:00:00.000Z"],
  // In digits
  ["27/07/2026", "2026-07-26T22:00:00.000Z"],
  ["06/07/2026", "2026-07-05T22:00:00.000Z"],
  ["27 / 07 / 2026", "2026-07-26T22:00:00.000Z"],
  ["27.07.2026 15:30 Uhr", "2026-07-27T13:30:00.000Z"],
  ["27.07.26", "2026-07-26T22:00:00.000Z"],
  ["27-07-2026 15:30", "2026-07-27T13:30:00.000Z"],
  ["Fri, 06/28/2024 - 10:22", "2024-06-28T08:22:00.000Z"],
  ["Fri, 06/07/2024 - 10:22", "2024-06-07T08:22:00.000Z"], // the Friday was 7 June
  ["Sat, 06/07/2024", "2024-07-05T22:00:00.000Z"], // the Saturday was 6 July
  ["06/07/2024 10:22 EDT", "2024-06-07T14:22:00.000Z"],
  // Unix time
  ["1785499215", "2026-07-31T12:00:15.000Z"],
  ["1785499215.5", "2026-07-31T12:00:15.500Z"],
  ["1785499215000", "2026-07-31T12:00:15.000Z"],
  // Changes to summer time (from 02:00 to 03:00) and back (from 03:00 to 02:00)
  ["2026-03-29T01:59:59", "2026-03-29T00:59:59.000Z"],
  ["2026-03-29T02:30:00", "2026-03-29T01:30:00.000Z"],
  ["2026-03-29T03:00:00", "2026-03-29T01:00:00.000Z"],
  ["2026-10-25T01:59:59", "2026-10-24T23:59:59.000Z"],
  ["2026-10-25T02:30:00", "2026-10-25T00:30:00.000Z"],
  ["2026-10-25T03:00:00", "2026-10-25T02:00:00.000Z"],
];

Deno.test("parseDate() parses the date formats of publishers", () => {
  for (const [text, expected] of STATED) assert.equal(iso(text, BERLIN), expected, text);
});

Deno.test("parseDate() returns null for impossible dates, placeholders and other strings", () => {
  const refused = [
    "31 February 2026",
    "29 Feb 2025",
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "32/01/2026",
    "13/13/2026",
    "2026-07-31T25:00:00Z",
    "2026-07-31T24:00:01Z",
    "2026-07-31T12:60:00Z",
    "July 27, 2026 13:30 am",
    "July 27, 2026 0:30 pm",
    "Mon, 27 Jul 2026 09:37:55 +9999",
    "Mon, 27 Jul 2026 09:37:55 +0299",
    "Mon, 27 Jul 2026 09:37:55 IST", // India's, Ireland's or Israel's
    "0001-01-01T00:00:00Z",
    "1900-01-01",
    "9999-12-31T23:59:59Z",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Thu, 01 Jan 1970 01:00:00 +0100",
    "Wed, 31 Dec 1969 19:00:00 -0500",
    "0",
    "-1",
    "12",
    "2026",
    "2026-07",
    "July 2026",
    "27 July",
    "26-07-27",
    "yesterday",
    "3 days ago",
    "27 July 2026 or so",
    "soon, 27 July 2026",
    "between 1 July 2026 and 3 July 2026",
    "15:30",
    "Monday",
    "",
    " ",
    `2026-07-31${" ".repeat(200)}`,
  ];
  for (const text of refused) assert.equal(iso(text, BERLIN), null, text);
});

Deno.test("parseDate() parses a date without a zone in the source's time zone", () => {
  const rows: [text: string, timezone: string, expected: string][] = [
    ["Monday, July 27, 2026 - 15:30", "Europe/London", "2026-07-27T14:30:00.000Z"],
    ["Monday, January 26, 2026 - 15:30", "Europe/London", "2026-01-26T15:30:00.000Z"],
    ["27 July 2026 15:30", "UTC", "2026-07-27T15:30:00.000Z"],
    ["27 July 2026 15:30", "America/New_York", "2026-07-27T19:30:00.000Z"],
    ["06/07/2024", "America/New_York", "2024-06-07T04:00:00.000Z"], // the month comes first
    ["28/06/2024", "America/New_York", "2024-06-28T04:00:00.000Z"],
    ["2026-07-27 15:30", "Asia/Kolkata", "2026-07-27T10:00:00.000Z"],
    ["2026-04-05 01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"], // the first 01:45, before the clock goes back 30 min
    ["2011-12-30 12:00", "Pacific/Apia", "2011-12-30T22:00:00.000Z"], // a skipped day
  ];
  for (const [text, timezone, expected] of rows) {
    assert.equal(iso(text, timezone), expected, `${text} ${timezone}`);
  }
});

Deno.test("parseStatedDate() returns the precision, and the day as it is stated", () => {
  const rows: [text: string, precision: string, on: string, instant: string][] = [
    ["2026-11-18", "date", "2026-11-18", "2026-11-17T23:00:00.000Z"],
    ["18.11.2026", "date", "2026-11-18", "2026-11-17T23:00:00.000Z"],
    ["20261118", "date", "2026-11-18", "2026-11-17T23:00:00.000Z"],
    ["18 November 2026", "date", "2026-11-18", "2026-11-17T23:00:00.000Z"],
    ["2026-11-18 UTC", "date", "2026-11-18", "2026-11-18T00:00:00.000Z"],
    ["Wed, 18 Nov 2026 00:00:00 +0100", "time", "2026-11-18", "2026-11-17T23:00:00.000Z"],
    ["2026-11-18T00:30:00", "time", "2026-11-18", "2026-11-17T23:30:00.000Z"],
    ["2026-11-18T23:30:00Z", "time", "2026-11-18", "2026-11-18T23:30:00.000Z"],
    ["1794958200", "time", "2026-11-18", "2026-11-17T23:30:00.000Z"],
    ["1794958200000", "time", "2026-11-18", "2026-11-17T23:30:00.000Z"],
  ];
  for (const [text, precision, on, instant] of rows) {
    const date = parseStatedDate(text, { timezone: BERLIN });
    assert.deepEqual(date, { precision, on, atMs: Date.parse(instant) }, text);
  }
});

const ZONES = "UTC Europe/Brussels Europe/London America/New_York Asia/Kolkata Australia/Sydney".split(" ");
const two = (value: number): string => String(value).padStart(2, "0");
const minutes = fc.integer({ min: Date.UTC(1990, 0, 2) / 60_000, max: Date.UTC(2100, 0, 1) / 60_000 });

/** Functions that write an instant with its zone. `at` is the local time. */
const WRITINGS: ((at: Date, offset: string) => string)[] = [
  (at, offset) => at.toUTCString().replace("GMT", offset.replace(":", "")),
  (at, offset) => at.toISOString().replace("Z", offset),
  (at, offset) => `${at.toISOString().slice(0, 16).replace("T", " ")} ${offset}`,
  (at, offset) =>
    `${at.toUTCString().slice(8, 11)} ${at.getUTCDate()}, ${at.getUTCFullYear()} - ` +
    `${at.getUTCHours()}:${two(at.getUTCMinutes())} ${offset}`,
  (at, offset) =>
    `${two(at.getUTCDate())}.${two(at.getUTCMonth() + 1)}.${at.getUTCFullYear()} ` +
    `${two(at.getUTCHours())}:${two(at.getUTCMinutes())} ${offset}`,
];

Deno.test("parseDate() parses every instant in every format with a zone", () => {
  fc.assert(
    fc.property(
      minutes,
      fc.integer({ min: -12 * 4, max: 14 * 4 }),
      fc.constantFrom(...WRITINGS),
      fc.constantFrom(...ZONES),
      (minute, quarters, write, timezone) => {
        const size = Math.abs(quarters) * 15;
        const offset = `${quarters < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        const text = write(new Date((minute + quarters * 15) * 60_000), offset);
        assert.equal(parseDate(text, { timezone }), minute * 60_000, text);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("parseDate() returns an instant whose local time is the date without a zone", () => {
  fc.assert(
    fc.property(minutes, fc.constantFrom(...ZONES), (minute, timezone) => {
      const shows = new Intl.DateTimeFormat("sv-SE", {
        timeZone: timezone,
        dateStyle: "short",
        timeStyle: "medium",
      });
      const text = shows.format(minute * 60_000);
      const atMs = parseDate(text, { timezone });
      assert.ok(atMs !== null, text);
      assert.equal(shows.format(atMs), text);
      assert.ok(atMs <= minute * 60_000, "the first of two equal hours");
    }),
    { numRuns: 300 },
  );
});

Deno.test("parseDate() returns a plausible instant or null for any string", () => {
  const piece = fc.constantFrom(
    ..."1 27 2026 07 31 : . / - , T Z + 0200 GMT Jul juillet März Monday um pm h 15:30 #7# ( [ ' é".split(
      " ",
    ),
    " ",
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.array(piece, { maxLength: 12 }).map((all) => all.join(""))),
      (text) => {
        const atMs = parseDate(text, { timezone: BERLIN });
        assert.ok(atMs === null || (Number.isInteger(atMs) && Math.abs(atMs) < Date.UTC(2201, 0)), text);
      },
    ),
    { numRuns: 3000 },
  );
});
