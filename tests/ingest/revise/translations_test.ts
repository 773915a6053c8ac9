// A publication in several languages is one event, in whatever order the languages appear.
import assert from "node:assert/strict";
import { ingestBoard, storedEvents, subscribe, withSources } from "../../support/collecting.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const CONFIG = boardConfig({
  source: 'urls = { en = "https://board.example/en/feed", de = "https://board.example/de/feed" }',
}).replace('url = "https://board.example/feed"\n', "");

interface Text {
  title: string;
  summary: string;
}

const EN: Text = { title: "Guidelines on the AI Act", summary: "They concern Article 50 of the AI Act." };
const DE: Text = {
  title: "Leitlinien zur KI-Verordnung",
  summary: "Sie betreffen Artikel 50 der KI-Verordnung.",
};
const TEXTS = { en: EN, de: DE };

/** Serves one feed per language, each with one item and an ETag. If the text is null, the feed is empty. */
function serve(world: World, texts: Partial<Record<"en" | "de", Text | null>>): void {
  for (const [language, text] of Object.entries(texts)) {
    const body = rss(text === null ? [] : [{ id: "1", ...text }])
      .replaceAll("https://board.example/", `https://board.example/${language}/`)
      .replaceAll('<guid isPermaLink="false">', `<guid isPermaLink="false">${language}:`)
      .replace("<language>en", `<language>${language}`);
    const etag = `"${body.length}"`;
    world.platform.http.serve(
      `https://board.example/${language}/feed`,
      ({ headers }) => headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body },
    );
  }
}

/** Serves the texts and fetches the source. Returns the counts of new, revised and translated items. */
async function fetch(world: World, texts: Parameters<typeof serve>[1]): Promise<number[]> {
  serve(world, texts);
  const report = await ingestBoard(world);
  assert.ok(report.ok, report.error);
  return [report.new, report.revised, report.translated];
}

const languagesOf = async (world: World) => (await storedEvents(world))[0]?.language_versions;

Deno.test("languages that are found together are one event, delivered in the subscriber's language", () =>
  withSources(CONFIG, async (world) => {
    const received = await subscribe(world, { language: "de" });
    assert.deepEqual(await fetch(world, TEXTS), [1, 0, 1]);
    await world.app.tick();
    assert.deepEqual(received.map(({ title }) => title), [DE.title]);
    const [event, ...others] = await storedEvents(world);
    assert.deepEqual(others, []);
    assert.deepEqual([event?.version, event?.language, event?.translations], [1, "en", TEXTS]);
    const { key } = await world.addCustomer();
    const { json } = await world.ask(`/v1/events/${event?.id}`, { key });
    assert.deepEqual(json.later_languages, []);
    const { document, url } = json.provenance.other_languages.de;
    assert.deepEqual([document, url], ["https://board.example/de/feed", "https://board.example/de/1"]);
  }));

for (const [first, second] of [["en", "de"], ["de", "en"]] as const) {
  Deno.test(`${second} after ${first} is not a revision: it is added to the event`, () =>
    withSources(CONFIG, async (world) => {
      await fetch(world, { [first]: TEXTS[first], [second]: null });
      const { key } = await world.addCustomer();
      const list = await world.ask("/v1/events", { key });
      const [before] = list.json.events;
      assert.deepEqual(before.language_versions, [first]);
      assert.deepEqual(await fetch(world, { [second]: TEXTS[second] }), [0, 0, 1]);
      const headers = { "if-none-match": list.headers.get("etag") ?? "" };
      const after = await world.ask("/v1/events", { key, headers });
      assert.equal(after.status, 200, "the list has changed");
      const [event, ...others] = after.json.events;
      assert.deepEqual(others, []);
      assert.deepEqual([event.id, event.version, event.language], [before.id, 1, first]);
      assert.deepEqual(event.language_versions, [first, second]);
      assert.deepEqual([event.title_en, event.summary_en], [EN.title, EN.summary]);
      const [later, ...more] = (await world.ask(`/v1/events/${before.id}`, { key })).json.later_languages;
      assert.deepEqual(more, []);
      assert.deepEqual([later.language, later.url], [second, `https://board.example/${second}/1`]);
      assert.equal(later.provenance.document, `https://board.example/${second}/feed`);
      assert.match(later.provenance.document_sha256, /^[0-9a-f]{64}$/);
      assert.equal((await world.ask(`/v1/events?language=${second}`, { key })).json.count, 1);
    }));
}

Deno.test("a text that repeats another language's current or previous text is not a translation", () =>
  withSources(CONFIG, async (world) => {
    const edited = { title: "Guidelines on the AI Act, final", summary: "They concern Article 50." };
    assert.deepEqual(await fetch(world, { en: EN, de: EN }), [1, 0, 0]);
    assert.deepEqual(await fetch(world, { en: edited }), [0, 1, 0]);
    for (const { title, summary } of [EN, edited]) {
      // The space makes the document differ.
      assert.deepEqual(await fetch(world, { de: { title, summary: ` ${summary}` } }), [0, 0, 0]);
      assert.deepEqual(await languagesOf(world), ["en"]);
    }
    assert.deepEqual(await fetch(world, { de: DE }), [0, 0, 1]);
    assert.deepEqual(await languagesOf(world), ["en", "de"]);
  }));

Deno.test("a publication that is relevant in one language also has the text from the unchanged feed of the other language", () =>
  withSources(CONFIG, async (world) => {
    await fetch(world, { en: { title: "A note", summary: "On quotas." }, de: DE });
    await fetch(world, {});
    const [event] = await storedEvents(world);
    const shown = [event?.language, event?.language_versions, event?.title_en];
    assert.deepEqual(shown, ["de", ["de", "en"], "A note"]);
  }));

Deno.test("an event without an English text says so, and has the original text in title_en until there is one", () =>
  withSources(CONFIG, async (world) => {
    await fetch(world, { de: DE });
    const { key } = await world.addCustomer();
    const shown = async () => {
      const { events: [event] } = (await world.ask("/v1/events", { key })).json;
      const { language, language_versions, title_en, summary_en, translations } = event;
      assert.deepEqual(Object.keys(translations), language_versions);
      return [language, language_versions, title_en, summary_en];
    };
    assert.deepEqual(await shown(), ["de", ["de"], DE.title, DE.summary]);
    assert.equal((await world.ask("/v1/events?language=en", { key })).json.count, 0);
    await fetch(world, { en: EN });
    assert.deepEqual(await shown(), ["de", ["de", "en"], EN.title, EN.summary]);
  }));

Deno.test("publications are not new if a source gets more languages", () =>
  withSources(CONFIG, async (world) => {
    const [source] = world.config.sources;
    assert.ok(source?.urls);
    const { urls } = source;
    delete source.urls;
    source.location = urls["en"] ?? "";
    assert.deepEqual(await fetch(world, { en: EN }), [1, 0, 0]);
    source.urls = urls;
    assert.deepEqual((await fetch(world, { de: DE })).slice(0, 2), [0, 0]);
    assert.deepEqual((await fetch(world, {})).slice(0, 2), [0, 0]);
    assert.deepEqual(await languagesOf(world), ["en", "de"]);
  }));
