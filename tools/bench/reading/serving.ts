// Runs Regfeed with a store beside a bare server, and puts load on both.
import { join } from "node:path";
import type { BareAnswer } from "../companions/bare_server.ts";
import type { LoadJob, LoadResult } from "../companions/load.ts";
import { SOURCES } from "../data/invented.ts";
import { compare, type Compared, median } from "../measure.ts";
import { type Companion, cpuMsOf, startCompanion, startRegfeed } from "../processes.ts";
import { rounded, type Settings } from "../row.ts";

/** A daily quota that no benchmark uses up. */
const REQUESTS_PER_DAY = 1_000_000_000;
/** Duration of the load on each server before the first measured pair, ms, because a running service is rarely cold. */
export const WARM_MS = 3_000;
/** Maximum number of requests to one side of a pair. */
const MAX_REQUESTS = 200_000;

/** The sources are disabled; they exist only so that lists can be filtered by source. */
const CONFIG = `
[server]
listen = "127.0.0.1:0"
[store]
path = "regfeed.db"
[tiers.embedded]
api_requests_per_day = ${REQUESTS_PER_DAY}
${
  SOURCES.map((id) =>
    `[[sources]]\nid = "${id}"\nname_en = "${id}"\nurl = "https://${id}.example/feed"\nenabled = false\n`
  ).join("")
}`;

export interface Serving {
  regfeed: { pid: number; port: number };
  bare: { pid: number; port: number };
  get(path: string): Promise<{ headers: Record<string, string>; body: string }>;
  /** Requests the paths from a server in turn, repeatedly. Without `paths`, requests those of the previous load. */
  load(port: number, bounds: LoadBounds, paths?: readonly string[]): Promise<LoadResult>;
  setBare(answer: BareAnswer): Promise<void>;
  end(): Promise<void>;
}

type LoadBounds = Pick<LoadJob, "connections" | "forMs" | "maxRequests">;

/** Serves the store `regfeed.db` in a folder, with these V8 flags. `key` is an API key of that store. */
export async function startServing(
  folder: string,
  key: string,
  v8: readonly string[] = [],
): Promise<Serving> {
  const config = join(folder, "regfeed.toml");
  await Deno.writeTextFile(config, CONFIG);
  const regfeed = await startRegfeed(config, v8);
  const bare: Companion = startCompanion("bare_server.ts");
  const { port } = await bare.hear<{ port: number }>();
  const loader = startCompanion("load.ts");
  const authorization = `Bearer ${key}`;
  return {
    regfeed,
    bare: { pid: bare.pid, port },
    async get(path) {
      const response = await fetch(`http://127.0.0.1:${regfeed.port}${path}`, {
        headers: { authorization, "accept-encoding": "identity" },
      });
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${body}`);
      return { headers: Object.fromEntries(response.headers), body };
    },
    async load(to, bounds, paths) {
      const job: LoadJob = { port: to, authorization, ...bounds, ...(paths === undefined ? {} : { paths }) };
      const result = await loader.ask<LoadResult>(job);
      if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} responses were not 200`);
      return result;
    },
    setBare: async (answer) => {
      await bare.ask(answer);
    },
    end: async () => {
      await Promise.all([regfeed.end(), bare.end(), loader.end()]);
    },
  };
}

/** Compares Regfeed with the bare server: requests per second for the same URLs, and CPU time per request. */
export async function compareServers(
  serving: Serving,
  paths: readonly string[],
  settings: Settings,
): Promise<Compared & { cost: string }> {
  const bounds = { connections: settings.connections, forMs: settings.forMs, maxRequests: MAX_REQUESTS };
  const [first = ""] = paths;
  const answer = await serving.get(first);
  // The bare server adds these headers itself.
  for (const name of ["date", "content-length"]) delete answer.headers[name];
  await serving.setBare(answer);
  await serving.load(serving.bare.port, { ...bounds, forMs: WARM_MS }, paths);
  await serving.load(serving.regfeed.port, { ...bounds, forMs: WARM_MS });
  const spent = { regfeed: { cpuMs: 0, requests: 0 }, bare: { cpuMs: 0, requests: 0 } };
  const slowest: number[] = [];
  const rateOf = (side: "regfeed" | "bare") => async (): Promise<number> => {
    const { pid, port } = serving[side];
    const beforeMs = await cpuMsOf(pid);
    const { requests, ms, medianMs, p99Ms } = await serving.load(port, bounds);
    if (side === "regfeed") slowest.push(p99Ms / medianMs);
    spent[side].cpuMs += (await cpuMsOf(pid)) - beforeMs;
    spent[side].requests += requests;
    return requests / ms * 1000;
  };
  const compared = await compare(settings.rounds, rateOf("regfeed"), rateOf("bare"));
  const micros = (side: "regfeed" | "bare"): number => spent[side].cpuMs * 1000 / spent[side].requests;
  return {
    ...compared,
    cost: `p99 is ${rounded(median(slowest))} times the median; ${
      describeCost(micros("regfeed"), micros("bare"))
    }`,
  };
}

/** Describes CPU times, which are reliable even on a busy machine. Not every system shows them. */
function describeCost(ours: number, theirs: number): string {
  if (Number.isNaN(ours + theirs)) return "this system does not show CPU time";
  return `CPU per request: ${rounded(ours)} µs against ${rounded(theirs)} µs, a ratio of ${
    rounded(theirs / ours)
  }`;
}
