// A publication whose feed gives it a new id when it is edited: one publication with two versions, and never two in one.
import assert from "node:assert/strict";
import type { IdentifiedItem } from "../../../src/ingest/identify/identify.ts";
import type { NormalisedItem } from "../../../src/ingest/normalise/item.ts";
import {
  type DocumentItems,
  findRequeried,
  type KnownPublication,
  rematchRenamed as findInSteps,
  type Steps,
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
      summary: "Other words.",
      publishedAtMs: NOW + 1,
      updatedAtMs: null,
      language: null,
      categories: [],
      ...change,
    },
    key: change.guid ?? "new",
  }) as unknown as IdentifiedItem;
/** Something that is known and stands in the document too. */
const neighbour = (publishedAtMs: number) =>
  item({ guid: "n", link: "https://board.example/n", publishedAtMs });

const ROWS: [
  what: string,
  expected: boolean,
  fresh: Partial<NormalisedItem>,
  stored?: Partial<KnownPublication>,
][] = [
  ["nothing but the address", false, {}],
  ["title and date", true, { title: "Guidelines", publishedAtMs: NOW }],
  ["summary and date", true, { summary: SUMMARY, publishedAtMs: NOW }],
  ["the title alone: the bulletin of next week", false, { title: "Guidelines" }],
  ["the date alone", false, { publishedAtMs: NOW }],
  ["title and summary that says nothing", false, { title: "Guidelines", summary: "News" }, {
    summary_en: "News",
  }],
  [
    "title and a date that nobody stated",
    false,
    { title: "Guidelines", publishedAtMs: NOW },
    { published_at_estimated: true },
  ],
  [
    "another address",
    false,
    { title: "Guidelines", publishedAtMs: NOW, link: "https://board.example/b" },
  ],
  ["another host", true, { title: "Guidelines", publishedAtMs: NOW, link: "http://www.board.example/a/" }],
  ["another host, summary and date", false, {
    summary: SUMMARY,
    publishedAtMs: NOW,
    link: "https://b.example/a",
  }],
  ["another host, the title alone", false, { title: "Guidelines", link: "https://www.board.example/a" }],
  [
    "the front page of another host",
    false,
    { title: "Guidelines", publishedAtMs: NOW, link: "https://www.board.example/" },
    { url_official: "https://board.example/" },
  ],
  ["no id of its own", true, { title: "Guidelines", publishedAtMs: NOW, guid: null }],
];

/** Does all steps; the time of the longest, and of all of them, ms. */
function inSteps<T>(steps: Steps<T>): { value: T; longestMs: number; totalMs: number } {
  const startMs = performance.now();
  let longestMs = 0;
  for (;;) {
    const stepMs = performance.now();
    const { done, value } = steps.next();
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - stepMs);
    if (done === true) return { value, longestMs, totalMs: nowMs - startMs };
  }
}

function findRenamed(items: DocumentItems, known: readonly KnownPublication[]): Map<IdentifiedItem, string> {
  return inSteps(findInSteps(items, known)).value;
}

Deno.test("findRenamed() takes one address and two things in common for one publication, and no less", () => {
  for (const [what, expected, fresh, stored] of ROWS) {
    const one = item(fresh);
    const later = neighbour(NOW + 5);
    const found = findRenamed({ all: [one, later], fresh: [one] }, [known(stored)]);
    assert.deepEqual([...found.values()], expected ? ["old"] : [], what);
  }
});

Deno.test("findRenamed() takes one thing in common where older items are still listed, and still not none", () => {
  const expected = new Map([["title", true], ["summary", true], ["date", true], ["nothing", false]]);
  const changes: Record<string, Partial<NormalisedItem>> = {
    title: { title: "Guidelines" },
    summary: { summary: SUMMARY },
    date: { publishedAtMs: NOW },
    nothing: {},
  };
  for (const [what, change] of Object.entries(changes)) {
    const one = item(change);
    const found = findRenamed({ all: [one, neighbour(NOW - 5)], fresh: [one] }, [known()]);
    assert.equal(found.size === 1, expected.get(what), what);
  }
});

Deno.test("findRenamed() leaves an address alone that several items or several publications have", () => {
  const same = { title: "Guidelines", publishedAtMs: NOW };
  const [one, other] = [item(same), item({ ...same, guid: "newer" })];
  assert.equal(findRenamed({ all: [one, other], fresh: [one, other] }, [known()]).size, 0);
  assert.equal(
    findRenamed({ all: [one], fresh: [one] }, [known(), known({ external_id: "older" })]).size,
    0,
  );
});

/** The worlds' feed at https://board.example/feed; a link per item, told apart from its id. */
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

Deno.test("an edited item with a new id is the next version of its publication, whatever id comes next", () =>
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

Deno.test("a bulletin that stands alone at one address each week is a new one each week", () =>
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

Deno.test('a new item at an address whose former item is still listed is a new one, and identity = "guid" asks for nothing else', async () => {
  await withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const agenda = { link: "agenda", title: "Agenda" };
    const first = { ...agenda, id: "a-1", summary: "Of March.", date: "Mon, 02 Mar 2026 10:00:00 GMT" };
    await fetchOf(world, [...ids, first]);
    assert.deepEqual(await fetchOf(world, [...ids, first, { ...first, id: "a-2", summary: "Of May." }]), [
      1,
      0,
    ]);
  });
  await withSources(boardConfig({ source: 'relevance = "all"\nidentity = "guid"' }), async (world) => {
    await fetchOf(world, ids);
    assert.deepEqual(await fetchOf(world, ids.map((one) => ({ ...one, id: `${one.id}b`, title: one.id }))), [
      4,
      0,
    ]);
  });
});

