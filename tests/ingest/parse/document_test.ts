// Feeds of every format are parsed, even if they are damaged or truncated.
import assert from "node:assert/strict";
import type { ParsedDocument, ParsedItem } from "../../../src/ingest/parse/document.ts";
import { DocumentError, parseDocument } from "../../../src/ingest/parse/document.ts";
import { atom, bytesOf, jsonFeed, rss, SAME_IN_EVERY_FORMAT } from "./feeds.ts";

const parse = (text: string, maxItems = 100): ParsedDocument =>
  parseDocument(bytesOf(text), { contentType: null, maxItems });
const firstItem = (text: string): ParsedItem => {
  const [item] = parse(text).items;
  assert.ok(item, `an item in ${text}`);
  return item;
};
const titles = (text: string): (string | null)[] => parse(text).items.map(({ title }) => title);

Deno.test("parseDocument() detects every format by its content, and returns the same items for each", () => {
  const formats = { RSS: "rss", Atom: "atom", JSON: "json-feed" };
  for (const [name, text] of Object.entries(SAME_IN_EVERY_FORMAT)) {
    const document = parse(text);
    const expected = name === "RSS 1.0" ? "rdf" : formats[name.split(" ")[0] as keyof typeof formats];
    assert.equal(document.format, expected, name);
    assert.equal(document.title, "Board of Examples", name);
    assert.equal(document.language, "en-GB", name);
    assert.deepEqual(document.problems, [], name);
    assert.deepEqual(document.items.map(({ link }) => link), [
      "https://board.example/1",
      "https://board.example/2",
    ], name);
    assert.deepEqual(titles(text), ["Guidelines on Art. 50 &amp; labels", "Second"], name);
    assert.match(document.items[0]?.summary ?? "", /^(<p>)?First\.(<\/p>)?$/, name);
    assert.equal(document.items[1]?.summary, null, name);
  }
});

Deno.test("parseDocument() reads ids, dates, categories and updates of every format", () => {
  for (const name of ["RSS 2.0", "RSS 1.0", "Atom 1.0", "JSON Feed 1.1"]) {
    const [first, second] = parse(SAME_IN_EVERY_FORMAT[name] ?? "").items;
    assert.deepEqual([first?.guid, second?.guid], ["g1", "g2"], name);
    assert.match(first?.publishedText ?? "", /27.*09:37:55/, name);
    assert.deepEqual(first?.categories, ["AI", "Labels"], name);
    assert.deepEqual(second?.categories, [], name);
    assert.equal(first?.updatedText, name === "Atom 1.0" ? "2026-07-29T00:00:00Z" : null, name);
  }
  assert.equal(parse(SAME_IN_EVERY_FORMAT["Atom 0.3"] ?? "").items[0]?.publishedText, "2026-07-27T09:37:55Z");
});

