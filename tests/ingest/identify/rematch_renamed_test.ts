// Publications that get a new id or URL when they are edited are revised. Different publications are never merged.
import assert from "node:assert/strict";
import type { IdentifiedItem } from "../../../src/ingest/identify/identify.ts";
import type { NormalisedItem } from "../../../src/ingest/normalise/item.ts";
import {
  findRequeried,
  type KnownPublication,
  rematchRenamed,
} from "../../../src/ingest/identify/rematch_renamed.ts";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const NOW = Date.UTC(2026, 7, 1, 12);
const SUMMARY = "They concern the transparency of general-purpose models.";

const known = (change: Partial<KnownPublication> = {}): KnownPublication => ({
  external_id: "old",
  url_official: "https://board.example/a",
  title_en: "Guidelines",
  summary_en: SUMMARY,
  published_at: NOW,
  published_at_precision: "time",
  published_on: null,
  published_at_estimated: false,
  translations: {},
  ...change,
});
const item = (change: Partial<NormalisedItem> = {}): IdentifiedItem =>
  ({
    item: {
      guid: "new",
      link: "https://board.example/a?utm_source=feed",
      title: "Guidelines, corrected",
      summary: "Another summary.",
      publishedAtMs: NOW + 1,
      updatedAtMs: null,
      language: null,
      categories: [],
      ...change,
    },
    key: change.guid ?? "new",
  }) as unknown as IdentifiedItem;

const URL_B = { link: "https://board.example/b" };
const TITLE = { title: "Guidelines" };
const DATE = { publishedAtMs: NOW };
const TITLE_AND_DATE = { ...TITLE, ...DATE };
const ALL_SAME = { ...TITLE_AND_DATE, summary: SUMMARY };
/** The same content at a URL of the rebuilt site. */
const REBUILT = { ...ALL_SAME, link: "https://new.example/node/17" };
const SHORT = { summary_en: "News" };
const WWW = { link: "http://www.board.example/a/" };
const numbered = (number: number, title: string) =>
  item({ ...REBUILT, guid: `${number}`, link: `https://board.example/${number}`, title });
const stored = (title: string) =>
  known({ external_id: title, title_en: title, url_official: `https://old.example/${title}` });
const TITLES = ["One", "Two", "Three"];

interface Document {
  /** The document also contains a known item that is older or newer than the publication. By default, it does not. */
  known?: "older" | "newer";
  /** Whether the document is complete. */
  isAll?: boolean;
}

const NEWER: Document = { known: "newer" };
const OLDER: Document = { known: "older" };
const WHOLE: Document = { known: "older", isAll: true };
const ONLY_FRESH: Document = { isAll: true };

const ROWS: [
  name: string,
  matches: number,
  fresh: (Partial<NormalisedItem> | IdentifiedItem)[],
  publications: KnownPublication[],
  document: Document,
][] = [
  ["only the URL", 0, [{}], [known()], NEWER],
  ["title and date", 1, [TITLE_AND_DATE], [known()], NEWER],
  ["summary and date", 1, [{ ...DATE, summary: SUMMARY }], [known()], NEWER],
  ["only the title: next week's bulletin", 0, [TITLE], [known()], NEWER],
  ["only the date", 0, [DATE], [known()], NEWER],
  ["title and a short summary", 0, [{ ...TITLE, summary: "News" }], [known(SHORT)], NEWER],
  ["title and an estimated date", 0, [TITLE_AND_DATE], [known({ published_at_estimated: true })], NEWER],
  ["another URL", 0, [{ ...TITLE_AND_DATE, ...URL_B }], [known()], NEWER],
  ["another host, title and date", 1, [{ ...TITLE_AND_DATE, ...WWW }], [known()], NEWER],
  ["another host, summary and date", 0, [{ ...DATE, ...WWW, summary: SUMMARY }], [known()], NEWER],
  ["another host and only the title", 0, [{ ...TITLE, ...WWW }], [known()], NEWER],
  [
    "the front page of another host",
    0,
    [{ ...TITLE_AND_DATE, link: "https://www.board.example/" }],
    [known({ url_official: "https://board.example/" })],
    NEWER,
  ],
  ["no id", 1, [{ ...TITLE_AND_DATE, guid: null }], [known()], NEWER],
  ["only the title, older items listed", 1, [TITLE], [known()], OLDER],
  ["only the summary, older items listed", 1, [{ summary: SUMMARY }], [known()], OLDER],
  ["only the date, older items listed", 1, [DATE], [known()], OLDER],
  ["only the URL, older items listed", 0, [{}], [known()], OLDER],
  ["two items", 0, [TITLE_AND_DATE, { ...TITLE_AND_DATE, guid: "newer" }], [known()], {}],
  ["two publications", 0, [TITLE_AND_DATE], [known(), known({ external_id: "older" })], {}],
  ["rebuilt: all the same at another URL", 1, [REBUILT], [known()], WHOLE],
  ["rebuilt, on one page of several", 0, [REBUILT], [known()], OLDER],
  ["rebuilt with another title", 0, [{ ...REBUILT, title: "Other guidelines" }], [known()], WHOLE],
  ["rebuilt with another summary", 0, [{ ...REBUILT, summary: `${SUMMARY} And more.` }], [known()], WHOLE],
  ["rebuilt with another date", 0, [{ ...REBUILT, publishedAtMs: NOW + 1 }], [known()], WHOLE],
  ["rebuilt without a date", 0, [{ ...REBUILT, publishedAtMs: null }], [known()], WHOLE],
  ["rebuilt with a short summary", 0, [{ ...REBUILT, summary: "News" }], [known(SHORT)], WHOLE],
  ["rebuilt, two items", 0, [REBUILT, { ...REBUILT, link: "https://new.example/18" }], [known()], WHOLE],
  [
    "rebuilt, two publications",
    0,
    [REBUILT],
    [known(), known({ external_id: "b", url_official: "https://b.example/" })],
    WHOLE,
  ],
  [
    "one of three items, so the window may have moved on",
    0,
    [numbered(1, "One"), numbered(2, "Note 2"), numbered(3, "Note 3")],
    TITLES.map(stored),
    ONLY_FRESH,
  ],
  [
    "two of two items",
    0,
    ["One", "Two"].map((title, at) => numbered(at, title)),
    TITLES.map(stored),
    ONLY_FRESH,
  ],
  ["the whole site", 3, TITLES.map((title, at) => numbered(at, title)), TITLES.map(stored), ONLY_FRESH],
  ["the only item, with a summary of its own", 1, [numbered(1, "One")], [stored("One")], ONLY_FRESH],
];

