// Ingestion yields to the event loop, even while it records a long document.
import assert from "node:assert/strict";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { createYield } from "../../src/ingest/yield_to_event_loop.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { createWorld } from "../support/world.ts";

Deno.test("createYield() yields after 20 ms of work, and when the clock was set back", async () => {
  let nowMs = 1_000;
  let pauses = 0;
  const sleep = (ms: number) => {
    assert.equal(ms, 0);
    pauses++;
    return Promise.resolve();
  };
  const pause = createYield({ nowMs: () => nowMs, sleep });
  const after = async (ms: number) => {
    nowMs += ms;
    await pause();
    return pauses;
  };
  assert.deepEqual([await after(0), await after(19), await after(1), await after(19)], [0, 0, 1, 1]);
  assert.deepEqual([await after(500), await after(-200), await after(10)], [2, 3, 3]);
});

async function storedCount(store: Store): Promise<number> {
  return (await store.listEvents({ limit: 10_000 })).length;
}

Deno.test("ingest() lets other work run before and while it records a long feed", async () => {
  await using world = await createWorld(boardConfig());
  const items = Array.from({ length: 2_000 }, (_, at) => ({ id: `${at}` }));
  world.platform.http.serve("https://board.example/feed", () => ({ body: rss(items) }));
  const { clock } = world.platform;
  // Each reading of the clock advances it, as work does.
  const { nowMs, sleep } = clock;
  let looks = 0;
  let storedAtPauses: number[] = [];
  clock.nowMs = () => nowMs() + 10 * looks++;
  clock.sleep = async (ms, signal) => {
    storedAtPauses.push(await storedCount(world.store));
    await sleep(ms, signal);
  };
  await world.app.tick();
  storedAtPauses = [...new Set(storedAtPauses)];
  assert.equal(storedAtPauses[0], 0, "before anything is recorded");
  assert.ok(storedAtPauses.length >= 3, `stored at the pauses: ${storedAtPauses}`);
  assert.equal(await storedCount(world.store), items.length);
});
