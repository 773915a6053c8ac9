// Creates the stores of three sizes for the parts reads and lists, once per run.
import { join } from "node:path";
import { addCustomer, fillEvents } from "./fill.ts";
import { createEvents } from "./invented.ts";
import type { Settings } from "../row.ts";
import { openBenchStore } from "./store.ts";
import type { ReadStores } from "./read_stores.ts";

/** Number of events in the smallest store. */
export const FEW = 1_000;

/** Returns a function whose first call creates the stores, which may take minutes; `tell` shows the progress. */
export function createStores(
  folder: string,
  { events, many }: Pick<Settings, "events" | "many">,
): (tell: (text: string) => void) => Promise<ReadStores> {
  let made: Promise<ReadStores> | null = null;
  const sizes = [FEW, events, many].sort((a, b) => a - b);
  return (tell) => made ??= makeStores(sizes, folder, tell);
}

/** Fills one store, and copies it to the folder of each size when it has reached that size. */
async function makeStores(
  sizes: readonly number[],
  folder: string,
  tell: (text: string) => void,
): Promise<ReadStores> {
  const ids: string[] = [];
  const make = createEvents(2);
  const next = () => {
    const event = make();
    ids.push(event.id);
    return event;
  };
  const stores = sizes.map((events, at) => ({ events, folder: join(folder, `stores-${at}`) }));
  const all = sizes.at(-1) ?? 0;
  const growing = join(stores.at(-1)?.folder ?? "", "regfeed.db");
  for (const { folder } of stores) await Deno.mkdir(folder);
  const store = openBenchStore(growing);
  const { key } = await addCustomer(store);
  await store.close();
  for (const { events, folder } of stores) {
    const from = ids.length;
    const filled = openBenchStore(growing);
    await fillEvents(filled, events - from, {
      next,
      tell: (done) => tell(`${from + done} of ${all} events`),
    });
    await filled.close();
    const copy = join(folder, "regfeed.db");
    if (copy === growing) continue;
    await Deno.copyFile(growing, copy);
    await Deno.copyFile(`${growing}.key`, `${copy}.key`);
  }
  return { key, ids, stores };
}
