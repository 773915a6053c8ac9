// HTML templates escape their values.
import assert from "node:assert/strict";
import { Html, markup } from "../../src/web/html.ts";

Deno.test("markup escapes every value that is not HTML", () => {
  const rows: [value: Parameters<typeof markup>[1], expected: string][] = [
    ["<b>", "&lt;b&gt;"],
    [`"'&`, "&quot;&#39;&amp;"],
    [7, "7"],
    [null, ""],
    [new Html("<b>"), "<b>"],
    [["<", markup`<i>${"&"}</i>`, null], "&lt;<i>&amp;</i>"],
  ];
  for (const [value, expected] of rows) assert.equal(markup`<p>${value}</p>`.text, `<p>${expected}</p>`);
});
