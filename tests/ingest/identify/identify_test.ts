// The keys and hashes by which items are identified.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { hashesOf, identifyItems, isSameButForDate } from "../../../src/ingest/identify/identify.ts";
import type { NormalisedItem } from "../../../src/ingest/normalise/item.ts";
import { PLAIN_IDENTITY } from "../../../src/ingest/identify/identity_rule.ts";
import { sampleEvent } from "../../support/samples.ts";

const item = (change: Partial<NormalisedItem> = {}): NormalisedItem => ({
  guid: "id-1",
  link: "https://board.example/a",
  title: "Guidelines",
  summary: "On transparency.",
  publishedAtMs: 1_000,
  publishedOn: "1970-01-01",
  publishedPrecision: "time",
  updatedAtMs: null,
  language: null,
  categories: [],
  ...change,
});
const keys = (items: NormalisedItem[]): string[] =>
  identifyItems(items, PLAIN_IDENTITY).items.map(({ key }) => key);

Deno.test("identifyItems() uses the id, a URL without tracking, or the link if there is no id", () => {
  const rows: [guid: string | null, key: string | RegExp][] = [
    ["id-1", "id-1"],
    ["https://board.example/a?utm_source=x", "https://board.example/a"],
    [null, "https://board.example/a"],
    ["14921 at https://www.board.example", "14921 at https://www.board.example"],
    ["https://gov.example/page#annex", "https://gov.example/page#annex"],
    ["s\ud800x", "s\\ud800x"],
    ["s\ud801x", "s\\ud801x"],
    ["x".repeat(5_000), `sha256:${createHash("sha256").update("x".repeat(5_000)).digest("hex")}`],
  ];
  for (const [guid, key] of rows) assert.deepEqual(keys([item({ guid })]), [key]);
  const [first, second] = ["1", "2"].map((id) => item({ guid: id, link: `https://board.example/${id}` }));
  assert.deepEqual(keys([first, second] as NormalisedItem[]), ["1", "2"], "with the same title");
});

Deno.test("identifyItems() ignores the time of the edition in a URL", () => {
  const edition = (time: string, updatedAtMs: number) =>
    item({
      guid: `https://gov.example/page#${time}`,
      link: "https://gov.example/page",
      summary: time,
      updatedAtMs,
    });
  const editions = [edition("2026-07-31T12:00:15Z", 2), edition("2026-08-02T09:00:00+01:00", 3)];
  const { items, older, identity } = identifyItems(editions, PLAIN_IDENTITY);
  assert.deepEqual(items.map(({ key }) => key), ["https://gov.example/page"]);
  assert.equal(items[0]?.item.updatedAtMs, 3, "the newer edition counts");
  assert.deepEqual(older.map(({ item: { updatedAtMs } }) => updatedAtMs), [2]);
  assert.equal(identity.rule, "guid");
});

Deno.test("identifyItems() uses the link if items with different URLs share an id", () => {
  const items = ["a", "b", "c"].map((name) => item({ guid: "feed", link: `https://board.example/${name}` }));
  const identified = identifyItems(items, PLAIN_IDENTITY);
  assert.equal(identified.identity.rule, "link");
  assert.equal(identified.items.length, 3);
  assert.equal(identified.items[0]?.key, "https://board.example/a");
  const later = identifyItems([item()], identified.identity);
  const kept = [later.identity.rule, later.items[0]?.key];
  assert.deepEqual(kept, ["link", "https://board.example/a"], "permanently");
});

Deno.test("identifyItems() uses link and title if all items share id and URL", () => {
  const items = ["A", "B", "C"].map((title) => item({ guid: null, link: "https://board.example/", title }));
  const identified = identifyItems(items, PLAIN_IDENTITY);
  assert.equal(identified.identity.rule, "link+title");
  assert.equal(identified.items.length, 3);
});

Deno.test("identifyItems() drops exact repetitions, and lists older editions", () => {
  const [first, again] = [item(), item()];
  const equal = identifyItems([first, again], PLAIN_IDENTITY);
  assert.equal(equal.items.length, 1);
  assert.equal(equal.items[0]?.item, first);
  assert.deepEqual(equal.older, []);
  const newer = item({ summary: "On marking.", updatedAtMs: 2_000 });
  for (const items of [[first, newer], [newer, first]]) {
    const edited = identifyItems(items, PLAIN_IDENTITY);
    assert.deepEqual(edited.items.map((one) => one.item), [newer]);
    assert.deepEqual(edited.older.map(({ item }) => item), [first]);
  }
});

Deno.test("the hashes of an item are SHA-256 of its content as a JSON list, with and without its date", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const rows: [change: Partial<NormalisedItem>, words: string, date: string][] = [
    [{}, '["Guidelines","On transparency.","https://board.example/a"', "1000"],
    [{ publishedAtMs: null }, '["Guidelines","On transparency.","https://board.example/a"', "null"],
    [
      { publishedAtMs: null, updatedAtMs: -5 },
      '["Guidelines","On transparency.","https://board.example/a"',
      "-5",
    ],
    [
      { title: 'The "KI\u2010Büro"', summary: "Two\nlines", link: "http://board.example/b?utm_source=x" },
      '["The \\"KI\u2010Büro\\"","Two lines","https://board.example/b"',
      "1000",
    ],
  ];
  for (const [change, words, date] of rows) {
    const [one] = identifyItems([item(change)], PLAIN_IDENTITY).items;
    assert.equal(one?.contentHash, sha256(`${words},${date}]`));
    assert.equal(one?.textHash, sha256(`${words}]`));
  }
});

const contentHash = (item: NormalisedItem) => hashesOf(item).contentHash;

Deno.test("the content hash changes only with title, summary, URL and date", () => {
  const base = contentHash(item());
  const same: Partial<NormalisedItem>[] = [
    { link: "https://board.example/a?utm_campaign=mail" },
    { guid: "other" },
    { categories: ["News"] },
    { updatedAtMs: 99 },
    { language: "en" },
  ];
  for (const change of same) assert.equal(contentHash(item(change)), base, JSON.stringify(change));
  const different: Partial<NormalisedItem>[] = [
    { title: "Guidelines, corrected" },
    { summary: "On transparency and marking." },
    { link: "https://board.example/b" },
    { publishedAtMs: 2_000 },
  ];
  for (const change of different) assert.notEqual(contentHash(item(change)), base, JSON.stringify(change));
});

Deno.test("the content hash contains the date of change if there is no publication date", () => {
  const undated = item({ publishedAtMs: null, updatedAtMs: 5 });
  assert.notEqual(contentHash(undated), contentHash({ ...undated, updatedAtMs: 6 }));
});

Deno.test("isSameButForDate() compares text and URL without white space and tracking", () => {
  const event = sampleEvent({
    id: "evt_1",
    title_en: "Guidelines",
    summary_en: "On transparency.",
    url_official: "https://board.example/a?utm_source=feed",
  });
  assert.equal(isSameButForDate(item({ publishedAtMs: 5, summary: "On  transparency." }), event), true);
  for (const change of [{ title: "Other" }, { summary: "" }, { link: "https://board.example/b" }]) {
    assert.equal(isSameButForDate(item(change), event), false, JSON.stringify(change));
  }
});
