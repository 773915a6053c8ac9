// Regfeed's side of the ingest rows, a process of its own: fetches an invented feed into a store.
import { join } from "node:path";
import { type App, createApp, registerSources } from "../../src/app.ts";
import type { Config } from "../../src/config/config.ts";
import type { Platform } from "../../src/domain/ports.ts";
import type { Store } from "../../src/domain/store.ts";
import type { IngestReport } from "../../src/ingest/ingest.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { VERSION } from "../../src/version.ts";
import { readConfig } from "./config.ts";
import { inventFeed } from "./invented.ts";
import { answerLines } from "./lines.ts";

/** What a line on stdin asks for: to fetch the invented feed of these into an empty store, or into the last one again. */
export interface Ingesting {
  items: number;
  seed: number;
  /** For the stores. */
  folder: string;
  into: "empty" | "last";
}

const SOURCE = "office";
const CONFIG = `
[log]
level = "error"
[[sources]]
id = "${SOURCE}"
name_en = "Office"
base_url = "https://office.example"
url = "https://office.example/feed"
`;

/** A store with the appliance over it. */
interface Opened {
  app: App;
  store: Store;
}

let feed = new Uint8Array();
let stores = 0;
let last: Opened | null = null;

if (import.meta.main) {
  await answerLines(ingest);
  await last?.store.close();
}

async function ingest({ items, seed, folder, into }: Ingesting): Promise<{ ms: number; bytes: number }> {
  if (feed.length === 0) feed = new TextEncoder().encode(inventFeed(items, seed));
  if (into === "empty" || last === null) {
    await last?.store.close();
    last = await open(await readConfig(CONFIG, folder), join(folder, `ingest-${stores++}.db`));
  }
  const startMs = performance.now();
  const [report] = await last.app.ingest.ingest([SOURCE]);
  const ms = performance.now() - startMs;
  mustBe(report, into === "empty" ? "new" : "unchanged", items);
  return { ms, bytes: feed.length };
}

async function open(config: Config, path: string): Promise<Opened> {
  const store = openStore(path);
  const answer = { status: 200, headers: { "content-type": "application/rss+xml" }, truncated: false };
  const platform: Platform = {
    ...createPlatform({ log: config.log }),
    http: { request: () => Promise.resolve({ ...answer, body: feed }) },
  };
  const app = createApp({ config, platform, store, version: VERSION });
  await registerSources(store, config.sources, { nowMs: Date.now(), freeLeases: false });
  return { app, store };
}

/** The report must say that the work was done, or its time means nothing. */
function mustBe(report: IngestReport | undefined, expected: "new" | "unchanged", items: number): void {
  const taken = report?.ok === true ? report[expected] : 0;
  // About a third concerns AI regulation.
  if (taken < items / 4 || taken > items / 2) throw new Error(`unexpected: ${JSON.stringify(report)}`);
}