Deno.test("parseDocument() reads the usual extensions of RSS", () => {
  const rows: [name: string, item: string, expected: Partial<ParsedItem>][] = [
    ["content:encoded", "<description/><content:encoded><![CDATA[<p>x</p>]]></content:encoded>", {
      summary: "<p>x</p>",
    }],
    ["description first", "<content:encoded>long</content:encoded><description>short</description>", {
      summary: "short",
    }],
    ["content without a namespace", "<content><![CDATA[<b>y</b>]]></content>", { summary: "<b>y</b>" }],
    ["dc:date", "<dc:date>2026-07-27</dc:date>", { publishedText: "2026-07-27" }],
    ["dcterms", "<dcterms:created>2026</dcterms:created><dcterms:modified>2027</dcterms:modified>", {
      publishedText: "2026",
      updatedText: "2027",
    }],
    ["a10:updated", "<pubDate>a</pubDate><a10:updated>b</a10:updated>", {
      publishedText: "a",
      updatedText: "b",
    }],
    ["atom:link", '<a10:link rel="self" href="s"/><a10:link rel="alternate" href="h"/>', { link: "h" }],
    ["a link element of its own namespace", '<link xmlns="http://www.w3.org/2005/Atom" href="own"/>', {
      link: "own",
    }],
    ["link before atom:link", '<a10:link rel="alternate" href="h"/><link> l </link>', { link: "l" }],
    ["dc:language", "<dc:language>fr</dc:language>", { language: "fr" }],
    ["dc:creator", "<dc:creator>A. Body</dc:creator><author>b@c.example</author>", {
      authors: ["A. Body", "b@c.example"],
    }],
    ["CDATA and entities", "<guid><![CDATA[ x&amp;y ]]></guid><title>a &amp; <![CDATA[<i>b</i>]]></title>", {
      guid: "x&amp;y",
      title: "a & <i>b</i>",
    }],
    ["unescaped markup", "<description><p>One <br> two & three</p></description>", {
      summary: "<p>One <br> two & three</p>",
    }],
    ["the first of several", "<title>one</title><title>two</title>", { title: "one" }],
    ["media:title is not a title", "<media:title>m</media:title>", { title: null }],
    ["upper case", "<TITLE>t</TITLE><PubDate>d</PubDate>", { title: "t", publishedText: "d" }],
  ];
  for (const [name, item, expected] of rows) {
    const found = firstItem(rss(`<item>${item}</item>`));
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(found[key as keyof ParsedItem], value, `${name}: ${key}`);
    }
  }
});

Deno.test("parseDocument() chooses the link to the page of an entry", () => {
  const rows: [links: string, expected: string | null][] = [
    ['<link rel="self" href="s"/><link rel="edit" href="e"/><link rel="enclosure" href="f.pdf"/>', null],
    ['<link rel="edit" href="e"/><link rel="alternate" type="a/pdf" href="p"/><link href="h"/>', "h"],
    ['<link rel="alternate" type="a/json" href="j"/><link rel="alternate" type="text/html" href="h"/>', "h"],
    ['<link href="plain"/><link rel="alternate" href="a"/>', "a"],
    ['<link rel="http://www.iana.org/assignments/relation/alternate" href="iana"/>', "iana"],
    ["<link rel='alternate' href='/a?b=1&amp;c=2'></link>", "/a?b=1&c=2"],
    ['<content src="https://board.example/c" type="text/html"/>', "https://board.example/c"],
    ['<source><link href="of-another-feed"/></source>', null],
  ];
  for (const [links, expected] of rows) {
    assert.equal(firstItem(atom(`<entry>${links}</entry>`)).link, expected, links);
  }
});

Deno.test("parseDocument() reads every type of Atom text as markup", () => {
  const rows: [element: string, expected: string | null][] = [
    ["<title>1 &lt; 2 &amp; 3</title>", "1 &lt; 2 &amp; 3"],
    ['<title type="text"><![CDATA[1 < 2]]></title>', "1 &lt; 2"],
    ['<title type="html">&lt;b&gt;x&lt;/b&gt; &amp;amp; y</title>', "<b>x</b> &amp; y"],
    ['<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">x <b>y</b></div></title>', "x <b>y</b>"],
    ['<title mode="escaped" type="text/html">&lt;i&gt;z&lt;/i&gt;</title>', "<i>z</i>"],
    ['<title mode="base64">eHl6</title>', null],
  ];
  for (const [element, expected] of rows) {
    const title =
      firstItem(atom(`<entry>${element}</entry>`)).title?.replace(/^<div[^>]*>(.*)<\/div>$/, "$1") ?? null;
    assert.equal(title, expected, element);
  }
  assert.equal(firstItem(atom('<entry><content type="a/pdf">JVBERi0</content></entry>')).summary, null);
});

