// Documents are parsed in a worker within limits, and a fault affects only its source.
import assert from "node:assert/strict";
import type { SourceState } from "../../../src/domain/source/source.ts";
import type { Thread, ThreadOptions } from "../../../src/platform/process/worker_thread.ts";
import { createThread } from "../../../src/platform/process/worker_thread.ts";
import { FEED, ingestBoard, previewBoard } from "../../support/collecting.ts";
import { needs, WORKER_EXITS } from "../../support/needs.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, withWorld, type World } from "../../support/world.ts";

const PARSE_WORKER = "../../../src/parse_worker.ts";
const FAULTY_PARSE_WORKER = "../../support/workers/faulty_parse_worker.ts";
const OTHERS = Array(30).fill("The harbour's opening hours change with the season.").join(" ");

/** Returns items of every kind: relevant, irrelevant, without a title, edited, without a date, and repeated. */
function manyItems(): SampleItem[] {
  return Array.from({ length: 600 }, (_, at): SampleItem => {
    const id = `${at}`;
    if (at % 3 !== 0) return { id, title: `Harbour notice ${at}`, summary: OTHERS };
    if (at % 50 === 9) return { id, title: "", summary: "" };
    if (at % 50 === 21) {
      return { id: `${at - 3}`, date: "Sat, 01 Aug 2026 08:00:00 GMT", summary: `Newer: ${at}.` };
    }
    if (at % 50 === 36) return { id, date: at % 20 === 6 ? false : "some day" };
    if (at % 50 === 45) return { id, title: "The AI Act in museums", summary: "Twice." };
    if (at % 50 === 48) {
      return { id: `${at - 3}?lang=de`, title: "Der AI Act in Museen", summary: "Noch einmal." };
    }
    return {
      id,
      title: `The AI Act in museums ${at}`,
      summary: `Article ${1 + at % 100} of the AI Act. ${OTHERS}`,
    };
  });
}

const LONG = rss(manyItems());
const OWN_TOPIC = `[[topics]]\nid = "museums"\nname_en = "Museums"\nkeywords_en = ["museum*"]\n`;

/** Returns the results of a dry run and two fetches of a document. */
async function outcomeOf(config: string, document: string, parseWorker?: Thread) {
  await using world = await createWorld(config, parseWorker === undefined ? {} : { parseWorker });
  const { app, platform, store } = world;
  await app.ingest.register();
  platform.http.serve(FEED, () => ({ body: document }));
  const { report, decided } = await previewBoard(world);
  const items = decided.map(({ request, ...rest }) => ({ ...rest, request: request() }));
  const first = await ingestBoard(world);
  platform.http.serve(FEED, () => ({ body: `${document}\n` })); // the same bytes would not be parsed again
  const reports = [report, first, await ingestBoard(world)];
  const events = (await store.listEvents({ limit: 1_000 })).map(({ json }) => json);
  return { reports, items, events, lines: platform.lines };
}

async function withWorker(
  program: string,
  work: (thread: Thread) => Promise<void>,
  options: ThreadOptions = { maxHeapMb: 3_000 }, // the memory of concurrent tests counts too
): Promise<void> {
  const thread = createThread(new URL(program, import.meta.url), options);
  try {
    await work(thread);
  } finally {
    thread.end();
  }
}

const TWO_LANGUAGES = 'languages = ["en", "de"]\nlanguage_pattern = "[?]lang=(en|de)"';
const EQUAL_RESULTS: [what: string, config: string, document?: string][] = [
  ["relevant items", boardConfig({ rest: OWN_TOPIC })],
  ["all items", boardConfig({ source: 'relevance = "all"' })],
  ["two languages", boardConfig({ source: TWO_LANGUAGES })],
  ["a document that is refused", boardConfig(), "<html><body><p>no feed</p></body></html>"],
];
for (const [what, config, document = LONG] of EQUAL_RESULTS) {
  Deno.test(`the parse worker has the same results for ${what} as the main thread`, () =>
    withWorker(PARSE_WORKER, async (thread) => {
      const here = await outcomeOf(config, document);
      if (document === LONG) assert.ok(here.events.length > 100, `${here.events.length} events`);
      else assert.match(JSON.stringify(here.reports), /HTML/);
      assert.deepEqual(await outcomeOf(config, document, thread), here);
    }));
}

function twoSources(parseTimeout: string): string {
  return boardConfig({
    source: `parse_timeout = "${parseTimeout}"
[[sources]]
id = "good"
name_en = "Good"
url = "https://good.example/feed"
`,
  });
}

/** Fetches both sources at once. Returns the error and the state of "board". */
async function fetchBoth(world: World, document: string): Promise<{ error: string; state: SourceState }> {
  const { app, platform, store } = world;
  platform.http.serve(FEED, () => ({ body: document }));
  platform.http.serve("https://good.example/feed", () => ({ body: rss([{ id: document.slice(0, 20) }]) }));
  await app.ingest.register();
  const reports = await app.ingest.ingest(["board", "good"]);
  const [board, good] = ["board", "good"].map((wanted) => reports.find(({ id }) => id === wanted));
  assert.equal(good?.error, undefined);
  assert.equal(good?.new, 1, "the other source is fetched");
  const state = (await store.listSources()).find(({ id }) => id === "board");
  assert.ok(board !== undefined && state !== undefined);
  return { error: board.error ?? "", state };
}

