// Sources with a URL for each language, for every strategy that supports them.
import assert from "node:assert/strict";
import { ingestBoard, withSources } from "../support/collecting.ts";
import type { FakeInternet } from "../support/platform.ts";
import { boardConfig, rss } from "../support/samples.ts";
import type { World } from "../support/world.ts";

const DAY = 86_400_000;
const LANGUAGES = ["en", "de"] as const;
type Language = typeof LANGUAGES[number];

const at = (language: Language, path = "list") => `https://board.example/${language}/${path}`;
const URLS = `urls = { en = "${at("en")}", de = "${at("de")}" }\nrelevance = "all"\nmin_items = 1\n`;
const configOf = (source: string) =>
  boardConfig({ source: URLS + source }).replace('url = "https://board.example/feed"\n', "");

const TITLES = { en: "Guidelines on the AI Act", de: "Leitlinien zur KI-Verordnung" };

/** The config of a strategy, and a site with two publications in each language. */
interface Site {
  config: string;
  /** Serves the publications in a language. The page or document with the number `broken` fails. */
  serve(http: FakeInternet, language: Language, options?: { broken: number }): void;
}

const SITES: Readonly<Record<string, Site>> = {
  feed: {
    config: "",
    serve: (http, language) =>
      http.serve(at(language), () => ({
        body: rss([1, 2].map((id) => ({ id: `${id}`, title: `${TITLES[language]} ${id}` })))
          .replaceAll("https://board.example/", `https://board.example/${language}/`)
          .replaceAll('<guid isPermaLink="false">', `<guid isPermaLink="false">${language}-`),
      })),
  },
  json: {
    config:
      'fetch_strategy = "json"\n[sources.json]\nitems = "found"\ntitle = "title"\nlink = "link"\npaging = "page"\n',
    serve: (http, language, { broken } = { broken: 0 }) =>
      http.serve(at(language), ({ url }) => {
        const page = Number(url.searchParams.get("page"));
        if (page === broken) return { status: 500 };
        const found = page > 2
          ? []
          : [{ title: `${TITLES[language]} ${page}`, link: at(language, `${page}`) }];
        return { headers: { "content-type": "application/json" }, body: JSON.stringify({ found }) };
      }),
  },
  html: {
    config:
      'fetch_strategy = "html"\n[sources.html]\nitem = "li"\ntitle = "a"\nlink = "a@href"\npaging = "link"\n' +
      'next = "a[rel=next]@href"\n',
    serve: (http, language, { broken } = { broken: 0 }) => {
      for (const page of [1, 2]) {
        const next = page === 1 ? `<a rel=next href="${at(language, "more")}">next</a>` : "";
        http.serve(at(language, page === 1 ? "list" : "more"), () =>
          page === broken ? { status: 500 } : {
            headers: { "content-type": "text/html" },
            body: `<ul><li><a href="${at(language, `${page}`)}">${TITLES[language]} ${page}</a></ul>${next}`,
          });
      }
    },
  },
  sitemap: {
    config: 'fetch_strategy = "sitemap"\n',
    serve: (http, language, { broken } = { broken: 0 }) => {
      const entries = [1, 2].map((page) =>
        `<url><loc>${at(language, `${page}`)}</loc><lastmod>2026-07-31T10:00:00Z</lastmod></url>`
      );
      http.serve(at(language), () => ({
        headers: { "content-type": "application/xml" },
        body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`,
      }));
      for (const page of [1, 2]) {
        http.serve(at(language, `${page}`), () =>
          page === broken ? { status: 500 } : {
            headers: { "content-type": "text/html" },
            body: `<html lang="${language}"><title>${
              TITLES[language]
            } ${page}</title><p>On Article 50.</html>`,
          });
      }
    },
  },
};

async function stored(world: World): Promise<string[]> {
  const { key } = await world.addCustomer();
  const { json } = await world.ask("/v1/events", { key });
  return json.events.map((event: { title_en: string; language_versions: string[]; version: number }) =>
    `${event.title_en}: ${event.language_versions.join(",")} v${event.version}`
  ).sort();
}

const BOTH = [1, 2].map((id) => `${TITLES.en} ${id}: en,de v1`);

for (const [strategy, { config, serve }] of Object.entries(SITES)) {
  Deno.test(`${strategy}: the URLs of several languages give one event for each publication`, () =>
    withSources(configOf(config), async (world) => {
      for (const language of LANGUAGES) serve(world.platform.http, language);
      const first = await ingestBoard(world);
      assert.deepEqual([first.ok, first.new, first.refused], [true, 2, []]);
      assert.deepEqual(await stored(world), BOTH);
      for (let times = 0; times < 3; times++) {
        await world.platform.clock.advance(DAY);
        const again = await ingestBoard(world);
        assert.deepEqual([again.ok, again.new, again.revised, again.refused], [true, 0, 0, []]);
      }
      assert.deepEqual(await stored(world), BOTH);
    }));

  Deno.test(`${strategy}: a language that fails is reported and added later, and the other is stored`, () =>
    withSources(configOf(config), async (world) => {
      serve(world.platform.http, "en");
      world.platform.http.serve(at("de"), () => ({ status: 503 }));
      const first = await ingestBoard(world);
      assert.deepEqual([first.ok, first.new], [true, 2]);
      assert.deepEqual(first.refused, [{ item: `de: ${at("de")}`, reason: "responded with 503" }]);
      serve(world.platform.http, "de");
      await world.platform.clock.advance(DAY);
      const later = await ingestBoard(world);
      assert.deepEqual([later.ok, later.new, later.revised, later.refused], [true, 0, 0, []]);
      assert.deepEqual(await stored(world), BOTH);
    }));

  if (strategy === "feed") continue;
  Deno.test(`${strategy}: a failed page of one language does not affect the other pages`, () =>
    withSources(configOf(config), async (world) => {
      serve(world.platform.http, "en");
      serve(world.platform.http, "de", { broken: 2 });
      const first = await ingestBoard(world);
      assert.deepEqual([first.ok, first.new, first.refused.length], [true, 2, 1]);
      assert.match(first.refused[0]?.item ?? "", /^de: /);
      serve(world.platform.http, "de");
      await world.platform.clock.advance(DAY);
      const later = await ingestBoard(world);
      assert.deepEqual([later.ok, later.new, later.revised, later.refused], [true, 0, 0, []]);
      assert.deepEqual(await stored(world), BOTH);
    }));
}

Deno.test("html: a language whose page no longer matches the rules is reported, and the other is stored", () =>
  withSources(configOf(SITES["html"]?.config ?? ""), async (world) => {
    SITES["html"]?.serve(world.platform.http, "en");
    const changed = { headers: { "content-type": "text/html" }, body: "<p>New site" };
    world.platform.http.serve(at("de"), () => changed);
    const report = await ingestBoard(world);
    assert.deepEqual([report.ok, report.new, report.refused.map(({ item }) => item)], [true, 2, ["de"]]);
    assert.match(report.refused[0]?.reason ?? "", /^has no items: /);
    SITES["html"]?.serve(world.platform.http, "en");
    world.platform.http.serve(at("en"), () => changed);
    const neither = await ingestBoard(world);
    assert.deepEqual([neither.ok, neither.error?.slice(0, 11)], [false, "has no item"]);
  }));

Deno.test("a publication that exists only in an unchanged language is not missing", () =>
  withSources(configOf("removals = true\n"), async (world) => {
    const items = (language: Language, ids: readonly number[]) =>
      rss(ids.map((id) => ({ id: `${id}`, title: `${TITLES[language]} ${id}` })))
        .replaceAll("https://board.example/", `https://board.example/${language}/`)
        .replaceAll('<guid isPermaLink="false">', `<guid isPermaLink="false">${language}-`);
    let sent = 0;
    world.platform.http.serve(at("de"), ({ headers }) => {
      if (headers["if-none-match"] === '"de"') return { status: 304 };
      sent++;
      return { headers: { etag: '"de"' }, body: items("de", [1, 2, 3]) };
    });
    let edition = 0;
    world.platform.http.serve(at("en"), () => ({ body: `${items("en", [1, 2])}<!-- ${edition++} -->` }));
    for (let times = 0; times < 6; times++) {
      await world.platform.clock.advance(DAY / 8);
      assert.equal((await ingestBoard(world)).revised, 0);
    }
    assert.equal(sent, 4, "at first, after new items, and to confirm missing ones");
  }));
