// The list rows: the same lists from stores of three sizes, over HTTP, one request after the other.
import { TOPICS } from "../../../src/classify/classify.ts";
import { COMMON_WORD, RARE_WORD, SOURCES } from "../data/invented.ts";
import { median } from "../measure.ts";
import { type Bench, rounded } from "../row.ts";
import { type Serving, startServing } from "./serving.ts";
import { FEW } from "../data/stores.ts";

/** Maximum number of requests for a list in one round, and the time limit for all of them in ms. */
const REQUESTS = 40;
const FOR_MS = 600;
/** The maximum value of `until`. Values somewhat below it also include every event, so each request can differ. */
const FAR_MS = 8_640_000_000_000_000;

/** A list: its name in the results, and the query after `?limit=50`. */
interface List {
  name: string;
  query: string;
}

/** Compares the times of lists from a large store with the times of the same lists from smaller stores. */
export async function measureLists(bench: Bench): Promise<void> {
  const { settings, tell } = bench;
  const { key, ids, stores } = await bench.stores(tell);
  const servings: Serving[] = [];
  try {
    for (const { folder } of stores) servings.push(await startServing(folder, key));
    const fresh = createAddresses();
    for (const list of listsOf(ids.slice(0, FEW))) {
      const found = await measure(servings, list, { fresh, rounds: settings.rounds, tell });
      const [few = NaN, , many = NaN] = found;
      bench.add({
        work: `GET /v1/events?limit=50${list.name}, ${settings.many} events`,
        ours: { value: many, unit: " ms" },
        theirs: { value: few, unit: " ms", of: `at ${FEW} events` },
        figure: many / few,
        target: { atMost: 3 },
        notes: [`${rounded(found[1] ?? NaN)} ms at ${settings.events} events`],
      });
    }
  } finally {
    for (const serving of servings) await serving.end();
  }
}

/**
 * Returns lists without filters, with common and rare filters, and in either order. Every store contains the events
 * `ids`.
 */
function listsOf(ids: readonly string[]): List[] {
  const topic = TOPICS.find(({ parent }) => parent !== null)?.id ?? "";
  const parent = TOPICS.find(({ id }) => TOPICS.some((other) => other.parent === id))?.id ?? "";
  const [first, late] = [ids[0] ?? "", ids[ids.length >> 1] ?? ""];
  return [
    "",
    `topics=${topic}`,
    `topics=${parent}`,
    "severity_min=high",
    "severity_min=critical",
    "article=Art.+50",
    `source=${SOURCES[2]}`,
    "event_type=court-ruling",
    "language=de",
    "latest=true",
    `q=${COMMON_WORD}`,
    `q=${RARE_WORD}`,
    `q=${COMMON_WORD}+${RARE_WORD}`,
    `q=${COMMON_WORD.slice(0, -2)}*`,
    `q="${COMMON_WORD}+${RARE_WORD}"`,
    `q=${COMMON_WORD}&severity_min=critical`,
    `source=${SOURCES[2]}&topics=${topic}&severity_min=high`,
    `source=${SOURCES[2]}&topics=${topic}&severity_min=critical&article=Art.+50`,
    `after=${first}`,
    `after=${late}`,
    `after=${first}&topics=${topic}`,
    `after=${first}&severity_min=critical`,
    `after=${first}&q=${RARE_WORD}`,
    `after=${first}&source=${SOURCES[2]}&severity_min=critical`,
  ].map((query) => query === "" ? query : `&${query}`)
    .map((query) => ({ query, name: query.replaceAll(/evt_\w+/g, "evt_…") }));
}

/** Returns a function that creates new URLs for a list, so that no response comes from the cache. */
function createAddresses(): (list: List, count: number) => string[] {
  let used = 0;
  return ({ query }, count) =>
    Array.from({ length: count }, () => `/v1/events?limit=50${query}&until=${FAR_MS - used++}`);
}

/** Returns the time for a list from each server, in ms: the median of the rounds' medians. */
async function measure(
  servings: readonly Serving[],
  list: List,
  { fresh, rounds, tell }: {
    fresh: ReturnType<typeof createAddresses>;
    rounds: number;
    tell: (text: string) => void;
  },
): Promise<number[]> {
  tell(list.name);
  // If the server refuses a list, this request shows the reason; under load, refusals are only counted.
  for (const serving of servings) await serving.get(fresh(list, 1)[0] ?? "");
  const times = servings.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, serving] of servings.entries()) {
      const bounds = { connections: 1, forMs: FOR_MS, maxRequests: REQUESTS };
      const { medianMs } = await serving.load(serving.regfeed.port, bounds, fresh(list, REQUESTS));
      if (round > 0) times[index]?.push(medianMs);
    }
  }
  return times.map(median);
}
