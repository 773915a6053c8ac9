// Tests of src/ingest/read.ts and its neighbours: a long document on another thread comes to what it comes to on this one.
import assert from "node:assert/strict";
import { createClassifier } from "../../src/classify/classify.ts";
import type { SecondThread } from "../../src/domain/ports.ts";
import type { ContentsPart } from "../../src/ingest/contents.ts";
import { LONG_DOCUMENT_BYTES } from "../../src/ingest/read.ts";
import { packPart, unpackPart } from "../../src/ingest/read_elsewhere.ts";
import { readingTasks } from "../../src/ingest/reading_tasks.ts";
import { itemsOf, noSharesTaken, SHARE_ITEMS, takeShare } from "../../src/ingest/shares.ts";
import { createThread } from "../../src/platform/thread.ts";
import { boardConfig, rss, type SampleItem } from "../support/samples.ts";
import { withWorld } from "../support/world.ts";

const FEED = "https://board.example/feed";
const OTHERS = Array.from({ length: 30 }, () => "The harbour's opening hours change with the season.").join(
  " ",
);

/** Of every kind of item some: relevant ones, others, without a title, edited within the document, without a date, twice. */
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
    return {
      id,
      title: `The AI Act in museums ${at}`,
      summary: `Article ${1 + at % 100} of the AI Act. ${OTHERS}`,
    };
  });
}

const LONG = rss(manyItems());
const OWN_TOPIC = `[[topics]]\nid = "museums"\nname_en = "Museums"\nkeywords_en = ["museum*"]\n`;

/** All that two fetches of a document come to. */
async function outcomeOf(config: string, document: string, reader?: SecondThread) {
  const outcome: { reports: unknown[]; previews: unknown[]; rows: string[]; lines: unknown[] } = {
    ...{ reports: [], previews: [], rows: [], lines: [] },
  };
  await withWorld(config, async ({ app, platform, store, config: { sources: [source] } }) => {
    platform.http.serve(FEED, () => ({ body: document }));
    await app.ingest.register();
    const [state] = await store.listSources();
    assert.ok(source !== undefined && state !== undefined);
    const { report, decided } = await app.ingest.preview(source, state);
    outcome.previews = [report, decided.map(({ request, ...rest }) => ({ ...rest, request: request() }))];
    outcome.reports.push(await app.ingest.ingest(["board"]));
    platform.http.serve(FEED, () => ({ body: `${document}\n` })); // the very same bytes would not be read again
    outcome.reports.push(await app.ingest.ingest(["board"]));
    outcome.rows = (await store.listEvents({ limit: 1_000 })).map(({ json }) => json);
    outcome.lines = platform.lines;
  }, reader === undefined ? {} : { reader });
  return outcome;
}

/** A reader that counts what it is asked. */
function counted(reader: SecondThread): SecondThread & { calls: number } {
  return {
    calls: 0,
    call(...given) {
      this.calls++;
      return reader.call(...given);
    },
  };
}

/** A reader on this thread that breaks after so many parts. */
function breaksAfter(parts: number): SecondThread & { given: ContentsPart["kind"][] } {
  const tasks = readingTasks(createClassifier);
  return {
    given: [],
    async call(task, argument, take) {
      for (const part of tasks[task]?.(argument) ?? []) {
        if (this.given.length >= parts) throw new Error("the thread broke");
        take?.(structuredClone(part));
        this.given.push(unpackPart(part).kind);
        await Promise.resolve();
      }
      return null;
    },
  };
}

for (
  const [what, config] of [
    ["a source of what concerns AI", boardConfig({ rest: OWN_TOPIC })],
    ["a source of everything", boardConfig({ source: 'relevance = "all"' })],
  ] as const
) {
  Deno.test(`a long document of ${what} comes to the same on another thread`, async () => {
    assert.ok(LONG.length > LONG_DOCUMENT_BYTES);
    const thread = createThread(new URL("../../src/reader.ts", import.meta.url));
    const reader = counted(thread);
    try {
      const here = await outcomeOf(config, LONG);
      assert.ok(here.rows.length > 100, `${here.rows.length} events`);
      assert.deepEqual(await outcomeOf(config, LONG, reader), here);
      assert.equal(reader.calls, 3, "a preview and two fetches");
    } finally {
      thread.end();
    }
  });
}

