// An item's title, URL, date, language and summary are normalised.
import assert from "node:assert/strict";
import { type ItemContext, type NormalisedItem, normaliseItem } from "../../../src/ingest/normalise/item.ts";
import { parseDocument } from "../../../src/ingest/parse/document.ts";
import { atom, bytesOf, jsonFeed, rss, SAME_IN_EVERY_FORMAT } from "../parse/feeds.ts";

type Outcome = ReturnType<typeof normaliseItem>;

function outcomes(text: string, context: Partial<ItemContext> = {}): Outcome[] {
  const document = parseDocument(bytesOf(text), { contentType: null, maxItems: 100 });
  return document.items.map((item, position) =>
    normaliseItem(item, {
      document,
      documentUrl: "https://feeds.example/board.xml",
      baseUrl: "https://source.example/",
      timezone: "Europe/Brussels",
      position,
      ...context,
    })
  );
}

function single(text: string, context: Partial<ItemContext> = {}): { item: NormalisedItem; notes: string[] } {
  const [outcome] = outcomes(text, context);
  assert.ok(outcome?.ok, text);
  return outcome;
}

Deno.test("normaliseItem() returns the same publications in every format", () => {
  for (const [name, text] of Object.entries(SAME_IN_EVERY_FORMAT)) {
    const [first, second] = outcomes(text);
    assert.ok(first?.ok && second?.ok, name);
    assert.deepEqual([...first.notes, ...second.notes], [], name);
    assert.equal(first.item.title, "Guidelines on Art. 50 & labels", name);
    assert.equal(first.item.summary, "First.", name);
    assert.equal(first.item.link, "https://board.example/1", name);
    assert.equal(first.item.language, "en", name);
    assert.deepEqual([second.item.title, second.item.summary], ["Second", ""], name);
    if (name === "RSS 0.91") continue;
    assert.equal(first.item.publishedAtMs, Date.UTC(2026, 6, 27, 9, 37, 55), name);
    assert.equal(second.item.publishedAtMs, Date.UTC(2026, 6, 27, 22), name);
  }
});

Deno.test("normaliseItem() uses the first sentence of the summary if the title is missing", () => {
  const rows: [description: string, title: string][] = [
    ["The board has adopted guidelines. They apply at once.", "The board has adopted guidelines."],
    ["Art. 5 applies. More follows.", "Art. 5 applies."],
    ["&lt;p&gt;One line&lt;/p&gt;&lt;p&gt;Another&lt;/p&gt;", "One line"],
    [`No end ${"of words ".repeat(50)}`, `No end ${"of words ".repeat(21)}of…`],
  ];
  for (const [description, title] of rows) {
    const { item, notes } = single(
      rss(`<item><title> </title><description>${description}</description></item>`),
    );
    assert.equal(item.title, title);
    assert.deepEqual(notes.slice(0, 1), ["it has no title, so the first sentence of the summary is used"]);
  }
});

Deno.test("normaliseItem() refuses an item without title and summary", () => {
  const refused = outcomes(rss(
    `<item><guid>g1</guid></item><item><link>https://board.example/2</link></item>
<item><title>&lt;img src="x"&gt;</title></item>`,
  ));
  assert.deepEqual(
    refused,
    ["g1", "https://board.example/2", "item 3"].map((item) => ({
      ok: false,
      item,
      reason: "it has neither title nor summary",
    })),
  );
});

