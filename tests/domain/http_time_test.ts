// Retry-After can be a number of seconds or a date.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { parseRetryAfter } from "../../src/domain/http_time.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const SECOND = 1_000;

Deno.test("parseRetryAfter() reads seconds and the three date formats, and nothing else", () => {
  const at = Date.UTC(2026, 2, 1, 13, 0, 5);
  const rows: [header: string | undefined, expected: number | null][] = [
    ["0", NOW],
    ["120", NOW + 120 * SECOND],
    [" 120 ", NOW + 120 * SECOND],
    ["0120", NOW + 120 * SECOND],
    ["9".repeat(400), NOW + 1e9 * SECOND],
    ["Sun, 01 Mar 2026 13:00:05 GMT", at],
    ["Sunday, 01-Mar-26 13:00:05 GMT", at],
    ["Sun Mar  1 13:00:05 2026", at],
    ["Sun Mar 01 13:00:05 2026", at],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777_000],
    ["Thu, 29 Feb 2024 00:00:00 GMT", Date.UTC(2024, 1, 29)],
    ["Wed, 31 Dec 2025 23:59:60 GMT", Date.UTC(2026, 0, 1)],
    [undefined, null],
    ["", null],
    ["-1", null],
    ["+1", null],
    ["1.5", null],
    ["1e3", null],
    ["0x10", null],
    ["soon", null],
    ["120, 120", null],
    ["2026-03-01T13:00:05Z", null],
    ["2026", NOW + 2_026 * SECOND],
    ["Sun, 1 Mar 2026 13:00:05 GMT", null],
    ["Sun, 01 Mar 2026 13:00:05 +0100", null],
    ["Sun, 01 Mar 2026 24:00:00 GMT", null],
    ["Sun, 30 Feb 2026 13:00:05 GMT", null],
    ["Sun, 00 Mar 2026 13:00:05 GMT", null],
    ["Sun, 01 Foo 2026 13:00:05 GMT", null],
  ];
  for (const [header, expected] of rows) assert.equal(parseRetryAfter(header, NOW), expected, `${header}`);
});

Deno.test("parseRetryAfter() returns a whole number or null for any string", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.nat().map(String)), (text) => {
    const atMs = parseRetryAfter(text, NOW);
    assert.ok(atMs === null || Number.isSafeInteger(atMs), text);
  }));
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }), (date) => {
      assert.equal(parseRetryAfter(date.toUTCString(), NOW), Math.floor(date.getTime() / SECOND) * SECOND);
    }),
  );
});
