// The delivery rows: deliveries per second to one receiver, with each attempt recorded, compared with a bare POST loop.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TOPICS } from "../../../src/classify/classify.ts";
import { createMatching } from "../../../src/delivery/match/match.ts";
import { Slots } from "../../../src/domain/plans/share_slots.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import { openBenchStore } from "../data/store.ts";
import { startAlertmanager } from "./alertmanager.ts";
import type { BareSending } from "../companions/bare_sender.ts";
import { readConfig } from "../data/config.ts";
import { addCustomer, addEvents, addSubscription, newId } from "../data/fill.ts";
import { createEvents } from "../data/invented.ts";
import { compare } from "../measure.ts";
import { startCompanion } from "../processes.ts";
import type { Taken } from "../companions/receiver.ts";
import { type Bench, sides, spread } from "../row.ts";
import type { Sending } from "../companions/sender.ts";

/** Concurrent attempts for the one subscription: the default, and ten times that. */
const CONCURRENCIES = [5, 50];
/** Interval for polling the number of Alertmanager webhooks that have arrived, ms. */
const POLL_MS = 2;

export async function measureDeliveries(bench: Bench): Promise<void> {
  const { settings, tell } = bench;
  const receiver = startCompanion("receiver.ts");
  const { port } = await receiver.hear<{ port: number }>();
  const sender = startCompanion("sender.ts");
  const bare = startCompanion("bare_sender.ts");
  const alertmanager = await startAlertmanager(bench.folder, port);
  const full = join(bench.folder, "deliveries.db");
  tell(`${settings.deliveries} deliveries`);
  const count = settings.deliveries;
  const body = await makeQueue(bench, full, { port, deliveries: count, subscriptions: 1 });
  const mustHaveTaken = async (): Promise<void> => {
    const { taken } = await receiver.ask<Taken>({});
    if (taken !== count) throw new Error(`the receiver got ${taken} of ${count} deliveries`);
  };
  let number = 0;
  for (const concurrency of CONCURRENCIES) {
    tell(`${concurrency} concurrent attempts`);
    const send = async (): Promise<number> => {
      const path = join(bench.folder, `deliveries-${number++}.db`);
      await Deno.copyFile(full, path);
      await Deno.copyFile(`${full}.key`, `${path}.key`);
      const { ms } = await sender.ask<{ ms: number }>({ path, concurrency, left: 0 } satisfies Sending);
      await mustHaveTaken();
      await Deno.remove(path);
      return count / ms * 1000;
    };
    const compared = await compare(settings.rounds, send, async () => {
      const { ms } = await bare.ask<{ ms: number }>({ port, body, count, concurrency } satisfies BareSending);
      await mustHaveTaken();
      return count / ms * 1000;
    });
    bench.add({
      work: `deliveries to one receiver, ${concurrency} concurrent attempts, each recorded durably`,
      ...sides(compared, "/s", "bare undici POST"),
      target: { atLeast: 0.3 },
      notes: [`${spread(compared)}; bodies of about ${body.length} bytes`],
    });
    if (alertmanager === null) {
      tell("Alertmanager is not installed, so it is not compared");
      continue;
    }
    const beside = await compare(settings.rounds, send, async () => {
      const startMs = performance.now();
      await alertmanager.alert(count, body.length);
      for (let left = count; left > 0; left -= (await receiver.ask<Taken>({})).taken) await sleep(POLL_MS);
      return count / (performance.now() - startMs) * 1000;
    });
    bench.add({
      work: `the same, ${concurrency} concurrent attempts`,
      ...sides(beside, "/s", "Alertmanager (unsigned, unrecorded)"),
      target: { atLeast: 1 },
      notes: [spread(beside)],
    });
  }
  await Promise.all([receiver.end(), sender.end(), bare.end(), alertmanager?.end()]);
}

/**
 * Creates a store with due deliveries to one receiver, evenly spread over subscriptions. Returns one delivery's body.
 */
export async function makeQueue(
  { folder }: Bench,
  path: string,
  { port, deliveries, subscriptions }: { port: number; deliveries: number; subscriptions: number },
): Promise<string> {
  const { tiers, log } = await readConfig(
    "[tiers.embedded]\nwebhook_deliveries_per_month = 1000000000\n",
    folder,
  );
  const platform = createPlatform({ log });
  const store = openBenchStore(path);
  try {
    const customerId = (await addCustomer(store)).id;
    for (let number = 0; number < subscriptions; number++) {
      await addSubscription(store, {
        customerId,
        webhookUrl: `http://127.0.0.1:${port}/hook/${number}`,
      });
    }
    const make = createEvents(5);
    await addEvents(store, Array.from({ length: Math.ceil(deliveries / subscriptions) }, make), true);
    const match = createMatching({ store, clock: platform.clock, newId, topics: TOPICS, tiers });
    while (await match() > 0);
    const nowMs = Date.now();
    const slots = new Slots({ slots: 1, limit: 1, running: [], nowMs });
    const [one] = await store.claimDeliveries({ nowMs, leaseMs: 0, slots, perSubscription: 1 });
    return new TextDecoder().decode(one?.body);
  } finally {
    await store.close();
    await platform.close();
  }
}
