// The lag rows: the time from storing an event to its arrival, with and without hanging endpoints. Also measures the
// memory that a long queue takes.
import { join } from "node:path";
import type { Arrivals, Ports } from "../companions/clocked_receiver.ts";
import { makeQueue } from "./deliveries.ts";
import { compare, median, quantile } from "../measure.ts";
import { type Companion, startCompanion } from "../processes.ts";
import type { Published, Publishing } from "../companions/publisher.ts";
import { type Bench, sides, spread } from "../row.ts";
import type { Sending, Sent } from "../companions/sender.ts";

/** Time between two events, ms; long enough for Regfeed to be idle in between. */
const ALONE_EVERY_MS = 23;
const ALONE_EVENTS = 100;
/** Number of good endpoints beside the dead one and the slow one. */
const GOOD = 100;
const BESIDE_EVERY_MS = 199;
const BESIDE_EVENTS = 12;
/** Number of subscriptions with deliveries in the long queue. */
const QUEUE_SUBSCRIPTIONS = 100;
/** Time limit for the last deliveries after the last event, ms. */
const MAX_REST_MS = 60_000;
/** Interval of checks for arrivals, ms. */
const LOOK_MS = 50;
const MEBIBYTE = 1_048_576;

type Load = Pick<Publishing, "good" | "withBad" | "events" | "everyMs">;

/** Measures how long deliveries take, and the memory that a long queue needs. */
export async function measureLags(bench: Bench): Promise<void> {
  const receiver = startCompanion("clocked_receiver.ts");
  const ports = await receiver.hear<Ports>();
  const publisher = startCompanion("publisher.ts");
  let number = 0;
  const lagsOf = async (load: Load): Promise<number[]> => {
    const path = join(bench.folder, `lags-${number++}.db`);
    const { stored } = await publisher.ask<Published>({ path, ports, ...load } satisfies Publishing);
    const arrivals: Arrivals["arrivals"] = [];
    const endMs = performance.now() + MAX_REST_MS;
    while (arrivals.length < stored.length * load.good) {
      if (performance.now() > endMs) {
        throw new Error(`${arrivals.length} of ${stored.length * load.good} deliveries arrived`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      arrivals.push(...(await receiver.ask<Arrivals>({})).arrivals);
    }
    await publisher.ask<Published>(null);
    await Deno.remove(path);
    const storedAt = new Map(stored);
    return arrivals.map(([id, atMs]) => atMs - (storedAt.get(id) ?? NaN));
  };
  await alone(bench, lagsOf);
  await beside(bench, lagsOf);
  await Promise.all([receiver.end(), publisher.end()]);
  await longQueue(bench);
}

async function alone(
  { settings, tell, add }: Bench,
  lagsOf: (load: Load) => Promise<number[]>,
): Promise<void> {
  tell("one endpoint");
  const rounds: number[][] = [];
  for (let round = 0; round <= settings.rounds; round++) {
    rounds.push(await lagsOf({ good: 1, withBad: false, events: ALONE_EVENTS, everyMs: ALONE_EVERY_MS }));
  }
  for (
    const { name, part, atMost } of [{ name: "p50", part: 0.5, atMost: 100 }, {
      name: "p99",
      part: 0.99,
      atMost: 250,
    }]
  ) {
    const value = median(rounds.slice(1).map((lags) => quantile(lags, part)));
    add({
      work: `time from storing to arrival, ${name}`,
      ours: { value, unit: " ms" },
      theirs: null,
      figure: value,
      target: { atMost },
      notes: [`one event every ${ALONE_EVERY_MS} ms, one endpoint, median of ${settings.rounds} rounds`],
    });
  }
}

async function beside(
  { settings, tell, add }: Bench,
  lagsOf: (load: Load) => Promise<number[]>,
): Promise<void> {
  tell("beside a dead and a slow endpoint");
  const p99 = (withBad: boolean) => async (): Promise<number> =>
    quantile(await lagsOf({ good: GOOD, withBad, events: BESIDE_EVENTS, everyMs: BESIDE_EVERY_MS }), 0.99);
  const compared = await compare(settings.rounds, p99(true), p99(false));
  add({
    work: `p99 lag of ${GOOD} good endpoints beside a dead one and one that sends 1 byte per second`,
    ...sides(compared, " ms", "without these two endpoints"),
    target: { atMost: 1.2 },
    notes: [spread(compared)],
  });
}

/** Sends the same number of deliveries from a long and a short queue, in separate processes, and compares memory. */
async function longQueue(bench: Bench): Promise<void> {
  const { settings, folder, tell } = bench;
  tell(`${settings.pending} pending`);
  const receiver = startCompanion("receiver.ts");
  const { port } = await receiver.hear<{ port: number }>();
  const peakOf = async (pending: number): Promise<number> => {
    const path = join(folder, `pending-${pending}.db`);
    await makeQueue(bench, path, { port, deliveries: pending, subscriptions: QUEUE_SUBSCRIPTIONS });
    const sender: Companion = startCompanion("sender.ts");
    const left = pending - settings.deliveries;
    const { peakBytes } = await sender.ask<Sent>({ path, concurrency: 50, left } satisfies Sending);
    await sender.end();
    await Deno.remove(path);
    return peakBytes / MEBIBYTE;
  };
  const theirs = await peakOf(settings.deliveries);
  const ours = await peakOf(Math.max(settings.pending, settings.deliveries));
  await receiver.end();
  bench.add({
    work: `peak memory while ${settings.deliveries} of ${settings.pending} pending deliveries are sent`,
    ours: { value: ours, unit: " MB" },
    theirs: { value: theirs, unit: " MB", of: "with only these deliveries" },
    figure: ours / theirs,
    target: { atMost: 1.25 },
    notes: [`${QUEUE_SUBSCRIPTIONS} subscriptions`],
  });
}
