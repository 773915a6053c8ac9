// Times relative to now.
import assert from "node:assert/strict";
import { formatRelative } from "../../src/cli/relative_time.ts";

const NOW = Date.UTC(2026, 7, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

Deno.test("formatRelative() uses the largest unit that fits at least once, rounded down", () => {
  const rows: [fromNowMs: number, text: string][] = [
    [0, "now"],
    [-59_999, "now"],
    [59_999, "now"],
    [-MINUTE, "1 min ago"],
    [59 * MINUTE + 59_999, "in 59 min"],
    [-HOUR, "1 h ago"],
    [23 * HOUR + 59 * MINUTE, "in 23 h"],
    [-DAY, "1 d ago"],
    [-29 * DAY, "29 d ago"],
    [-30 * DAY, "1 mo ago"],
    [-364 * DAY, "12 mo ago"],
    [365 * DAY, "in 1 y"],
  ];
  for (const [fromNowMs, text] of rows) assert.equal(formatRelative(NOW + fromNowMs, NOW), text);
});
