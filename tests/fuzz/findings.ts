// Inputs that once took more than linear time.
import { growing, type GrowingCase } from "./case.ts";

/** An offset between two elements in the channel of the RSS sample. */
const CHANNEL = 350;
/** The offset after the status line of the sample response. */
const STATUS = 17;

/** The parts of each input: before, repeated, middle, repeated after the middle, after. */
const ROWS: readonly [what: string, parser: string, at: number, parts: string][] = [
  ["comments before the first tag of a document", "challenge instead of a page", 0, "|<!---->|||<rss>"],
  ["comments and line breaks in a fragment", "challenge instead of a page", 0, "|<!-- a -->\n|||<div>"],
  ["spaces before quotes of a directive", "Cache-Control", 0, 'max-age=| |||""x'],
  ["spaces after the opening quote of a charset", "Content-Type", 8, ';charset="| |||'],
  ["unclosed meta elements before the spaces of a charset", "page", 0, "|<meta |charset=|      |<"],
  ["slashes between the attributes of a tag", "RSS 2.0", CHANNEL, "<link |/|||=>"],
  ["slashes within the URL of a namespace", "RSS 2.0", CHANNEL, '<a xmlns="|/|||a"></a>'],
  ["unclosed entries of a sitemap with different prefixes", "sitemap", 85, "|<a#:url>|||"],
  ["unclosed elements of a sitemap's entry with different prefixes", "sitemap", 91, "|<a#:loc>|||"],
  ["spaces before a NUL in a header", "response of an endpoint", STATUS, "x:| |||\0"],
  ["beginnings of URLs in a log text", "log line", 0, "|HTTP://|||"],
  ["credentials in a response that repeats headers", "response that may repeat headers", 0, "|kkkkkkk0|||"],
  ["different credentials in a response", "response that may repeat headers", 0, "|kkkkkkk# |||"],
  ["a long word in a log text", "log line", 0, "|a|||"],
  ["line breaks after an abbreviation in a changed text", "difference", 28, "|\n|||"],
  ["abbreviations in a changed text", "difference", 0, "|Art. 5 cf. |||"],
  ["line breaks in a verified body", "body of a delivery that is verified", 3, "|\n|||"],
  ["unclosed rows of a table", "listing with combinators", 319, "|<tr>|A|/|"],
  ["end tags of paragraphs within unclosed elements", "page", 0, "<br>|]</p>|</p>|<a/>|"],
  ["elements of a page without a root", "page", 0, "|<tr><meta name=description content=a>|||"],
  ["siblings that a selector compares", "listing with combinators", 319, "|<p></p>|||"],
  ["angle brackets in a Link header", "Link", 18, "|>-|||"],
  ["unclosed definitions within unclosed list items", "listing", 189, "|<ul><li>||<dd>|"],
  ["a long host before dot segments", "address", 12, "_de|utm_a=b&A|../|../|_de"],
];

export const FINDINGS: Readonly<Record<string, GrowingCase>> = Object.fromEntries(
  ROWS.map(([what, parser, at, parts]) => {
    const [before = "", repeated = "", middle = "", repeatedAfter = "", after = ""] = parts.split("|");
    const isNumbered = repeated.includes("#");
    return [what, growing({ parser, at, before, repeated, middle, repeatedAfter, after, isNumbered })];
  }),
);
