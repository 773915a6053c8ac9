// The ingest rows: first and later fetches of a feed, compared with a library that only parses the feed.
import { join } from "node:path";
import { type App, createApp } from "../../src/app.ts";
import type { Platform } from "../../src/domain/ports/ports.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import type { IngestReport } from "../../src/ingest/ingest.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import { openBenchStore } from "./data/store.ts";
import { VERSION } from "../../src/version.ts";
import type { BareParsing } from "./companions/bare_parser.ts";
import { readConfig } from "./data/config.ts";
import { inventFeed } from "./data/invented.ts";
import { compare, type Compared } from "./measure.ts";
import { startCompanion } from "./processes.ts";
import { type Bench, sides, spread } from "./row.ts";

const SEED = 3;
const SOURCE = "office";
const CONFIG = `
[ingest]
host_spacing = "0s"
jitter = "0s"
parse_timeout = "60s"

[[sources]]
id = "${SOURCE}"
name_en = "Office"
base_url = "https://office.example"
url = "https://office.example/feed"
`;

/**
 * Measures the first fetch of a feed, a fetch of the same bytes, and a fetch after a change to one item that does not
 * concern AI regulation. The last of these processes every item again.
 */
export async function measureIngest(bench: Bench): Promise<void> {
  const { settings, tell } = bench;
  const feed = createFeed(settings.items);
  const config = await readConfig(CONFIG, bench.folder);
  const platform = createPlatform({ log: { ...config.log, level: "error" } });
  // The feed is in memory: there is no DNS lookup and no connection.
  const fed: Platform = {
    ...platform,
    resolver: { resolve: () => Promise.resolve(["93.184.216.34"]) },
    http: { request: () => Promise.resolve(answerOf(feed.send())) },
  };
  let number = 0;
  const opened: { app: App; store: Store }[] = [];
  const ingest = async (app: App, expected: "new" | "unchanged"): Promise<number> => {
    const sentBefore = feed.sent;
    const startMs = performance.now();
    const [report] = await app.ingest.ingest([SOURCE]);
    const ms = performance.now() - startMs;
    if (feed.sent !== sentBefore + 1) throw new Error(`the feed was sent ${feed.sent - sentBefore} times`);
    mustBe(report, expected, settings.items);
    return ms;
  };
  const open = async (): Promise<App> => {
    const store = openBenchStore(join(bench.folder, `ingest-${number++}.db`));
    const app = createApp({ config, platform: fed, store, version: VERSION });
    await app.ingest.register();
    opened.push({ app, store });
    return app;
  };
  const parser = startCompanion("bare_parser.ts");
  const parse = async (): Promise<number> => {
    const parsing: BareParsing = { items: settings.items, seed: SEED };
    return (await parser.ask<{ ms: number }>(parsing)).ms;
  };
  try {
    // The library's time comes first, so that the ratio is Regfeed's speed relative to the library's.
    const add = (work: string, { ours, theirs, ...rest }: Compared, atLeast: number): void =>
      bench.add({
        work: `${work}: feed of ${settings.items} items`,
        ...sides({ ours: theirs, theirs: ours, ...rest }, " ms", "feedsmith parsing alone"),
        target: { atLeast },
        notes: [`${spread(rest)}; the feed is ${Math.round(feed.bytes / 1e6)} MB`],
      });
    tell("first ingest");
    const first = await compare(settings.rounds, parse, async () => await ingest(await open(), "new"));
    add("first ingest", first, 0.15);
    const known = opened[0]?.app ?? await open();
    const again = () => ingest(known, "unchanged");
    tell("unchanged");
    add("unchanged, no 304 (the same bytes)", await compare(settings.rounds, parse, again), 1);
    tell("unchanged except for one item");
    const edited = () => {
      feed.edit();
      return again();
    };
    add("unchanged except for one item", await compare(settings.rounds, parse, edited), 0.15);
  } finally {
    await parser.end();
    for (const { store } of opened) await store.close();
    await platform.close();
  }
}

/** Creates the publisher's feed. `edit` changes the title of one item. */
function createFeed(items: number) {
  const text = inventFeed(items, SEED);
  const encode = (part: string) => new TextEncoder().encode(part);
  const bytes = encode(text);
  // The second item does not concern AI regulation.
  const title = bytes.indexOf("(".charCodeAt(0), encode(text.split("(1)")[0] ?? "").length);
  let edits = 1;
  const feed = {
    bytes: bytes.length,
    sent: 0,
    edit() {
      edits++;
      bytes.set(encode(String(edits % 10)), title + 1);
    },
    send() {
      feed.sent++;
      return bytes;
    },
  };
  return feed;
}

function answerOf(body: Uint8Array) {
  return { status: 200, headers: { "content-type": "application/rss+xml" }, body, truncated: false };
}

/** Throws if the report does not show the expected work, because the measured time would then mean nothing. */
function mustBe(report: IngestReport | undefined, expected: "new" | "unchanged", items: number): void {
  const taken = report?.ok === true ? report[expected] : 0;
  // About a third of the items concern AI regulation.
  if (taken < items / 4 || taken > items / 2) throw new Error(`unexpected: ${JSON.stringify(report)}`);
}