const noPause = () => Promise.resolve();

Deno.test("rematchRenamed() matches items with publications by URL, title, summary and date", async () => {
  for (const [name, matches, fresh, publications, { known: neighbour, isAll = false }] of ROWS) {
    const items = fresh.map((one) => "key" in one ? one : item(one));
    const publishedAtMs = NOW + (neighbour === "newer" ? 5 : -5);
    const others = neighbour === undefined
      ? []
      : [item({ guid: "n", link: "https://board.example/n", publishedAtMs })];
    const list = { all: [...items, ...others], fresh: items, isAll };
    const found = await rematchRenamed(list, publications, noPause);
    assert.equal(found.size, matches, name);
  }
  const [one, listed] = [numbered(1, "One"), numbered(2, "Two")];
  const alone = { all: [one, listed], fresh: [one], isAll: true };
  const beside = await rematchRenamed(alone, [stored("One")], noPause);
  assert.equal(beside.size, 0, "beside a known item with the same summary");
});

/** Returns a feed whose items have the given links. */
const feed = (items: readonly (SampleItem & { link?: string })[]) =>
  items.reduce(
    (text, { id, link }) =>
      text.replace(
        `<link>https://board.example/${id}</link>`,
        `<link>https://board.example/${link ?? id}</link>`,
      ),
    rss(items),
  );

async function fetchOf(world: World, items: Parameters<typeof feed>[0]): Promise<[number, number]> {
  world.platform.http.serve("https://board.example/feed", () => ({ body: feed(items) }));
  await world.platform.clock.advance(1_800_000);
  const report = await ingestBoard(world);
  assert.equal(report.ok, true);
  return [report.new, report.revised];
}

const ids = [1, 2, 3, 4].map((at) => ({
  id: `id-${at}`,
  link: `page-${at}`,
  date: new Date(Date.UTC(2026, 6, 10 + at)).toUTCString(),
}));

Deno.test("an edited item with a new id is the next version of its publication", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    assert.deepEqual(await fetchOf(world, ids), [4, 0]);
    const edited = (id: string, title: string) =>
      ids.map((one, at) => at === 2 ? { ...one, id, title } : one);
    assert.deepEqual(await fetchOf(world, edited("id-3b", "Corrected")), [0, 1]);
    assert.deepEqual(await fetchOf(world, edited("id-3b", "Corrected")), [0, 0]);
    assert.deepEqual(await fetchOf(world, edited("id-3c", "Corrected twice")), [0, 1]);
    assert.deepEqual(await fetchOf(world, edited("id-3", "Corrected, by its first id")), [0, 1]);
    const events = (await world.store.listEvents({ limit: 20 })).map(({ json }) => JSON.parse(json));
    assert.deepEqual(
      events.filter(({ external_id }) => external_id === "id-3").map(({ version }) => version).sort(),
      [1, 2, 3, 4],
    );
    assert.equal(new Set(events.map(({ external_id }) => external_id)).size, 4);
  }));

Deno.test("a bulletin at the same URL is a new publication each week", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const week = (number: number) => [{
      id: `bulletin-${number}`,
      link: "bulletin",
      title: "Bulletin on the AI Act",
      summary: `What happened in week ${number}.`,
      date: new Date(Date.UTC(2026, 5, 1 + number * 7)).toUTCString(),
    }];
    for (let number = 1; number <= 4; number++) assert.deepEqual(await fetchOf(world, week(number)), [1, 0]);
  }));

