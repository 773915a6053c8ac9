// Tracking parameters do not change the identity of a publication, even if it was stored with them.
import assert from "node:assert/strict";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { fetchFeed, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, SAMPLE_PROVENANCE, sampleEvent } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

const CONFIG = boardConfig({ source: 'relevance = "all"' });
const ITEMS = ["1", "2"].map((id) => ({
  id,
  title: `Paper ${id} on the AI Act`,
  summary: `The opinion of the board on matter ${id}.`,
}));

/** Fetches the items with suffixes on their URLs and ids. Returns the counts of new, revised and unchanged items. */
async function fetchWith(world: World, behind: string, ids = ""): Promise<number[]> {
  const feed = rss(ITEMS).replaceAll("</link>", `${behind}</link>`)
    .replaceAll(/(<guid[^>]*>)(\d)/g, ids === "" ? "$1$2" : `$1https://board.example/$2${ids}`);
  return await fetchFeed(world, feed);
}

Deno.test("a tracking parameter in the query or fragment is not a revision", () =>
  withSources(CONFIG, async (world) => {
    assert.deepEqual(await fetchWith(world, "#xtor=RSS-1"), [2, 0, 0]);
    for (const behind of ["#xtor=RSS-2", "", "?utm_source=rss", "#utm_source=rss&amp;utm_medium=feed"]) {
      assert.deepEqual(await fetchWith(world, behind), [0, 0, 2], behind);
    }
    assert.deepEqual(await fetchWith(world, "#section-2"), [0, 2, 0], "an anchor");
  }));

/** Stores the items with fragments in their keys and hashes, as earlier versions did. */
async function storeWithFragments(store: Store, keyOf: (id: string) => string): Promise<void> {
  for (const { id, title, summary } of ITEMS) {
    const event = sampleEvent({
      id: `evt_0${id}`,
      external_id: keyOf(id),
      title_en: title,
      summary_en: summary,
      url_official: `https://board.example/${id}#xtor=RSS-1`,
      published_at: Date.parse("2026-07-31T12:00:00Z"),
      translations: { en: { title, summary } },
    });
    const publication = { key: keyOf(id), contentHash: `old ${id}`, textHash: `old text ${id}` };
    await store.recordPublications("board", [publication], () => ({
      kind: "record",
      event,
      provenance: SAMPLE_PROVENANCE,
      notify: false,
    }));
  }
}

for (const identity of ["", 'identity = "guid"', 'identity = "link"', 'identity = "link+title"']) {
  Deno.test(`publications that were stored with a fragment are neither new nor revised${identity && `, with ${identity}`}`, () =>
    withSources(boardConfig({ source: `relevance = "all"\n${identity}` }), async (world) => {
      const titleOf = (id: string) => ITEMS.find((item) => item.id === id)?.title;
      await storeWithFragments(world.store, (id) => {
        const address = `https://board.example/${id}#xtor=RSS-1`;
        return identity.includes("title") ? `${address} ${titleOf(id)}` : address;
      });
      assert.deepEqual(await fetchWith(world, "#xtor=RSS-1", "#xtor=RSS-1"), [0, 0, 2]);
      assert.deepEqual(await fetchWith(world, "#xtor=RSS-2", "#xtor=RSS-2"), [0, 0, 2], "a known key");
      const hashes = new Set<string>();
      await world.store.previewPublications(
        "board",
        [{ key: "https://board.example/1", contentHash: "" }],
        (_, stored) => {
          hashes.add(stored?.contentHash ?? "");
          return { kind: "irrelevant" };
        },
      );
      if (!identity.includes("title")) assert.match([...hashes][0] ?? "", /^[0-9a-f]{64}$/, "new hash");
    }));
}
