// How the time of a parser must grow to be a finding.
import assert from "node:assert/strict";
import { slowness } from "./growth.ts";

/** `takes` is the time of a parser for a size, in ms; `found` is the first size that is a finding. */
const CASES: readonly { what: string; takes: (size: number) => number; found: number | null }[] = [
  { what: "linear time", takes: (size) => size / 500, found: null },
  { what: "n log n", takes: (size) => size * Math.log2(size) / 10_000, found: null },
  { what: "quadratic time", takes: (size) => size ** 2 / 10_000_000, found: 32_768 },
  { what: "quadratic time of long inputs only", takes: (size) => size ** 2 / 1_000_000_000, found: 524_288 },
  { what: "cubic time", takes: (size) => size ** 3 / 1e12, found: 65_536 },
  { what: "linear time beyond a limit", takes: (size) => size < 50_000 ? 0.4 : size / 800, found: null },
  {
    what: "quadratic time beyond a limit",
    takes: (size) => size < 50_000 ? 0.4 : size ** 2 / 1e8,
    found: 131_072,
  },
  { what: "linear time that is too steep", takes: (size) => size / 100, found: 524_288 },
];

for (const { what, takes, found } of CASES) {
  Deno.test(`${what} ${found === null ? "is not a finding" : `is a finding with ${found} characters`}`, async () => {
    const slow = await slowness(takes, { isWhole: true });
    assert.equal(slow?.size ?? null, found);
  });
}
