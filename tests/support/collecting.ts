// What tests of collecting share: a source's settings, what fetching needs, a world whose sources are known.
import assert from "node:assert/strict";
import type { SourceSettings } from "../../src/domain/source/source.ts";
import { NO_ADDITIONS } from "../../src/classify/additions.ts";
import type { SitemapOptions } from "../../src/ingest/fetch/fetch_sitemap.ts";
import type { FetchOptions } from "../../src/ingest/fetch/fetch_types.ts";
import type { IngestReport } from "../../src/ingest/ingest.ts";
import { createParser } from "../../src/ingest/parse/parse_worker_client.ts";
import type { FakePlatform } from "./platform.ts";
import { createWorld, type World } from "./world.ts";

const HOUR_MS = 3_600_000;

/** The settings of a source "board", a feed at https://board.example/feed.xml. */
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

/** What fetching needs, on a fake platform, of documents of at most a thousand bytes. */
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

/** Runs `work` in a world whose sources are known to its store. */
export async function withSources(config: string, work: (world: World) => Promise<void>): Promise<void> {
  const world = await createWorld(config);
  try {
    await world.app.ingest.register();
    await work(world);
  } finally {
    await world.close();
  }
}

/** Fetches the source "board" now. */
export async function ingestBoard(world: World): Promise<IngestReport> {
  const [report] = await world.app.ingest.ingest(["board"]);
  assert.ok(report !== undefined);
  return report;
}

/** A fetch of the source "board" an hour after the last, and what a dry run just before it has foreseen of it. */
export async function fetchForeseen(
  world: World,
): Promise<{ report: IngestReport; foreseen: IngestReport }> {
  await world.platform.clock.advance(HOUR_MS);
  const [source] = world.config.sources;
  const [state] = await world.store.listSources();
  assert.ok(source !== undefined && state !== undefined);
  const { report: foreseen } = await world.app.ingest.preview(source, state);
  return { report: await ingestBoard(world), foreseen };
}

/** A fetch of the source "board" an hour after the last, with how often the store was given items of it to decide on. */
export async function fetchLater(world: World): Promise<IngestReport & { looks: number }> {
  const { store, platform } = world;
  const { recordPublications } = store;
  await platform.clock.advance(HOUR_MS);
  let looks = 0;
  store.recordPublications = (...given) => {
    looks++;
    return recordPublications(...given);
  };
  try {
    return { ...await ingestBoard(world), looks };
  } finally {
    store.recordPublications = recordPublications;
  }
}
