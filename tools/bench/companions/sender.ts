// Regfeed's side of the delivery rows, in a separate process: the whole app, with a store full of deliveries.
import { createApp } from "../../../src/app.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { openBenchStore } from "../data/store.ts";
import { VERSION } from "../../../src/version.ts";
import { readConfig } from "../data/config.ts";
import { answerLines } from "./lines.ts";

/** A job, as a line on stdin. */
export interface Sending {
  /** The database file; every delivery in it is due. */
  path: string;
  /** Concurrent attempts per subscription; there are four times as many delivery slots. */
  concurrency: number;
  /** The job ends when this number of deliveries is still pending. */
  left: number;
}

/** The result of a job, as a line on stdout. */
export interface Sent {
  ms: number;
  /** Maximum resident memory of the process among the samples, bytes. */
  peakBytes: number;
}

/** Interval of memory samples, ms. */
const LOOK_MS = 20;

if (import.meta.main) await answerLines(send);

/** Sends the pending deliveries. The measured time ends when the last attempt is recorded. */
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
    // Counts here, because each call of the store's health() would count all pending deliveries.
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
