// Tests of src/api/read.ts.
import assert from "node:assert/strict";
import type { RegEvent } from "../../src/domain/event/event.ts";
import type { Severity } from "../../src/domain/event/severity.ts";
import { eventList, eventResponse } from "../../src/wire/event.ts";
import { healthReport, sourceList, topicList } from "../../src/wire/service.ts";
import { StorageError } from "../../src/domain/ports/store/storage_fault.ts";
import { boardConfig, rss, SAMPLE_PROVENANCE, sampleEvent } from "../support/samples.ts";
import { START_MS, withCustomer, type World } from "../support/world.ts";

const FEED = "https://board.example/feed";

const withWorld = (work: (world: World, key: string) => Promise<void>, config = boardConfig()) =>
  withCustomer(config, work);

/** Stores events as a source's publications, in this order. */
async function store(world: World, changes: readonly Partial<RegEvent>[]): Promise<RegEvent[]> {
  const events = changes.map((change) => sampleEvent({ id: world.newId("event"), ...change }));
  for (const event of events) {
    await world.store.recordPublications(
      event.source_id,
      [{ key: event.id, contentHash: event.id }],
      () => ({ kind: "record", event, provenance: SAMPLE_PROVENANCE, notify: false }),
    );
  }
  return events;
}

const ids = (reply: { json: { events: RegEvent[] } }): string[] => reply.json.events.map((event) => event.id);

Deno.test("GET /v1/events lists the newest first, with count and disclaimer", () =>
  withWorld(async (world, key) => {
    const [a, b, c] = await store(world, [
      { published_at: START_MS - 2_000 },
      { published_at: START_MS },
      { published_at: START_MS - 2_000 },
    ]);
    const reply = await world.ask("/v1/events", { key });
    assert.equal(reply.status, 200);
    assert.deepEqual(ids(reply), [b?.id, c?.id, a?.id], "equal times by id, the greater first");
    assert.equal(reply.json.count, 3);
    assert.match(reply.json.disclaimer, /not legal advice/);
    eventList.parse(reply.json);
    assert.deepEqual(reply.json.events[0], b);
  }));

Deno.test("GET /v1/events narrows by since, source, severity_min and topics, alone and together", () =>
  withWorld(async (world, key) => {
    await world.app.tick(); // the source becomes known
    const severities: Severity[] = ["info", "low", "medium", "high", "critical"];
    const events = await store(
      world,
      severities.map((severity, index) => ({
        severity,
        published_at: START_MS + index,
        topics: [index % 2 === 0 ? "gpai" : "transparency"],
        source_id: index < 3 ? "board" : "other",
      })),
    );
    await world.store.registerSources(
      [{ id: "other", host: null, schedule: "", nextRunAtMs: START_MS }],
      START_MS,
    );
    const rows: [query: string, expected: number[]][] = [
      ["", [4, 3, 2, 1, 0]],
      ["limit=2", [4, 3]],
      [`since=${START_MS + 2}`, [4, 3, 2]],
      // "Everything", however it is said; a time in seconds is one of 1970, and the specification lets it stand.
      ["since=0", [4, 3, 2, 1, 0]],
      ["since=-1", [4, 3, 2, 1, 0]],
      [`since=${START_MS / 1_000}`, [4, 3, 2, 1, 0]],
      ["source=board", [2, 1, 0]],
      ["severity_min=high", [4, 3]],
      ["severity_min=info", [4, 3, 2, 1, 0]],
      ["topics=gpai", [4, 2, 0]],
      ["topics=gpai,transparency", [4, 3, 2, 1, 0]],
      ["topics=gpai-family", [4, 2, 0]],
      ["topics=education", []],
      [`since=${START_MS + 1}&source=board&severity_min=low&topics=gpai`, [2]],
    ];
    for (const [query, expected] of rows) {
      const reply = await world.ask(`/v1/events?${query}`, { key });
      assert.equal(reply.status, 200, `${query} ${reply.text}`);
      assert.deepEqual(ids(reply), expected.map((index) => events[index]?.id), query);
    }
  }));

