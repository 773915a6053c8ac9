// Two editions of one publication in a document: which one counts does not depend on their order.
import assert from "node:assert/strict";
import { toSearch } from "../../../src/domain/event/event_filter.ts";
import { fetchForeseen, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const CONFIG = boardConfig({ source: 'relevance = "all"' });

/**
 * Fetches the items. Returns the numbers of new and revised items, and the refused items. A dry run must predict
 * them.
 */
async function fetchNext(world: World, items: readonly SampleItem[]): Promise<[number, number, string[]]> {
  world.platform.http.serve("https://board.example/feed", () => ({ body: rss(items) }));
  const { report, foreseen } = await fetchForeseen(world);
  assert.deepEqual(foreseen, report);
  return [report.new, report.revised, report.refused.map(({ item }) => item)];
}

const [A, B, C] = ["A", "B", "C"].map((name) => ({
  id: "1",
  title: "Paper on the AI Act",
  summary: `Edition ${name} of the opinion on Article 50.`,
})) as [SampleItem, SampleItem, SampleItem];
const OTHERS = ["2", "3"].map((id) => ({ id, title: `Paper ${id}`, summary: `Of the board: ${id}.` }));

Deno.test("two editions with one id and date are not revisions of each other, in any order", () =>
  withSources(CONFIG, async (world) => {
    const two = { ...B, title: "Paper on the AI Act, corrected" };
    assert.deepEqual(await fetchNext(world, [A, two, ...OTHERS]), [3, 0, [two.title]]);
    for (const items of [[two, A], [A, two], [B, two, A], [two, C, A, B]]) {
      const [added, revised, refused] = await fetchNext(world, [...OTHERS, ...items]);
      assert.deepEqual([added, revised], [0, 0]);
      const others = items.filter((one) => one !== A).map(({ title }) => title);
      assert.deepEqual(refused.toSorted(), others.toSorted());
    }
    const latest = await world.store.listEvents({
      limit: 9,
      latest: true,
      search: toSearch("edition"),
    });
    assert.deepEqual(latest.map(({ json }) => JSON.parse(json).summary_en), [A.summary]);
  }));

Deno.test("the later of two editions with one id counts, and so does a single edition", () =>
  withSources(CONFIG, async (world) => {
    assert.deepEqual((await fetchNext(world, [A, B])).slice(0, 2), [1, 0]);
    assert.deepEqual((await fetchNext(world, [B])).slice(0, 2), [0, 1]);
    assert.deepEqual((await fetchNext(world, [A, B])).slice(0, 2), [0, 0]);
    const later = { ...C, date: "Fri, 31 Jul 2026 13:00:00 GMT" };
    assert.deepEqual((await fetchNext(world, [B, later])).slice(0, 2), [0, 1]);
    assert.deepEqual((await fetchNext(world, [later, B])).slice(0, 2), [0, 0]);
  }));

Deno.test("two editions in one of several languages are not revisions of each other", () =>
  withSources(
    boardConfig({ source: 'languages = ["en", "de"]\nlanguage_pattern = "/(en|de)/"\nrelevance = "all"' }),
    async (world) => {
      const of = (language: string, item: SampleItem) => ({
        ...item,
        id: `${language}/1`,
        title: `${language}: ${item.title}`,
      });
      const [english, german, other] = [of("en", A), of("de", A), of("de", B)];
      assert.deepEqual((await fetchNext(world, [english, german, other])).slice(0, 2), [1, 0]);
      for (const items of [[other, german, english], [german, english, other], [other, english, german]]) {
        assert.deepEqual((await fetchNext(world, items)).slice(0, 2), [0, 0]);
      }
      const edited = { ...english, title: "en: a new title" };
      assert.deepEqual((await fetchNext(world, [other, edited, german])).slice(0, 2), [0, 1]);
      const [event] = await world.store.listEvents({ limit: 9, latest: true });
      assert.equal(JSON.parse(event?.json ?? "").translations.de.title, german.title);
    },
  ));
