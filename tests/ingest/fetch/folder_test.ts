// Watched folders as sources, in the complete application.
import assert from "node:assert/strict";
import type { IngestReport } from "../../../src/ingest/ingest.ts";
import { ingestBoard, withSources } from "../../support/collecting.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld, START_MS, type World } from "../../support/world.ts";

const CONFIG = boardConfig()
  .replace('url = "https://board.example/feed"', 'fetch_strategy = "files"\npath = "/inbox"');
const AGO = START_MS - 3_600_000;

const withFolder = (work: (world: World, ingest: () => Promise<IngestReport>) => Promise<void>) =>
  withSources(CONFIG, (world) => work(world, () => ingestBoard(world)));

const counts = ({ ok, new: fresh, revised, unchanged }: IngestReport) => [ok, fresh, revised, unchanged];

Deno.test("a file that cannot be read is refused at every fetch, and others are ingested", () =>
  withFolder(async (world, ingest) => {
    world.platform.files.write("/inbox/bad.xml", "<!doctype html><title>Error</title>", AGO);
    const alone = await ingest();
    assert.deepEqual(counts(alone), [true, 0, 0, 0]);
    assert.deepEqual(alone.refused.map(({ item }) => item), ["bad.xml"]);
    world.platform.files.write("/inbox/good.xml", rss([{ id: "1" }]), AGO);
    assert.deepEqual(counts(await ingest()), [true, 1, 0, 0]);
    world.platform.files.write("/inbox/bad 2.xml", "nothing of use", AGO);
    const later = await ingest();
    assert.deepEqual(counts(later), [true, 0, 0, 0], "the only new file is bad");
    assert.deepEqual(later.refused.map(({ item }) => item), ["bad 2.xml", "bad.xml"]);
    const [state] = await world.store.listSources();
    assert.deepEqual([state?.consecutiveFailures, state?.lastError], [0, null]);
  }));

Deno.test("an entry that is not a readable file is refused at every fetch, and others are ingested", () =>
  withFolder(async (world, ingest) => {
    world.platform.files.spoil("/inbox/loop.xml", "its symbolic links form a loop");
    world.platform.files.write("/inbox/good.xml", rss([{ id: "1" }]), AGO);
    for (const fresh of [1, 0]) {
      const report = await ingest();
      assert.deepEqual(counts(report), [true, fresh, 0, 0]);
      assert.deepEqual(report.refused, [{ item: "loop.xml", reason: "its symbolic links form a loop" }]);
    }
  }));

Deno.test("a folder that cannot be read is a failure of its source", () =>
  withFolder(async (_, ingest) => {
    const report = await ingest();
    assert.equal(report.ok, false);
    assert.match(report.error ?? "", /^the folder cannot be read: .*\/inbox/);
  }));

Deno.test("two files with editions of one publication make two versions, even after they are touched", () =>
  withFolder(async (world, ingest) => {
    const files = {
      "/inbox/old.xml": "Article 50 of the AI Act.",
      "/inbox/new.xml": "Annex III of the AI Act.",
    };
    let atMs = AGO;
    const write = (path: keyof typeof files) =>
      world.platform.files.write(path, rss([{ id: "1", summary: files[path] }]), atMs += 1_000);
    write("/inbox/old.xml");
    write("/inbox/new.xml");
    assert.deepEqual(counts(await ingest()), [true, 1, 1, 0]);
    for (const path of ["/inbox/old.xml", "/inbox/new.xml", "/inbox/old.xml"] as const) {
      write(path);
      assert.deepEqual(counts(await ingest()), [true, 0, 0, 0], path);
    }
  }));

Deno.test("a source can change from a feed to a folder and back", async () => {
  await using world = await createWorld(CONFIG);
  const feed = await createWorld(boardConfig(), { store: world.store, seed: 2 });
  feed.platform.http.serve("https://board.example/feed", () => ({ body: rss([{ id: "1" }]) }));
  await feed.app.tick();
  world.platform.files.write("/inbox/a.xml", rss([{ id: "1" }, { id: "2" }]), AGO);
  assert.deepEqual(counts(await ingestBoard(world)), [true, 1, 0, 1]);
  assert.deepEqual(counts(await ingestBoard(feed)), [true, 0, 0, 1]);
});

Deno.test("no failure reason quotes a file", () =>
  withFolder(async (world, ingest) => {
    const secret = "hush4711";
    const files = {
      "key.txt": secret,
      "page.html": `<html><title>${secret}</title>`,
      "root.xml": `<${secret}/>`,
      "broken.json": `{"a": ${secret}`,
      "other.json": `{"${secret}": 1}`,
      "table.csv": `${secret};${secret}\n`,
    };
    for (const [name, content] of Object.entries(files)) {
      world.platform.files.write(`/inbox/${name}`, content, AGO);
    }
    const report = await ingest();
    assert.deepEqual(report.refused.map(({ item }) => item).sort(), Object.keys(files).sort());
    const [state] = await world.store.listSources();
    assert.equal(state?.partialFailures.length, Object.keys(files).length);
    assert.doesNotMatch(JSON.stringify([report, state, world.platform.lines]), new RegExp(secret));
  }));