Deno.test("GET /v1/events pages by the specification's rule: the smallest published_at minus 1 as since", () =>
  withWorld(async (world, key) => {
    await store(world, Array.from({ length: 5 }, (_, index) => ({ published_at: START_MS + index })));
    const page = await world.ask("/v1/events?limit=3", { key });
    const smallest = Math.min(...page.json.events.map((event: RegEvent) => event.published_at));
    const next = await world.ask(`/v1/events?limit=200&since=${smallest - 1}`, { key });
    assert.equal(next.status, 200);
    assert.deepEqual(ids(next).slice(0, 3), ids(page), "nothing of the page is lost");
  }));

Deno.test("GET /v1/events answers 400 that names each wrong parameter", () =>
  withWorld(async (world, key) => {
    const rows: [query: string, fields: string[]][] = [
      ["limit=0", ["limit"]],
      ["limit=201", ["limit"]],
      ["limit=ten", ["limit"]],
      ["limit=", ["limit"]],
      ["limit=1e2", ["limit"]],
      ["limit=05", ["limit"]],
      ["limit=+5", ["limit"]],
      ["limit=%2B5", ["limit"]],
      ["limit=%205", ["limit"]],
      ["limit=5%20", ["limit"]],
      ["limit=5.0", ["limit"]],
      ["limit=0x5", ["limit"]],
      ["limit=-5", ["limit"]],
      ["limit=\u0665", ["limit"]],
      ["since=-0", ["since"]],
      ["since=00", ["since"]],
      ["since=--1", ["since"]],
      ["until=1_000", ["until"]],
      ["limit=5&limit=6", ["limit"]],
      ["since=yesterday", ["since"]],
      ["since=99999999999999999", ["since"]],
      ["severity_min=HIGH", ["severity_min"]],
      ["topics=nonsense", ["topics"]],
      ["topics=", ["topics"]],
      ["topics=gpai,,transparency", ["topics"]],
      ["source=nobody", ["source"]],
      ["sorce=board", ["sorce"]],
      ["limit=0&since=x&foo=1", ["foo", "limit", "since"]],
      ["topics=%00", ["topics"]],
      ["q=a%00b", ["q"]],
      ["q=a%0ab", ["q"]],
      ["q=%zz", ["q"]],
      ["q=100%", ["q"]],
      ["q=a%ED%A0%80", ["q"]],
      ["q=%ff&limit=0", ["limit", "q"]],
      ["%zz=1", ["%zz"]],
      ["=5", ["query"]],
      ["__proto__=1&constructor=2", ["__proto__", "constructor"]],
    ];
    for (const [query, fields] of rows) {
      const reply = await world.ask(`/v1/events?${query}`, { key });
      assert.equal(reply.status, 400, `${query} ${reply.text}`);
      assert.equal(reply.json.code, "invalid_input", query);
      assert.deepEqual(
        reply.json.errors.map((error: { field: string }) => error.field).sort(),
        fields,
        query,
      );
    }
  }));

Deno.test("an answer names no more than fifty wrong fields, and says how many there are", () =>
  withWorld(async (world, key) => {
    const query = Array.from({ length: 1_000 }, (_, index) => `x${index}`).join("&");
    const reply = await world.ask(`/v1/events?${query}`, { key });
    assert.equal(reply.status, 400);
    assert.equal(reply.json.errors.length, 50);
    assert.match(reply.json.detail, /; and 950 more$/);
  }));

Deno.test("GET /v1/events/{id} answers the event, and 404 for any other id", () =>
  withWorld(async (world, key) => {
    const [event] = await store(world, [{}]);
    const reply = await world.ask(`/v1/events/${event?.id}`, { key });
    assert.equal(reply.status, 200);
    eventResponse.parse(reply.json);
    assert.deepEqual(reply.json.event, event);
    assert.deepEqual(reply.json.provenance, SAMPLE_PROVENANCE);
    for (const id of [world.newId("event"), "evt_", "x", "%2e%2e", "evt_%00"]) {
      const missing = await world.ask(`/v1/events/${id}`, { key });
      assert.equal(missing.status, 404, id);
      assert.equal(missing.json.code, "not_found", id);
    }
  }));

