// HTML templates escape their values, and Markdown is rendered as HTML.
import assert from "node:assert/strict";
import { Html, markup } from "../../src/web/html.ts";
import { headingsOf, inline, markdownToHtml, slug } from "../../src/web/markdown.ts";

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

Deno.test("markdownToHtml() renders the Markdown of the API descriptions", () => {
  const rows: [markdown: string, expected: string][] = [
    ["One\nline.\n\nAnother.", "<p>One line.</p><p>Another.</p>"],
    ["## Daily quota", '<h2 id="daily-quota">Daily quota</h2>'],
    ["- one\n  more\n- two", "<ul><li>one more</li><li>two</li></ul>"],
    ["```sh\na\n\n## b < c\n```", "<pre><code>a\n\n## b &lt; c</code></pre>"],
    ["Text\n\n```\nx\n```\n\nText", "<p>Text</p><pre><code>x</code></pre><p>Text</p>"],
    ["<script>", "<p>&lt;script&gt;</p>"],
  ];
  for (const [markdown, expected] of rows) assert.equal(markdownToHtml(markdown).text, expected);
  const table = markdownToHtml("| a | b |\n|---|---|\n| `x` | <i> |").text;
  assert.match(table, /<th scope="col">a<\/th><th scope="col">b<\/th>/);
  assert.match(table, /<td><code>x<\/code><\/td><td>&lt;i&gt;<\/td>/);
});

Deno.test("inline() renders code, bold and safe links, and leaves the rest unchanged", () => {
  const rows: [text: string, expected: string][] = [
    ["`a<b`", "<code>a&lt;b</code>"],
    ["`not_found`", "<code>not_<wbr>found</code>"],
    ["**`code` in bold:** more", "<strong><code>code</code> in bold:</strong> more"],
    ["[name](https://example.org/a?b=1&c)", '<a href="https://example.org/a?b=1&amp;c">name</a>'],
    ["[up](#keys)", '<a href="#keys">up</a>'],
    ["[no](javascript:alert)", "[no](javascript:alert)"],
    ["a * b ` c", "a * b ` c"],
  ];
  for (const [text, expected] of rows) assert.equal(inline(text).text, expected);
});

Deno.test("headingsOf() and slug() return the titles and ids of sections", () => {
  assert.deepEqual(headingsOf("Text\n\n## One\n\n### Not\n\n## Two words"), ["One", "Two words"]);
  assert.equal(slug("Bodies, and times!"), "bodies-and-times");
});
