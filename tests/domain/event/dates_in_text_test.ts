// Dates that texts name.
import assert from "node:assert/strict";
import { datesIn } from "../../../src/domain/event/dates_in_text.ts";

Deno.test("datesIn() finds complete dates in three languages, and nothing else", () => {
  const rows: [text: string, dates: string[]][] = [
    ["", []],
    ["Comments are welcome until 2 December 2026.", ["2026-12-02"]],
    ["Apply from December 2, 2026, or August 3rd 2027", ["2026-12-02", "2027-08-03"]],
    ["Stellungnahmen bis zum 15. März 2027 oder 3.4.2027", ["2027-03-15", "2027-04-03"]],
    ["Le 1er août 2027, puis le 30 septembre\n2027", ["2027-08-01", "2027-09-30"]],
    ["2026-12-02T10:00:00Z is a time, 2026-12-02 a date", ["2026-12-02"]],
    ["31 February 2027, 99.1.2027, May 2027, 2027, 12 May", []],
    ["Version 1.12.12.2026, 2026-01-021, C/2026/1744, 12.12.2026-X", []],
    ["2 May 2026, again 2 May 2026 and 1 May 2026", ["2026-05-01", "2026-05-02"]],
  ];
  for (const [text, dates] of rows) assert.deepEqual(datesIn(text).map(({ on }) => on), dates, text);
});

Deno.test("datesIn() shows the words around a date", () => {
  const long = "word ".repeat(40);
  const [found] = datesIn(`${long}until 2 May 2026 at noon ${long}`);
  assert.match(found?.context ?? "", /^… (word ){1,18}until 2 May 2026 at noon (word ){1,18}…$/);
  assert.equal(datesIn("By 2 May 2026.")[0]?.context, "By 2 May 2026.");
});

Deno.test("datesIn() is fast for hostile texts", () => {
  for (
    const text of ["1 ".repeat(5_000), "12.".repeat(4_000), "may 1".repeat(2_000), "\u{1f600}".repeat(5_000)]
  ) {
    const startMs = performance.now();
    datesIn(text);
    assert.ok(performance.now() - startMs < 200);
  }
});
