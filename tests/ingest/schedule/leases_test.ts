// Fetches whose lease expires while their process is suspended.
import assert from "node:assert/strict";
import { boardConfig, rss } from "../../support/samples.ts";
import { withWorld } from "../../support/world.ts";
import { withTwoProcesses } from "./two_processes.ts";

const FEED = "https://board.example/feed";
const HOUR = 3_600_000;
const edition = (summary: string) => ({ body: rss([{ id: "1", summary: `On the AI Act: ${summary}.` }]) });

Deno.test("a fetch whose source another process has taken over records nothing, because its document may be older", () =>
  withTwoProcesses(boardConfig(), async (one, two) => {
    one.platform.http.serve(FEED, () => edition("first"));
    await one.app.tick();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    one.platform.http.serve(FEED, () => held.then(() => edition("second")));
    const late = one.app.ingest.ingest(["board"]);
    while (one.platform.http.requests.length < 2) await new Promise((resolve) => setTimeout(resolve));
    // The first process is suspended here, and its lease expires.
    await two.platform.clock.advance(HOUR);
    two.platform.http.serve(FEED, () => edition("third"));
    const [taken] = await two.app.ingest.ingest(["board"]);
    assert.deepEqual([taken?.ok, taken?.revised], [true, 1]);
    release();
    const [report] = await late;
    assert.deepEqual([report?.ok, report?.revised], [false, 0]);
    assert.match(report?.error ?? "", /another process has taken over the source/);
    const [again] = await two.app.ingest.ingest(["board"]);
    assert.deepEqual([again?.revised, again?.unchanged], [0, 1]);
    const [state] = await two.store.listSources();
    assert.deepEqual([state?.outcome, state?.lastError], ["ok", null]);
  }));

Deno.test("a process whose lease has expired does not start another fetch of the source", () =>
  withWorld(boardConfig(), async (world) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    world.platform.http.serve(FEED, () => held.then(() => edition("first")));
    const slow = world.app.tick();
    while (world.platform.http.requests.length < 1) await new Promise((resolve) => setTimeout(resolve));
    world.platform.clock.set(world.platform.clock.nowMs() + HOUR);
    assert.deepEqual(await world.app.ingest.ingest(["board"]), []);
    assert.equal(world.platform.http.requests.length, 1);
    release();
    await slow;
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 1);
    assert.equal((await world.app.ingest.ingest(["board"]))[0]?.ok, true, "fetched afterwards");
  }));
