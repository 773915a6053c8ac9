// One publication in several languages is one event, whichever language comes first.
import assert from "node:assert/strict";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

const CONFIG = boardConfig({
  source: 'urls = { en = "https://board.example/en/feed", de = "https://board.example/de/feed" }\n' +
    'relevance = "ai"',
}).replace('url = "https://board.example/feed"\n', "");

const WORDS: Record<string, { title: string; summary: string }> = {
  en: { title: "Guidelines on the AI Act", summary: "They concern Article 50 of the AI Act." },
  de: { title: "Leitlinien zur KI-Verordnung", summary: "Sie betreffen Artikel 50 der KI-Verordnung." },
  fr: { title: "Lignes directrices sur le règlement IA", summary: "Article 50 du règlement sur l’IA." },
};

/** A feed of one language; its addresses and ids are of that language. */
function feedOf(language: string, change: Record<string, { title?: string; summary?: string }>): string {
  const items = Object.entries(change).map(([id, words]) => ({ id, ...WORDS[language], ...words }));
  return rss(items).replaceAll("https://board.example/", `https://board.example/${language}/`)
    .replaceAll('<guid isPermaLink="false">', `<guid isPermaLink="false">${language}:`)
    .replace("<language>en", `<language>${language}`);
}

function serve(world: World, feeds: Record<string, Parameters<typeof feedOf>[1] | null>): void {
  for (const [language, items] of Object.entries(feeds)) {
    const body = items === null ? "" : feedOf(language, items);
    const etag = `"${body.length}"`;
    world.platform.http.serve(`https://board.example/${language}/feed`, (request) => {
      if (items === null) return { status: 503 };
      return request.headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body };
    });
  }
}

