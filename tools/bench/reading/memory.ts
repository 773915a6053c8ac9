// The memory row: compares the resident memory of a server that has many events and is under load with the memory of an
// idle server without events. Both servers collect garbage as the executable does.
import { join } from "node:path";
import { COLLECTOR } from "../../build/executable.ts";
import { addCustomer, fillEvents } from "../data/fill.ts";
import { createEvents } from "../data/invented.ts";
import { residentMegabytes } from "../processes.ts";
import { type Bench, rounded } from "../row.ts";
import { startServing } from "./serving.ts";
import { openBenchStore } from "../data/store.ts";

/** Number of different lists. They are requested in turn, repeatedly, so that the response cache fills up. */
const ADDRESSES = 5_000;
/** The maximum value of `until`. Values somewhat below it also include every event. */
const FAR_MS = 8_640_000_000_000_000;
/** Maximum number of requests per load. */
const MAX_REQUESTS = 20_000;

/** Resident memory of a server, MB. */
interface Resident {
  /** After the first response. */
  atFirst: number;
  /** The highest value measured after a load. */
  loaded: number;
}

export async function measureMemory(bench: Bench): Promise<void> {
  const { settings } = bench;
  const empty = await measure(bench, "memory-none", 0);
  const full = await measure(bench, "memory-many", settings.many);
  const shown = (value: number) => `${rounded(value)} MB`;
  bench.add({
    work: `resident memory under load, ${settings.many} events`,
    ours: { value: full.loaded, unit: " MB" },
    theirs: { value: empty.atFirst, unit: " MB", of: "empty and idle" },
    figure: full.loaded / empty.atFirst,
    target: { atMost: 2 },
    notes: [
      `idle: ${shown(full.atFirst)}; without events under the same load: ${
        shown(empty.loaded)
      }, a ratio of ` +
      `${rounded(full.loaded / empty.loaded)}`,
    ],
  });
}

async function measure({ folder, settings, tell }: Bench, name: string, events: number): Promise<Resident> {
  const place = join(folder, name);
  await Deno.mkdir(place);
  const database = join(place, "regfeed.db");
  const store = openBenchStore(database);
  const { key } = await addCustomer(store);
  await fillEvents(store, events, {
    next: createEvents(3),
    tell: (done) => tell(`${done} of ${events} events`),
  });
  await store.close();
  const serving = await startServing(place, key, COLLECTOR);
  try {
    await serving.get("/v1/events?limit=50");
    const atFirst = await residentMegabytes(serving.regfeed.pid);
    const paths = Array.from({ length: ADDRESSES }, (_, at) => `/v1/events?limit=50&until=${FAR_MS - at}`);
    let loaded = 0;
    for (let round = 0; round < settings.rounds; round++) {
      tell(`${name}: load ${round + 1} of ${settings.rounds}`);
      const bounds = { connections: settings.connections, forMs: settings.forMs, maxRequests: MAX_REQUESTS };
      await serving.load(serving.regfeed.port, bounds, paths);
      loaded = Math.max(loaded, await residentMegabytes(serving.regfeed.pid));
    }
    return { atFirst, loaded };
  } finally {
    await serving.end();
    await Deno.remove(place, { recursive: true });
  }
}
