// The times that clients and operators can send.
import assert from "node:assert/strict";
import { readTime } from "../../src/domain/sent_time.ts";

Deno.test("readTime() accepts Unix ms and ISO 8601, and takes a date as a whole day", () => {
  const rows: [text: string, since: number | string, until?: string, before?: string][] = [
    ["0", 0],
    ["-1", -1],
    ["999999999", 999_999_999],
    ["10000000000", 10_000_000_000],
    ["1785542400000", "2026-08-01T00:00:00.000Z"],
    ["8640000000000000", 8_640_000_000_000_000],
    ["2026-12-02", "2026-12-02T00:00:00.000Z", "2026-12-02T23:59:59.999Z", "2026-12-03T00:00:00.000Z"],
    ["2026-12-31", "2026-12-31T00:00:00.000Z", "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"],
    ["2026-12-02T10:00", "2026-12-02T10:00:00.000Z"],
    ["2026-12-02T10:00:00Z", "2026-12-02T10:00:00.000Z"],
    ["2026-12-02t10:00:00z", "2026-12-02T10:00:00.000Z"],
    ["2026-12-02 10:00:00", "2026-12-02T10:00:00.000Z"],
    ["2026-12-02T10:00:00.25+02:00", "2026-12-02T08:00:00.250Z"],
    ["2026-12-02T10:00:00 02:00", "2026-12-02T08:00:00.000Z"],
    ["2026-12-02T10:00:00.123456-05:30", "2026-12-02T15:30:00.123Z"],
  ];
  for (const [text, since, until = since, before = until] of rows) {
    for (const [bound, expected] of Object.entries({ since, until, before })) {
      const ms = typeof expected === "number" ? expected : Date.parse(expected);
      assert.deepEqual(readTime(text, bound as "since"), { ms }, `${bound} ${text}`);
    }
  }
});

Deno.test("readTime() says how to write a time in seconds, and which forms it accepts", () => {
  for (const text of ["1000000000", "1785542400", "9999999999"]) {
    const problem = `seems to be in seconds; write ${text}000 for this time in Unix milliseconds`;
    assert.deepEqual(readTime(text, "since"), { problem });
  }
  const refused = [
    ..."-0 00 --1 +5 1e12 1.5 1_000 0x5 yesterday 8640000000000001 -8640000000000001 99999999999999999 7d"
      .split(" "),
    ..."2026-12 2026-12-02T10 2026-12-02T10:00+0200".split(" "),
    ..."02.12.2026 2026-12-02Z 20261202T100000Z".split(" "),
    ...["", " ", " 5", "2026-12-02T10:00:00 UTC"],
  ];
  for (const text of refused) {
    const read = readTime(text, "since");
    assert.match(
      "problem" in read ? read.problem : "",
      /^must be a time in Unix milliseconds such as /,
      text,
    );
  }
});

Deno.test("readTime() says which part of a time is impossible", () => {
  for (
    const [text, problem] of [
      ["2026-13-01", "the month is 13, not 1 to 12"],
      ["2026-00-01", "the month is 0, not 1 to 12"],
      ["2026-12-32", "the day is 32, not 1 to 31"],
      ["2026-02-29", "2026-02 has only 28 days"],
      ["2026-06-31T10:00", "2026-06 has only 30 days"],
      ["2026-12-02T25:00", "the hour is 25, not 0 to 23"],
      ["2026-12-02T10:60:00Z", "the minute is 60, not 0 to 59"],
      ["2026-12-02T10:00:61.5Z", "the second is 61, not 0 to 59"],
      ["2026-12-02T10:00+25:00", "+25:00 is not an offset from UTC"],
    ] as const
  ) assert.deepEqual(readTime(text, "since"), { problem: `is not a valid time: ${problem}` }, text);
});
