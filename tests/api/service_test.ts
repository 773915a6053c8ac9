// The public routes for sources, topics and health.
import assert from "node:assert/strict";
import { canonicalArticle } from "../../src/domain/event/article.ts";
import { EVENT_TYPES } from "../../src/domain/event/event.ts";
import { SEVERITIES } from "../../src/domain/event/severity.ts";
import {
  eventTypeList,
  healthReport,
  severityList,
  sourceList,
  topicList,
} from "../../src/wire/health_sources_topics.ts";
import { StorageError } from "../../src/domain/ports/store/storage_fault.ts";
import { boardConfig } from "../support/samples.ts";
import { START_MS, withWorld, type World } from "../support/world.ts";
import { publishFeed } from "./given.ts";

const fail = ({ platform }: World, status: number) =>
  platform.http.serve("https://board.example/feed", () => ({ status }));

Deno.test("GET /v1/sources lists active sources with their last fetch, without a key", () =>
  withWorld(boardConfig(), async (world) => {
    const before = await world.ask("/v1/sources");
    assert.equal(before.json.sources[0].last_success_at, null);
    assert.deepEqual([before.json.sources[0].state, before.json.sources[0].state_since], ["new", null]);
    publishFeed(world, { id: "1" });
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
    fail(world, 500);
    await world.platform.clock.advance(1_800_000);
    await world.app.tick();
    const after = await world.ask("/v1/sources");
    assert.equal(after.json.sources[0].consecutive_failures, 1);
    assert.equal(after.json.sources[0].last_success_at, START_MS);
  }));

Deno.test("GET /v1/sources omits disabled sources", () =>
  withWorld(boardConfig({ source: "enabled = false" }), async (world) => {
    assert.deepEqual((await world.ask("/v1/sources")).json.sources, []);
  }));

Deno.test("GET /v1/topics returns the taxonomy", () =>
  withWorld(boardConfig(), async (world) => {
    const reply = await world.ask("/v1/topics");
    assert.equal(reply.status, 200);
    topicList.parse(reply.json);
    const topics: { id: string; parent: string | null }[] = reply.json.topics;
    assert.equal(new Set(topics.map(({ id }) => id)).size, topics.length);
    for (const { parent } of topics) {
      assert.ok(parent === null || topics.some(({ id }) => id === parent), String(parent));
    }
    assert.ok(topics.length > 40);
    for (const article of reply.json.topics.flatMap(({ articles }: { articles: string[] }) => articles)) {
      assert.equal(canonicalArticle(article), article, "in the form that events use");
    }
    const gpai = reply.json.topics.find(({ id }: { id: string }) => id === "gpai");
    assert.match(gpai.definition_de, /^Die Pflichten der Anbieter/);
  }));

Deno.test("GET /v1/topics returns a topic that the operator added, with null as its definition", () =>
  withWorld(
    `${boardConfig()}[[topics]]
id = "chips"
name_en = "Chips"
name_de = "Chips"
name_fr = "Puces"
keywords_any = ["chip*"]
articles = ["27", "Article 4a"]
`,
    async (world) => {
      const { json } = await world.ask("/v1/topics");
      const added = json.topics.find(({ id }: { id: string }) => id === "chips");
      assert.deepEqual(added.articles, ["Art. 27", "Art. 4a"]);
      const { definition_en, definition_de, definition_fr } = added;
      assert.deepEqual([definition_en, definition_de, definition_fr], [null, null, null]);
    },
  ));

Deno.test("GET /v1/event-types and /v1/severities define the values, and need no key", () =>
  withWorld(boardConfig(), async (world) => {
    const types = eventTypeList.parse((await world.ask("/v1/event-types")).json);
    assert.deepEqual(types.event_types.map(({ id }) => id), [...EVENT_TYPES]);
    const severities = severityList.parse((await world.ask("/v1/severities")).json);
    assert.deepEqual(severities.severities.map(({ id }) => id), [...SEVERITIES]);
    assert.match(severities.severities.at(-1)?.definition_fr ?? "", /règlement sur l’IA/);
  }));

Deno.test("GET /v1/health reports ok, degraded and down, without URLs or errors", () =>
  withWorld(boardConfig(), async (world) => {
    publishFeed(world, { id: "1" });
    world.platform.eventLoop.longestPauseMs = () => 1_234;
    await world.app.tick();
    const good = await world.ask("/v1/health");
    assert.equal(good.status, 200);
    healthReport.parse(good.json);
    assert.equal(good.json.status, "ok");
    assert.deepEqual(good.json.event_loop, { longest_pause_ms: 1_234 });
    const none = { failing: 0, blocked: 0, silent: 0, empty: 0, partial: 0, new: 0, held_back: 0 };
    assert.deepEqual(good.json.ingestion, { sources: 1, ...none, last_success_at: START_MS });

    fail(world, 503);
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
    const full = await world.ask("/v1/health");
    assert.deepEqual([full.status, full.json.status, full.json.database], [503, "down", "full"]);
    world.store.listSources = listSources;
    await world.store.close();
    await world.platform.clock.advance(2_000);
    const down = await world.ask("/v1/health");
    assert.deepEqual([down.status, down.json.status, down.json.database], [503, "down", "unavailable"]);
  }));
