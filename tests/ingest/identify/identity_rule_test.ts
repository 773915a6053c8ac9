// The rule that tells the publications of a source apart: what it gives, and that changing it announces nothing again.
import assert from "node:assert/strict";
import { identifyItems } from "../../../src/ingest/identify/identify.ts";
import {
  type Identity,
  identityOf,
  keyUnder,
  PLAIN_IDENTITY,
} from "../../../src/ingest/identify/identity_rule.ts";
import { languageForms, withoutLanguage } from "../../../src/ingest/identify/language_urls.ts";
import type { NormalisedItem } from "../../../src/ingest/normalise/item.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld } from "../../support/world.ts";

const item = (change: Partial<NormalisedItem> = {}): NormalisedItem => ({
  guid: "id-1",
  link: "https://board.example/news/17/title",
  title: "Guidelines",
  summary: "On transparency.",
  publishedAtMs: 1_000,
  updatedAtMs: null,
  language: null,
  categories: [],
  ...change,
});

Deno.test("keyUnder() gives the identity of each rule", () => {
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

Deno.test("withoutLanguage() finds the language in the usual forms of addresses, and in no others", () => {
  const forms = languageForms({ languages: ["en", "de"], urls: {} });
  assert.ok(forms);
  const rows: [address: string, neutral: string, language: string | null][] = [
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
  for (const [address, neutral, language] of rows) {
    assert.deepEqual(withoutLanguage(address, forms), { address: neutral, language }, address);
  }
});

Deno.test("identityOf() keeps what a source has come to, and remembers what it was before", () => {
  const source = { languages: ["en"] };
  const state = { identityRule: "link", formerRules: ["guid"], lastSuccessAtMs: 1 };
  const rows: [name: string, expected: Pick<Identity, "rule" | "former" | "isFixed">, given: Identity][] = [
    ["found", { rule: "link", former: ["guid"], isFixed: false }, identityOf(source, state)],
    [
      "configured as it is",
      { rule: "link", former: ["guid"], isFixed: true },
      identityOf({ ...source, identity: "link" }, state),
    ],
    [
      "configured anew",
      { rule: "pattern (x)", former: ["link", "guid"], isFixed: true },
      identityOf({ ...source, identity: "pattern (x)" }, state),
    ],
    [
      "no longer configured",
      { rule: "pattern (x)", former: ["link"], isFixed: false },
      identityOf(source, { ...state, identityRule: "pattern (x)", formerRules: ["link"] }),
    ],
    [
      "never fetched",
      { rule: "link", former: [], isFixed: true },
      identityOf({ ...source, identity: "link" }, { ...state, identityRule: "guid", lastSuccessAtMs: null }),
    ],
  ];
  for (const [name, expected, { rule, former, isFixed }] of rows) {
    assert.deepEqual({ rule, former, isFixed }, expected, name);
  }
});

Deno.test("identifyItems() moves on to the link when ids hold the headline, unless the config says otherwise", () => {
  const items = ["Guidelines on labels", "Guidelines on chatbots", "Opinion"].map((title, at) =>
    item({ title, guid: `board: ${title}`, link: `https://board.example/${at}` })
  );
  assert.equal(identifyItems(items, PLAIN_IDENTITY).identity.rule, "link");
  assert.equal(identifyItems(items, { ...PLAIN_IDENTITY, isFixed: true }).identity.rule, "guid");
  assert.equal(identifyItems(items.slice(2), PLAIN_IDENTITY).identity.rule, "guid", "too short to say so");
});

Deno.test("another rule for a source, chosen or taken back, announces nothing again, and edits stay revisions", async () => {
  const world = await createWorld(boardConfig());
  let items: SampleItem[] = ["1", "2", "3"].map((id) => ({ id }));
  world.platform.http.serve("https://board.example/feed", () => ({ body: rss(items) }));
  const counts = async () => {
    const [report] = await world.app.ingest.ingest(["board"]);
    return [report?.new, report?.revised, report?.unchanged];
  };
  try {
    await world.app.tick();
    const [source] = world.config.sources;
    assert.ok(source);
    for (const [at, rule] of ["link", "pattern ([0-9])$", "link+title", undefined, "guid"].entries()) {
      if (rule === undefined) delete source.identity;
      else source.identity = rule;
      assert.deepEqual(await counts(), [0, 0, 3], rule ?? "none");
      items = items.map((one) => one.id === "1" ? { ...one, summary: `Edition ${at} on the AI Act.` } : one);
      assert.deepEqual(await counts(), [0, 1, 2], rule ?? "none");
    }
    // The rule and the words change between two fetches.
    source.identity = "link";
    await counts();
    source.identity = "pattern ([0-9])$";
    items = items.map((one) => one.id === "2" ? { ...one, summary: "On Annex III of the AI Act." } : one);
    assert.deepEqual(await counts(), [0, 1, 2]);
  } finally {
    await world.close();
  }
});

Deno.test("a headline in the id is no news when it is edited", async () => {
  const world = await createWorld(boardConfig());
  const feed = (title: string) =>
    rss([{ id: `board: ${title}`, title }]).replace(
      /<link>.*?<\/link>/,
      "<link>https://board.example/a</link>",
    );
  let body = feed("Guidelines on the AI Act");
  world.platform.http.serve("https://board.example/feed", () => ({ body }));
  try {
    await world.app.tick();
    body = feed("Guidelines on the AI Act, corrected");
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.deepEqual([report?.new, report?.revised], [0, 1]);
  } finally {
    await world.close();
  }
});

Deno.test("an edit of a folder's settings lets in what they let in, and flips no publication between its editions", async () => {
  const folder = boardConfig({ source: 'fetch_strategy = "files"\npath = "inbox"' })
    .replace('url = "https://board.example/feed"\n', "");
  const world = await createWorld(folder);
  const nowMs = world.platform.clock.nowMs();
  const put = (name: string, ageMs: number, items: SampleItem[]) =>
    world.platform.files.write(`/world/inbox/${name}`, rss(items), nowMs - ageMs);
  put("a.xml", 90_000, [{ id: "1", title: "AI Act, draft" }, {
    id: "2",
    title: "Fishing",
    summary: "Quotas.",
  }]);
  put("b.xml", 60_000, [{ id: "1", title: "AI Act, final" }]);
  try {
    await world.app.tick();
    const [source] = world.config.sources;
    assert.ok(source);
    source.relevance = "all";
    for (const expected of [[1, 0], [0, 0]]) {
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.deepEqual([report?.new, report?.revised], expected);
    }
    const latest = (await world.store.listEvents({ limit: 9, latest: true })).map(({ json }) =>
      JSON.parse(json).title_en
    );
    assert.deepEqual(latest.sort(), ["AI Act, final", "Fishing"]);
  } finally {
    await world.close();
  }
});
