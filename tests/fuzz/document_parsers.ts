// Parsers of documents (feeds, sitemaps, JSON, pages, SPARQL results), from the bytes to classified items.
import { createClassifier } from "../../src/classify/classify.ts";
import { NO_ADDITIONS } from "../../src/classify/configured_rules.ts";
import type { Reading } from "../../src/domain/source/extraction_rules.ts";
import { describeBlock } from "../../src/ingest/fetch/block_detection.ts";
import { classifyRequest } from "../../src/ingest/revise/classifier_input.ts";
import { hashesOf, identifyItems } from "../../src/ingest/identify/identify.ts";
import { PLAIN_IDENTITY } from "../../src/ingest/identify/identity_rule.ts";
import { type NormalisedItem, normaliseItem } from "../../src/ingest/normalise/item.ts";
import { DocumentError, parseDocument } from "../../src/ingest/parse/document.ts";
import { previewDocument } from "../../src/ingest/parse/preview_document.ts";
import { readSitemap } from "../../src/ingest/parse/formats/read_sitemap.ts";
import { SAME_IN_EVERY_FORMAT } from "../ingest/parse/feeds.ts";
import { type FuzzedParser, splitTokens } from "./fuzzed_parser.ts";

const URL_OF_SAMPLES = "https://board.example/list";
const { classify } = createClassifier(NO_ADDITIONS);

/** Parses and classifies a document as a fetch does. */
function readItems(text: string, reading: Reading | null, contentType: string | null): void {
  refusing(() => {
    const document = parseDocument(new TextEncoder().encode(text), {
      contentType,
      maxItems: 20_000,
      timezone: "Europe/Berlin",
      reading,
      url: URL_OF_SAMPLES,
    });
    const items: NormalisedItem[] = [];
    for (const [position, item] of document.items.entries()) {
      const outcome = normaliseItem(item, {
        document,
        documentUrl: URL_OF_SAMPLES,
        baseUrl: "https://board.example",
        timezone: "Europe/Berlin",
        position,
      });
      if (!outcome.ok) continue;
      items.push(outcome.item);
      const stated = { sourceId: "board", statedLanguages: ["en"] };
      const { relevant, eventType, topics, severity, aiActArticles } = classify(
        classifyRequest(outcome.item, stated),
      );
      void [relevant, eventType, topics, severity, aiActArticles];
    }
    identifyItems(items, PLAIN_IDENTITY, null, hashesOf);
  });
}

function refusing(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
  }
}

const MARKUP = splitTokens("<|>|/|=|\"|'|&|;| |\n|\t|\u0000|a|A|1|.|-|:|#|?|!|[|]");
const XML = [
  ...MARKUP,
  ...splitTokens(
    '<a>|</a>|<a|<a |</|<a/>|<a b=|<a b="|<!--|-->|<!---->|<!-- a -->\n|<![CDATA[|]]>|<?|?>|<!|' +
      '<!DOCTYPE a [|<!ENTITY a "b">|]>|&amp;|&#38;|&lt;|&a;|=>|a="b" |a#=| xmlns:a#="b"|' +
      ' xmlns="http://www.w3.org/2005/Atom/"|<a#>|</a#>',
  ),
];
const FEED = [
  ...XML,
  ...splitTokens(
    "<item>|</item>|<item><title>a</title></item>|<entry>|</entry>|<channel>|</channel>|<title>|" +
      '</title>|<link |<link>|<link href="a"/>|<description>|</description>|<category>a</category>|' +
      "<author>|<name>|<guid>|<pubDate>|Mon, 27 Jul 2026 09:37:55 GMT|&lt;p&gt;|&amp;amp;|AI Act |" +
      "Art. 5, |Artikel 5 Absatz 1 |Annex III |Regulation (EU) |Data Protection |e.g. |" +
      "https://a.example/b?c=d&|//|%20|utm_a=b&|\u00e4|e\u0301|\u200b|\ufffd",
  ),
];
const HTML = [
  ...XML,
  ...splitTokens(
    "<li>|</li>|<ul>|</ul>|<ul><li>|<div>|</div>|<p>|</p>|<td>|<tr>|<table>|</table>|<table><tr><td>|" +
      "<option>|<select>|<dd>|<dl>|<b>|<i>|<b><i>|<a href=|<br>|<script>|</script>|<style>|<title>|" +
      "</title>|<textarea>|<svg>|<math>|<form>|<time datetime=a>|<h1>|<main>|" +
      "<meta name=description content=a>|<meta charset=|</body>|<html>|&nbsp",
  ),
];
const JSON_TOKENS = splitTokens(
  '{|}|[|]|,|:|"|\\|\\"|\\u0041|1|-|e| |\n|"a":|"a#":1,|{"a":|[[|[{|{},|[],|' +
    '{"title":"a","link":"b"},|1234567890123456|12345678901234567890,|null,|"<p>",|<|&|&lt;p&gt;|' +
    "2026-07-31T10:00:00Z|a|\u00e4",
);

