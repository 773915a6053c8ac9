// The readers that follow a source's rules: JSON and HTML lists, single pages, and sitemaps.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Reading } from "../../../src/domain/source/extraction_rules.ts";
import { DocumentError, parseDocument } from "../../../src/ingest/parse/document.ts";
import { inflateFile } from "../../../src/ingest/parse/inflate.ts";
import { readSitemap } from "../../../src/ingest/parse/formats/read_sitemap.ts";
import { bytesOf } from "./feeds.ts";

const parse = (text: string, reading: Reading, maxItems = 100) =>
  parseDocument(bytesOf(text), { contentType: null, maxItems, reading });
const json = (
  items: string,
  fields: Reading["fields"],
  more: Partial<Extract<Reading, { kind: "json" }>> = {},
) => ({ kind: "json", items: [items], fields, dateFormat: null, next: null, ...more }) satisfies Reading;
const html = (item: string, fields: Reading["fields"]) =>
  ({ kind: "html", item, fields, dateFormat: null, next: null }) satisfies Reading;

/** A name, a document, the path of its items, a rule, and the titles that the rule finds. */
const PATHS: [string, string, string, string, string[]][] = [
  ["keys", '{"a":{"b":[{"t":"1"},{"t":"2"}]}}', "a.b", "t", ["1", "2"]],
  ["the document itself is the list", '[{"t":"1"}]', "", "t", ["1"]],
  ["the document itself is the item", '{"t":"1"}', "", "t", ["1"]],
  ["nested lists", '{"a":[{"b":[{"t":"1"}]},{"b":{"t":"2"}},{}]}', "a.b", "t", ["1", "2"]],
  ["a position in a list", '{"a":[{"t":"0"},{"t":"1"}]}', "a.1", "t", ["1"]],
  ["every key", '{"x":{"t":"1"},"y":{"t":"2"}}', "*", "t", ["1", "2"]],
  ["keys with dots and signs", '{"a.b":[{"@x":{"#text":"1"}}]}', '"a.b"', "@x.#text", ["1"]],
  ["the first of a list", '[{"t":["1","2"]}]', "", "t", ["1"]],
  ["numbers", '[{"t":7}]', "", "t", ["7"]],
  ["a template", '[{"a":"x","b":{"c":2}}]', "", "{a}-{b.c}", ["x-2"]],
  ["only own keys", '[{"t":"1"}]', "", "t", ["1"]],
];

Deno.test("paths find items and values through lists and unusual keys", () => {
  for (const [what, text, items, title, expected] of PATHS) {
    const found = parse(text, json(items, { title: [title] })).items.map((item) => item.title);
    assert.deepEqual(found, expected, what);
  }
});

Deno.test("missing values, values of other types and prototype properties are ignored, and the next rule is tried", () => {
  const text = '[{"a":null,"b":"","c":{},"d":[],"e":false,"t":"last"}]';
  const rules = ["a", "b", "c", "d", "e", "constructor.name", "__proto__", "x.y.z", "{a}{t}", "t"];
  assert.deepEqual(parse(text, json("", { title: rules })).items[0]?.title, "last");
});

Deno.test("values in links are encoded, and only text with tags is markup", () => {
  const [item] = parse(
    '[{"id":"a b/c?d&e","t":"x < y & <z>","s":"<mark>AI</mark> &amp; law"}]',
    json("", { link: ["https://a.org/{id}"], title: ["t"], summary: ["s"] }),
  ).items;
  assert.equal(item?.link, "https://a.org/a%20b/c%3Fd%26e");
  assert.equal(item?.title, "x &lt; y &amp; &lt;z>");
  assert.equal(item?.summary, "<mark>AI</mark> &amp; law");
});

