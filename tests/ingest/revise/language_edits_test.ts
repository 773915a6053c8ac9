// Edits of a publication in several languages: all edits that one fetch finds make one revision.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import {
  fetchForeseen,
  ingestBoard,
  storedEvents,
  subscribe,
  withSources,
} from "../../support/collecting.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld, withWorld, type World } from "../../support/world.ts";

const LANGUAGES = ["en", "de", "fr"] as const;
type Language = typeof LANGUAGES[number];
const HOUR = 3_600_000;

const URLS = LANGUAGES.map((code) => `${code} = "https://board.example/${code}/feed"`).join(", ");
const CONFIG = boardConfig({
  source: `urls = { ${URLS} }\nlanguages = ["en", "de", "fr"]\nrelevance = "all"\nremovals = true`,
}).replace('url = "https://board.example/feed"\n', "");

const TITLES: Record<Language, string> = {
  en: "Guidelines on the AI Act",
  de: "Leitlinien zur KI-Verordnung",
  fr: "Lignes directrices sur le règlement IA",
};

/** The items of one language by number, each with the edition of its text and its day in July. */
type Items = Record<string, { edition: number; day?: number }>;

const titleOf = (language: Language, id: string, edition: number) =>
  `${TITLES[language]}, number ${id}, edition ${edition}`;

function feedOf(language: Language, items: Items): string {
  return rss(
    Object.entries(items).map(([id, { edition, day = 1 }]) => ({
      id,
      title: titleOf(language, id, edition),
      summary: `${TITLES[language]}: Article ${edition + 1}.`,
      date: new Date(Date.UTC(2026, 6, day)).toUTCString(),
    })),
  ).replaceAll("https://board.example/", `https://board.example/${language}/`);
}

/** Serves one feed per language. If its items are null, the URL responds with 503. */
function serve(world: World, feeds: Partial<Record<Language, Items | null>>): void {
  for (const [language, items] of Object.entries(feeds)) {
    const body = items === null ? "" : feedOf(language as Language, items);
    world.platform.http.serve(
      `https://board.example/${language}/feed`,
      () => items === null ? { status: 503 } : { body },
    );
  }
}

const inAll = (items: Items) => Object.fromEntries(LANGUAGES.map((language) => [language, items]));

/**
 * Runs the next fetch. Returns the counts of new, revised, unchanged and translated items, which a dry run must
 * predict.
 */
async function fetchNext(world: World): Promise<number[]> {
  const { report, foreseen } = await fetchForeseen(world);
  const counts = [report.new, report.revised, report.unchanged, report.translated];
  assert.deepEqual([foreseen.new, foreseen.revised, foreseen.unchanged, foreseen.translated], counts);
  return counts;
}

async function versionsOf(world: World): Promise<RegEvent[]> {
  return (await storedEvents(world)).sort((a, b) =>
    a.external_id < b.external_id ? -1 : a.external_id > b.external_id ? 1 : a.version - b.version
  );
}

const titles = (one: RegEvent | undefined) =>
  Object.fromEntries(Object.entries(one?.translations ?? {}).map(([code, { title }]) => [code, title]));

Deno.test("an edit in all languages makes one version and one delivery per subscription, with a complete diff", () =>
  withWorld(CONFIG, async (world) => {
    serve(world, inAll({ 1: { edition: 1 } }));
    await world.app.tick();
    const lists = [];
    for (const language of LANGUAGES) {
      lists.push(await subscribe(world, { language, webhook_url: `https://hook.example/${language}` }));
    }
    serve(world, inAll({ 1: { edition: 2 } }));
    for (let times = 0; times < 2; times++) {
      await world.platform.clock.advance(HOUR / 2);
      await world.app.tick();
    }
    const received = lists.flat();
    assert.deepEqual(received.map(({ language, sequence }) => [language, sequence]).sort(), [
      ["de", 1],
      ["en", 1],
      ["fr", 1],
    ]);
    for (const payload of received) {
      const { language, type, title, event, diff_to_previous: diff } = payload;
      assert.equal(type, "event.revised");
      assert.equal(title, titleOf(language, "1", 2));
      assert.deepEqual([event.version, event.language_versions], [2, [...LANGUAGES]]);
      assert.equal(diff.previous_version, 1);
      const changed = Object.fromEntries(
        diff.changes.map((change: { field: string; before: string; after: string }) => [
          change.field,
          [change.before, change.after],
        ]),
      );
      assert.deepEqual(changed["title_en"], [titleOf("en", "1", 1), titleOf("en", "1", 2)]);
      for (const code of ["de", "fr"] as const) {
        assert.deepEqual(changed[`translations.${code}.title`], [
          titleOf(code, "1", 1),
          titleOf(code, "1", 2),
        ]);
      }
    }
    const german = received.find(({ language }) => language === "de");
    assert.match(german.diff_to_previous.summary, /^Titel geändert/);
    const id = german.event.id;
    const { key } = await world.addCustomer();
    const { provenance } = (await world.ask(`/v1/events/${id}`, { key })).json;
    const others = Object.values<{ document: string }>(provenance.other_languages);
    assert.deepEqual(
      [provenance, ...others].map(({ document }) => document),
      LANGUAGES.map((code) => `https://board.example/${code}/feed`),
    );
    serve(world, inAll({ 1: { edition: 2 } }));
    assert.deepEqual(await fetchNext(world), [0, 0, 3, 0]);
  }));