const LISTING = `<!doctype html><html lang="en"><head><title>List</title></head><body><ul>
<li class="item"><a href="/1">Guidelines on Article 50 of the AI Act</a><time>30 July 2026</time><p>They apply.</p></li>
<li class="item"><a href="/2">Second</a><time>2026-07-29</time></li></ul><a rel="next" href="?page=2">Next</a></body></html>`;
const PAGE =
  `<!doctype html><html lang="en"><head><title>Guidelines</title><meta property="og:title" content="Guidelines">
<meta name="description" content="They concern the AI Act."><meta property="article:published_time" content="2026-07-30">
</head><body><main><h1>Guidelines</h1><p>They concern Article 50 of the AI Act.</p></main></body></html>`;
const ROWS = `{"data":{"found":[{"title":"Guidelines","link":"/1","date":"30.07.2026","tags":["AI"]},` +
  `{"title":"Second","link":"/2"}]},"next":"abc"}`;
const BINDINGS = `{"head":{"vars":["title","link"]},"results":{"bindings":[{` +
  `"title":{"type":"literal","xml:lang":"en","value":"Guidelines"},` +
  `"link":{"type":"uri","value":"https://board.example/1"},"date":{"type":"literal","value":"2026-07-30"}}]}}`;
const MAP = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://board.example/1</loc><lastmod>2026-07-31T10:00:00Z</lastmod></url>
<url><loc>https://board.example/2</loc><news:news><news:title>Second</news:title></news:news></url></urlset>`;
const MAP_TOKENS = [
  ...XML,
  ...splitTokens(
    "<url>|</url>|<url><loc>a</loc></url>|<loc>|</loc>|<lastmod>|<news:title>|<a#:url>|<a#:loc>|" +
      "<image:loc>|<sitemap>|</urlset>|https://a.example/#",
  ),
];

const json: Reading = {
  kind: "json",
  items: ["data.found"],
  fields: {
    title: ["title"],
    link: ["link"],
    published: ["date"],
    categories: ["tags", "*.*"],
    summary: ["text.*.body"],
  },
  dateFormat: "dd.MM.yyyy",
  next: "next",
};
const listing: Reading = {
  kind: "html",
  item: "li.item",
  fields: {
    title: ["a"],
    link: ["a@href"],
    published: ["time@datetime", "time"],
    summary: ["p:not(:first-child)", "p"],
  },
  dateFormat: null,
  next: 'a[rel="next"]@href',
};
const nested: Reading = {
  kind: "html",
  item: "div div, ul > li, tr",
  fields: {
    title: ["a, b", "h1 ~ p", "td + td"],
    link: ["a[href*=x]@href", "@href"],
    summary: [":has(> p) p"],
  },
  dateFormat: null,
  next: null,
};
const page: Reading = { kind: "page", fields: {}, dateFormat: null };
const sparql: Reading = {
  kind: "sparql",
  fields: { title: ["title"], link: ["link"], published: ["date"], language: ["title@lang"] },
  dateFormat: null,
};

export const DOCUMENT_PARSERS: readonly FuzzedParser[] = [
  ...["RSS 2.0", "RSS 1.0", "Atom 1.0"].map((format): FuzzedParser => ({
    name: format,
    sample: SAME_IN_EVERY_FORMAT[format] ?? "",
    tokens: FEED,
    read: (text) => readItems(text, null, null),
  })),
  {
    name: "JSON Feed",
    sample: SAME_IN_EVERY_FORMAT["JSON Feed 1.1"] ?? "{}",
    tokens: JSON_TOKENS,
    read: (text) => readItems(text, null, null),
  },
  { name: "API", sample: ROWS, tokens: JSON_TOKENS, read: (text) => readItems(text, json, null) },
  { name: "SPARQL", sample: BINDINGS, tokens: JSON_TOKENS, read: (text) => readItems(text, sparql, null) },
  {
    name: "listing",
    sample: LISTING,
    tokens: [...HTML, '<li class="item">', "<a href=b>"],
    read: (text) => readItems(text, listing, null),
  },
  {
    name: "listing with combinators",
    sample: LISTING,
    tokens: [...HTML, "<div><div>", "<h1></h1><p></p>", "<td></td>"],
    read: (text) => readItems(text, nested, null),
  },
  { name: "page", sample: PAGE, tokens: HTML, read: (text) => readItems(text, page, null) },
  {
    name: "sitemap",
    sample: MAP,
    tokens: MAP_TOKENS,
    read: (text) =>
      refusing(() => readSitemap(new TextEncoder().encode(text), { contentType: null, maxEntries: 50_000 })),
  },
  {
    name: "document without rules",
    sample: ROWS,
    tokens: [...JSON_TOKENS, ...FEED],
    read: (text) =>
      refusing(() => previewDocument(new TextEncoder().encode(text), { contentType: null, maxItems: 1_000 })),
  },
  ...Object.entries({ page: PAGE, sitemap: MAP, listing: LISTING.slice(LISTING.indexOf("<ul>")) }).map((
    [kind, sample],
  ): FuzzedParser => ({
    name: `challenge instead of a ${kind}`,
    sample,
    tokens: [...XML, "<html>", "<title>", "</title>", "<title>just a moment", "captcha", "bot "],
    read: (text) => {
      const body = new TextEncoder().encode(text);
      describeBlock({ status: 200, headers: {}, body, truncated: false }, "data");
    },
  })),
];
