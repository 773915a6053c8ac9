// Byte counts are formatted for people.
import assert from "node:assert/strict";
import { formatBytes } from "../../src/domain/format_bytes.ts";

Deno.test("formatBytes() uses decimal units, as disk manufacturers do", () => {
  const cases: [number, string][] = [
    [0, "0 bytes"],
    [999, "999 bytes"],
    [1_500, "1.5 kB"],
    [123e6, "123 MB"],
    [2e12, "2.0 TB"],
    [5e15, "5000 TB"],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
});
