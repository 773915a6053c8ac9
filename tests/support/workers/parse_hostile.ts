// Parses documents of 20 MB that are designed to take much memory. A test runs this in a process with a small heap.
import { createClassifier } from "../../../src/classify/classify.ts";
import { NO_ADDITIONS } from "../../../src/classify/configured_rules.ts";
import { PLAIN_IDENTITY } from "../../../src/ingest/identify/identity_rule.ts";
import { parseContents } from "../../../src/ingest/parse/parse_pipeline.ts";

const BYTES = 20 * 1024 * 1024;
const ITEM = "<item><link>https://a.example/</link><title>";
const FEED = '<rss version="2.0"><channel>';
const JSON_FEED = '{"version":"https://jsonfeed.org/version/1.1","items":[';

/** The start, the repeated part and the end of each document. */
const DOCUMENTS: [before: string, part: string, after: string][] = [
  ["", "<a>", ""],
  [`${FEED}<item>`, "<a>", ""],
  [FEED, "<item/>", "</channel></rss>"],
  [FEED, `${ITEM}x</title></item>`, "</channel></rss>"],
  [`${FEED}${ITEM}`, "&#252;&amp;", "</title></item></channel></rss>"],
  [`${FEED}${ITEM}x</title><description>`, "&lt;p&gt;&#252;", "</description></item></channel></rss>"],
  [`${FEED}${ITEM}x</title><description>`, "<![CDATA[x]]>", "</description></item></channel></rss>"],
  [`${FEED}${ITEM}x</title>`, "<category>x</category>", "</item></channel></rss>"],
  ["", "[", ""],
  ["[", "[],", "[]]"],
  [JSON_FEED, "{},", "{}]}"],
  [JSON_FEED, '{"id":"1","title":"a","summary":"some words of a summary"},', "{}]}"],
  [`${JSON_FEED}{"id":"1","title":"`, "\\u00fc&", '"}]}'],
];

const { classify } = createClassifier(NO_ADDITIONS);
for (const [before, part, after] of DOCUMENTS) {
  const text = before + part.repeat((BYTES - before.length - after.length) / part.length) + after;
  const bytes = new TextEncoder().encode(text).subarray(0, BYTES);
  try {
    const { items } = parseContents({
      ...{ bytes, contentType: null, url: "https://a.example/", reading: null, language: null },
      ...{ timezone: "UTC", baseUrl: "https://a.example", sourceId: "a", sourceLanguages: ["en"] },
      identity: PLAIN_IDENTITY,
    }, classify);
    console.log(`${before}${part}: ${items.length} items`);
  } catch (error) {
    console.log(`${before}${part}: ${error}`);
  }
}