Deno.test("an invalid item is refused, and a truncated document yields its complete items", () => {
  const reading = json("r", { title: ["t"] });
  const document = parse('{"r":[{"t":"1"},5,null,{"x":1},{"t":"2"}]}', reading);
  assert.deepEqual(document.items.map(({ title }) => title), ["1", "2"]);
  assert.deepEqual(document.problems, [
    { item: "item 2", reason: "it is not an object" },
    { item: "item 3", reason: "it is not an object" },
    { item: "item 4", reason: "it has no id, link, title or summary" },
  ]);
  const broken = parse('{"n":1,"r":[{"t":"1","l":[{"x":{}}]},{"t":"2"},{"t":"3', reading);
  assert.deepEqual(broken.items.map(({ title }) => title), ["1", "2"]);
  assert.deepEqual(broken.problems, [{ item: "document", reason: "the document is truncated after item 2" }]);
  const deep = parse('{"a":{"b":[{"t":"1"},{"t":', json("a.b", { title: ["t"] }));
  assert.deepEqual(deep.items.map(({ title }) => title), ["1"]);
});

Deno.test("a page that is truncated within an item yields the items before it; missing end tags lose nothing", () => {
  const reading = html("li", { title: ["h3"] });
  const titles = (text: string, rules = reading) => {
    const { items, problems } = parse(text, rules);
    return [
      items.map(({ title }) => title?.trim()),
      problems.map(({ item, reason }) => `${item}: ${reason}`),
    ];
  };
  const head = "<html><body><main><ul><li><h3>One</h3><p>1</p></li><li><h3>Two</h3></li>";
  const whole = (...words: string[]) => [words.map((word) => `<h3>${word}</h3>`), []];
  const cut = [whole("One", "Two")[0], ["document: the page is truncated after item 2"]];
  assert.deepEqual(titles(`${head}<li><h3>Thr`), cut, "within the title");
  assert.deepEqual(titles(`${head}<li><h3>Three</h3><a hre`), cut, "within a tag");
  assert.deepEqual(titles(`${head}<li><h3>Three</h3><div>`), cut, "after the title");
  assert.deepEqual(titles(head), whole("One", "Two"), "between two items");
  assert.deepEqual(titles(`${head}</ul></main></body></html>`), whole("One", "Two"));
  assert.deepEqual(titles(`${head}<li><div><h3>Three</h3></body>`), whole("One", "Two", "Three"));
  assert.deepEqual(titles("<ul><li><h3>One</h3><li><h3>Two</h3></ul>"), whole("One", "Two"));
  assert.deepEqual(titles("<li><h3>One</h3><li><h3>Two</h3>"), whole("One", "Two"), "optional end tags");
  const endless = html("div", { title: ["h3"] });
  assert.deepEqual(titles("<div><h3>One</h3><div><h3>Two</h3>", endless)[1], [], "no item is closed");
  assert.throws(() => titles("<ul><li><h3>On"), /is truncated before the end of its first item/);
  const xml = html("item", { title: ["name"] });
  assert.deepEqual(titles('<?xml version="1.0"?><a><item><name>1</name></item><item><name>2</name>', xml), [
    ["1"],
    ["document: the page is truncated after item 1"],
  ]);
});

Deno.test("dates are read in the configured format, or by default in any known format", () => {
  const reading = json("", { title: ["t"], published: ["d"] }, { dateFormat: "MM/dd/yyyy HH:mm" });
  const dates = (text: string) =>
    parse(`[{"t":"x","d":${JSON.stringify(text)}}]`, reading).items[0]?.publishedText;
  assert.equal(dates("07/09/2026 14:30"), "2026-07-09T14:30:00");
  assert.equal(dates("9 July 2026"), "9 July 2026");
});

Deno.test("items, nested lists, depth and elements are limited", () => {
  const many = JSON.stringify(Array.from({ length: 300 }, (_, n) => ({ t: `${n}` })));
  assert.equal(parse(many, json("", { title: ["t"] }), 200).items.length, 200);
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  assert.throws(() => parse(`{"a":${deep}}`, json("a", { title: ["t"] })), /more than 1000 levels/);
  const nested = `<ul>${"<div>".repeat(3_000)}<li><h3>deep</h3></li>`;
  const cut = parse(nested, html("li", { title: ["h3"] }));
  assert.deepEqual(cut.items, []);
  assert.match(cut.problems[0]?.reason ?? "", /^elements nested more than 512 levels deep \(2491 in total\)/);
  const shallow = parse(nested.replace("<div>".repeat(2_500), ""), html("li", { title: ["h3"] }));
  assert.deepEqual([shallow.items.length, shallow.problems], [1, []]);
  assert.throws(() => parse("<i>".repeat(5_000), html("li", {})), /more than 4000 levels/);
  const elements = "<b></b>".repeat(300_001);
  assert.throws(() => parse(elements, html("b", { title: [""] })), /more than 300000 elements/);
});

