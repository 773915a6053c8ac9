// The matching row: the CPU time for matching one event with many subscriptions.
import { join } from "node:path";
import { cpuUsage } from "node:process";
import { TOPICS } from "../../../src/classify/classify.ts";
import { createMatching } from "../../../src/delivery/match/match.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import { openBenchStore } from "../data/store.ts";
import { readConfig } from "../data/config.ts";
import { addEvents, fillSubscriptions, newId } from "../data/fill.ts";
import { createEvents } from "../data/invented.ts";
import { median } from "../measure.ts";
import { type Bench, rounded } from "../row.ts";

/** Number of events, matched one by one. */
const EVENTS = 40;

/** Measures matching one event with all subscriptions, including storing the deliveries. */
export async function measureMatching(bench: Bench): Promise<void> {
  const { settings, tell } = bench;
  const { tiers, log } = await readConfig(
    "[tiers.embedded]\nwebhook_deliveries_per_month = 1000000000\n",
    bench.folder,
  );
  const platform = createPlatform({ log });
  const store = openBenchStore(join(bench.folder, "matching.db"));
  try {
    tell(`${settings.subscriptions} subscriptions`);
    await fillSubscriptions(store, settings.subscriptions);
    const match = createMatching({ store, clock: platform.clock, newId, topics: TOPICS, tiers });
    const make = createEvents(4);
    const measure = async (change: Partial<RegEvent>): Promise<{ cpuMs: number; wanted: number }> => {
      const cpuMs: number[] = [];
      const wanted: number[] = [];
      for (let number = 0; number < EVENTS; number++) {
        const before = (await store.health()).pendingDeliveries;
        await addEvents(store, [{ ...make(), ...change }], true);
        const start = cpuUsage();
        const matched = await match();
        const { user, system } = cpuUsage(start);
        if (matched !== 1) throw new Error(`${matched} events were matched instead of 1`);
        cpuMs.push((user + system) / 1000);
        wanted.push((await store.health()).pendingDeliveries - before);
      }
      return { cpuMs: median(cpuMs), wanted: median(wanted) };
    };
    tell("matching");
    const narrow = await measure({
      severity: "info",
      topics: [TOPICS.at(-1)?.id ?? ""],
      source_id: "elsewhere",
    });
    const wide = await measure({ severity: "critical" });
    const each = (wide.cpuMs - narrow.cpuMs) / (wide.wanted - narrow.wanted);
    bench.add({
      work:
        `matching one event with ${settings.subscriptions} subscriptions, wanted by ${narrow.wanted} of them`,
      ours: { value: narrow.cpuMs, unit: " ms CPU" },
      theirs: null,
      figure: narrow.cpuMs,
      target: { atMost: 10 },
      notes: [
        `${rounded(wide.cpuMs)} ms if ${wide.wanted} want it: ${rounded(each * 1000)} µs per stored delivery`,
      ],
    });
  } finally {
    await store.close();
    await platform.close();
  }
}
