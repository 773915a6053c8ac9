// Coverage in the complete application: what is recorded about fetches, and incidents from start to end.
import assert from "node:assert/strict";
import { DeadlineError, NetworkError } from "../../src/domain/ports/ports.ts";
import type { FetchRecord } from "../../src/domain/source/fetch_record.ts";
import { createApp } from "../../src/app.ts";
import { FEED } from "../support/collecting.ts";
import type { Answer } from "../support/platform.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { START_MS, withWorld, type World } from "../support/world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CONFIG = boardConfig({ source: 'relevance = "all"\nmin_items = 1' });

function serve(world: World, answer: Answer | Error): void {
  world.platform.http.serve(FEED, () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
}

Deno.test("every fetch is recorded with its counts, the hash of its document, and a public cause", () =>
  withWorld(CONFIG, async (world) => {
    const rows: [name: string, Answer | Error, FetchRecord["outcome"], FetchRecord["cause"]][] = [
      ["items", { body: rss([{ id: "1" }, { id: "2" }]) }, "ok", null],
      ["an error status", { status: 500 }, "failing", "http_error"],
      ["a refusal", { status: 403 }, "blocked", "refused"],
      ["a page instead of a feed", { body: "<p>Moved</p>" }, "failing", "unreadable"],
      ["no items", { body: rss([]) }, "empty", "too_few_items"],
      ["no response in time", new DeadlineError(30_000), "failing", "timeout"],
      ["no connection", new NetworkError("connection refused"), "failing", "connection"],
      ["a bad redirect", { status: 302, headers: { location: "ftp://x" } }, "failing", "http_error"],
      ["a bug", new TypeError("x is undefined"), "failing", "internal"],
    ];
    for (const [name, answer, outcome, cause] of rows) {
      serve(world, answer);
      await world.platform.clock.advance(24 * HOUR);
      await world.app.tick();
      const [last] = await world.store.listFetches("board", { limit: 1 });
      assert.deepEqual([last?.outcome, last?.cause], [outcome, cause], name);
    }
    const fetches = await world.store.listFetches("board", { limit: 99 });
    assert.equal(fetches.length, rows.length);
    const first = fetches.at(-1);
    assert.equal(first?.counts.new, 2);
    assert.match(first?.documentHash ?? "", /^[0-9a-f]{64}$/);
  }));

Deno.test("a source that fails for an hour is an incident until it recovers, also across a restart", () =>
  withWorld(CONFIG, async (world) => {
    const { platform, store } = world;
    const incidents = async () =>
      (await store.listIncidents({ sinceMs: 0, limit: 9 })).map((
        { kind, cause, sourceId, sinceMs, endedAtMs },
      ) => [
        ...[kind, cause, sourceId, (sinceMs - START_MS) / MINUTE],
        endedAtMs === null ? null : (endedAtMs - START_MS) / MINUTE,
      ]);
    let { app } = world;
    const after = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed++) {
        await platform.clock.advance(MINUTE);
        await app.tick();
      }
      return await incidents();
    };
    serve(world, { body: rss([{ id: "1" }]) });
    assert.deepEqual(await after(10), []);
    serve(world, { status: 503 });
    assert.deepEqual(await after(79), [], "the first failed fetch was at minute 30");
    assert.deepEqual(await after(1), [["failing", "http_error", "board", 30, null]]);

    app = createApp({ ...world, version: "0.0.0-test" });
    assert.deepEqual(await after(30), [["failing", "http_error", "board", 30, null]]);
    serve(world, { body: rss([{ id: "1" }]) });
    const [[, , , , end]] = await after(60) as [[string, string, string, number, number]];
    assert.ok(end > 120 && end < 180, `${end}`);
    assert.equal((await incidents()).length, 1);
  }));
