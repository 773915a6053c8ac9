// Retries after failures in the complete application, in particular on a machine whose network comes up late.
import assert from "node:assert/strict";
import { NetworkError } from "../../../src/domain/ports/ports.ts";
import { rss } from "../../support/samples.ts";
import { START_MS, withWorld, type World } from "../../support/world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SCHEDULES = { quarterly: "*/15 * * * *", hourly: "0 * * * *", daily: "0 6 * * *", weekly: "0 6 * * 1" };
const CONFIG = Object.entries(SCHEDULES).map(([id, schedule]) => `
[[sources]]
id = "${id}"
name_en = "${id}"
url = "https://${id}.example/feed"
schedule = "${schedule}"
relevance = "all"
`).join("");

/** Advances the clock minute by minute. Returns the minutes since the start at which each source was requested. */
async function requestedUntil(world: World, minutes: number): Promise<Record<string, number[]>> {
  const { clock, http } = world.platform;
  const found: Record<string, number[]> = Object.fromEntries(Object.keys(SCHEDULES).map((id) => [id, []]));
  while (true) {
    await world.app.tick();
    const at = (clock.nowMs() - START_MS) / MINUTE;
    for (const { url } of http.requests.splice(0)) found[new URL(url).host.split(".")[0] ?? ""]?.push(at);
    if (at >= minutes) return found;
    await clock.advance(MINUTE);
  }
}

Deno.test("if the network comes up late, every source is fetched soon after, whatever its schedule is", () =>
  withWorld(CONFIG, async (world) => {
    let isUp = false;
    for (const id of Object.keys(SCHEDULES)) {
      world.platform.http.serve(`https://${id}.example`, () => {
        if (!isUp) throw new NetworkError("host name not found");
        return { body: rss([{ id }]) };
      });
    }
    assert.deepEqual(await requestedUntil(world, 20), {
      quarterly: [0, 5, 15],
      hourly: [0, 5, 15],
      daily: [0, 5, 15],
      weekly: [0, 5, 15],
    });
    assert.equal((await world.ask("/v1/health")).json.ingestion.failing, 4);
    isUp = true;
    const found = await requestedUntil(world, 60);
    assert.deepEqual([found["quarterly"]?.[0], found["hourly"]], [30, [35, 60]], "on schedule again");
    assert.deepEqual([found["daily"], found["weekly"]], [[35], [35]]);
    assert.equal((await world.store.listEvents({ limit: 9 })).length, 4);
    assert.equal((await world.ask("/v1/health")).json.status, "ok");
    const due = (await world.store.listSources()).map(({ nextDueAtMs }) => (nextDueAtMs - START_MS) / HOUR);
    assert.deepEqual(due, [20, 2, 1.25, 44], "daily, hourly, quarterly, weekly: the next scheduled runs");
  }));

Deno.test("a retry waits for Retry-After", () =>
  withWorld(CONFIG, async (world) => {
    const refused = { status: 503, headers: { "retry-after": "1800" } };
    for (const id of Object.keys(SCHEDULES)) {
      world.platform.http.serve(
        `https://${id}.example`,
        () => id === "daily" ? refused : { body: rss([{ id }]) },
      );
    }
    assert.deepEqual((await requestedUntil(world, 59))["daily"], [0, 30]);
  }));
