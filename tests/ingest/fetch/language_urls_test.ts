// Publications in several languages whose URLs change: nothing is new, and no webhook is sent.
import assert from "node:assert/strict";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const CONFIG = boardConfig({
  source: 'urls = { en = "https://board.example/en/feed", de = "https://board.example/de/feed" }\n' +
    'relevance = "all"',
}).replace('url = "https://board.example/feed"\n', "");
const HOUR = 3_600_000;

/**
 * Fetches publications with the URLs that `write` returns. Returns the counts of new, revised, unchanged and translated
 * items.
 */
async function fetch(
  world: World,
  write: (language: string, number: string) => string,
  { ids = ["1", "2", "3"], isTranslated = true } = {},
): Promise<[number, number, number, number]> {
  for (const language of ["en", "de"]) {
    const prefix = isTranslated ? `${language}: ` : "";
    const items = ids.map((id) => ({
      id,
      title: `${prefix}Paper ${id} on the AI Act`,
      summary: `${prefix}The opinion of the board on matter ${id}.`,
    }));
    const body = rss(items).replaceAll(/https:\/\/board\.example\/(\d)/g, (_, id) => write(language, id));
    world.platform.http.serve(`https://board.example/${language}/feed`, () => ({ body }));
  }
  await world.platform.clock.advance(HOUR);
  const report = await ingestBoard(world);
  assert.equal(report.ok, true, report.error);
  return [report.new, report.revised, report.unchanged, report.translated];
}

const plain = (language: string, id: string) => `https://board.example/${language}/${id}`;

Deno.test("a site in one language that moves to another host has no new publications", () =>
  withSources(CONFIG, async (world) => {
    assert.deepEqual(await fetch(world, plain), [3, 0, 0, 3]);
    const german = (language: string, id: string) =>
      language === "de" ? `https://neu.example/de/${id}` : plain(language, id);
    assert.deepEqual(await fetch(world, german), [0, 0, 6, 0], "the record has the URL of its own language");
    assert.deepEqual(await fetch(world, german), [0, 0, 6, 0]);
    const both = (language: string, id: string) => `https://neu.example/${language}/${id}`;
    assert.deepEqual(await fetch(world, both), [0, 3, 3, 0]);
    const latest = await world.store.listEvents({ limit: 50, latest: true });
    assert.deepEqual(
      latest.map(({ json }) => JSON.parse(json)).map(({ version, url_official }) => [version, url_official])
        .sort(),
      ["1", "2", "3"].map((id) => [2, `https://neu.example/en/${id}`]),
    );
  }));

Deno.test("items with a query that changes at each fetch are not new, and an added or removed query is a revision", () =>
  withSources(CONFIG, async (world) => {
    const signed = (signature: string) => (language: string, id: string) =>
      `${plain(language, id)}?signature=${signature}`;
    assert.deepEqual(await fetch(world, signed("a")), [3, 0, 0, 3]);
    assert.deepEqual(await fetch(world, signed("b")), [0, 0, 6, 0]);
    assert.deepEqual(await fetch(world, signed("c")), [0, 0, 6, 0]);
    assert.deepEqual(await fetch(world, plain), [0, 3, 3, 0]);
    assert.deepEqual(await fetch(world, plain), [0, 0, 6, 0]);
  }));

Deno.test("a site that alternates between two host names makes one version", () =>
  withSources(CONFIG, async (world) => {
    const www = (language: string, id: string) => `https://www.board.example/${language}/${id}/`;
    assert.deepEqual(await fetch(world, plain), [3, 0, 0, 3]);
    assert.deepEqual(await fetch(world, www), [0, 3, 3, 0]);
    for (const write of [plain, www, plain, www]) {
      assert.deepEqual(await fetch(world, write), [0, 0, 6, 0]);
    }
    const away = (language: string, id: string) => `https://new.example/${language}/${id}`;
    assert.deepEqual(await fetch(world, away), [0, 3, 3, 0], "a site that moves again");
    assert.deepEqual(await fetch(world, plain), [0, 3, 3, 0], "also back to the first host");
  }));

Deno.test("an untranslated page that moves with the site of its language is not new", () =>
  withSources(CONFIG, async (world) => {
    const fetchUntranslated = (german: string) =>
      fetch(
        world,
        (language, id) => `${language === "de" ? german : "https://board.example"}/${language}/${id}`,
        { ids: ["1"], isTranslated: false },
      );
    assert.deepEqual(await fetchUntranslated("https://board.example"), [1, 0, 1, 0]);
    assert.deepEqual(await fetchUntranslated("https://neu.example"), [0, 0, 2, 0]);
  }));
