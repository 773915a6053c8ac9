// Documents for the tests of parsing and normalising: a feed in each format, always with the same items.

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export const rss = (items: string, channel = ""): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:a10="http://www.w3.org/2005/Atom">
<channel><title>Board of Examples</title><link>https://board.example/news</link>${channel}${items}</channel></rss>`;

export const atom = (entries: string, feed = ""): string =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB">
<title>Board of Examples</title><link rel="self" href="https://board.example/feed.atom"/>${feed}${entries}</feed>`;

export const jsonFeed = (items: unknown[], feed: Record<string, unknown> = {}): string =>
  JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "Board of Examples", ...feed, items });

const JSON_FIRST = {
  title: "Guidelines on Art. 50 & labels",
  url: "https://board.example/1",
  date_published: "2026-07-27T09:37:55Z",
};
const JSON_SECOND = { title: "Second", date_published: "2026-07-28T00:00:00+02:00" };

export const SAME_IN_EVERY_FORMAT: Record<string, string> = {
  "RSS 2.0": rss(
    `<item><guid isPermaLink="false">g1</guid><title>Guidelines on Art. 50 &amp;amp; labels</title>
<link>https://board.example/1</link><description>&lt;p&gt;First.&lt;/p&gt;</description>
<pubDate>Mon, 27 Jul 2026 09:37:55 GMT</pubDate><category>AI</category><category>Labels</category></item>
<item><guid>g2</guid><title>Second</title><link>https://board.example/2</link>
<pubDate>Tue, 28 Jul 2026 00:00:00 +0200</pubDate></item>`,
    "<language>en-GB</language>",
  ),
  "RSS 0.91":
    `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://board.example/rss.dtd">
<rss version="0.91"><channel><title>Board of Examples</title><language>en-GB</language>
<item><title>Guidelines on Art. 50 &amp;amp; labels</title><link>https://board.example/1</link>
<description>First.</description></item>
<item><title>Second</title><link>https://board.example/2</link></item></channel></rss>`,
  "RSS 1.0": `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://board.example/feed"><title>Board of Examples</title><link>https://board.example/</link>
<dc:language>en-GB</dc:language><items><rdf:Seq><rdf:li rdf:resource="g1"/><rdf:li rdf:resource="g2"/></rdf:Seq></items>
</channel>
<item rdf:about="g1"><title>Guidelines on Art. 50 &amp;amp; labels</title><link>https://board.example/1</link>
<description>First.</description><dc:date>2026-07-27T09:37:55Z</dc:date><dc:subject>AI</dc:subject>
<dc:subject>Labels</dc:subject></item>
<item rdf:about="g2"><title>Second</title><link>https://board.example/2</link>
<dc:date>2026-07-28T00:00:00+02:00</dc:date></item></rdf:RDF>`,
  "Atom 1.0": atom(
    `<entry><id>g1</id><title type="html">Guidelines on Art. 50 &amp;amp; labels</title>
<link rel="alternate" href="https://board.example/1"/><summary>First.</summary>
<published>2026-07-27T09:37:55Z</published><updated>2026-07-29T00:00:00Z</updated>
<category term="ai" label="AI"/><category term="Labels"/></entry>
<entry><id>g2</id><title>Second</title><link href="https://board.example/2"/>
<published>2026-07-28T00:00:00+02:00</published></entry>`,
  ),
  "Atom 0.3":
    `<feed version="0.3" xmlns="http://purl.org/atom/ns#" xml:lang="en-GB"><title>Board of Examples</title>
<entry><id>g1</id><title mode="escaped">Guidelines on Art. 50 &amp;amp; labels</title>
<link rel="alternate" type="text/html" href="https://board.example/1"/><summary>First.</summary>
<issued>2026-07-27T09:37:55Z</issued><modified>2026-07-29T00:00:00Z</modified></entry>
<entry><id>g2</id><title>Second</title><link rel="alternate" type="text/html" href="https://board.example/2"/>
<issued>2026-07-28T00:00:00+02:00</issued></entry></feed>`,
  "Atom with a prefix":
    `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:lang="en-GB"><a:title>Board of Examples</a:title>
<a:entry><a:id>g1</a:id><a:title>Guidelines on Art. 50 &amp; labels</a:title><a:link href="https://board.example/1"/>
<a:summary>First.</a:summary><a:published>2026-07-27T09:37:55Z</a:published></a:entry>
<a:entry><a:id>g2</a:id><a:title>Second</a:title><a:link href="https://board.example/2"/>
<a:published>2026-07-28T00:00:00+02:00</a:published></a:entry></a:feed>`,
  "JSON Feed 1.1": jsonFeed([
    { ...JSON_FIRST, id: "g1", summary: "First.", tags: ["AI", "Labels"] },
    { ...JSON_SECOND, id: "g2", url: "https://board.example/2" },
  ], { language: "en-GB" }),
  "JSON Feed 1.0": jsonFeed([
    { ...JSON_FIRST, id: 1, content_text: "First." },
    { ...JSON_SECOND, id: 2, external_url: "https://board.example/2" },
  ], { version: "https://jsonfeed.org/version/1", language: "en-GB" }),
};