Deno.test("a language that is added while the others are edited is part of that revision, and has its own provenance", () =>
  withSources(CONFIG, async (world) => {
    serve(world, { en: { 1: { edition: 1 } }, de: { 1: { edition: 1 } }, fr: {} });
    assert.deepEqual(await fetchNext(world), [1, 0, 0, 1]);
    serve(world, inAll({ 1: { edition: 2 } }));
    assert.deepEqual(await fetchNext(world), [0, 1, 0, 2]);
    assert.deepEqual(await fetchNext(world), [0, 0, 3, 0]);
    const [first, second, ...others] = await versionsOf(world);
    assert.deepEqual(others, []);
    const versions = [first?.language_versions, second?.language_versions];
    assert.deepEqual(versions, [["en", "de"], ["en", "de", "fr"]]);
    const found = await world.store.findEvent(second?.id ?? "");
    const [later] = JSON.parse(found?.later ?? "[]");
    assert.deepEqual([later.language, later.provenance.document], ["fr", "https://board.example/fr/feed"]);
  }));

Deno.test("a publication in several languages is withdrawn once, and restored once with its edits", () =>
  withSources(CONFIG, async (world) => {
    const others = Object.fromEntries(["2", "3", "4"].map((id) => [id, { edition: 1 }]));
    serve(world, inAll({ 1: { edition: 1, day: 3 }, ...others }));
    await fetchNext(world);
    await fetchNext(world);
    serve(world, inAll(others));
    for (let times = 0; times < 3; times++) {
      await world.platform.clock.advance(HOUR);
      await ingestBoard(world);
    }
    serve(world, inAll({ 1: { edition: 2, day: 3 }, ...others }));
    assert.deepEqual(await fetchNext(world), [0, 1, 9, 2]);
    assert.deepEqual(await fetchNext(world), [0, 0, 12, 0]);
    const versions = (await versionsOf(world)).filter(({ external_id }) => external_id.endsWith("/1"));
    assert.deepEqual(versions.map(({ status }) => status), [null, "withdrawn", null]);
    assert.deepEqual(titles(versions[2])["fr"], titleOf("fr", "1", 2));
  }));

Deno.test("if a fetch is interrupted while it records edits, the next fetch records the rest once and completely", () =>
  withSources(CONFIG, async (world) => {
    const ids = Array.from({ length: 150 }, (_, at) => `${at}`);
    const all = (edition: number) => inAll(Object.fromEntries(ids.map((id) => [id, { edition }])));
    serve(world, all(1));
    await ingestBoard(world);
    serve(world, all(2));
    const { recordPublications } = world.store;
    let versions = 0;
    world.store.recordPublications = async (source, items, decide, holder) => {
      if (versions > 0) throw new Error("the process is killed");
      const counted: typeof decide = (one, stored) => {
        const decision = decide(one, stored);
        if (decision.kind === "record") versions++;
        return decision;
      };
      return await recordPublications(source, items, counted, holder);
    };
    await ingestBoard(world);
    world.store.recordPublications = recordPublications;
    assert.ok(versions > 0 && versions < ids.length, `${versions} were recorded`);
    await world.platform.clock.advance(HOUR);
    const report = await ingestBoard(world);
    const merged = ids.length - versions;
    assert.deepEqual([report.revised, report.translated], [merged, 2 * merged]);
    const stored = await versionsOf(world);
    assert.equal(stored.length, 2 * ids.length);
    for (const one of stored.filter(({ version }) => version === 2)) {
      const id = one.external_id.replace(/.*\//, "");
      const expected = Object.fromEntries(LANGUAGES.map((code) => [code, titleOf(code, id, 2)]));
      assert.deepEqual(titles(one), expected);
    }
  }));

Deno.test("a change spike counts publications in several languages once", () =>
  withSources(CONFIG, async (world) => {
    const itemsUpTo = (count: number, day: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`${at}`, { edition: 1, day: at < 30 ? 9 : day }]),
      );
    serve(world, inAll(itemsUpTo(30, 1)));
    await ingestBoard(world);
    serve(world, inAll(itemsUpTo(90, 1)));
    await world.platform.clock.advance(HOUR);
    assert.equal((await ingestBoard(world)).held_back, 60);
  }));

/** The changes between two fetches: edited languages of publications, and languages whose URL fails. */
interface Step {
  edits: { publication: number; language: number }[];
  failing: boolean[];
  order: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  edits: fc.array(fc.record({ publication: fc.nat(2), language: fc.nat(2) }), { maxLength: 6 }),
  failing: fc.array(fc.integer({ min: 0, max: 3 }).map((one) => one === 0), { minLength: 3, maxLength: 3 }),
  order: fc.nat(5),
});

