// Unclosed CDATA sections: their item is refused, and no other item is lost.
import assert from "node:assert/strict";
import { DocumentError, type ParsedDocument, parseDocument } from "../../../src/ingest/parse/document.ts";
import { bytesOf, rss } from "./feeds.ts";

const parse = (text: string): ParsedDocument =>
  parseDocument(bytesOf(text), { contentType: null, maxItems: 100 });

Deno.test("parseDocument() refuses an item with an unclosed CDATA section, and reads the others", () => {
  const item = (title: string, description: string) =>
    `<item><title>${title}</title><description>${description}</description></item>`;
  const whole = (title: string) => item(title, `<![CDATA[<p>${title}</p>]]>`);
  const open = item("broken", "<![CDATA[<p>no end</p>");
  const plain = (title: string) => item(title, "in words");
  const rows: [name: string, items: string, titles: string[], refused: string[]][] = [
    ["the others have none", plain("a") + open + plain("b"), ["a", "b"], ["item 2"]],
    ["the others have some", whole("a") + open + whole("b") + whole("c"), ["a", "b", "c"], ["item 2"]],
    ["the first", open + whole("a"), ["a"], ["item 1"]],
    ["the last", whole("a") + open, ["a"], ["item 2"]],
    ["two in a row", whole("a") + open + open + whole("b"), ["a", "b"], ["item 2", "item 3"]],
    ["two in one", `<item><title><![CDATA[t</title>${open.slice(6)}${whole("a")}`, ["a"], ["item 1"]],
    ["all", open + open, [], ["item 1", "item 2"]],
    ["spaces between items", `${whole("a")}\n ${open}\n\n ${whole("b")}\n`, ["a", "b"], ["item 2"]],
    ["a comment that names one", `<!-- <![CDATA[ -->${whole("a")}<!-- x -->${whole("b")}`, ["a", "b"], []],
    ["a comment in one", item("a", "<![CDATA[<!-- x]]>") + whole("b"), ["a", "b"], []],
    ["one that names itself", item("a", "<![CDATA[write <![CDATA[ so]]>") + whole("b"), ["a", "b"], []],
    [
      "one that quotes a feed",
      item("a", `<![CDATA[${plain("x")}${plain("y")}]]>`) + whole("b"),
      ["a", "b"],
      [],
    ],
  ];
  for (const [name, items, titles, refused] of rows) {
    const document = parse(rss(items));
    assert.deepEqual(document.items.map(({ title }) => title), titles, name);
    assert.deepEqual(document.problems.map(({ item }) => item), refused, name);
    for (const { reason } of document.problems) assert.match(reason, /^a CDATA section in it is not closed/);
    assert.ok(document.items.every(({ summary }) => !summary?.includes("no end")), name);
  }
  const entry = (title: string, end: string) =>
    `<a:entry><a:title>${title}</a:title><a:content type="html"><![CDATA[${title}${end}</a:content></a:entry>`;
  const entries = entry("a", "]]>") + entry("b", "") + entry("c", "]]>");
  const atomFeed = parse(`<a:feed xmlns:a="http://www.w3.org/2005/Atom">${entries}</a:feed>`);
  assert.deepEqual(atomFeed.items.map(({ title, summary }) => [title, summary]), [["a", "a"], ["c", "c"]]);
  assert.deepEqual(atomFeed.problems.map(({ item }) => item), ["item 2"]);
});

Deno.test("parseDocument() closes a CDATA section before the first item, and reports a truncated feed", () => {
  const head = parse(rss(`<title><![CDATA[Board</title><item><title><![CDATA[a]]></title></item>`));
  assert.deepEqual(head.items.map(({ title }) => title), ["a"]);
  assert.deepEqual(head.problems.map(({ item, isMeant }) => [item, isMeant]), [["document", true]]);
  const cut = parse('<rss version="2.0"><channel><item><title>a</title></item><item><title><![CDATA[b');
  assert.deepEqual(cut.items.map(({ title }) => title), ["a"]);
  assert.deepEqual(cut.problems, [{ item: "document", reason: "the document is truncated after item 1" }]);
});

Deno.test("parseDocument() reads 10,000 unclosed CDATA sections in linear time", () => {
  const count = 10_000;
  const pieces: [piece: string, after: string, items: number][] = [
    ["<item><title><![CDATA[x</title></item>", "", 0],
    ["<item><title><![CDATA[x</title></item>", "<item><title><![CDATA[x]]></title></item>", 1],
    ["<item><title><![CDATA[x</title></item>y", "]]>", 1],
    ["<item><title><![CDATA[<![CDATA[x]]></title></item>", "", count],
    ["<![CDATA[<![CDATA[]]>", "<item><title>x</title></item>", 1],
    ["<item><title><![CDATA[x]]></title></item><!-- <![CDATA[ -->", "", count],
    ["<item><title><![CDATA[", "", 0],
    ["</item> <![CDATA[", "</item></item>", 0],
  ];
  for (const [piece, after, items] of pieces) {
    const bytes = bytesOf(rss(piece.repeat(count) + after));
    try {
      const read = parseDocument(bytes, { contentType: null, maxItems: count + 1 }).items.length;
      assert.equal(read, items, piece);
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      assert.equal(items, 0, `${piece}: ${error.message}`);
    }
  }
});
