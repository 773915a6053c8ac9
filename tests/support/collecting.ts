// Shared by the tests of ingestion: settings, fetch options, and a world with registered sources.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { RegEvent } from "../../src/domain/event/event.ts";
import type { SourceSettings } from "../../src/domain/source/source.ts";
import { NO_ADDITIONS } from "../../src/classify/configured_rules.ts";
import type { SitemapOptions } from "../../src/ingest/fetch/fetch_sitemap.ts";
import type { FetchOptions } from "../../src/ingest/fetch/fetch_types.ts";
import type { IngestReport } from "../../src/ingest/ingest.ts";
import { createParser } from "../../src/ingest/parse/parse_worker_client.ts";
import type { FakePlatform } from "./platform.ts";
import { rss, type SampleItem } from "./samples.ts";
import { createWorld, type World } from "./world.ts";

const HOUR_MS = 3_600_000;

/** Returns the settings of a source "board", a feed at https://board.example/feed.xml. */
export function sampleSource(change: Partial<SourceSettings> = {}): SourceSettings {
  return {
    id: "board",
    nameEn: "Board",
    nameDe: "Ausschuss",
    baseUrl: "https://board.example",
    fetchStrategy: "feed",
    location: "https://board.example/feed.xml",
    schedule: "0 * * * *",
    timezone: "UTC",
    languages: ["en"],
    relevance: "all",
    notifyFirstFetch: false,
    enabled: true,
    parseTimeoutMs: 5_000,
    ...change,
  };
}

/** Returns fetch options with a fake platform. Documents have at most 1,000 bytes. */
export function fetchOptions(platform: FakePlatform, change: Partial<FetchOptions> = {}): SitemapOptions {
  return {
    ...platform,
    userAgent: "Regfeed/test",
    timeoutMs: 30_000,
    maxDocumentBytes: 1_000,
    signal: new AbortController().signal,
    parser: createParser(platform.parseWorker, NO_ADDITIONS, { timeoutMs: 5_000 }),
    allowPrivate: true,
    pace: () => Promise.resolve(),
    noteResponse: () => {},
    ...change,
  };
}

/** Runs `work` in a world with registered sources. */
export async function withSources(config: string, work: (world: World) => Promise<void>): Promise<void> {
  await using world = await createWorld(config);
  await world.app.ingest.register();
  await work(world);
}

export async function ingestBoard(world: World): Promise<IngestReport> {
  const [report] = await world.app.ingest.ingest(["board"]);
  assert.ok(report !== undefined);
  return report;
}

export async function previewBoard(world: World): ReturnType<World["app"]["ingest"]["preview"]> {
  const [source] = world.config.sources;
  const [state] = await world.store.listSources();
  assert.ok(source !== undefined && state !== undefined);
  return await world.app.ingest.preview(source, state);
}

export const FEED = "https://board.example/feed";

/**
 * Serves a feed at {@link FEED} and fetches it half an hour later. Returns the counts of new, revised and unchanged
 * items.
 */
export async function fetchFeed(
  world: World,
  feed: readonly SampleItem[] | string,
  { hasEtag = false } = {},
): Promise<[number, number, number]> {
  const body = typeof feed === "string" ? feed : rss(feed);
  const etag = `"${createHash("sha256").update(body).digest("hex")}"`;
  world.platform.http.serve(FEED, ({ headers }) => {
    if (hasEtag && headers["if-none-match"] === etag) return { status: 304 };
    return hasEtag ? { headers: { etag }, body } : { body };
  });
  await world.platform.clock.advance(HOUR_MS / 2);
  const report = await ingestBoard(world);
  assert.equal(report.ok, true, report.error);
  return [report.new, report.revised, report.unchanged];
}

/** Returns all stored versions, newest first. */
export async function storedEvents(world: World): Promise<RegEvent[]> {
  return (await world.store.listEvents({ limit: 10_000 })).map(({ json }) => JSON.parse(json));
}

// deno-lint-ignore no-explicit-any
type Payload = any;

/** Subscribes a new customer. Returns the list to which the delivered payloads are added. */
export async function subscribe(
  world: World,
  fields: { webhook_url?: string; language?: string } = {},
): Promise<Payload[]> {
  const received: Payload[] = [];
  const { webhook_url = "https://hook.example/" } = fields;
  world.platform.http.serve(webhook_url, ({ body = "" }) => {
    received.push(JSON.parse(body));
    return { status: 204 };
  });
  const { key } = await world.addCustomer();
  const body = JSON.stringify({ ...fields, webhook_url });
  assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
  return received;
}

/** Predicts the fetch of the source "board" an hour later with a dry run, and then fetches it. Returns both reports. */
export async function fetchForeseen(world: World): Promise<{ report: IngestReport; foreseen: IngestReport }> {
  await world.platform.clock.advance(HOUR_MS);
  const { report: foreseen } = await previewBoard(world);
  return { report: await ingestBoard(world), foreseen };
}

/** Fetches the source "board" an hour later. `isRead` says whether items reached the store. */
export async function fetchLater(world: World): Promise<IngestReport & { isRead: boolean }> {
  const { store, platform } = world;
  const { recordPublications } = store;
  await platform.clock.advance(HOUR_MS);
  let isRead = false;
  store.recordPublications = (...given) => {
    isRead = true;
    return recordPublications(...given);
  };
  try {
    return { ...await ingestBoard(world), isRead };
  } finally {
    store.recordPublications = recordPublications;
  }
}