for (
  const [fault, parseTimeout, reason] of [
    ["loop", "2s", /^parsing took longer than 2 s \(parse_timeout\)$/],
    ["memory", "60s", /^parsing needed more than 300 MB of memory$/],
    ["throw", "60s", /^stopped by an internal error; see the log$/],
    ["exit", "60s", /^stopped by an internal error; see the log$/],
  ] as const
) {
  const name =
    `a document on which the parser fails (${fault}) fails only its source, and the next one is parsed`;
  const fn = () =>
    withWorker(
      FAULTY_PARSE_WORKER,
      (parseWorker) =>
        withWorld(twoSources(parseTimeout), async (world) => {
          const fetching = fetchBoth(world, `<!-- ${fault} -->${rss([{ id: "1" }])}`);
          const { status } = await world.ask("/v1/health");
          assert.equal(status, 200, "the API responds meanwhile");
          const { error, state } = await fetching;
          assert.match(error, reason);
          assert.equal(state.lastError, error);
          assert.equal(state.consecutiveFailures, 1);
          const next = await fetchBoth(world, rss([{ id: "1" }]));
          assert.deepEqual([next.error, next.state.consecutiveFailures], ["", 0]);
        }, { parseWorker }),
      { maxHeapMb: fault === "memory" ? 300 : 3_000 },
    );
  Deno.test({ ...needs(name, fault === "exit" ? WORKER_EXITS : null), fn });
}

Deno.test("a source fails if the parse worker cannot start, and nothing is parsed on the main thread", () =>
  withWorker(
    "./no_such_program.ts",
    (parseWorker) =>
      withWorld(boardConfig(), async ({ app, platform, store }) => {
        platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
        await app.ingest.register();
        const [report] = await app.ingest.ingest(["board"]);
        assert.equal(report?.error, "stopped by an internal error; see the log");
        assert.match(JSON.stringify(platform.lines), /the worker thread failed: |File not found/);
        assert.equal((await store.listEvents({ limit: 1 })).length, 0);
      }, { parseWorker }),
  ));

const HOSTILE_PATH = `${"a".repeat(60)}!`;
const HOSTILE_FEED = rss([{ id: HOSTILE_PATH }]);
const HOSTILE_MAP = `<urlset><url><loc>https://board.example/${HOSTILE_PATH}</loc></url></urlset>`;
const CATASTROPHIC = "(a+)+$";

for (
  const [key, source, body] of [
    ["identity", `identity = { pattern = "${CATASTROPHIC}" }`, HOSTILE_FEED],
    ["language_pattern", `language_pattern = "${CATASTROPHIC}"`, HOSTILE_FEED],
    ["sitemap.include", `fetch_strategy = "sitemap"\nsitemap.include = ["${CATASTROPHIC}"]`, HOSTILE_MAP],
  ]
) {
  Deno.test(`a regular expression in ${key} that takes exponential time fails its source`, () =>
    withWorker(
      PARSE_WORKER,
      (parseWorker) =>
        withWorld(boardConfig({ source: `parse_timeout = "1s"\n${source}` }), async (world) => {
          world.platform.http.serve(FEED, () => ({ body: body ?? "" }));
          await world.app.ingest.register();
          assert.equal((await ingestBoard(world)).error, "parsing took longer than 1 s (parse_timeout)");
        }, { parseWorker }),
    ));
}

Deno.test("a stop aborts parsing, and the source has not failed", () =>
  withWorker(
    FAULTY_PARSE_WORKER,
    (parseWorker) =>
      withWorld(boardConfig({ source: 'parse_timeout = "20s"' }), async ({ app, platform, store }) => {
        const served = Promise.withResolvers<void>();
        platform.http.serve(FEED, () => {
          served.resolve();
          return { body: `<!-- loop -->${rss([{ id: "1" }])}` };
        });
        await app.start();
        await served.promise;
        await new Promise((later) => setTimeout(later, 300)); // until parsing has started
        const startMs = performance.now();
        await app.stop();
        assert.ok(performance.now() - startMs < 5_000);
        const [state] = await store.listSources();
        assert.deepEqual([state?.consecutiveFailures, state?.lastError, state?.outcome], [0, null, null]);
      }, { parseWorker }),
  ));

Deno.test("a stop aborts waiting for a host", () =>
  withWorld(
    boardConfig({
      source:
        'fetch_strategy = "json"\ncrawl_delay = "10m"\njson.title = "t"\njson.link = "u"\njson.paging = "page"',
    }),
    async ({ app, platform, store }) => {
      platform.http.serve(FEED, () => ({ body: JSON.stringify([{ t: "The AI Act", u: "/1" }]) }));
      await app.start();
      while (platform.http.requests.length === 0) await platform.clock.advance(1_000);
      await app.stop();
      const [state] = await store.listSources();
      assert.deepEqual([state?.consecutiveFailures, state?.lastError], [0, null]);
    },
    { polite: true },
  ));