Deno.test("a first fetch asks this thread to classify nothing that the other one has classified", async () => {
  const kinds: Record<string, number> = {};
  const tasks = readingTasks(createClassifier);
  const reader: SecondThread = {
    call(task, argument, take) {
      for (const sent of tasks[task]?.(argument) ?? []) {
        const part = unpackPart(sent);
        kinds[part.kind] = (kinds[part.kind] ?? 0) + 1;
        // What is not relevant is made relevant, and the other way round: so it shows whose word counts.
        if (part.kind === "classified") {
          part.classified = part.classified.map((one) =>
            one !== null ? null : {
              ...{ relevant: true, language: "mt", eventType: "other", topics: [], severity: "low" },
              aiActArticles: [],
            }
          );
        }
        take?.(packPart(part));
      }
      return Promise.resolve(null);
    },
  };
  await withWorld(boardConfig(), async ({ app, platform, store }) => {
    platform.http.serve(FEED, () => ({ body: LONG }));
    await app.ingest.register();
    await app.ingest.ingest(["board"]);
    const events = (await store.listEvents({ limit: 1_000 })).map(({ json }) => JSON.parse(json));
    assert.ok(events.length > 300, `${events.length}`);
    assert.ok(events.every(({ language, title_en }) => language === "mt" && /Harbour/.test(title_en)));
    assert.ok((kinds["classified"] ?? 0) > 1);
    platform.http.serve(FEED, () => ({ body: `${LONG}\n` }));
    await app.ingest.ingest(["board"]);
    assert.equal(kinds["document"], 2);
  }, { reader });
  const { classified } = kinds;
  await withWorld(boardConfig(), async ({ app, platform }) => {
    platform.http.serve(FEED, () => ({ body: rss([{ id: "first" }]) }));
    await app.ingest.register();
    await app.ingest.ingest(["board"]);
    platform.http.serve(FEED, () => ({ body: LONG }));
    await app.ingest.ingest(["board"]);
    assert.equal(kinds["document"], 3, "what is known may be most of it");
    assert.equal(kinds["classified"], classified);
  }, { reader });
});

Deno.test("whoever is free classifies the next share of a first fetch, and nobody one that is taken", async () => {
  const tasks = readingTasks(createClassifier);
  const config = boardConfig();
  const here = await outcomeOf(config, LONG);
  for (const slow of ["items", "classified"] as const) {
    const shares: number[][] = [];
    const reader: SecondThread = {
      async call(task, argument, take) {
        const there: number[] = [];
        shares.push(there);
        for (const sent of tasks[task]?.(argument) ?? []) {
          const part = unpackPart(sent);
          if (part.kind === "classified") there.push(part.share);
          take?.(sent);
          // The first thread's turn: it goes on as far as it can.
          if (part.kind === slow) await new Promise((resolve) => setTimeout(resolve));
        }
        return null;
      },
    };
    assert.deepEqual(await outcomeOf(config, LONG, reader), here, slow);
    const [ofPreview = [], ofFirst = [], ...others] = shares;
    assert.deepEqual(others, [[]], "most items of the second fetch are known");
    for (const there of [ofPreview, ofFirst]) {
      // Read slowly, all shares but the last one are the first thread's; classified slowly, all but the first one.
      assert.deepEqual(there, slow === "items" ? [there.at(-1)] : [0]);
    }
  }
});

Deno.test("shares are taken in order, each once, and none before it is there", () => {
  const taken = noSharesTaken();
  const other = structuredClone(taken); // the same memory, as another thread has it
  assert.equal(takeShare(taken, 0), null);
  assert.deepEqual([takeShare(taken, 2), takeShare(other, 2), takeShare(taken, 2)], [0, 1, null]);
  assert.deepEqual([takeShare(other, 4), takeShare(other, 4), takeShare(other, 4)], [2, 3, null]);
  const items = Array.from({ length: 2 * SHARE_ITEMS + 1 }, (_, at) => at);
  assert.deepEqual([0, 1, 2, 3].flatMap((share) => itemsOf(items, share)), items);
});

Deno.test("a thread that breaks loses nothing, wherever it breaks", async () => {
  const whole = breaksAfter(Infinity);
  const config = boardConfig({ rest: OWN_TOPIC });
  const here = await outcomeOf(config, LONG);
  assert.deepEqual(await outcomeOf(config, LONG, whole), here);
  const { length } = whole.given.slice(0, whole.given.indexOf("document", 1));
  assert.ok(length > 10, `${length} parts`);
  for (const parts of [0, 1, 4, whole.given.indexOf("all read") + 1, length - 2, length - 1]) {
    const { lines, ...rest } = await outcomeOf(config, LONG, breaksAfter(parts));
    const { lines: linesHere, ...restHere } = here;
    assert.deepEqual(rest, restHere, `after ${parts} parts`);
    const said = lines.filter((line) =>
      !linesHere.some((other) => JSON.stringify(other) === JSON.stringify(line))
    );
    assert.deepEqual(said[0], {
      area: "ingest",
      level: "warn",
      message: "the thread that reads long documents broke: the first one goes on without it",
      fields: { url: FEED, cause: "the thread broke" },
    });
    assert.equal(said.length, 3, "a preview and two fetches");
  }
});

Deno.test("a short document asks no other thread, and a long one that is no feed is refused in the same words", async () => {
  const reader = breaksAfter(Infinity);
  const short = rss(manyItems().slice(0, 200));
  assert.ok(short.length < LONG_DOCUMENT_BYTES);
  await outcomeOf(boardConfig(), short, reader);
  assert.deepEqual(reader.given, []);
  const page = `<html><body>${"<p>no feed</p>".repeat(LONG_DOCUMENT_BYTES / 10)}</body></html>`;
  const here = await outcomeOf(boardConfig(), page);
  assert.match(JSON.stringify(here.reports), /HTML/);
  assert.deepEqual(await outcomeOf(boardConfig(), page, reader), here);
  assert.deepEqual([...new Set(reader.given)], ["unreadable"]);
});
