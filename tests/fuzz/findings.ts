// Inputs that once took more than linear time, each with a sentence on what it was.
import { growing, type GrowingCase } from "./case.ts";

/** In the channel of the sample of RSS, between two elements. */
const IN_CHANNEL = 350;
/** Behind the status line of the sample response. */
const BEHIND_STATUS = 17;

/** See above. */
export const FINDINGS: Readonly<Record<string, GrowingCase>> = {
  "comments before the first tag of a document": growing({
    parser: "challenge instead of a page",
    repeated: "<!---->",
    after: "<rss>",
  }),
  "comments and line breaks before a page's fragment": growing({
    parser: "challenge instead of a page",
    repeated: "<!-- a -->\n",
    after: "<div>",
  }),
  "spaces before the quotes of a Cache-Control directive": growing({
    parser: "Cache-Control",
    before: "max-age=",
    repeated: " ",
    after: '""x',
  }),
  "spaces behind the opening quote of a charset": growing({
    parser: "Content-Type",
    at: 8,
    before: ';charset="',
    repeated: " ",
  }),
  "meta elements that never end before the spaces of a charset": growing({
    parser: "page",
    repeated: "<meta ",
    middle: "charset=",
    repeatedAfter: "      ",
    after: "<",
  }),
  "slashes between the attributes of a tag": growing({
    parser: "RSS 2.0",
    at: IN_CHANNEL,
    before: "<link ",
    repeated: "/",
    after: "=>",
  }),
  "slashes within the address of a namespace": growing({
    parser: "RSS 2.0",
    at: IN_CHANNEL,
    before: '<a xmlns="',
    repeated: "/",
    after: 'a"></a>',
  }),
  "entries of a sitemap that never end, each with a prefix of its own": growing({
    parser: "sitemap",
    repeated: "<a#:url>",
    isNumbered: true,
    at: 85,
  }),
  "elements of a sitemap's entry that never end, each with a prefix of its own": growing({
    parser: "sitemap",
    repeated: "<a#:loc>",
    isNumbered: true,
    at: 91,
  }),
  "spaces before a NUL in a header of an endpoint's response": growing({
    parser: "response of an endpoint",
    at: BEHIND_STATUS,
    before: "x:",
    repeated: " ",
    after: "\0",
  }),
  "the beginnings of URLs in a text for the log": growing({ parser: "log line", repeated: "HTTP://" }),
  "a long word in a text for the log": growing({ parser: "log line", repeated: "a" }),
  "line breaks behind an abbreviation in a text that changed": growing({
    parser: "difference",
    at: 28,
    repeated: "\n",
  }),
  "abbreviations in a text that changed": growing({ parser: "difference", repeated: "Art. 5 cf. " }),
  "line breaks within a delivery's body that is verified": growing({
    parser: "body of a delivery that is verified",
    at: 3,
    repeated: "\n",
  }),
  "rows of a table that never end": growing({
    parser: "listing with combinators",
    at: 319,
    repeated: "<tr>",
    middle: "A",
    repeatedAfter: "/",
  }),
  "end tags of paragraphs within elements that never end": growing({
    parser: "page",
    before: "<br>",
    repeated: "]</p>",
    middle: "</p>",
    repeatedAfter: "<a/>",
  }),
  "elements of a page without a root": growing({
    parser: "page",
    repeated: "<tr><meta name=description content=a>",
  }),
  "siblings that a selector compares": growing({
    parser: "listing with combinators",
    at: 319,
    repeated: "<p></p>",
  }),
  "angle brackets in a Link header": growing({ parser: "Link", at: 18, repeated: ">-" }),
  "definitions that never end within list items that never end": growing({
    parser: "listing",
    at: 189,
    repeated: "<ul><li>",
    repeatedAfter: "<dd>",
  }),
};
