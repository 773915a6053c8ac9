// Fetches whose results cannot be stored: the report names the storage fault, and the source is fetched again soon.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { storageError } from "../../src/store/sqlite/connection/faults.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { testVault } from "../support/vault.ts";
import { createWorld, withWorld } from "../support/world.ts";
import { TEMPORARY } from "../support/temporary.ts";

const FEED = "https://board.example/feed";
const MINUTE = 60_000;

Deno.test("a full disk during a fetch is named, does not count as a failure, and the fetch is repeated after a minute", () =>
  withWorld(boardConfig(), async (world) => {
    const { store, platform } = world;
    platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
    await world.app.ingest.register();
    const { recordPublications } = store;
    store.recordPublications = () => Promise.reject(storageError("full"));
    for (let times = 0; times < 5; times++) {
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.deepEqual([report?.ok, report?.new], [false, 0]);
      assert.match(
        report?.error ?? "",
        /^the result could not be stored: the database's disk is full: free some space/,
      );
    }
    const [state] = await store.listSources();
    assert.deepEqual(
      [state?.outcome, state?.consecutiveFailures, (state?.nextDueAtMs ?? 0) - platform.clock.nowMs()],
      ["failing", 0, MINUTE],
    );
    assert.match(state?.lastError ?? "", /the database's disk is full/);
    store.recordPublications = recordPublications;
    await platform.clock.advance(MINUTE);
    const [recovered] = await world.app.ingest.ingest();
    assert.deepEqual([recovered?.ok, recovered?.new], [true, 1]);
    assert.equal((await store.listSources())[0]?.lastError, null);
    assert.ok(platform.lines.some(({ message }) => message === "source recovered"));
  }));

Deno.test("a fetch with a batch that cannot be recorded is not finished, and recorded batches stay", () =>
  withWorld(boardConfig(), async (world) => {
    const { store, platform } = world;
    const items = Array.from({ length: 5_000 }, (_, number) => ({ id: String(number) }));
    platform.http.serve(FEED, () => ({ body: rss(items) }));
    await world.app.ingest.register();
    const { recordPublications } = store;
    let batches = 0;
    store.recordPublications = (...given) =>
      ++batches > 3 ? Promise.reject(storageError("io")) : recordPublications(...given);
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.match(report?.error ?? "", /^the result could not be stored/);
    assert.equal(batches, 4);
    const [state] = await store.listSources();
    assert.deepEqual([state?.cursor, state?.firstSuccessAtMs], [null, null]);
    store.recordPublications = recordPublications;
    await platform.clock.advance(MINUTE);
    const [recovered] = await world.app.ingest.ingest();
    assert.equal(recovered?.ok, true);
    assert.equal((recovered?.new ?? 0) + (recovered?.unchanged ?? 0), items.length);
    assert.ok((recovered?.unchanged ?? 0) >= 300);
  }));

Deno.test("a change spike that a full disk interrupts is held completely", () =>
  withWorld(boardConfig(), async (world) => {
    const { store, platform } = world;
    const serve = (from: number, to: number) => {
      const items = Array.from({ length: to - from }, (_, at) => ({ id: String(from + at) }));
      platform.http.serve(FEED, () => ({ body: rss(items) }));
    };
    serve(0, 3);
    await world.app.ingest.register();
    await world.app.ingest.ingest(["board"]);
    await platform.clock.advance(30 * MINUTE);
    serve(3, 500);
    const { recordPublications } = store;
    let batches = 0;
    store.recordPublications = (...given) =>
      ++batches > 7 ? Promise.reject(storageError("full")) : recordPublications(...given);
    const [cut] = await world.app.ingest.ingest(["board"]);
    assert.match(cut?.error ?? "", /^the result could not be stored/);
    const recorded = (await store.listEvents({ limit: 500 })).length - 3;
    assert.ok(recorded > 20 && recorded < 497, `${recorded} recorded`);
    store.recordPublications = recordPublications;
    await platform.clock.advance(MINUTE);
    const [whole] = await world.app.ingest.ingest();
    assert.deepEqual([whole?.ok, whole?.new, whole?.held_back], [true, 497 - recorded, 497]);
  }));

Deno.test("a fetch during which the database is locked is repeated when its lease ends", async () => {
  const folder = await Deno.makeTempDir(TEMPORARY);
  const path = join(folder, "regfeed.db");
  const world = await createWorld(boardConfig(), { store: openStore(path, testVault) });
  const other = new DatabaseSync(path);
  try {
    await world.app.ingest.register();
    world.platform.http.serve(FEED, () => {
      other.exec("begin immediate");
      return { body: rss([{ id: "1" }]) };
    });
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.match(
      report?.error ?? "",
      /^the result could not be stored: another process keeps the database locked/,
    );
    other.exec("rollback");
    world.platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
    await world.platform.clock.advance(11_000);
    const [recovered] = await world.app.ingest.ingest();
    assert.deepEqual([recovered?.ok, recovered?.new, recovered?.unchanged], [true, 1, 0]);
  } finally {
    other.close();
    await world.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a schedule that changes during a fetch is kept when the fetch ends", async () => {
  const store = openStore(":memory:", testVault);
  await using before = await createWorld(boardConfig({ source: 'relevance = "all"' }), { store });
  const after = await createWorld(
    boardConfig({ source: 'relevance = "all"' }).replace("*/30 * * * *", "*/5 * * * *"),
    { store },
  );
  await before.app.ingest.register();
  before.platform.http.serve(FEED, async () => {
    await after.app.ingest.register();
    return { body: rss([{ id: "1" }]) };
  });
  const [report] = await before.app.ingest.ingest(["board"]);
  assert.equal(report?.ok, true);
  const [state] = await store.listSources();
  assert.equal((state?.nextDueAtMs ?? 0) - before.platform.clock.nowMs(), 5 * MINUTE);
});