Deno.test("a page with matching elements nested in each other is refused if the search takes too many steps", () => {
  const deep = `${"<div>".repeat(500)}${"<p>text</p>".repeat(4_000)}`;
  assert.throws(() => parse(deep, html("div", { title: ["h1"] })), /takes too long to search/);
  const wide = `<ul>${"<li><h3>text</h3></li>".repeat(3_000)}</ul>`;
  assert.equal(parse(wide, html("li", { title: ["h3:first-child"] }), 3_000).items.length, 3_000);
  assert.throws(() => parse(wide, html("h4 ~ li", { title: ["h3"] }), 3_000), /takes too long to search/);
});

Deno.test("selectors find items in HTML and XML, and entities are never expanded", () => {
  const rows: [string, string, Reading["fields"], (string | null)[][]][] = [
    ["<ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>", "li", { link: ["a@href"], title: ["a"] }, [
      ["/1", "<a href=/1>One</a>"],
      ["/2", "<a href=/2>Two</a>"],
    ]],
    ['<a class="n" href="/1" title="1 &amp; 2">x</a>', "a.n", { link: ["@href"], title: ["@title"] }, [
      ["/1", "1 &amp; 2"],
    ]],
    [
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "boom">]><items><item><link>http://a.org/1</link>' +
      "<t>A &x; <![CDATA[<b>B</b>]]></t></item></items>",
      "item",
      { link: ["link"], title: ["t"] },
      [["http://a.org/1", "A &x; <b>B</b>"]],
    ],
  ];
  for (const [text, item, fields, expected] of rows) {
    const found = parse(text, html(item, fields)).items.map(({ link, title }) => [link, title]);
    assert.deepEqual(found, expected, text);
  }
});

Deno.test("a page is one item, read by its rules and then by common selectors", () => {
  const reading: Reading = { kind: "page", fields: { published: [".date"] }, dateFormat: "dd.MM.yyyy" };
  const text = `<html lang="de"><title>Titel | Amt</title><link rel="canonical" href="https://a.org/x">
<meta name="Description" content="Worum es geht."><h1>Titel</h1><p class="date">31.07.2026</p><time datetime="2020-01-01">`;
  const { items: [item], language } = parse(text, reading);
  assert.equal(language, "de");
  assert.deepEqual([item?.title, item?.summary, item?.publishedText, item?.link], [
    "<h1>Titel</h1>",
    "Worum es geht.",
    "2026-07-31",
    "https://a.org/x",
  ]);
  assert.throws(() => parse("<p>no title", reading), /the page has no title/);
});

Deno.test("a document whose format the rules do not expect is refused, and the error names the format", () => {
  const rows: [string, Reading, RegExp][] = [
    ["<html><title>Login</title>", json("", {}), /this is a page of HTML or XML, not JSON/],
    ['{"a":1}', html("li", {}), /this is JSON, not a page/],
    ["plain words", html("li", {}), /this is plain text, not a page/],
    ["", html("li", {}), /the document is empty/],
    ["%PDF-1.7", html("li", {}), /this is a PDF file, not a page/],
    ['{"head":{}}', { kind: "sparql", fields: {}, dateFormat: null }, /at "results.bindings": it has head/],
  ];
  for (const [text, reading, expected] of rows) {
    assert.throws(
      () => parse(text, reading),
      (error) => error instanceof DocumentError && expected.test(error.message),
    );
  }
});