Deno.test("normaliseItem() finds the URL of a publication", () => {
  const none = "it has no valid link";
  const rows: [name: string, text: string, link: string, notes: string[]][] = [
    [
      "absolute",
      rss("<item><title>t</title><link>https://a.example/1</link></item>"),
      "https://a.example/1",
      [],
    ],
    [
      "relative to the site",
      rss("<item><title>t</title><link>/1</link></item>"),
      "https://board.example/1",
      [],
    ],
    [
      "relative to the item's base, which is relative to the document's",
      atom('<entry xml:base="sub/"><title>t</title><link href="1"/></entry>').replace(
        "<feed",
        '<feed xml:base="https://base.example/"',
      ),
      "https://base.example/sub/1",
      [],
    ],
    [
      "relative to the document",
      atom('<entry><title>t</title><link href="1"/></entry>'),
      "https://feeds.example/1",
      [],
    ],
    [
      "the guid",
      rss("<item><title>t</title><guid>https://a.example/g</guid></item>"),
      "https://a.example/g",
      [],
    ],
    ["no address", rss("<item><title>t</title><guid>g</guid></item>"), "https://source.example/", [none]],
    [
      "no web address",
      jsonFeed([{ id: "g", title: "t", url: "javascript:alert(1)" }]),
      "https://source.example/",
      ['its link is not valid: "javascript:alert(1)"', none],
    ],
  ];
  for (const [name, text, link, notes] of rows) {
    const found = single(text);
    assert.equal(found.item.link, link, name);
    assert.deepEqual(found.notes, notes, name);
  }
});

Deno.test("normaliseItem() notes an invalid date, and uses the date of the update instead", () => {
  const { item, notes } = single(atom(
    "<entry><title>t</title><id>https://board.example/1</id><published>some day</published><updated>2026-07-31T12:00:15Z</updated></entry>",
  ));
  assert.deepEqual(notes, ['date not recognised: "some day"']);
  assert.equal(item.publishedAtMs, Date.UTC(2026, 6, 31, 12, 0, 15));
  assert.equal(item.updatedAtMs, item.publishedAtMs);
  const undated = single(rss("<item><title>t</title><link>/1</link></item>"));
  assert.deepEqual([undated.item.publishedAtMs, undated.item.updatedAtMs, undated.notes], [null, null, []]);
});

Deno.test("normaliseItem() parses dates without a zone in the source's time zone", () => {
  const text = rss(
    "<item><title>t</title><link>/1</link><pubDate>Monday, July 27, 2026 - 15:30</pubDate></item>",
  );
  assert.equal(single(text, { timezone: "Europe/London" }).item.publishedAtMs, Date.UTC(2026, 6, 27, 14, 30));
  assert.equal(single(text).item.publishedAtMs, Date.UTC(2026, 6, 27, 13, 30));
});

Deno.test("normaliseItem() prefers the item's language to the document's", () => {
  const items =
    '<item xml:lang="de-AT"><title>a</title></item><item><title>b</title><dc:language>zz-bad-</dc:language></item>';
  const languages = outcomes(rss(items, "<language>EN_us</language>")).map((outcome) =>
    outcome.ok && outcome.item.language
  );
  assert.deepEqual(languages, ["de", "en"]);
});

Deno.test("normaliseItem() cleans and limits values", () => {
  const { item, notes } = single(rss(
    `<item><guid>${"g".repeat(1001)}</guid><title>line\none &amp;lt;${
      " word".repeat(200)
    }</title><link>/1</link>
<description>${"word ".repeat(5000)}</description>
<category> R&amp;amp;D </category><category>R&amp;D</category><category> </category></item>`,
  ));
  assert.equal(item.guid, null);
  assert.deepEqual(notes, ["its guid is ignored because it is longer than 1000 characters"]);
  assert.ok(item.title.startsWith("line one < word word") && item.title.endsWith(" word…"));
  assert.ok(item.title.length <= 500 && item.summary.length <= 10_000 && item.summary.endsWith(" word…"));
  assert.deepEqual(item.categories, ["R&D"]);
});

Deno.test("normaliseItem() removes a page's title, author and time from its summary", () => {
  const page =
    "&lt;span&gt;Call for papers&lt;/span&gt;\n\n&lt;span&gt;&lt;span&gt;A. Body (not verified)&lt;/span&gt;" +
    "&lt;/span&gt;\n\n&lt;span&gt;&lt;time&gt;Fri, 06/28/2024 - 10:22&lt;/time&gt;\n&lt;/span&gt;";
  const item = (more: string) =>
    rss(`<item><title>Call for papers</title><link>/1</link><description>
${page}${more}</description><dc:creator>A. Body</dc:creator></item>`);
  assert.equal(single(item("")).item.summary, "");
  assert.equal(single(item("&lt;div&gt;Send yours.&lt;/div&gt;")).item.summary, "Send yours.");
});
