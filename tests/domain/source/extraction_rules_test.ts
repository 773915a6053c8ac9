// The placeholders for the days of a window are filled.
import assert from "node:assert/strict";
import { fillWindow, windowPlaceholders } from "../../../src/domain/source/extraction_rules.ts";

const WINDOW = { sinceMs: Date.parse("2026-07-30"), untilMs: Date.parse("2026-08-02") };

Deno.test("fillWindow() inserts the days of a window, unchanged and encoded for URLs", () => {
  const rows: [string, string][] = [
    ["{since}/{until}", "2026-07-30/2026-08-02"],
    ["/day/{since:yyyyMMdd}", "/day/20260730"],
    [new URL("https://a.org/{since:dd'/'MM'/'yyyy}?b={until}").href, "https://a.org/30/07/2026?b=2026-08-02"],
    ['{"a": {"b": "{since}"}, "c": {}}', '{"a": {"b": "2026-07-30"}, "c": {}}'],
    ["{other} {sincere}", "{other} {sincere}"],
  ];
  for (const [text, expected] of rows) assert.equal(fillWindow(text, WINDOW), expected);
});

Deno.test("windowPlaceholders() returns the placeholders and their formats", () => {
  assert.deepEqual(windowPlaceholders("{since} {until:yyyyMMdd} {x}"), [
    { name: "since", format: undefined },
    { name: "until", format: "yyyyMMdd" },
  ]);
});
