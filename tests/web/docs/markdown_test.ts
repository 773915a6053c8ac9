// Markdown is rendered as HTML: safe links, escaped markup, anchors as on GitHub, tabs for samples.
import assert from "node:assert/strict";
import { anchorOf, createMarkdown, sectionsOf } from "../../../src/web/docs/markdown.ts";

function markdown() {
  let count = 0;
  return createMarkdown({
    urlOf: (target) => /^(?:https:|#)/.test(target) ? target : target === "a.md" ? "/docs/a" : null,
    operationUrl: (operation) =>
      operation === "GET /v1/events" ? "/docs/reference/events#op-listEvents" : null,
  }, { newId: () => `id${++count}`, copy: "Copy", copied: "Copied", language: "en" });
}

Deno.test("a text is rendered with code, bold and safe links, and markup is shown as text", () => {
  const rows: [text: string, expected: string][] = [
    ["`a<b`", "<code>a&lt;b</code>"],
    ["`not_found`", "<code>not_found</code>"],
    ["`subscription_key_lost`", "<code>subscription_<wbr>key_<wbr>lost</code>"],
    ["**`code` in bold:** more", "<strong><code>code</code> in bold:</strong> more"],
    ["[up](#keys)", '<a href="#keys">up</a>'],
    ["[guide](a.md)", '<a href="/docs/a">guide</a>'],
    [
      "[name](https://example.org/a?b=1&c)",
      '<a href="https://example.org/a?b=1&amp;c" rel="noopener noreferrer">name</a>',
    ],
    ["[no](javascript:alert)", "no"],
    ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
    ["![text](https://example.org/x.png)", "text"],
    [
      "`GET /v1/events?limit=1`",
      '<a href="/docs/reference/events#op-listEvents"><code>GET /v1/events?limit=1</code></a>',
    ],
    ["`GET /v1/nothing`", "<code>GET /v1/nothing</code>"],
  ];
  for (const [text, expected] of rows) assert.equal(markdown().inline(text).text, expected, text);
});

Deno.test("a document is rendered with anchors, tables whose cells name their columns, and escaped blocks", () => {
  const { html, headings } = markdown().render(
    "# Title\n\n## Two `words`, really\n\n| a | b |\n|---|---|\n| `x` | <i> |\n\n<script>alert(1)</script>\n",
  );
  assert.deepEqual(headings, [
    { id: "title", title: "Title", depth: 1 },
    { id: "two-words-really", title: "Two words, really", depth: 2 },
  ]);
  assert.match(html.text, /^<h1>Title<\/h1>\n<h2 id="two-words-really">Two <code>words<\/code>, really /);
  assert.match(html.text, /<td data-label="b"><div>&lt;i&gt;<\/div><\/td>/);
  assert.match(html.text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
});

Deno.test("consecutive blocks in different languages are tabs, of which the first is chosen; others are blocks", () => {
  const block = (language: string) => `\`\`\`${language}\n${language} < # x\n\`\`\`\n\n`;
  const tabs = (
    text: string,
  ) => [...markdown().render(text).html.text.matchAll(/<input type="radio"[^>]*>/g)];
  assert.equal(tabs(block("js") + block("python")).length, 2);
  assert.deepEqual(tabs(block("js") + block("python")).map(([input]) => / checked/.test(input)), [
    true,
    false,
  ]);
  assert.equal(tabs(block("js") + "Text\n\n" + block("python")).length, 0);
  assert.equal(tabs(block("js") + block("js")).length, 0);
  assert.equal(tabs(block("js") + block("json")).length, 0);
  const { html } = markdown().render(block("sh"));
  assert.match(
    html.text,
    /<pre id="id1" tabindex="0"><code>sh &lt;<span class="comment"> # x<\/span><\/code>/,
  );
  assert.match(html.text, /<button type="button" class="button quiet" data-copy="id1"[^>]* hidden>Copy</);
});

Deno.test("sectionsOf() returns the text of each section without markup and code", () => {
  const text =
    "# A\n\nOne **two** [three](#x).\n\n```sh\ncode\n```\n\n## B `b`\n\n- x\n- y\n\n| k | v |\n|---|---|\n| `l` | w |\n";
  assert.deepEqual(sectionsOf(text).map(({ heading, text }) => [heading.title, text]), [
    ["A", "One two three."],
    ["B b", "x y l – w."],
  ]);
});

Deno.test("anchorOf() returns GitHub's anchors", () => {
  const rows: [string, string][] = [
    ["Paging and polling", "paging-and-polling"],
    ["3. Receive a webhook", "3-receive-a-webhook"],
    ["Shell, with openssl", "shell-with-openssl"],
    ["Niveaux de gravité", "niveaux-de-gravité"],
  ];
  for (const [title, anchor] of rows) assert.equal(anchorOf(title), anchor);
});
