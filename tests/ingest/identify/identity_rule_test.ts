// Identity rules: the keys that they produce. A change of the rule makes no publication new.
import assert from "node:assert/strict";
import { identifyItems } from "../../../src/ingest/identify/identify.ts";
import { identityOf, keyUnder, PLAIN_IDENTITY } from "../../../src/ingest/identify/identity_rule.ts";
import { languageForms, withoutLanguage } from "../../../src/ingest/identify/language_urls.ts";
import type { NormalisedItem } from "../../../src/ingest/normalise/item.ts";
import { fetchFeed, ingestBoard, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";

const item = (change: Partial<NormalisedItem> = {}): NormalisedItem => ({
  guid: "id-1",
  link: "https://board.example/news/17/title",
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

Deno.test("keyUnder() returns the identity under each rule", () => {
  const forms = languageForms({ languages: ["en", "de"], languagePattern: "/(en|de)/" });
  const rows: [rule: string, change: Partial<NormalisedItem>, key: string][] = [
    ["guid", {}, "id-1"],
    ["guid", { guid: null }, "https://board.example/news/17/title"],
    ["link", {}, "https://board.example/news/17/title"],
    ["link+title", {}, "https://board.example/news/17/title Guidelines"],
    ["pattern /news/([0-9]+)", {}, "17"],
    ["pattern /news/([0-9]+)", { link: "https://board.example/", guid: "at /news/18" }, "18"],
    ["pattern /news/([0-9]+)", { link: "https://board.example/" }, "https://board.example/"],
    ["any-language link", { link: "https://board.example/de/17" }, "https://board.example/*/17"],
    ["any-language guid", { guid: "https://board.example/en/17" }, "https://board.example/*/17"],
    ["any-language pattern (1.)/", { link: "https://board.example/de/17/" }, "17"],
  ];
  for (const [rule, change, key] of rows) assert.equal(keyUnder(rule, forms)(item(change)), key, rule);
});

Deno.test("withoutLanguage() finds the language in common forms of URLs", () => {
  const forms = languageForms({ languages: ["en", "de"], urls: {} });
  assert.ok(forms);
  const rows: [url: string, neutral: string, language: string | null][] = [
    ["https://x.example/de/news", "https://x.example/*/news", "de"],
    ["https://x.example/DE/news", "https://x.example/*/news", "de"],
    ["https://de.x.example/news", "https://*.x.example/news", "de"],
    ["https://x.example/news_de", "https://x.example/news_*", "de"],
    ["https://x.example/news_de.html", "https://x.example/news_*.html", "de"],
    ["https://x.example/news.de.html?a=1", "https://x.example/news.*.html?a=1", "de"],
    ["https://x.example/news?a=1&lang=en", "https://x.example/news?a=1&lang=*", "en"],
    ["https://x.example/fr/news", "https://x.example/fr/news", null],
    ["https://x.example/code/index", "https://x.example/code/index", null],
    ["https://x.example/wide-defence", "https://x.example/wide-defence", null],
  ];
  for (const [url, neutral, language] of rows) {
    assert.deepEqual(withoutLanguage(url, forms), { url: neutral, language }, url);
  }
});

Deno.test("identityOf() keeps the current and former rules of a source", () => {
  const state = { identityRule: "link", formerRules: ["guid"], lastSuccessAtMs: 1 };
  const rows: [name: string, config: string | undefined, before: object, rule: string, former: string[]][] = [
    ["automatic", undefined, {}, "link", ["guid"]],
    ["configured as before", "link", {}, "link", ["guid"]],
    ["configured differently", "pattern (x)", {}, "pattern (x)", ["link", "guid"]],
    ["no longer configured", undefined, { identityRule: "p", formerRules: ["link"] }, "p", ["link"]],
    ["never fetched", "link", { identityRule: "guid", lastSuccessAtMs: null }, "link", []],
  ];
  for (const [name, identity, before, rule, former] of rows) {
    const source = { languages: ["en"], ...(identity === undefined ? {} : { identity }) };
    const found = identityOf(source, { ...state, ...before });
    const isFixed = identity !== undefined;
    assert.deepEqual(found, { rule, former, isFixed, languages: null }, name);
  }
});

Deno.test("identifyItems() uses the link if ids contain the headline, unless the config sets the rule", () => {
  const items = ["Guidelines on labels", "Guidelines on chatbots", "Opinion"].map((title, at) =>
    item({ title, guid: `board: ${title}`, link: `https://board.example/${at}` })
  );
  assert.equal(identifyItems(items, PLAIN_IDENTITY).identity.rule, "link");
  assert.equal(identifyItems(items, { ...PLAIN_IDENTITY, isFixed: true }).identity.rule, "guid");
  assert.equal(identifyItems(items.slice(2), PLAIN_IDENTITY).identity.rule, "guid", "too short");
});

Deno.test("a change of the identity rule makes no new publications, and edits stay revisions", () =>
  withSources(boardConfig(), async (world) => {
    const [source] = world.config.sources;
    assert.ok(source);
    let items: SampleItem[] = ["1", "2", "3"].map((id) => ({ id }));
    const edit = (id: string, summary: string) => {
      items = items.map((one) => one.id === id ? { ...one, summary } : one);
    };
    await fetchFeed(world, items);
    for (const [at, rule] of ["link", "pattern ([0-9])$", "link+title", undefined, "guid"].entries()) {
      if (rule === undefined) delete source.identity;
      else source.identity = rule;
      assert.deepEqual(await fetchFeed(world, items), [0, 0, 3], rule ?? "none");
      edit("1", `Edition ${at} on the AI Act.`);
      assert.deepEqual(await fetchFeed(world, items), [0, 1, 2], rule ?? "none");
    }
    source.identity = "link";
    await fetchFeed(world, items);
    source.identity = "pattern ([0-9])$";
    edit("2", "On Annex III of the AI Act.");
    assert.deepEqual(await fetchFeed(world, items), [0, 1, 2], "rule and text change between two fetches");
  }));

Deno.test("an edited headline in the id is a revision", () =>
  withSources(boardConfig(), async (world) => {
    const feed = (title: string) =>
      rss([{ id: `board: ${title}`, title }])
        .replace(/<link>.*?<\/link>/, "<link>https://board.example/a</link>");
    assert.deepEqual(await fetchFeed(world, feed("Guidelines on the AI Act")), [1, 0, 0]);
    assert.deepEqual(await fetchFeed(world, feed("Guidelines on the AI Act, corrected")), [0, 1, 0]);
  }));

Deno.test("files that are read again after a change of settings do not restore older editions", () => {
  const config = boardConfig({ source: 'fetch_strategy = "files"\npath = "inbox"' })
    .replace('url = "https://board.example/feed"\n', "");
  return withSources(config, async (world) => {
    const nowMs = world.platform.clock.nowMs();
    const put = (name: string, ageMs: number, items: SampleItem[]) =>
      world.platform.files.write(`/world/inbox/${name}`, rss(items), nowMs - ageMs);
    put("a.xml", 90_000, [{ id: "1", title: "AI Act, draft" }, {
      id: "2",
      title: "Fishing",
      summary: "Quotas.",
    }]);
    put("b.xml", 60_000, [{ id: "1", title: "AI Act, final" }]);
    await ingestBoard(world);
    const [source] = world.config.sources;
    assert.ok(source);
    source.relevance = "all";
    for (const expected of [[1, 0], [0, 0]]) {
      const report = await ingestBoard(world);
      assert.deepEqual([report.new, report.revised], expected);
    }
    const latest = await world.store.listEvents({ limit: 9, latest: true });
    const titles = latest.map(({ json }) => JSON.parse(json).title_en);
    assert.deepEqual(titles.sort(), ["AI Act, final", "Fishing"]);
  });
});