Deno.test("GET /v1/sources lists active sources with their last fetch, without a key", () =>
  withWorld(async (world) => {
    const before = await world.ask("/v1/sources");
    assert.equal(before.json.sources[0].last_success_at, null);
    assert.deepEqual([before.json.sources[0].state, before.json.sources[0].state_since], ["new", null]);
    world.platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
    await world.app.tick();
    const reply = await world.ask("/v1/sources");
    assert.equal(reply.status, 200);
    sourceList.parse(reply.json);
    assert.deepEqual(reply.json.sources, [{
      id: "board",
      name_en: "Board",
      name_de: "Ausschuss",
      base_url: "https://board.example",
      fetch_strategy: "feed",
      reuse_terms: null,
      last_success_at: START_MS,
      consecutive_failures: 0,
      state: "ok",
      state_since: START_MS,
    }]);
    world.platform.http.serve(FEED, () => ({ status: 500 }));
    await world.platform.clock.advance(1_800_000);
    await world.app.tick();
    const after = await world.ask("/v1/sources");
    assert.equal(after.json.sources[0].consecutive_failures, 1);
    assert.equal(after.json.sources[0].last_success_at, START_MS);
  }));

Deno.test("GET /v1/sources leaves out a source that is switched off", () =>
  withWorld(async (world) => {
    assert.deepEqual((await world.ask("/v1/sources")).json.sources, []);
  }, boardConfig({ source: "enabled = false" })));

Deno.test("GET /v1/topics gives the taxonomy, parents before their children's use", () =>
  withWorld(async (world) => {
    const reply = await world.ask("/v1/topics");
    assert.equal(reply.status, 200);
    topicList.parse(reply.json);
    const topics: { id: string; parent: string | null }[] = reply.json.topics;
    assert.equal(new Set(topics.map(({ id }) => id)).size, topics.length);
    for (const { parent } of topics) {
      assert.ok(parent === null || topics.some(({ id }) => id === parent), String(parent));
    }
    assert.ok(topics.length > 40);
  }));

Deno.test("GET /v1/health tells ok, degraded and down, and nothing that is not public", () =>
  withWorld(async (world) => {
    world.platform.http.serve(FEED, () => ({ body: rss([{ id: "1" }]) }));
    world.platform.eventLoop.longestPauseMs = () => 1_234;
    await world.app.tick();
    const good = await world.ask("/v1/health");
    assert.equal(good.status, 200);
    healthReport.parse(good.json);
    assert.equal(good.json.status, "ok");
    assert.deepEqual(good.json.event_loop, { longest_pause_ms: 1_234 });
    const none = { failing: 0, blocked: 0, silent: 0, empty: 0, partial: 0, new: 0, held_back: 0 };
    assert.deepEqual(good.json.ingestion, { sources: 1, ...none, last_success_at: START_MS });

    world.platform.http.serve(FEED, () => ({ status: 503 }));
    await world.platform.clock.advance(1_800_000);
    await world.app.tick();
    const degraded = await world.ask("/v1/health");
    assert.equal(degraded.status, 200);
    assert.equal(degraded.json.status, "degraded");
    assert.equal(degraded.json.ingestion.failing, 1);
    assert.doesNotMatch(degraded.text, /board\.example|503|answered/);

    const { listSources } = world.store;
    world.store.listSources = () => Promise.reject(new StorageError({ fault: "full", advice: "make room" }));
    await world.platform.clock.advance(2_000);
    const damaged = await world.ask("/v1/health");
    assert.deepEqual([damaged.status, damaged.json.status, damaged.json.database], [503, "down", "full"]);
    world.store.listSources = listSources;
    await world.store.close();
    await world.platform.clock.advance(2_000);
    const down = await world.ask("/v1/health");
    assert.deepEqual([down.status, down.json.status, down.json.database], [503, "down", "unavailable"]);
  }));