async function withWorld(work: (world: World) => Promise<void>, config = CONFIG): Promise<void> {
  const world = await createWorld(config);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

async function counts(world: World): Promise<[number, number, boolean]> {
  const [report] = await world.app.ingest.ingest(["board"]);
  return [report?.new ?? -1, report?.revised ?? -1, report?.ok ?? false];
}

// deno-lint-ignore no-explicit-any
async function events(world: World): Promise<any[]> {
  const { key } = await world.addCustomer();
  return (await world.ask("/v1/events", { key })).json.events;
}

Deno.test("the languages of a publication that come together are one event, delivered in the subscriber's", () =>
  withWorld(async (world) => {
    serve(world, { en: {}, de: {} });
    await world.app.tick();
    const { key } = await world.addCustomer();
    const received: string[] = [];
    world.platform.http.serve("https://hook.example/", (request) => {
      received.push(JSON.parse(request.body ?? "").title);
      return { status: 204 };
    });
    const body = JSON.stringify({ webhook_url: "https://hook.example/", language: "de" });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
    serve(world, { en: { 1: {} }, de: { 1: {} } });
    await world.platform.clock.advance(1_800_000);
    await world.app.tick();
    const [event, ...others] = await events(world);
    assert.deepEqual(others, []);
    assert.deepEqual([event.version, event.language_versions, event.language], [1, ["en", "de"], "en"]);
    assert.deepEqual(event.translations, { en: WORDS["en"], de: WORDS["de"] });
    assert.deepEqual(received, [WORDS["de"]?.title]);
    // What came at once is the record itself, and none of it came later.
    const one = (await world.ask(`/v1/events/${event.id}`, { key })).json;
    assert.deepEqual(one.later_languages, []);
    assert.deepEqual(Object.keys(one.provenance.other_languages), ["de"]);
    const { document, url } = one.provenance.other_languages.de;
    assert.deepEqual([document, url], ["https://board.example/de/feed", "https://board.example/de/1"]);
  }));

for (const [first, second] of [["en", "de"], ["de", "en"]] as const) {
  Deno.test(`${second} that comes after ${first} is no revision: the record has it from then on`, () =>
    withWorld(async (world) => {
      serve(world, { [first]: { 1: {} }, [second]: {} });
      await world.app.tick();
      const { key } = await world.addCustomer();
      const list = await world.ask("/v1/events", { key });
      const etag = list.headers.get("etag") ?? "";
      const before = list.json.events[0];
      assert.deepEqual(before.language_versions, [first]);
      serve(world, { [second]: { 1: {} } });
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.deepEqual([report?.new, report?.revised, report?.ok], [0, 0, true]);
      assert.deepEqual([report?.translated, report?.unchanged], [1, 1], "the other feed holds it still");
      const after = await world.ask("/v1/events", { key, headers: { "if-none-match": etag } });
      assert.equal(after.status, 200, "a kept list is not served on");
      const [event, ...others] = after.json.events;
      assert.deepEqual(others, []);
      assert.deepEqual([event.id, event.version, event.language], [before.id, 1, first]);
      assert.deepEqual(event.language_versions, [first, second]);
      assert.deepEqual([event.title_en, event.summary_en], [WORDS["en"]?.title, WORDS["en"]?.summary]);
      const one = await world.ask(`/v1/events/${before.id}`, { key });
      const [later, ...more] = one.json.later_languages;
      assert.deepEqual(more, []);
      assert.deepEqual([later.language, later.url], [second, `https://board.example/${second}/1`]);
      assert.equal(later.provenance.document, `https://board.example/${second}/feed`);
      assert.match(later.provenance.document_sha256, /^[0-9a-f]{64}$/);
      assert.deepEqual((await world.ask(`/v1/events?language=${second}`, { key })).json.count, 1);
      assert.deepEqual(await counts(world), [0, 0, true]);
    }));
}

Deno.test("an edit in any language is one revision, with the words of the others as they are", () =>
  withWorld(async (world) => {
    serve(world, { en: { 1: {} }, de: { 1: {} } });
    await world.app.tick();
    serve(world, { de: { 1: { summary: "Sie betreffen Artikel 50 und Anhang III der KI-Verordnung." } } });
    assert.deepEqual(await counts(world), [0, 1, true]);
    assert.deepEqual(await counts(world), [0, 0, true]);
    serve(world, { en: { 1: { title: "Guidelines on the AI Act, final" } } });
    assert.deepEqual(await counts(world), [0, 1, true]);
    assert.deepEqual(await counts(world), [0, 0, true]);
    const [event] = await events(world);
    const newest = (await events(world)).find(({ version }) => version === 3);
    assert.equal(event.external_id, "https://board.example/*/1");
    assert.equal(newest.title_en, "Guidelines on the AI Act, final");
    assert.match(newest.translations.de.summary, /Anhang III/);
    assert.deepEqual(newest.language_versions, ["en", "de"]);
  }));

Deno.test("a language that repeats the words of another is no translation", () =>
  withWorld(async (world) => {
    serve(world, { en: { 1: {} }, de: { 1: WORDS["en"] ?? {} } });
    await world.app.tick();
    assert.deepEqual((await events(world))[0].language_versions, ["en"]);
    serve(world, { de: { 1: {} } });
    assert.deepEqual(await counts(world), [0, 0, true]);
    assert.deepEqual((await events(world))[0].language_versions, ["en", "de"]);
  }));

Deno.test("languages that stood in each other's place change over in one revision", () =>
  withWorld(async (world) => {
    serve(world, { en: { 1: WORDS["de"] ?? {} }, de: { 1: WORDS["en"] ?? {} } });
    await world.app.tick();
    serve(world, { en: { 1: {}, 2: {} }, de: { 1: {}, 2: {} } });
    assert.deepEqual(await counts(world), [1, 1, true]);
    const changed = (await events(world)).find(({ version }) => version === 2);
    assert.deepEqual(changed.translations, { en: WORDS["en"], de: WORDS["de"] });
    assert.deepEqual(await counts(world), [0, 0, true]);
    serve(world, { en: { 1: {} }, de: { 1: {} } });
    assert.deepEqual(await counts(world), [0, 0, true]);
  }));

Deno.test("a language that repeats what another said before its last edit is no translation either", () =>
  withWorld(async (world) => {
    const edited = { title: "Guidelines on the AI Act, final", summary: "They concern Article 50." };
    const [before = edited] = [WORDS["en"]];
    serve(world, { en: { 1: {} }, de: { 1: before } });
    await world.app.tick();
    serve(world, { en: { 1: edited } });
    assert.deepEqual(await counts(world), [0, 1, true]);
    for (const words of [before, edited]) {
      // With a space more it is another document, which is read.
      serve(world, { de: { 1: { ...words, summary: ` ${words.summary}` } } });
      assert.deepEqual(await counts(world), [0, 0, true]);
      assert.deepEqual((await events(world))[0].language_versions, ["en"]);
    }
    serve(world, { de: { 1: {} } });
    assert.deepEqual(await counts(world), [0, 0, true]);
    assert.deepEqual((await events(world))[0].language_versions, ["en", "de"]);
  }));

Deno.test("a language whose feed fails comes when it is back, and the others do not wait for it", () =>
  withWorld(async (world) => {
    serve(world, { en: { 1: {} }, de: null });
    await world.app.tick();
    assert.deepEqual((await events(world))[0].language_versions, ["en"]);
    serve(world, { de: { 1: {} } });
    assert.deepEqual(await counts(world), [0, 0, true]);
    assert.deepEqual((await events(world))[0].language_versions, ["en", "de"]);
    serve(world, { en: null, de: null });
    assert.equal((await counts(world))[2], false);
  }));

Deno.test("what one language alone tells to be about AI brings the words of the other, although that feed stands still", () =>
  withWorld(async (world) => {
    serve(world, { en: { 1: { title: "A note", summary: "On quotas." } }, de: { 1: {} } });
    await world.app.tick();
    await counts(world);
    const [event] = await events(world);
    assert.deepEqual([event.language, event.language_versions], ["de", ["de", "en"]]);
    assert.equal(event.title_en, "A note");
  }));

Deno.test("one feed with items in several languages is told apart by a pattern in their addresses", async () => {
  const config = boardConfig({
    source: 'languages = ["en", "de"]\nlanguage_pattern = \'[.](en|de)[.]html\'',
  });
  await withWorld(async (world) => {
    const item = (language: string) =>
      `<item><guid>https://board.example/act.${language}.html</guid>` +
      `<link>https://board.example/act.${language}.html</link><title>${WORDS[language]?.title}</title>` +
      `<description>${WORDS[language]?.summary}</description></item>`;
    world.platform.http.serve("https://board.example/feed", () => ({
      body: `<rss version="2.0"><channel>${item("de")}${item("en")}</channel></rss>`,
    }));
    await world.app.tick();
    const [event, ...others] = await events(world);
    assert.deepEqual(others, []);
    // The source's main language tells the record, whichever item stands first.
    assert.deepEqual([event.language, event.language_versions], ["en", ["en", "de"]]);
    assert.equal(event.title_en, WORDS["en"]?.title);
  }, config);
});

Deno.test("a source that begins to offer languages announces nothing again", async () => {
  const world = await createWorld(CONFIG);
  try {
    const [source] = world.config.sources;
    assert.ok(source?.urls);
    const { urls } = source;
    delete source.urls;
    source.location = urls["en"] ?? "";
    serve(world, { en: { 1: {}, 2: {} }, de: { 1: {}, 2: {} } });
    await world.app.tick();
    source.urls = urls;
    assert.deepEqual(await counts(world), [0, 0, true]);
    assert.deepEqual(await counts(world), [0, 0, true]);
    for (const event of await events(world)) assert.deepEqual(event.language_versions, ["en", "de"]);
  } finally {
    await world.close();
  }
});
