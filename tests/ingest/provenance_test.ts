// Events record their provenance, in the complete application.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { RULES_VERSION } from "../../src/classify/classify.ts";
import type { Provenance } from "../../src/domain/event/provenance.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { START_MS, withWorld, type World } from "../support/world.ts";

const ITEM = `<item><guid>a</guid><title>Guidelines on the AI Act</title><link>https://board.example/a</link>
  <category>Guidelines</category><category>AI</category></item>`;
const FEED = `<rss version="2.0"><channel><language>en-GB</language>${ITEM}</channel></rss>`;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

async function provenances(world: World): Promise<Provenance[]> {
  const listed = await world.store.listEvents({ limit: 200 });
  return await Promise.all(
    listed.map(async ({ id }) => JSON.parse((await world.store.findEvent(id))?.provenance ?? "")),
  );
}

Deno.test("the provenance of an event contains its document, URL and time, and no secret", () => {
  const config = boardConfig({ source: 'authorization = "Bearer top-secret"\nlanguages = ["de", "en"]' })
    .replace("https://board.example/feed", "https://board.example/feed?token=top-secret");
  return withWorld(config, async (world) => {
    world.platform.http.serve("https://board.example/feed", () => ({
      status: 302,
      headers: {
        location: "https://user:top-secret@cdn.example/feeds/all.xml?key=top-secret&top-secret#top-secret",
      },
    }));
    world.platform.http.serve("https://cdn.example/feeds/all.xml", () => ({ body: FEED }));
    await world.app.tick();
    const [provenance, ...more] = await provenances(world);
    assert.equal(more.length, 0);
    assert.deepEqual(provenance, {
      rules_version: RULES_VERSION,
      categories: ["Guidelines", "AI"],
      stated_languages: ["en", "en-GB", "de"],
      document: "https://cdn.example/feeds/all.xml",
      document_sha256: sha256(FEED),
      http_status: 200,
      fetched_at: START_MS,
      other_languages: null,
    });
    const [event] = await world.store.listEvents({ limit: 1 });
    const found = await world.store.findEvent(event?.id ?? "");
    assert.doesNotMatch(JSON.stringify(found), /top-secret/);
  });
});

Deno.test("the provenance of a file contains its name and no HTTP status", () =>
  withWorld(
    boardConfig({ source: 'fetch_strategy = "files"\npath = "inbox"' })
      .replace('url = "https://board.example/feed"\n', ""),
    async (world) => {
      world.platform.files.write("/world/inbox/today.xml", FEED, START_MS - 60_000);
      await world.app.tick();
      const [{ document, document_sha256, http_status, fetched_at }] = await provenances(world) as [
        Provenance,
      ];
      const found = [document, document_sha256, http_status, fetched_at];
      assert.deepEqual(found, ["today.xml", sha256(FEED), null, START_MS]);
    },
  ));

Deno.test("each version has the provenance of its document", () =>
  withWorld(boardConfig(), async (world) => {
    for (const summary of ["On Article 50 of the AI Act.", "On Article 5 of the AI Act."]) {
      world.platform.http.serve("https://board.example/feed", () => ({ body: rss([{ id: "1", summary }]) }));
      await world.app.tick();
      await world.platform.clock.advance(1_800_000);
    }
    const kept = (await provenances(world)).sort((a, b) => a.fetched_at - b.fetched_at);
    assert.deepEqual(kept.map((one) => one.fetched_at), [START_MS, START_MS + 1_800_000]);
    assert.notEqual(kept[0]?.document_sha256, kept[1]?.document_sha256);
  }));