Deno.test('an item beside a listed one with the same URL is new, and with identity = "guid" only the id counts', async () => {
  await withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const agenda = { link: "agenda", title: "Agenda" };
    const first = { ...agenda, id: "a-1", summary: "Of March.", date: "Mon, 02 Mar 2026 10:00:00 GMT" };
    await fetchOf(world, [...ids, first]);
    const counts = await fetchOf(world, [...ids, first, { ...first, id: "a-2", summary: "Of May." }]);
    assert.deepEqual(counts, [1, 0]);
  });
  await withSources(boardConfig({ source: 'relevance = "all"\nidentity = "guid"' }), async (world) => {
    await fetchOf(world, ids);
    const renamed = ids.map((one) => ({ ...one, id: `${one.id}b`, title: one.id }));
    assert.deepEqual(await fetchOf(world, renamed), [4, 0]);
  });
});

Deno.test("if two items match one publication, the second one is new and delivered", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const decision = { title: "Decision", summary: SUMMARY, date: "Mon, 20 Jul 2026 10:00:00 GMT" };
    const received: string[] = [];
    world.platform.http.serve("https://hook.example/", ({ body }) => {
      const { type, event } = JSON.parse(body ?? "");
      received.push(`${type} ${event.external_id} ${event.version}`);
      return { status: 204 };
    });
    await fetchOf(world, [...ids, { ...decision, id: "first" }]);
    await world.app.tick();
    const { key } = await world.addCustomer();
    const body = JSON.stringify({ webhook_url: "https://hook.example/" });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
    await fetchOf(world, [
      ...ids,
      { ...decision, id: "moved", link: "first", summary: "Corrected, with another text than before." },
      { ...decision, id: "second", link: "elsewhere" },
    ]);
    await world.app.tick();
    await world.app.tick();
    assert.deepEqual(received.sort(), ["event.published second 1", "event.revised first 2"]);
  }));

Deno.test("a rebuilt site with new ids and URLs has no new publications", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const feed = (site: string, from: number) =>
      rss([1, 2, 3].map((number) => ({
        id: `${from + number}`,
        title: `Guidelines ${number}`,
        summary: `${SUMMARY} This is number ${number}.`,
      }))).replaceAll("https://board.example/", site);
    const outcome = async (body: string) => {
      world.platform.http.serve("https://board.example/feed", () => ({ body }));
      await world.platform.clock.advance(3_600_000);
      const report = await ingestBoard(world);
      return [report.new, report.revised, report.unchanged];
    };
    assert.deepEqual(await outcome(feed("https://board.example/news/", 0)), [3, 0, 0]);
    assert.deepEqual(await outcome(feed("https://board.example/node/", 900)), [0, 3, 0]);
    assert.deepEqual(await outcome(feed("https://board.example/node/", 900)), [0, 0, 3]);
  }));

Deno.test("a site that alternates between two builds makes versions only until both are known", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const build = (from: number, text = SUMMARY) =>
      [1, 2, 3].map((number) => ({
        id: `${from + number}`,
        title: `Guidelines ${number}`,
        summary: `${text} This is number ${number}.`,
      }));
    const outcomes = [];
    for (const from of [0, 900, 0, 900, 0, 900]) outcomes.push(await fetchOf(world, build(from)));
    assert.deepEqual(outcomes, [[3, 0], [0, 3], [0, 3], [0, 0], [0, 0], [0, 0]]);
    assert.deepEqual(await fetchOf(world, build(900, "They are corrected as regards models.")), [0, 3]);
    assert.deepEqual(await fetchOf(world, build(500, "They are corrected as regards models.")), [
      0,
      3,
    ], "its URL can change again");
  }));

Deno.test("rematchRenamed() and findRequeried() work in short steps on long URLs and texts", async () => {
  const url = (at: number) => `http://board.example/${"a".repeat(3_900)}/${at}?x=${at}`;
  const all = Array.from(
    { length: 2_000 },
    (_, at) => item({ link: url(at), title: `The AI Act ${at}`, summary: "a  b ".repeat(500) }),
  );
  const publications = Array.from(
    { length: 200 },
    (_, at) => known({ external_id: `e${at}`, url_official: url(-at), summary_en: "a  b ".repeat(500) }),
  );
  const longestShare = async (find: typeof rematchRenamed | typeof findRequeried): Promise<number> => {
    const startMs = performance.now();
    let [longestMs, lastMs] = [0, startMs];
    const pause = () => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
      return Promise.resolve();
    };
    await find({ all, fresh: all, isAll: true }, publications, pause);
    return longestMs / (performance.now() - startMs);
  };
  for (const find of [rematchRenamed, findRequeried]) {
    // The minimum of three, because other processes may interrupt a step.
    const shares = [await longestShare(find), await longestShare(find), await longestShare(find)];
    assert.ok(Math.min(...shares) < 1 / 4, `the longest step took these shares of the time: ${shares}`);
  }
});
