// The read rows: lists and single events over HTTP, compared with a server that returns the same bytes from memory.
import { COLLECTOR } from "../../build/executable.ts";
import { TOPICS } from "../../../src/classify/classify.ts";
import { type Bench, sides, spread } from "../row.ts";
import { compareServers, startServing, WARM_MS } from "./serving.ts";

/** Maximum number of different URLs, requested in turn; more than the response cache can contain. */
const ADDRESSES = 50_000;

/** The filters used with the cursors. Each leaves enough events for a full page. */
const FILTERS = ["", `&topics=${TOPICS[1]?.id}`, "&severity_min=low", "&language=en"];

export async function measureReads(bench: Bench): Promise<void> {
  const { key, ids, stores } = await bench.stores(bench.tell);
  for (const [at, { events, folder }] of stores.entries()) {
    if (stores[at - 1]?.events === events) continue;
    await measureStore(bench, { events, folder, key, ids: ids.slice(0, events) });
  }
}

interface ReadStore {
  events: number;
  folder: string;
  key: string;
  ids: readonly string[];
}

async function measureStore(bench: Bench, { events, folder, key, ids }: ReadStore): Promise<void> {
  const { settings, tell } = bench;
  const some = spreadOver(ids, ADDRESSES);
  const serving = await startServing(folder, key, COLLECTOR);
  try {
    const of = `${events} events`;
    const cases = [
      { work: `GET /v1/events?limit=50, one URL, ${of}`, paths: ["/v1/events?limit=50"], atLeast: 0.6 },
      {
        work: `GET /v1/events?limit=50&…, different cursors and filters, ${of}`,
        paths: some.map((id, index) => `/v1/events?limit=50&before=${id}${FILTERS[index % FILTERS.length]}`),
        atLeast: 0.08,
      },
      {
        work: `GET /v1/events/{id}, different ids, ${of}`,
        paths: some.map((id) => `/v1/events/${id}`),
        atLeast: null,
      },
    ];
    for (const { work, paths, atLeast } of cases) {
      tell(work);
      const compared = await compareServers(serving, paths, settings);
      bench.add({
        work,
        ...sides(compared, "/s", "bare Deno.serve"),
        target: atLeast === null ? null : { atLeast },
        notes: [
          `${spread(compared)}, after ${WARM_MS / 1_000} s of load on each; ${compared.cost}; ` +
          `URLs: ${paths.length}`,
        ],
      });
    }
  } finally {
    await serving.end();
  }
}

/** Returns at most `count` of the ids, evenly spread, in an order that a page cache cannot predict. */
function spreadOver(ids: readonly string[], count: number): string[] {
  const step = Math.max(1, Math.floor(ids.length / count));
  const some = ids.filter((_, index) => index % step === 0 && index >= 100);
  // A stride that shares no factor with the length reaches each id once.
  const stride = [7_919, 7_907, 7_901].find((prime) => some.length % prime !== 0) ?? 1;
  return some.map((_, index) => some[index * stride % some.length] ?? "");
}
