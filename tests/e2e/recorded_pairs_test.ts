// Two recordings of a feed, made minutes apart and with the same content, give each publication once.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { boardConfig } from "../support/samples.ts";
import { createWorld } from "../support/world.ts";
import { growingFeeds, RECORDINGS } from "./recorded_feeds.ts";
import { needs, present } from "../support/needs.ts";

const FIXTURES = fileURLToPath(new URL("../../../shared/fixtures", import.meta.url));
const PAIRS = [
  ["edpb/edpb_publications_2026-05-19T2124.yml", "edpb/edpb_publications_2026-05-19T2150.yml"],
  ["edps/edps_news_2026-05-19T2138.yml", "edps/edps_news_2026-05-19T2150.yml"],
] as const;

/** Rebuilds a feed from its recording, which contains parsed items in YAML. */
async function feedFrom(file: string): Promise<{ text: string; titles: string[] }> {
  const recorded = (await Deno.readTextFile(`${FIXTURES}/${file}`)).split(/^ {2}- entry_id: /m).slice(1);
  const items = recorded.map((entry) => {
    const value = (name: string): string => {
      const found = new RegExp(`^ {4}${name}: (?:>-\\n((?: {6}.*\\n)+)|(.*))`, "m").exec(entry);
      const folded = found?.[1]?.trim().replace(/\s*\n\s*/g, " ");
      return folded ?? (found?.[2] ?? "").replace(/^'(.*)'$/, "$1").replaceAll("''", "'");
    };
    return { guid: value("guid"), link: value("link"), title: value("title"), date: value("published_at") };
  });
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const rows = items.map(({ guid, link, title, date }) =>
    `<item><guid isPermaLink="false">${escape(guid)}</guid><link>${escape(link)}</link>` +
    `<title>${escape(title)}</title><pubDate>${date}</pubDate></item>`
  );
  return {
    text: `<rss version="2.0"><channel><title>x</title>${rows.join("")}</channel></rss>`,
    titles: items.map(({ title }) => title),
  };
}

for (const [first, second] of PAIRS) {
  Deno.test(
    needs(`${first} and its later twin give ten publications, each once`, present(FIXTURES)),
    async () => {
      await using world = await createWorld(
        boardConfig({ source: 'relevance = "all"\ntimezone = "Europe/Brussels"' }),
      );
      let feed = await feedFrom(first);
      assert.equal(feed.titles.length, 10);
      assert.ok(feed.titles.every((title) => title !== ""));
      world.platform.http.serve("https://board.example/feed", () => ({ body: feed.text }));
      await world.app.tick();
      const events = await world.store.listEvents({ limit: 200 });
      assert.equal(events.length, 10, "items with the same title are separate publications");
      assert.ok(events.every(({ json }) => JSON.parse(json).published_at_estimated === false));
      feed = await feedFrom(second);
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.deepEqual([report?.new, report?.revised, report?.unchanged], [0, 0, 10]);
    },
  );
}

Deno.test(
  needs("in a recorded feed, only the item with a new id and title is revised", RECORDINGS),
  async () => {
    for (const feed of await growingFeeds(1)) {
      await using world = await createWorld(boardConfig({ source: 'relevance = "all"' }));
      const items = [...feed.body.matchAll(/<(item|entry)[\s>][^]*?<\/\1>/g)].map(([item]) => item);
      const edited = items[Math.floor(items.length / 2)] ?? "";
      const other = edited.replace(/(<(?:guid|id)(?:\s[^>]*)?>)/, "$1urn:again:")
        .replace(/(<title[^>]*>(?:<!\[CDATA\[)?)/, "$1Corrected: ");
      let body = feed.body;
      world.platform.http.serve("https://board.example/feed", () => ({ body }));
      await world.app.tick();
      body = body.replace(edited, () => other);
      assert.notEqual(body, feed.body);
      const [report] = await world.app.ingest.ingest(["board"]);
      const counts = [report?.new, report?.revised, report?.unchanged];
      // In a feed with one item, nothing shows whether that item was replaced or removed.
      assert.deepEqual(counts, items.length === 1 ? [1, 0, 0] : [0, 1, items.length - 1], feed.id);
    }
  },
);
