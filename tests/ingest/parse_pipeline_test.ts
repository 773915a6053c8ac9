// Tests of src/ingest/parse_pipeline.ts.
import assert from "node:assert/strict";
import { NO_ADDITIONS } from "../../src/classify/additions.ts";
import { createClassifier } from "../../src/classify/classify.ts";
import type { Reading } from "../../src/domain/reading.ts";
import { PLAIN_IDENTITY } from "../../src/ingest/identity.ts";
import { type DocumentContents, parseContents } from "../../src/ingest/parse_pipeline.ts";

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

Deno.test("A document's language that is too long for a tag is not stored with its items", () => {
  const feed = (language: string) =>
    `<rss><channel><title>B</title><language>${language}</language><item><title>The AI Act</title>` +
    `<link>https://board.example/1</link></item></channel></rss>`;
  assert.equal(parse(feed("de-CH")).language, "de-CH");
  const contents = parse(feed("x".repeat(500_000)));
  assert.equal(contents.items.length, 1);
  assert.ok(JSON.stringify([contents, ...contents.classified.values()]).length < 5_000);
});

Deno.test("A document whose next page has an address beyond any limit is refused", () => {
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