Deno.test("findRenamed() takes what says the very same on the same date for one publication at any address of a feed", () => {
  const older = neighbour(NOW - 1);
  const find = (
    items: IdentifiedItem[],
    publications = [known()],
    isAll = true,
  ) => [...findRenamed({ all: [...items, older], fresh: items, isAll }, publications).values()];
  const rebuilt = (change: Partial<NormalisedItem> = {}) =>
    item({
      link: "https://new.example/node/17",
      title: "Guidelines",
      summary: SUMMARY,
      publishedAtMs: NOW,
      ...change,
    });
  assert.deepEqual(find([rebuilt()]), ["old"]);
  assert.deepEqual(find([rebuilt()], [known()], false), [], "another page may list the other one");
  assert.deepEqual(find([rebuilt({ title: "Other guidelines" })]), []);
  assert.deepEqual(find([rebuilt({ summary: "Other words, of which there are quite as many." })]), []);
  assert.deepEqual(find([rebuilt({ publishedAtMs: NOW + 1 })]), []);
  assert.deepEqual(find([rebuilt({ publishedAtMs: null })]), []);
  assert.deepEqual(find([rebuilt({ summary: "News" })], [known({ summary_en: "News" })]), [], "too little");
  assert.deepEqual(find([rebuilt(), rebuilt({ link: "https://new.example/node/18" })]), [], "two items");
  assert.deepEqual(
    find([rebuilt()], [known(), known({ external_id: "b", url_official: "https://b.example/" })]),
    [],
  );
});

Deno.test("findRenamed() takes what says the same at another address for the next of its kind where the window may have moved on", () => {
  const at = (number: number, title: string) =>
    item({
      guid: `${number}`,
      link: `https://board.example/${number}`,
      title,
      summary: SUMMARY,
      publishedAtMs: NOW,
    });
  const find = (items: IdentifiedItem[], publications: KnownPublication[]) =>
    findRenamed({ all: items, fresh: items, isAll: true }, publications).size;
  const stored = (title: string) =>
    known({ external_id: title, title_en: title, url_official: `https://old.example/${title}` });
  const titles = ["One", "Two", "Three"];
  assert.equal(find([at(1, "One"), at(2, "Note 2"), at(3, "Note 3")], titles.map(stored)), 0, "one of three");
  assert.equal(find(["One", "Two"].map((title, number) => at(number, title)), titles.map(stored)), 0, "two");
  assert.equal(
    find(titles.map((title, number) => at(number, title)), titles.map(stored)),
    3,
    "the whole site",
  );
  assert.equal(find([at(1, "One")], [stored("One")]), 1, "all of the document, in words of its own");
  const [one, listed] = [at(1, "One"), { ...at(2, "Two"), key: "listed" }];
  const beside = findRenamed({ all: [one, listed], fresh: [one], isAll: true }, [stored("One")]);
  assert.equal(beside.size, 0, "beside one that is known");
});

Deno.test("a decision of the same title and day as one that has left the window is told as a new one", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const day = "Mon, 20 Jul 2026 00:00:00 GMT";
    const paper = (number: number, title = `Note ${number}`) => ({
      ...{ id: `d-${number}`, title, date: day },
      summary: "The board has published the document below; read it on our site.",
    });
    assert.deepEqual(await fetchOf(world, [paper(1, "Decision"), paper(2), paper(3)]), [3, 0]);
    assert.deepEqual(await fetchOf(world, [paper(2), paper(3), paper(4, "Decision")]), [1, 0]);
  }));

Deno.test("of two items that both look like one publication the second is a new one, and is told", () =>
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
      { ...decision, id: "moved", link: "first", summary: "Corrected, in other words than it had before." },
      { ...decision, id: "second", link: "elsewhere" },
    ]);
    await world.app.tick();
    await world.app.tick();
    assert.deepEqual(received.sort(), ["event.published second 1", "event.revised first 2"]);
  }));

Deno.test("a site that is built anew, with other ids and addresses, has published nothing anew", () =>
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

Deno.test("a site whose old and new builds answer in turn makes versions until it is known that both do", () =>
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
    assert.deepEqual(await fetchOf(world, build(900, "They are corrected in what they say of models.")), [
      0,
      3,
    ]);
    assert.deepEqual(await fetchOf(world, build(500, "They are corrected in what they say of models.")), [
      0,
      3,
    ], "and it may move on");
  }));

Deno.test("findRenamed() and findRequeried() take many short steps for long URLs and texts", () => {
  const url = (at: number) => `http://board.example/${"a".repeat(3_900)}/${at}?x=${at}`;
  const all = Array.from(
    { length: 2_000 },
    (_, at) => item({ link: url(at), title: `The AI Act ${at}`, summary: "a  b ".repeat(500) }),
  );
  const publications = Array.from(
    { length: 200 },
    (_, at) => known({ external_id: `e${at}`, url_official: url(-at), summary_en: "a  b ".repeat(500) }),
  );
  for (const find of [findInSteps, findRequeried]) {
    const { longestMs, totalMs } = inSteps(find({ all, fresh: all, isAll: true }, publications));
    assert.ok(longestMs < totalMs / 4, `${longestMs} of ${totalMs} ms`);
  }
});