Deno.test("parseDocument() reads base URLs and languages of the document and its items", () => {
  const document = parse(
    `<rss version="2.0"><channel xml:base="https://base.example/" xml:lang="de"><link>https://site.example/</link>
<ttl>15</ttl><item xml:base="/deep/" xml:lang="fr"><title>t</title></item></channel></rss>`,
  );
  const { baseUrl, language, ttlMinutes } = document;
  assert.deepEqual([baseUrl, language, ttlMinutes], ["https://base.example/", "de", 15]);
  assert.deepEqual([document.items[0]?.baseUrl, document.items[0]?.language], ["/deep/", "fr"]);
  assert.equal(parse(rss("")).baseUrl, "https://board.example/news");
  assert.equal(parse(atom("")).baseUrl, null, "the URL of the feed is not that of the site");
  assert.equal(parse(jsonFeed([], { home_page_url: "https://a.example/" })).baseUrl, "https://a.example/");
});

Deno.test("parseDocument() reads an empty feed without items or problems", () => {
  for (const text of [rss(""), atom(""), jsonFeed([]), '<rss version="2.0"><channel/></rss>', "<feed/>"]) {
    assert.deepEqual([parse(text).items, parse(text).problems], [[], []], text);
  }
});

Deno.test("parseDocument() reads the items before and after a damaged one", () => {
  const rows: [name: string, broken: string, title: string | null][] = [
    ["a bare <", "<title>5 < 6 and a<b</title>", "5 < 6 and a<b"],
    ["an element that is not closed", "<enclosure url='x'><title>t</title>", "t"],
    ["a title that is not closed", "<title>t<link>l</link>", "t"],
    ["a wrong end tag", "<title>t</title></wrong><link>l</link>", "t"],
    ["a bare &", "<title>R&D & law</title>", "R&D & law"],
    ["a name that JavaScript reserves", "<__proto__>x</__proto__><constructor/><title>t</title>", "t"],
    ["deep nesting", `<x>${"<y>".repeat(5000)}${"</y>".repeat(5000)}</x><title>t</title>`, "t"],
    ["a missing quotation mark", '<link href="x><title>t</title>', "t"],
    ["a comment", "<!-- <item><title>no</title></item> --><title>t</title>", "t"],
    ["an instruction", "<?php echo 1 ?><title>t</title>", "t"],
  ];
  for (const [name, broken, title] of rows) {
    const items = `<item><title>a</title></item><item>${broken}</item><item><title>b</title></item>`;
    assert.deepEqual(titles(rss(items)), ["a", title, "b"], name);
  }
  assert.deepEqual(titles(rss("<item><title>a</title><item><title>b</title></item>")), ["a", "b"]);
});

Deno.test("parseDocument() does not expand declared entities", () => {
  const bomb =
    `<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`;
  const text = rss("<item><title>&b;&c;</title></item>").replace("<rss", `${bomb}<rss`);
  assert.deepEqual(titles(text), ["&b;&c;"]);
});

Deno.test("parseDocument() reads the complete items of a truncated document and reports the truncation", () => {
  const whole = [
    rss("<item><title>a</title></item><item><title>b</title></item><item><title>zz</title></item>"),
    atom("<entry><title>a</title></entry><entry><title>b</title></entry><entry><title>zz</title></entry>"),
    jsonFeed([{ title: "a" }, { title: "b" }, { title: "zz" }]),
  ];
  for (const text of whole) {
    const broken = parse(text.slice(0, text.lastIndexOf("zz")));
    assert.deepEqual(broken.items.map(({ title }) => title), ["a", "b"]);
    const reason = "the document is truncated after item 2";
    assert.deepEqual(broken.problems, [{ item: "document", reason }]);
  }
});

Deno.test("parseDocument() reports values of a JSON Feed that are not items", () => {
  const document = parse(jsonFeed([{ id: 7, title: " t " }, null, "x", { authors: [{ name: "A" }, "B"] }]));
  assert.deepEqual(document.items.map(({ guid, title }) => [guid, title]), [["7", "t"], [null, null]]);
  assert.deepEqual(document.items[1]?.authors, ["A", "B"]);
  assert.deepEqual(document.problems.map(({ item }) => item), ["item 2", "item 3"]);
});

