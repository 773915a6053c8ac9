// Wide characters in lists.
import assert from "node:assert/strict";
import { displayWidth } from "../../src/cli/display_width.ts";
import { cut, fitTable } from "../../src/cli/table.ts";

Deno.test("displayWidth() counts columns, and cut() keeps characters whole", () => {
  const rows: [text: string, width: number, cutTo6: string][] = [
    ["AI Act", 6, "AI Act"],
    ["人工智能", 8, "人工…"],
    ["法案 AI", 7, "法案 …"],
    ["cafe\u0301 Act", 8, "cafe\u0301 …"],
    ["⚖️🤖🤖🤖", 7, "⚖️🤖🤖…"],
  ];
  for (const [text, width, cutTo6] of rows) {
    assert.equal(displayWidth(text), width, text);
    assert.equal(cut(text, 6), cutTo6, text);
  }
});

Deno.test("a table with wide characters fits its width, with aligned columns", () => {
  const rows = [["人工智能监管机构发布的指南和标准", "evt_1"], ["Guidance", "evt_2"]];
  const lines = fitTable(["TITLE", "ID"], rows, { width: 24, drop: [], cut: "TITLE" }).trimEnd().split("\n");
  for (const line of lines.slice(1)) {
    assert.equal(displayWidth(line.slice(0, line.indexOf("evt_"))), 19, line);
  }
});
