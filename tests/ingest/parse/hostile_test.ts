// Broken and hostile documents of every strategy: nothing is thrown, and other items and sources are not affected.
import assert from "node:assert/strict";
import { type Chance, createChance, seedOfRun } from "../../support/chance.ts";
import { hostileValue, mutate } from "../../support/hostile.ts";
import type { Answer } from "../../support/platform.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";
import { scaled } from "../../support/effort.ts";

const INPUTS = Number(Deno.env.get("REGFEED_INPUTS") ?? scaled(50, 500));
const HOST = "https://board.example";
const ITEMS = ["one", "two", "three", "four", "five"];
const NEIGHBOUR = "https://neighbour.example/feed";

/** A strategy with a valid document and one with a hostile third item. */
interface Strategy {
  config: string;
  contentType: string;
  whole: string;
  /** The document with a hostile third item; null where one cannot be told from the document. */
  withBadItem(chance: Chance): string;
  /** What else it asks for. */
  serve?(world: World): void;
}

/** Markup whose damage ends with the item; damage that ends the list would affect other items. */
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

const api = (rows: readonly unknown[]) => JSON.stringify({ found: rows });
const row = (name: string) => ({ title: `Document ${name}`, link: `${HOST}/${name}`, date: "2026-07-30" });
const bindings = (rows: readonly unknown[]) =>
  JSON.stringify({ head: { vars: ["title", "link"] }, results: { bindings: rows } });
const binding = (name: string) => ({
  title: { type: "literal", value: `Document ${name}` },
  link: { type: "uri", value: `${HOST}/${name}` },
});
const listing = (rows: readonly string[]) =>
  `<!doctype html><html lang="en"><body><ul>${rows.join("\n")}</ul>`;
const line = (name: string) => `<li><a href="/${name}">Document ${name}</a><time>30 July 2026</time></li>`;
const map = (rows: readonly string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
    rows.join("")
  }</urlset>`;
const entry = (name: string) =>
  `<url><loc>${HOST}/${name}</loc><lastmod>2026-07-31T10:00:00Z</lastmod></url>`;
const feedItem = (name: string) =>
  `<item><guid>${HOST}/${name}</guid><link>${HOST}/${name}</link><title>Document ${name}</title></item>`;
const feed = (rows: readonly string[]) =>
  `<rss version="2.0"><channel><title>x</title>${rows.join("")}</channel></rss>`;

/** The rows with another third one. */
function third<T>(write: (name: string) => T, bad: T): T[] {
  return ITEMS.map((name, at) => at === 2 ? bad : write(name));
}

/** A row with hostile and missing values. */
function badRow(whole: Record<string, unknown>, chance: Chance): unknown {
  if (chance.happens(0.1)) return hostileValue(chance);
  return Object.fromEntries(
    Object.entries(whole).filter(() => chance.happens(0.7)).map(([key, value]) => [
      key,
      chance.happens(0.6) ? hostileValue(chance) : value,
    ]),
  );
}

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  feed: {
    config: "",
    contentType: "application/rss+xml",
    whole: feed(ITEMS.map(feedItem)),
    withBadItem: ({ pick }) => feed(third(feedItem, `<item>${pick(BAD_MARKUP)}</item>`)),
  },
  json: {
    config:
      'fetch_strategy = "json"\n[sources.json]\nitems = "found"\ntitle = "title"\nlink = "link"\npublished = "date"\n',
    contentType: "application/json",
    whole: api(ITEMS.map(row)),
    withBadItem: (chance) => api(third<unknown>(row, badRow(row("three"), chance))),
  },
  html: {
    config:
      'fetch_strategy = "html"\n[sources.html]\nitem = "li"\ntitle = "a"\nlink = "a@href"\npublished = "time"\n',
    contentType: "text/html",
    whole: listing(ITEMS.map(line)),
    withBadItem: ({ pick }) =>
      listing(third(
        line,
        pick([
          "<li>",
          "<li><a>Document three",
          `<li><a href="${"x".repeat(100_000)}">Document three</a>`,
          `<li>${"<b>".repeat(1_000)}<a href="/three">x</a>`,
          "<li><a href='javascript:alert(1)'>Document three</a></li>",
          "<li><a href=/three><time>99 July 99</time></li>",
        ]),
      )),
  },
  sparql: {
    config:
      'fetch_strategy = "sparql"\n[sources.sparql]\nquery = "{since} {until}"\ntitle = "title"\nlink = "link"\n',
    contentType: "application/sparql-results+json",
    whole: bindings(ITEMS.map(binding)),
    withBadItem: (chance) => bindings(third<unknown>(binding, badRow(binding("three"), chance))),
  },
  sitemap: {
    config: 'fetch_strategy = "sitemap"\n[sources.sitemap]\nexclude = ["/three"]\n',
    contentType: "application/xml",
    whole: map(ITEMS.map(entry)),
    withBadItem: (chance) =>
      map(
        third(
          entry,
          `<url><loc>${
            chance.pick(["", "https://[::1]:9/%", "file:///etc/passwd", "&a;", "\ud800"])
          }</loc></url>`,
        ),
      ),
    serve: (world) => {
      for (const name of ITEMS) {
        world.platform.http.serve(`${HOST}/${name}`, () => ({
          headers: { "content-type": "text/html" },
          body: `<html lang="en"><title>Document ${name}</title>`,
        }));
      }
    },
  },
};

async function withStrategy(
  { config, serve }: Strategy,
  work: (world: World, answer: (answer: Answer) => void) => Promise<void>,
): Promise<void> {
  const world = await createWorld(
    `${boardConfig({ source: `relevance = "all"\n${config}` })}
