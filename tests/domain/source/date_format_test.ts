// Dates are read and written in configured formats.
import assert from "node:assert/strict";
import { dateFormatProblem, readDateAs, writeDate } from "../../../src/domain/source/date_format.ts";

Deno.test("readDateAs() reads only the given format", () => {
  const rows: [string, string, string | null][] = [
    ["31.07.2026", "dd.MM.yyyy", "2026-07-31"],
    [" 31.07.2026 ", "dd.MM.yyyy", "2026-07-31"],
    ["7/9/2026", "M/d/yyyy", "2026-07-09"],
    ["7/9/2026", "MM/dd/yyyy", null],
    ["20260731", "yyyyMMdd", "2026-07-31"],
    ["2026-07-31T09:05:07Z", "yyyy-MM-ddTHH:mm:ssZ", "2026-07-31T09:05:07"],
    ["le 31/07/2026 à 9:05", "'le 'dd/MM/yyyy' à 'H:mm", "2026-07-31T09:05:00"],
    ["31.07.2026 (neu)", "dd.MM.yyyy", null],
    ["31x07x2026", "dd.MM.yyyy", null],
    ["", "dd.MM.yyyy", null],
  ];
  for (const [text, format, expected] of rows) {
    assert.equal(readDateAs(text, format), expected, `${text} as ${format}`);
  }
});

Deno.test("writeDate() writes a time in UTC in the given format", () => {
  const atMs = Date.parse("2026-07-09T04:05:06Z");
  const rows: [string | undefined, string][] = [
    [undefined, "2026-07-09"],
    ["yyyyMMdd", "20260709"],
    ["d.M.yyyy", "9.7.2026"],
    ["yyyy-MM-ddTHH:mm:ssZ", "2026-07-09T04:05:06Z"],
    ["'day 'dd'/'MM'/'yyyy", "day 09/07/2026"],
  ];
  for (const [format, expected] of rows) assert.equal(writeDate(atMs, format), expected);
});

Deno.test("dateFormatProblem() requires year, month and day once each, and no other letters", () => {
  for (const format of ["dd.MM.yyyy", "yyyy-MM-ddTHH:mm:ssZ", "d/M/yyyy"]) {
    assert.equal(dateFormatProblem(format), null);
  }
  const rows: [string, RegExp][] = [
    ["MM.yyyy", /lacks year, month or day/],
    ["", /lacks/],
    ["dd.MM.yyyy dd", /twice/],
    ["DD.MM.YYYY", /is not a valid date format: "DD\.MM\.YYYY"/],
    ["dd. MMMM yyyy", /twice/],
  ];
  for (const [format, expected] of rows) assert.match(dateFormatProblem(format) ?? "", expected, format);
});
