// Tables are fitted to the width of the terminal.
import assert from "node:assert/strict";
import { fitTable, formatTable, publishedCell } from "../../src/cli/table.ts";

const HEADER = ["ID", "KIND", "OWNER", "WHY"];
const ROWS = [
  ["id_1", "a-long-kind", "", "because it was written so, at some length"],
  ["id_2", "b", "", ""],
];
const FITTING = { drop: ["KIND", "OWNER"], cut: "WHY" };

Deno.test("fitTable() drops blank columns first, then others, and finally truncates", () => {
  const owned = ROWS.map((row) => row.with(2, "somebody"));
  const heads = (rows: string[][], width: number) =>
    fitTable(HEADER, rows, { ...FITTING, width }).split("\n")[0]?.split(/ +/);
  assert.equal(fitTable(HEADER, ROWS, { ...FITTING, width: 200 }), formatTable(HEADER, ROWS));
  assert.deepEqual(heads(ROWS, 62), ["ID", "KIND", "WHY"], "the blank column is dropped first");
  assert.deepEqual(heads(owned, 64), HEADER, "text is truncated before a column is dropped");
  assert.deepEqual(heads(owned, 54), ["ID", "OWNER", "WHY"]);
  assert.deepEqual(heads(owned, 30), ["ID", "WHY"]);
  const least = fitTable(HEADER, owned, { ...FITTING, leastCut: 38, width: 64 });
  assert.deepEqual(
    least.split("\n")[0]?.split(/ +/),
    ["ID", "OWNER", "WHY"],
    "leastCut keeps more of the text",
  );
  for (const rows of [ROWS, owned]) {
    for (const width of [62, 54, 40, 30, 20]) {
      const lines = fitTable(HEADER, rows, { ...FITTING, width }).trimEnd().split("\n");
      const isNarrow = lines.every((line) => line.length <= width);
      assert.deepEqual([lines.length, isNarrow], [3, true], lines.join("\n"));
    }
  }
  assert.match(fitTable(HEADER, ROWS, { ...FITTING, width: 24 }), /^id_1 {2}because it was wr…$/m);
});

Deno.test("publishedCell() is a date beside relative times, and a time beside times in UTC", () => {
  const atMs = Date.UTC(2026, 10, 20, 14);
  const event = { published_at: atMs, published_at_precision: "time" as const, published_on: "2026-11-20" };
  const row = [publishedCell(event), { atMs }];
  const relative = formatTable(["DATE", "TIME"], [row], {
    hasColours: false,
    relativeToMs: atMs + 3_600_000,
  });
  assert.equal(relative, "DATE        TIME\n2026-11-20  1 h ago\n");
  assert.equal(
    formatTable(["DATE", "TIME"], [row]).split("\n")[1],
    "2026-11-20 14:00:00  2026-11-20 14:00:00",
  );
});
