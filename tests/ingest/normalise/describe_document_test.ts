// The description of a document contains its items and its problems.
import assert from "node:assert/strict";
import { describeDocument } from "../../../src/ingest/normalise/describe_document.ts";
import { DocumentError } from "../../../src/ingest/parse/document.ts";
import { bytesOf, rss } from "../parse/feeds.ts";

const describe = (text: string) => describeDocument(bytesOf(text), { contentType: null, maxItems: 3 });

Deno.test("describeDocument() returns the items of a document and its problems", () => {
  const text = rss(
    `<item><guid>g1</guid><title>One</title><link>https://board.example/1</link><description>First.</description>
<pubDate>Monday, July 27, 2026 - 15:30</pubDate><a10:updated>2026-07-28T00:00:00Z</a10:updated><category>AI</category></item>
<item><title>Two</title><link>mailto:x@board.example</link><pubDate>soon</pubDate></item><item/><item/>`,
    "<language>en-GB</language>",
  );
  assert.deepEqual(describe(text), {
    format: "rss",
    language: "en",
    items: [{
      id: "g1",
      title: "One",
      link: "https://board.example/1",
      summary: "First.",
      published_at: Date.UTC(2026, 6, 27, 15, 30),
      published_at_precision: "time",
      published_on: "2026-07-27",
      updated_at: Date.UTC(2026, 6, 28),
      categories: ["AI"],
    }, {
      id: null,
      title: "Two",
      link: null,
      summary: "",
      published_at: null,
      published_at_precision: "time",
      published_on: null,
      updated_at: null,
      categories: [],
    }],
    problems: [
      { item: "document", reason: "only the newest 3 of its 4 items are read" },
      { item: "Two", reason: 'its link is not valid: "mailto:x@board.example"' },
      { item: "Two", reason: "it has no valid link" },
      { item: "Two", reason: 'date not recognised: "soon"' },
      { item: "item 3", reason: "it has neither title nor summary" },
    ],
  });
});

Deno.test("describeDocument() keeps a relative link without a base", () => {
  const [item] =
    describe('<rss version="2.0"><channel><item><title>t</title><link>/1</link></item></channel></rss>')
      .items;
  assert.equal(item?.link, "/1");
});

Deno.test("describeDocument() throws a DocumentError for a document that is not a feed", () => {
  assert.throws(() => describe("<html/>"), DocumentError);
});
