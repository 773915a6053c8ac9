// A dry run of several documents predicts the report of a fetch, even if they share publications.
import assert from "node:assert/strict";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

/** Returns the counts of a fetch, which must equal those of two preceding dry runs. */
async function outcomes(world: World): Promise<number[]> {
  const [source] = world.config.sources;
  const [state] = await world.store.listSources();
  assert.ok(source !== undefined && state !== undefined);
  const { report } = await world.app.ingest.preview(source, state);
  assert.deepEqual(await world.app.ingest.preview(source, state).then((again) => again.report), report);
  assert.deepEqual(await ingestBoard(world), report);
  return [report.new, report.revised, report.unchanged, report.translated];
}

Deno.test("a publication on two pages is new once in a dry run, and revised if the pages differ", () =>
  withSources(
    boardConfig({
      source: `fetch_strategy = "json"\nrelevance = "all"\n[sources.json]\nitems = "results"\nid = "id"
title = "title"\nlink = "https://board.example/documents/{id}"\npaging = "page"`,
    }),
    async (world) => {
      const pages: Record<string, [id: string, title: string][]> = {
        1: [["a", "On the AI Act"], ["b", "On Annex III"]],
        2: [["b", "On Annex III"], ["c", "On Article 50"]],
        3: [["c", "On Article 50, corrected"], ["d", "On Article 6"]],
      };
      world.platform.http.serve("https://board.example/feed", ({ url }) => ({
        body: JSON.stringify({
          results: (pages[url.searchParams.get("page") ?? ""] ?? []).map(([id, title]) => ({ id, title })),
        }),
      }));
      assert.deepEqual(await outcomes(world), [4, 1, 1, 0]);
    },
  ));

Deno.test("in a dry run, a publication in two languages is new once and translated once", () =>
  withSources(
    boardConfig({
      source: 'urls = { en = "https://board.example/en/feed", de = "https://board.example/de/feed" }\n' +
        'relevance = "all"',
    }).replace('url = "https://board.example/feed"\n', ""),
    async (world) => {
      for (const language of ["en", "de"]) {
        const items = ["1", "2"].map((id) => ({ id, title: `${language}: number ${id} on the AI Act` }));
        const body = rss(items).replaceAll("https://board.example/", `https://board.example/${language}/`);
        world.platform.http.serve(`https://board.example/${language}/feed`, () => ({ body }));
      }
      assert.deepEqual(await outcomes(world), [2, 0, 0, 2]);
    },
  ));

Deno.test("a dry run recognises an alias from one language in the next language", () =>
  withSources(
    boardConfig({
      source: 'urls = { en = "https://board.example/en/feed", de = "https://board.example/de/feed" }\n' +
        'relevance = "all"\nidentity = "guid"',
    }).replace('url = "https://board.example/feed"\n', ""),
    async (world) => {
      const serve = (id: string) => {
        for (const language of ["en", "de"]) {
          const body = rss([{ id, title: `${language}: on the AI Act` }])
            .replace(`https://board.example/${id}`, `https://board.example/${language}/paper`);
          world.platform.http.serve(`https://board.example/${language}/feed`, () => ({ body }));
        }
      };
      serve("first");
      assert.deepEqual(await outcomes(world), [1, 0, 0, 1]);
      serve("second");
      assert.deepEqual(await outcomes(world), [0, 0, 2, 0]);
    },
  ));

Deno.test("a dry run reports permanent redirects, but not temporary ones", () =>
  withSources(boardConfig({ source: 'relevance = "all"' }), async (world) => {
    const { http } = world.platform;
    let status = 301;
    http.serve(
      "https://board.example/feed",
      () => ({ status, headers: { location: "https://new.example/feed" } }),
    );
    http.serve("https://new.example/feed", () => ({ body: rss([{ id: "1" }]) }));
    const [source] = world.config.sources;
    const [state] = await world.store.listSources();
    assert.ok(source !== undefined && state !== undefined);
    const { report } = await world.app.ingest.preview(source, state);
    assert.deepEqual(report.notes, [
      "https://board.example/feed redirects permanently to https://new.example/feed: " +
      "after 3 days of redirects, only the new URL is fetched; change the URL in the config",
    ]);
    status = 302;
    assert.equal((await world.app.ingest.preview(source, state)).report.notes, undefined);
  }));
