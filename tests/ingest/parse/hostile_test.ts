// Broken and hostile documents of every strategy: nothing is thrown, and other items and sources are not affected.
import assert from "node:assert/strict";
import { type Chance, createChance, seedOfRun } from "../../support/chance.ts";
import { hostileValue, mutate } from "../../support/hostile.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import type { World } from "../../support/world.ts";
import { scaled } from "../../support/effort.ts";

const INPUTS = Number(Deno.env.get("REGFEED_INPUTS") ?? scaled(50, 500));
const HOST = "https://board.example";
const ITEMS = ["one", "two", "three", "four", "five"];
const NEIGHBOUR = "https://neighbour.example/feed";

interface Strategy {
  config: string;
  contentType: string;
  write(items: readonly unknown[]): string;
  item(name: string): unknown;
  badItem(chance: Chance): unknown;
  /** Serves the other documents that a fetch needs. */
  serve?(world: World): void;
}

const completeDocument = ({ write, item }: Strategy): string => write(ITEMS.map(item));
/** Returns a document whose third item is hostile. */
const withBadItem = ({ write, item, badItem }: Strategy, chance: Chance): string =>
  write(ITEMS.map((name, at) => at === 2 ? badItem(chance) : item(name)));

/** Markup that damages its own item only. */
const BAD_MARKUP: readonly string[] = [
  `<title>${"x".repeat(200_000)}</title>`,
  `<title a="${"x".repeat(100_000)}">t</title>`,
  "<title>&a;&#0;&#x110000;&nosuch;</title><link>javascript:alert(1)</link>",
  "<title></title>",
  "<title><b><i><u></title>",
  "<title>\ud800</title><link>https://[::1]:99999/%%%</link>",
  `<title>${"&lt;div&gt;".repeat(30_000)}</title>`,
  "<guid></guid><link></link><pubDate>9999-99-99</pubDate>",
  "<title>t</title><link>file:///etc/passwd</link><pubDate>-</pubDate>",
];

/** Broken items of a listing. Their markup does not damage other items. */
const BAD_LIST_ITEMS: readonly string[] = [
  "<li>",
  "<li><a>Document three",
  `<li><a href="${"x".repeat(100_000)}">Document three</a>`,
  `<li>${"<b>".repeat(1_000)}<a href="/three">x</a>`,
  "<li><a href='javascript:alert(1)'>Document three</a></li>",
  "<li><a href=/three><time>99 July 99</time></li>",
];
const BAD_URLS: readonly string[] = ["", "https://[::1]:9/%", "file:///etc/passwd", "&a;", "\ud800"];

function badRow(complete: Record<string, unknown>, chance: Chance): unknown {
  if (chance.happens(0.1)) return hostileValue(chance);
  return Object.fromEntries(
    Object.entries(complete).filter(() => chance.happens(0.7)).map(([key, value]) => [
      key,
      chance.happens(0.6) ? hostileValue(chance) : value,
    ]),
  );
}

const row = (name: string) => ({ title: `Document ${name}`, link: `${HOST}/${name}`, date: "2026-07-30" });
const binding = (name: string) => ({
  title: { type: "literal", value: `Document ${name}` },
  link: { type: "uri", value: `${HOST}/${name}` },
});