const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/** The current edition of each publication in each language, and the edition that fetches have seen, or 0 for none. */
class Model {
  readonly now = [0, 1, 2].map(() => [0, 0, 0]);
  readonly seen = [0, 1, 2].map(() => [0, 0, 0]);
  readonly versions = [0, 0, 0];

  edit({ edits }: Step): void {
    for (const { publication, language } of edits) (this.now[publication] as number[])[language]!++;
  }

  fetch({ failing }: Step): void {
    if (failing.length > 0 && failing.every(Boolean)) return;
    for (const [at, editions] of this.now.entries()) {
      const seen = this.seen[at] as number[];
      const isKnown = (this.versions[at] ?? 0) > 0;
      const arrived = editions.map((edition, language) => failing[language] ? seen[language] ?? 0 : edition);
      const isEdited = arrived.some((edition, language) =>
        seen[language] !== 0 && edition !== seen[language]
      );
      const isFound = arrived.some((edition) => edition > 0);
      if (isKnown ? isEdited : isFound) this.versions[at]!++;
      this.seen[at] = arrived;
    }
  }

  feeds({ failing }: Step): Partial<Record<Language, Items | null>> {
    return Object.fromEntries(LANGUAGES.map((language, place) => [
      language,
      failing[place] ? null : Object.fromEntries(
        this.now.flatMap((editions, id) => editions[place] ? [[`${id}`, { edition: editions[place] }]] : []),
      ),
    ]));
  }
}

/** Returns the stored records without ids, because ids differ between runs. */
const withoutIds = (events: readonly RegEvent[]) =>
  events.map(({ id: _, supersedes, ...rest }) => ({ ...rest, isFirst: supersedes === null }));

const ONE_FEED = boardConfig({
  source: 'languages = ["en", "de", "fr"]\nlanguage_pattern = "/(en|de|fr)/"\nrelevance = "all"',
});

/** Serves the items of all languages in one feed, grouped by language. */
function serveInOne(world: World, model: Model, one: Step, order: readonly number[]): void {
  const feeds = model.feeds(one);
  const items = order.flatMap((place) => {
    const language = LANGUAGES[place] as Language;
    return feedOf(language, feeds[language] ?? {}).match(/<item>.*?<\/item>/g) ?? [];
  });
  const body = rss([]).replace("</channel>", `${items.join("")}</channel>`);
  world.platform.http.serve("https://board.example/feed", () => ({ body }));
}

/** Whether the languages always have the same order, and whether they share one feed. */
interface Manner {
  isOrdered: boolean;
  isOneFeed?: boolean;
}

async function follow(steps: readonly Step[], { isOrdered, isOneFeed = false }: Manner): Promise<unknown> {
  await using world = await createWorld(isOneFeed ? ONE_FEED : CONFIG);
  const model = new Model();
  await world.app.ingest.register();
  const [source] = world.config.sources;
  assert.ok(source);
  const urls = Object.entries(source.urls ?? {});
  for (const one of steps) {
    model.edit(one);
    const order = ORDERS[isOrdered ? 0 : one.order] ?? [];
    if (isOneFeed) serveInOne(world, model, one, order);
    else {
      serve(world, model.feeds(one));
      source.urls = Object.fromEntries(order.map((place) => urls[place] as [string, string]));
    }
    await world.platform.clock.advance(HOUR);
    await ingestBoard(world);
    model.fetch(one);
    const stored = await versionsOf(world);
    for (const [at, wanted] of model.versions.entries()) {
      const versions = stored.filter(({ external_id }) => external_id.endsWith(`/${at}`));
      const numbers = Array.from({ length: wanted }, (_, n) => n + 1);
      assert.deepEqual(versions.map(({ version }) => version), numbers);
      const words = model.seen[at]?.flatMap((edition, place) => {
        const code = LANGUAGES[place] as Language;
        return edition === 0 ? [] : [[code, titleOf(code, `${at}`, edition)]];
      });
      assert.deepEqual(titles(versions.at(-1)), Object.fromEntries(words ?? []));
    }
  }
  return withoutIds(await versionsOf(world));
}

const SAME_FEED = { isOneFeed: true };

Deno.test("every fetch that finds edits makes one version and loses no text, in any order of the languages", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      assert.deepEqual(await follow(steps, { isOrdered: false }), await follow(steps, { isOrdered: true }));
    }),
    { numRuns: 15 },
  ));

Deno.test("every fetch of one feed in several languages makes one version and loses no text, in any order of the items", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (given) => {
      const steps = given.map((one) => ({ ...one, failing: [] }));
      const ordered = await follow(steps, { isOrdered: true, ...SAME_FEED });
      assert.deepEqual(await follow(steps, { isOrdered: false, ...SAME_FEED }), ordered);
    }),
    { numRuns: 10 },
  ));
