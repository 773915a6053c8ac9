// Unusual feeds of real sites: ids that are positions, moved sites, sessions in URLs, items without ids.
import assert from "node:assert/strict";
import { fetchFeed, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { START_MS, type World } from "../../support/world.ts";

const DAY = 86_400_000;
const ALL = boardConfig({ source: 'relevance = "all"' });

/** Returns an item whose age in days is its number. */
const item = (number: number, id = `${number}`): SampleItem => ({
  id,
  title: `Document ${number}`,
  summary: `The opinion on matter ${number}.`,
  date: new Date(START_MS - number * DAY).toUTCString(),
});
/** Returns a feed whose links do not depend on the ids. */
const feed = (items: readonly SampleItem[], site = "https://board.example"): string =>
  rss(items).replace(
    /<link>[^<]*<\/link><title>Document (\d+)/g,
    (_, number) => `<link>${site}/news/${number}</link><title>Document ${number}`,
  );

/** Returns an item without id and link. */
const titled = (title: string, summary: string, date: string): string =>
  `<item><title>${title}</title><description>${summary}</description><pubDate>${date}</pubDate></item>`;

const events = async (world: World): Promise<string[]> =>
  (await world.store.listEvents({ limit: 200 })).map(({ json }) => JSON.parse(json))
    .map(({ title_en, version }) => `${title_en} v${version}`).sort();

Deno.test("ids that are list positions do not identify items: moved items are known, and added ones are new", () =>
  withSources(ALL, async (world) => {
    const placed = (numbers: readonly number[]) =>
      feed(numbers.map((number, at) => item(number, `${at + 1}`)));
    assert.deepEqual(await fetchFeed(world, placed([5, 6, 7, 8, 9])), [5, 0, 0]);
    assert.deepEqual(await fetchFeed(world, placed([4, 5, 6, 7, 8])), [1, 0, 4]);
    assert.deepEqual(await fetchFeed(world, placed([2, 3, 4, 5, 6])), [2, 0, 3]);
    assert.deepEqual(await fetchFeed(world, placed([1, 2, 3, 4, 5, 6])), [1, 0, 5], "a list that grows");
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert.deepEqual(await events(world), numbers.map((number) => `Document ${number} v1`));
    const edited = feed([1, 2, 3, 4, 5, 6].map((number, at) => item(number, `${at + 1}`))).replace(
      "on matter 3.",
      "on matter 3, corrected.",
    );
    assert.deepEqual(await fetchFeed(world, edited), [0, 1, 5], "an edit is a revision");
  }));

Deno.test("an item that reuses an id is a new publication, but an edited item is not", () =>
  withSources(ALL, async (world) => {
    assert.deepEqual(await fetchFeed(world, feed([item(1), item(2), item(3)])), [3, 0, 0]);
    const rewritten = { ...item(2), title: "Document 20", date: item(1).date as string };
    assert.deepEqual(await fetchFeed(world, feed([item(1), rewritten, item(3)])), [0, 1, 2], "same summary");
    assert.deepEqual(await fetchFeed(world, feed([item(1), item(9, "2"), item(3)])), [1, 0, 2]);
    assert.deepEqual(await fetchFeed(world, feed([item(1), item(9, "2"), item(3)])), [0, 0, 3]);
    assert.deepEqual((await events(world)).length, 5);
  }));

Deno.test("a site with URLs as ids that moves to another host has no new publications", () =>
  withSources(ALL, async (world) => {
    const numbers = Array.from({ length: 30 }, (_, at) => at + 1);
    const at = (site: string, slash = "") =>
      feed(numbers.map((number) => item(number)), site).replace(
        /<guid isPermaLink="false">(\d+)<\/guid><link>([^<]*)<\/link>/g,
        (_, _number, link) => `<guid>${link}${slash}</guid><link>${link}${slash}</link>`,
      );
    assert.deepEqual(await fetchFeed(world, at("https://board.example")), [30, 0, 0]);
    assert.deepEqual(await fetchFeed(world, at("https://www.board.example", "/")), [0, 30, 0]);
    assert.deepEqual(await fetchFeed(world, at("https://www.board.example", "/")), [0, 0, 30]);
    assert.equal((await world.ask("/v1/health")).json.ingestion.held_back, 0, "nothing is held");
  }));

Deno.test("items without id and link are identified by their titles", () =>
  withSources(ALL, async (world) => {
    const notice = (number: number) =>
      titled(`Notice ${number}`, `The contents of notice ${number}.`, `${item(number).date}`);
    const mixed = (numbers: readonly number[]) =>
      feed([item(11), item(12), item(13)]).replace("</channel>", `${numbers.map(notice).join("")}</channel>`);
    assert.deepEqual(await fetchFeed(world, mixed([1])), [4, 0, 0]);
    assert.deepEqual(await fetchFeed(world, mixed([2])), [1, 0, 3], "at the position of another");
    assert.deepEqual(await fetchFeed(world, mixed([2, 3])), [1, 0, 4], "two items");
    const edited = mixed([2, 3]).replace("of notice 3.", "of notice 3, corrected.");
    assert.deepEqual(await fetchFeed(world, edited), [0, 1, 4]);
    const notices = (await events(world)).filter((event) => event.startsWith("Notice")).join(", ");
    assert.equal(notices, "Notice 1 v1, Notice 2 v1, Notice 3 v1, Notice 3 v2");
  }));

Deno.test("items without id and link that share a title or a day are different publications", () =>
  withSources(ALL, async (world) => {
    const week = (number: number) =>
      titled("Newsletter", `Week ${number}.`, new Date(Date.UTC(2026, 4, number * 7)).toUTCString());
    const beside = (items: string) => feed([item(11), item(12)]).replace("</channel>", `${items}</channel>`);
    assert.deepEqual(await fetchFeed(world, beside(week(1) + week(2))), [4, 0, 0]);
    assert.deepEqual(await fetchFeed(world, beside(week(2) + week(3))), [1, 0, 3]);
    assert.deepEqual(await fetchFeed(world, beside(week(4))), [1, 0, 2]);
    const edited = beside(week(4)).replace("Week 4.", "Week 4, corrected.");
    assert.deepEqual(await fetchFeed(world, edited), [0, 1, 2]);
    const day = new Date(Date.UTC(2026, 5, 30)).toUTCString();
    assert.deepEqual(await fetchFeed(world, beside(titled("Minutes", "", day))), [1, 0, 2]);
    assert.deepEqual(await fetchFeed(world, beside(titled("Agenda", "", day))), [1, 0, 2]);
  }));