Deno.test("parseDocument() names the format of a document that is not a feed", () => {
  const rows: [text: string, message: RegExp][] = [
    ["", /^the document is empty$/],
    [" \n\t", /^the document contains only white space$/],
    ["<!doctype html><html><head><title>Not\n found</title>", /HTML page.*\(title: "Not found"\)/],
    ["<div>login</div>", /HTML page, not a feed; fetch_strategy = "html" reads it$/],
    ["<main><ul></ul></main>", /HTML page, not a feed/],
    ["<opml><body/></opml>", /OPML list of feeds, not a feed$/],
    ['<urlset xmlns="x"/>', /^this is a sitemap, not a feed; fetch_strategy = "sitemap" reads it$/],
    ["<akomaNtoso/>", /XML, but not a feed \(root element: "akomaNtoso"\)/],
    ['<rdf:RDF xmlns:rdf="x"><x/></rdf:RDF>', /RDF without a channel/],
    ['<rss version="2.0"></rss>', /RSS without a channel/],
    ["<?xml version='1.0'?><!-- x", /is truncated before its first element/],
    ["<rss><channel><title>t</title><item><title>a", /is truncated before the first complete item/],
    ['{"documents":[],"numFound":0}', /JSON, but not a JSON Feed/],
    ["[1,2]", /JSON, but not a JSON Feed/],
    ['{"version":"https://jsonfeed.org/version/1.1","items":[{"id":', /JSON is truncated/],
    ['{"a":tru}', /JSON is truncated or not valid/],
    ["Service unavailable", /plain text, not a feed \(it begins: "Service unavailable"\)/],
    ["Write to ana@board.example", /plain text, not a feed \(it begins: "Write to …"\)/],
    ["%PDF-1.7", /a PDF file/],
    ["\x1f", /plain text/],
  ];
  for (const [text, message] of rows) {
    assert.throws(() => parse(text), (error) => {
      assert.ok(error instanceof DocumentError, text);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("parseDocument() finds every complete item wherever an RSS document is cut", () => {
  const text = rss(
    Array.from({ length: 5 }, (_, index) => `<item><title>t${index}</title></item>`).join("\n"),
  );
  for (let length = 1; length < text.length; length++) {
    const cut = text.slice(0, length);
    const complete = cut.split("</item>").length - 1;
    if (complete === 0) assert.throws(() => parse(cut), DocumentError);
    else assert.equal(parse(cut).items.length, complete, cut);
  }
});

Deno.test("parseDocument() reads hostile repetition in linear time", () => {
  const beginnings = [
    rss("<item><title>t</title></item>").replace("</channel></rss>", ""),
    '<rss version="2.0"><channel><item>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml">',
    '{"version":"https://jsonfeed.org/version/1.1","items":[',
    "",
  ];
  const repeated = (`<|</|<a>|</a>|<a x="<a" |<a b='|<!--|<![CDATA[|<!x>|<?|<item>|<title>|<item><title>|` +
    `<x1><x2><x3>|<link href='x'/>|&amp;|{|[|"|a=`).split("|");
  for (const beginning of beginnings) {
    for (const piece of repeated) {
      const bytes = bytesOf(beginning + piece.repeat(100_000));
      try {
        parseDocument(bytes, { contentType: null, maxItems: 10 });
      } catch (error) {
        assert.ok(error instanceof DocumentError, `${beginning} ${piece}`);
      }
    }
  }
});

Deno.test("parseDocument() reads a feed after other text and reports the text, but does not read XML within a page", () => {
  const warnings = "<br />\n<b>Warning</b>:  Undefined variable in /x.php on line 3<br />\n";
  const document = parse(`${warnings}<?xml version="1.0"?>${rss("<item><title>a</title></item>")}`);
  assert.deepEqual(document.items.map(({ title }) => title), ["a"]);
  assert.match(document.problems[0]?.reason ?? "", /^there is other text before the feed/);
  assert.deepEqual(parse(`\n\n<?xml version="1.0"?>${rss("<item><title>a</title></item>")}`).problems, []);
  const page = `<html><body><pre><?xml version="1.0"?>${
    rss("<item><title>a</title></item>")
  }</pre></body></html>`;
  assert.throws(() => parse(page), /HTML page/);
});
