// Regfeed's side of the delivery row, a process of its own: the whole appliance over a store full of deliveries.
import { createApp } from "../../src/app.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { openBenchStore } from "./store.ts";
import { VERSION } from "../../src/version.ts";
import { readConfig } from "./config.ts";
import { answerLines } from "./lines.ts";

/** What a line on stdin asks for. */
export interface Sending {
  /** The store's file; every delivery in it is due. */
  path: string;
  /** Attempts at once for one subscription; there are four times as many delivery slots. */
  concurrency: number;
  /** It ends when so many are still pending. */
  left: number;
}

/** What a line on stdout says. */
export interface Sent {
  ms: number;
  /** The most memory that the process had resident meanwhile, as far as was looked. */
  peakBytes: number;
}

/** How often it is looked how much memory there is, ms. */
const LOOK_MS = 20;

if (import.meta.main) await answerLines(send);

/** Delivers; the time ends when the last attempt is recorded. */
async function send({ path, concurrency, left }: Sending): Promise<Sent> {
  const config = await readConfig(
    `[delivery]\nallow_http = true\nallow_networks = ["127.0.0.0/8"]\n` +
      `concurrency = ${4 * concurrency}\nconcurrency_per_subscription = ${concurrency}\n`,
    "/",
  );
  const platform = createPlatform({ log: config.log });
  const store = openBenchStore(path);
  let { pendingDeliveries } = await store.health();
  const done = new AbortController();
  const watched: Store = {
    ...store,
    // To ask the store how many wait would count them, again and again.
    async finishAttempts(finished, nowMs) {
      await store.finishAttempts(finished, nowMs);
      pendingDeliveries -= finished.filter(({ next }) => next.kind === "delivered").length;
      if (pendingDeliveries <= left) done.abort();
    },
  };
  const app = createApp({ config, platform, store: watched, version: VERSION });
  try {
    const startMs = performance.now();
    await app.start();
    let peakBytes = 0;
    while (!done.signal.aborted) {
      peakBytes = Math.max(peakBytes, Deno.memoryUsage().rss);
      await platform.clock.sleep(LOOK_MS, done.signal);
    }
    const ms = performance.now() - startMs;
    await app.stop();
    return { ms, peakBytes };
  } finally {
    await store.close();
    await platform.close();
  }
}
