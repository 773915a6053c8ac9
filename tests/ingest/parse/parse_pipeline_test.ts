// Limits on the languages, links and URLs of a document.
import assert from "node:assert/strict";
import { NO_ADDITIONS } from "../../../src/classify/configured_rules.ts";
import { createClassifier } from "../../../src/classify/classify.ts";
import type { Reading } from "../../../src/domain/source/extraction_rules.ts";
import { PLAIN_IDENTITY } from "../../../src/ingest/identify/identity_rule.ts";
import type { DocumentContents } from "../../../src/ingest/parse/parse_pipeline.ts";
import { MAX_CHARACTERS, parseContents } from "../../../src/ingest/parse/parse_pipeline.ts";
import { readSitemapPages } from "../../../src/ingest/parse/sitemap_pages.ts";

const { classify } = createClassifier(NO_ADDITIONS);

function parse(text: string, reading: Reading | null = null): DocumentContents {
  return parseContents({
    bytes: new TextEncoder().encode(text),
    contentType: null,
    url: "https://board.example/feed",
    reading,
    timezone: "UTC",
    baseUrl: "https://board.example/",
    sourceId: "board",
    sourceLanguages: ["en"],
    language: null,
    identity: PLAIN_IDENTITY,
  }, classify);
}

Deno.test("a language that is too long for a tag is not stored", () => {
  const feed = (language: string) =>
    `<rss><channel><title>B</title><language>${language}</language><item><title>The AI Act</title>` +
    `<link>https://board.example/1</link></item></channel></rss>`;
  assert.equal(parse(feed("de-CH")).language, "de-CH");
  const contents = parse(feed("x".repeat(500_000)));
  assert.equal(contents.items.length, 1);
  assert.ok(JSON.stringify([contents, ...contents.classified.values()]).length < 5_000);
});

Deno.test("a document whose link to the next page is too long is refused", () => {
  const reading: Reading = {
    kind: "json",
    items: ["items"],
    next: "next",
    fields: { id: ["l"], title: ["t"], link: ["l"] },
    dateFormat: null,
  };
  const page = (next: string) =>
    JSON.stringify({ items: [{ t: "The AI Act", l: "https://board.example/1" }], next });
  assert.equal(parse(page("p2"), reading).next, "p2");
  assert.throws(() => parse(page("n".repeat(4_097)), reading), { name: "DocumentError" });
});

Deno.test("items whose links repeat a long base URL are limited by their total length", () => {
  const items = Array.from(
    { length: 12_000 },
    (_, at) => `<item><title>The AI Act ${at}</title><link>l${at}</link></item>`,
  );
  const base = `https://board.example/${"a".repeat(4_000)}/`;
  const { items: taken, refused } = parse(
    `<rss xml:base="${base}"><channel><title>B</title>${items.join("")}</channel></rss>`,
  );
  const characters = taken.reduce((sum, { item }) => sum + item.link.length + item.title.length, 0);
  assert.ok(characters > MAX_CHARACTERS * 0.99 && characters <= MAX_CHARACTERS, `${characters} characters`);
  assert.match(
    refused[0]?.reason ?? "",
    /^the items of the document have more than 33554432 characters in total$/,
  );
});

Deno.test("a sitemap whose URLs repeat a long base URL is refused", () => {
  const url = (at: number) => `<url><loc>l${at}</loc><lastmod>2026-01-01</lastmod></url>`;
  const urls = Array.from({ length: 12_000 }, (_, at) => url(at));
  const request = {
    bytes: new TextEncoder().encode(`<urlset>${urls.join("")}</urlset>`),
    ...{ contentType: null, include: [], exclude: [], maps: [], timezone: "UTC", sinceMs: 0 },
    mapBase: "https://board.example/",
  };
  const read = (pageBase: string) => readSitemapPages({ ...request, pageBase });
  const contents = read("https://board.example/");
  assert.equal(contents.kind === "urlset" && contents.entries.length, 12_000);
  assert.throws(() => read(`https://board.example/${"a".repeat(4_000)}/`), {
    name: "DocumentError",
    message: /the URLs of the sitemap have more than 33554432 characters in total/,
  });
});