[[sources]]
id = "neighbour"
name_en = "Neighbour"
url = "${NEIGHBOUR}"
relevance = "all"
`,
  );
  let given: Answer = {};
  world.platform.http.serve(`${HOST}/feed`, () => given);
  serve?.(world);
  try {
    await world.app.ingest.register();
    await work(world, (answer) => given = answer);
  } finally {
    await world.close();
  }
}

const titlesOf = async (world: World, source: string): Promise<string[]> =>
  (await world.store.listEvents({ limit: 10_000, source })).map(({ json }) => JSON.parse(json))
    .map(({ title_en }) => title_en);

for (const [name, strategy] of Object.entries(STRATEGIES)) {
  Deno.test(`${name}: ${INPUTS} mutated documents are refused or read, and another source is fetched`, () =>
    withStrategy(strategy, async (world, answer) => {
      const chance = createChance(seedOfRun());
      let published = 0;
      let refused = 0;
      world.platform.http.serve(
        NEIGHBOUR,
        () => ({ body: rss([{ id: `${published}`, title: `News ${published}` }]) }),
      );
      for (let input = 0; input < INPUTS; input++) {
        const { body, contentType } = mutate(strategy.whole, strategy.contentType, chance);
        answer({ headers: { "content-type": contentType }, body });
        published++;
        await world.platform.clock.advance(60_000);
        const reports = await world.app.ingest.ingest(["board", "neighbour"]);
        const [board, neighbour] = ["board", "neighbour"].map((id) =>
          reports.find((report) => report.id === id)
        );
        assert.ok(board !== undefined && neighbour !== undefined, `input ${input}`);
        assert.ok(
          !/internal error/.test(board.error ?? ""),
          `input ${input}: ${new TextDecoder().decode(body).slice(0, 2_000)}`,
        );
        if (!board.ok) refused++;
        assert.deepEqual([neighbour.ok, neighbour.new], [true, 1], `input ${input}`);
        world.platform.http.requests.length = 0;
      }
      assert.ok(refused > INPUTS / 10, `${refused} were refused`);
      // Later the valid document is read completely.
      answer({ headers: { "content-type": strategy.contentType }, body: strategy.whole });
      await world.platform.clock.advance(86_400_000);
      const report = (await world.app.ingest.ingest(["board"])).find(({ id }) => id === "board");
      assert.deepEqual([report?.ok, report?.refused], [true, []]);
      for (const item of ITEMS.filter((item) => !strategy.config.includes(item))) {
        assert.ok((await titlesOf(world, "board")).includes(`Document ${item}`), item);
      }
    }));

  Deno.test(`${name}: ${INPUTS} invalid items do not affect other items`, async () => {
    const chance = createChance(seedOfRun());
    const wanted = ["one", "two", "four", "five"].map((item) => `Document ${item}`);
    for (let round = 0; round < 10; round++) {
      await withStrategy(strategy, async (world, answer) => {
        for (let input = 0; input < INPUTS / 10; input++) {
          const body = strategy.withBadItem(chance);
          answer({ headers: { "content-type": strategy.contentType }, body });
          await world.platform.clock.advance(60_000);
          const [report] = await world.app.ingest.ingest(["board"]);
          assert.equal(report?.ok, true, `${report?.error} ${body.slice(0, 3_000)}`);
          if (input > 0) continue;
          const titles = await titlesOf(world, "board");
          for (const title of wanted) assert.ok(titles.includes(title), `${title}: ${body.slice(0, 3_000)}`);
        }
      });
    }
  });
}

Deno.test("sitemap indexes that refer to themselves or each other are read once and reported", () =>
  withStrategy(STRATEGIES["sitemap"] as Strategy, async (world, answer) => {
    const index = (...urls: string[]) =>
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
        urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")
      }</sitemapindex>`;
    answer({ body: index(`${HOST}/feed`, `${HOST}/other`, `${HOST}/pages`) });
    world.platform.http.serve(`${HOST}/other`, () => ({ body: index(`${HOST}/feed`) }));
    world.platform.http.serve(`${HOST}/pages`, () => ({ body: STRATEGIES["sitemap"]?.whole ?? "" }));
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([report?.ok, report?.new], [true, 4], "the other sitemap is read");
    assert.deepEqual(report?.refused.map(({ item }) => item), [`${HOST}/feed`, `${HOST}/other`]);
    assert.ok(world.platform.http.requests.length < 10);
  }));
