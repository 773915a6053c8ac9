// Regfeed's side of the lag rows, in a separate process: the app delivers events that are stored while it runs.
import { type App, createApp } from "../../../src/app.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import { VERSION } from "../../../src/version.ts";
import type { Ports } from "./clocked_receiver.ts";
import { readConfig } from "../data/config.ts";
import { addCustomer, addEvents, addSubscription } from "../data/fill.ts";
import { createEvents } from "../data/invented.ts";
import { answerLines } from "./lines.ts";
import { openBenchStore } from "../data/store.ts";

/** A job, as a line on stdin: the app delivers from the store at `path` until a line with `null` ends the job. */
export interface Publishing {
  path: string;
  ports: Ports;
  /** Number of subscriptions to the good endpoint. */
  good: number;
  /** Whether the dead and the slow endpoint each have a subscription. */
  withBad: boolean;
  events: number;
  /** Time between two events, ms. */
  everyMs: number;
}

/** A line on stdout: when each event was stored (Unix ms with a fraction). */
export interface Published {
  stored: [eventId: string, atMs: number][];
}

let end = (): Promise<void> => Promise.resolve();

if (import.meta.main) await answerLines((job: Publishing | null) => job === null ? stop() : publish(job));

async function stop(): Promise<Published> {
  await end();
  return { stored: [] };
}

async function publish(job: Publishing): Promise<Published> {
  const config = await readConfig(
    `[delivery]\nallow_http = true\nallow_networks = ["127.0.0.0/8"]\n` +
      `[tiers.embedded]\nwebhook_deliveries_per_month = 1000000000\n`,
    "/",
  );
  const platform = createPlatform({ log: config.log });
  const store = openBenchStore(job.path);
  const app: App = createApp({ config, platform, store, version: VERSION });
  end = async () => {
    await app.stop();
    await store.close();
    await platform.close();
  };
  await subscribe(store, job);
  await app.start();
  const stored: Published["stored"] = [];
  const make = createEvents(11);
  for (let count = 0; count < job.events; count++) {
    const event = make();
    await addEvents(store, [event], true);
    stored.push([event.id, performance.timeOrigin + performance.now()]);
    await platform.clock.sleep(job.everyMs);
  }
  return { stored };
}

async function subscribe(store: Store, { ports, good, withBad }: Publishing): Promise<void> {
  const customerId = (await addCustomer(store)).id;
  const urls = Array.from({ length: good }, (_, number) => `http://127.0.0.1:${ports.good}/hook/${number}`);
  if (withBad) urls.push(`http://127.0.0.1:${ports.dead}/`, `http://127.0.0.1:${ports.slow}/`);
  for (const webhookUrl of urls) {
    await addSubscription(store, {
      customerId,
      webhookUrl,
    });
  }
}