const STRATEGIES = {
  feed: {
    config: "",
    contentType: "application/rss+xml",
    write: (items) => `<rss version="2.0"><channel><title>x</title>${items.join("")}</channel></rss>`,
    item: (name) =>
      `<item><guid>${HOST}/${name}</guid><link>${HOST}/${name}</link><title>Document ${name}</title></item>`,
    badItem: ({ pick }) => `<item>${pick(BAD_MARKUP)}</item>`,
  },
  json: {
    config:
      'fetch_strategy = "json"\n[sources.json]\nitems = "found"\ntitle = "title"\nlink = "link"\npublished = "date"\n',
    contentType: "application/json",
    write: (found) => JSON.stringify({ found }),
    item: row,
    badItem: (chance) => badRow(row("three"), chance),
  },
  html: {
    config:
      'fetch_strategy = "html"\n[sources.html]\nitem = "li"\ntitle = "a"\nlink = "a@href"\npublished = "time"\n',
    contentType: "text/html",
    write: (items) => `<!doctype html><html lang="en"><body><ul>${items.join("\n")}</ul>`,
    item: (name) => `<li><a href="/${name}">Document ${name}</a><time>30 July 2026</time></li>`,
    badItem: ({ pick }) => pick(BAD_LIST_ITEMS),
  },
  sparql: {
    config:
      'fetch_strategy = "sparql"\n[sources.sparql]\nquery = "{since} {until}"\ntitle = "title"\nlink = "link"\n',
    contentType: "application/sparql-results+json",
    write: (bindings) => JSON.stringify({ head: { vars: ["title", "link"] }, results: { bindings } }),
    item: binding,
    badItem: (chance) => badRow(binding("three"), chance),
  },
  sitemap: {
    config: 'fetch_strategy = "sitemap"\n[sources.sitemap]\nexclude = ["/three"]\n',
    contentType: "application/xml",
    write: (items) =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
        items.join("")
      }</urlset>`,
    item: (name) => `<url><loc>${HOST}/${name}</loc><lastmod>2026-07-31T10:00:00Z</lastmod></url>`,
    badItem: ({ pick }) => `<url><loc>${pick(BAD_URLS)}</loc></url>`,
    serve: (world) =>
      world.platform.http.serve(HOST, ({ url }) => ({
        headers: { "content-type": "text/html" },
        body: `<html lang="en"><title>Document ${url.pathname.slice(1)}</title>`,
      })),
  },
} satisfies Record<string, Strategy>;

function withStrategy(
  { config, serve }: Strategy,
  work: (world: World, respond: (response: Answer) => void) => Promise<void>,
): Promise<void> {
  const neighbour = `[[sources]]
id = "neighbour"
name_en = "Neighbour"
url = "${NEIGHBOUR}"
relevance = "all"
`;
  return withSources(
    `${boardConfig({ source: `relevance = "all"\n${config}` })}${neighbour}`,
    async (world) => {
      let response: Answer = {};
      serve?.(world);
      world.platform.http.serve(`${HOST}/feed`, () => response);
      await work(world, (given) => response = given);
    },
  );
}

const titlesOf = async (world: World, source: string): Promise<string[]> =>
  (await world.store.listEvents({ limit: 10_000, sources: [source] })).map(({ json }) => JSON.parse(json))
    .map(({ title_en }) => title_en);

for (const [name, strategy] of Object.entries<Strategy>(STRATEGIES)) {
  Deno.test(`${name}: ${INPUTS} mutated documents are refused or read, and another source is fetched`, () =>
    withStrategy(strategy, async (world, respond) => {
      const chance = createChance(seedOfRun());
      let published = 0;
      let refused = 0;
      const news = () => rss([{ id: `${published}`, title: `News ${published}` }]);
      world.platform.http.serve(NEIGHBOUR, () => ({ body: news() }));
      for (let input = 0; input < INPUTS; input++) {
        const { body, contentType } = mutate(completeDocument(strategy), strategy.contentType, chance);
        respond({ headers: { "content-type": contentType }, body });
        published++;
        await world.platform.clock.advance(60_000);
        const reports = await world.app.ingest.ingest(["board", "neighbour"]);
        const [board, neighbour] = ["board", "neighbour"].map((id) =>
          reports.find((report) => report.id === id)
        );
        assert.ok(board !== undefined && neighbour !== undefined, `input ${input}`);
        const shown = new TextDecoder().decode(body).slice(0, 2_000);
        assert.doesNotMatch(board.error ?? "", /internal error/, `input ${input}: ${shown}`);
        if (!board.ok) refused++;
        assert.deepEqual([neighbour.ok, neighbour.new], [true, 1], `input ${input}`);
        world.platform.http.requests.length = 0;
      }
      assert.ok(refused > INPUTS / 10, `${refused} were refused`);
      // The valid document is then read completely.
      respond({ headers: { "content-type": strategy.contentType }, body: completeDocument(strategy) });
      await world.platform.clock.advance(86_400_000);
      const report = await ingestBoard(world);
      assert.deepEqual([report.ok, report.refused], [true, []]);
      for (const item of ITEMS.filter((item) => !strategy.config.includes(item))) {
        assert.ok((await titlesOf(world, "board")).includes(`Document ${item}`), item);
      }
    }));

  Deno.test(`${name}: ${INPUTS} invalid items do not affect other items`, async () => {
    const chance = createChance(seedOfRun());
    const wanted = ["one", "two", "four", "five"].map((item) => `Document ${item}`);
    for (let round = 0; round < 10; round++) {
      await withStrategy(strategy, async (world, respond) => {
        for (let input = 0; input < INPUTS / 10; input++) {
          const body = withBadItem(strategy, chance);
          respond({ headers: { "content-type": strategy.contentType }, body });
          await world.platform.clock.advance(60_000);
          const report = await ingestBoard(world);
          assert.equal(report.ok, true, `${report.error} ${body.slice(0, 3_000)}`);
          if (input > 0) continue;
          const titles = await titlesOf(world, "board");
          for (const title of wanted) assert.ok(titles.includes(title), `${title}: ${body.slice(0, 3_000)}`);
        }
      });
    }
  });
}

Deno.test("sitemap indexes that refer to themselves or each other are read once, and are reported", () =>
  withStrategy(STRATEGIES.sitemap, async (world, respond) => {
    const index = (...urls: string[]) =>
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
        urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")
      }</sitemapindex>`;
    respond({ body: index(`${HOST}/feed`, `${HOST}/other`, `${HOST}/pages`) });
    world.platform.http.serve(`${HOST}/other`, () => ({ body: index(`${HOST}/feed`) }));
    world.platform.http.serve(`${HOST}/pages`, () => ({ body: completeDocument(STRATEGIES.sitemap) }));
    const report = await ingestBoard(world);
    assert.deepEqual([report.ok, report.new], [true, 4], "the other sitemap is read");
    assert.deepEqual(report.refused.map(({ item }) => item), [`${HOST}/feed`, `${HOST}/other`]);
    assert.ok(world.platform.http.requests.length < 10);
  }));