Deno.test("readSitemap() reads the entries around an invalid one, and ignores the URLs of images", () => {
  const limits = { contentType: null, maxEntries: 4 };
  const text =
    `<?xml version="1.0"?><urlset xmlns:image="x" xmlns:news="y"><url><image:image><image:loc>https://a.org/i.png
</image:loc></image:image><loc> https://a.org/1?a=1&amp;b=2 </loc><lastmod>2026-07-31</lastmod>
<news:news><news:title>One &amp; two</news:title></news:news></url><url><lastmod>2026-07-31</lastmod></url>
<url><loc>https://a.org/2</loc><url><loc>https://a.org/3</loc></url><url><loc>https://a.org/4</loc></url>`;
  const map = readSitemap(bytesOf(text), limits);
  const paths = ["1?a=1&b=2", "2", "3", "4"];
  assert.deepEqual(map.entries.map(({ address }) => address), paths.map((path) => `https://a.org/${path}`));
  const { lastmod, title } = map.entries[0] ?? {};
  assert.deepEqual([lastmod, title], ["2026-07-31", "One & two"]);
  assert.deepEqual(map.problems, [
    { item: "item 2", reason: "it has no URL" },
    { item: "document", reason: "the sitemap is truncated after item 5" },
  ]);
});

Deno.test("readSitemap() keeps the most recently changed entries of a sitemap that is too long", () => {
  const entry = (day: number) =>
    `<url><loc>https://a.org/${day}</loc>${day === 0 ? "" : `<lastmod>2026-07-${10 + day}</lastmod>`}</url>`;
  for (const order of ["1234567890", "9876543210", "8190234567"]) {
    const days = [...order].map(Number);
    const text = `<urlset>${days.map(entry).join("")}</urlset>`;
    const map = readSitemap(bytesOf(text), { contentType: null, maxEntries: 3 });
    const newest = days.filter((day) => day >= 7).map((day) => `https://a.org/${day}`);
    assert.deepEqual(map.entries.map(({ address }) => address), newest, "in the map's order");
    assert.deepEqual(map.problems, [
      { item: "document", reason: "entries beyond the newest 3 (7 in total) are ignored" },
    ]);
  }
});

Deno.test("inflateFile() inflates gzip up to a limit, and returns other bytes unchanged", async () => {
  const text = bytesOf("<urlset></urlset>".repeat(10_000));
  const packed = new Uint8Array(gzipSync(text));
  assert.deepEqual(await inflateFile(packed, text.length), text);
  assert.deepEqual(await inflateFile(text, 1), text);
  await assert.rejects(inflateFile(packed, text.length - 1), /has more than 169999 bytes when inflated/);
  await assert.rejects(inflateFile(packed.slice(0, 100), text.length), /not valid gzip/);
  await assert.rejects(inflateFile(Uint8Array.of(0x1f, 0x8b, 8, 0, 1), 10), /not valid gzip/);
});

Deno.test("the start of an item closes the previous one and its open elements, except in nested lists", () => {
  const names = Array.from({ length: 400 }, (_, at) => `${at}`);
  const rows: [what: string, item: string, text: string][] = [
    ["list", "ul > li", `<ul>${names.map((name) => `<li><b><i><a>${name}</a>`).join("")}</ul>`],
    ["definitions", "dd", `<dl>${names.map((name) => `<dt><b>x<dd><em><a>${name}</a>`).join("")}</dl>`],
    ["table", "tr", `<table>${names.map((name) => `<tr><td><b><td><i><a>${name}</a>`).join("")}</table>`],
    [
      "a list within each item",
      "ul.outer > li",
      `<ul class=outer>${names.map((name) => `<li><b><a>${name}</a><ul><li>x<li>y</ul>`).join("")}</ul>`,
    ],
  ];
  for (const [what, item, text] of rows) {
    const { items, problems } = parse(text, html(item, { title: ["a"], id: ["a"] }), 1_000);
    const expected = names.map((name) => `<a>${name}</a>`);
    assert.deepEqual([items.map(({ title }) => title), problems], [expected, []], what);
  }
});

Deno.test("a number with too many digits is kept as text", () => {
  const items =
    '[{"t":12345678901234567890},{"t":12345678901234567891},{"t":-9007199254740993},{"t":1e3},{"t":1.50}]';
  const parsed = parse(`{"a":${items},"cut":"1234567890123456"}`, json("a", { title: ["t"] }));
  const titles = ["12345678901234567890", "12345678901234567891", "-9007199254740993", "1000", "1.5"];
  assert.deepEqual(parsed.items.map(({ title }) => title), titles);
});
