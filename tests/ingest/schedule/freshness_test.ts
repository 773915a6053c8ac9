// How long a response is fresh, according to its headers.
import assert from "node:assert/strict";
import { freshUntil } from "../../../src/ingest/schedule/freshness.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");

Deno.test("freshUntil() reads Cache-Control, Age and Expires like a cache", () => {
  const rows: [headers: Record<string, string>, expectedSeconds: number | null][] = [
    [{}, null],
    [{ "cache-control": "max-age=600" }, 600],
    [{ "cache-control": 'public, Max-Age="600", must-revalidate' }, 600],
    [{ "cache-control": "max-age=600", age: "100" }, 500],
    [{ "cache-control": "max-age=600", age: "600" }, null],
    [{ "cache-control": "max-age=0" }, null],
    [{ "cache-control": "max-age=-5" }, null],
    [{ "cache-control": "max-age=soon" }, null],
    [{ "cache-control": "s-maxage=600" }, null],
    [{ "cache-control": "no-cache, max-age=600" }, null],
    [{ "cache-control": "no-store", expires: "Sat, 01 Aug 2026 11:00:00 GMT" }, null],
    [{ expires: "Sat, 01 Aug 2026 11:00:00 GMT" }, 3_600],
    [{ expires: "Sat, 01 Aug 2026 11:00:00 GMT", date: "Sat, 01 Aug 2026 10:30:00 GMT" }, 1_800],
    [{ expires: "Sat, 01 Aug 2026 09:00:00 GMT" }, null],
    [{ expires: "0" }, null],
    [{ expires: "Sat, 01 Aug 2026 11:00:00 GMT", "cache-control": "max-age=60" }, 60],
  ];
  for (const [headers, expected] of rows) {
    const until = freshUntil(headers, NOW);
    assert.equal(until === null ? null : (until - NOW) / 1_000, expected, JSON.stringify(headers));
  }
});
