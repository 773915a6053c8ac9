// `deno task bench`: compares Regfeed with bare code that does the same work, in one run on this machine.
import { parseArgs } from "node:util";
import { measureDeliveries } from "./delivering/deliveries.ts";
import { measureIngest } from "./ingest.ts";
import { measureLags } from "./delivering/lags.ts";
import { measureLists } from "./reading/lists.ts";
import { measureMatching } from "./delivering/matching.ts";
import { measureMemory } from "./reading/memory.ts";
import { endAll } from "./processes.ts";
import { measurePages } from "./reading/pages.ts";
import { measureReads } from "./reading/reads.ts";
import { type Bench, type Row, type Settings, toJson, toTable } from "./row.ts";
import { measureStart } from "./start.ts";
import { createStores, FEW } from "./data/stores.ts";

/** The parts, each with its rows. Parts that create large stores come last. */
const PARTS: Record<string, (bench: Bench) => Promise<void>> = {
  matching: measureMatching,
  ingest: measureIngest,
  deliveries: measureDeliveries,
  lags: measureLags,
  start: measureStart,
  pages: measurePages,
  memory: measureMemory,
  reads: measureReads,
  lists: measureLists,
};

/** The size options: meaning, default and bounds. */
const SIZES: Record<keyof Settings, { about: string; default: number; min: number; max: number }> = {
  rounds: { about: "pairs per comparison", default: 9, min: 1, max: 101 },
  forMs: { about: "duration of the load on each server of a pair, ms", default: 500, min: 50, max: 60_000 },
  connections: { about: "connections of the load on each server", default: 16, min: 1, max: 256 },
  events: { about: "events in the medium store", default: 100_000, min: FEW, max: 1_000_000 },
  many: {
    about: "events in the largest store, and in the store of the memory part",
    default: 1_000_000,
    min: FEW,
    max: 10_000_000,
  },
  items: { about: "items in the feed", default: 10_000, min: 100, max: 20_000 },
  deliveries: { about: "deliveries per side of a pair", default: 5_000, min: 100, max: 100_000 },
  pending: { about: "deliveries in the long queue", default: 100_000, min: 1_000, max: 1_000_000 },
  subscriptions: {
    about: "subscriptions with which each event is matched",
    default: 10_000,
    min: 100,
    max: 100_000,
  },
};

const flagOf = (name: string): string => name.replace(/Ms$/, "").replace("for", "for-ms");

const HELP = `deno task bench [--only PART,PART] [--SIZE NUMBER …] [--json]

Compares Regfeed with bare code that does the same work, in alternating pairs, and prints the median of the pairs. In
the parts reads and memory, Regfeed collects garbage as the executable does. Before the first pair of the part reads,
Regfeed and the bare server are under load for a few seconds. Only loopback is used, and the temporary folder is
removed. The exit code is 0 even if a target is missed. The parts reads and lists use three stores, with ${FEW},
--events and --many events. The largest of them, and the store of the part memory, take minutes to fill and gigabytes
of disk space.

  --only       the parts to run: ${Object.keys(PARTS).join(", ")}
  --json       print the rows as JSON
${
  Object.entries(SIZES).map(([name, size]) =>
    `  --${flagOf(name).padEnd(14)} ${size.about} (${size.default})`
  ).join("\n")
}

Examples: deno task bench --only matching,ingest --rounds 15
          deno task bench --only reads                               at ${FEW}, 100000 and 1000000 events
          deno task bench --only reads --events ${FEW} --many ${FEW}     only at ${FEW}
`;

/** A usage error, printed without a stack trace. */
class UsageError extends Error {}

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nSee deno task bench --help.`);
    Deno.exit(2);
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { parts, settings, json, help } = readArguments(args);
  if (help) {
    console.log(HELP);
    return 0;
  }
  const folder = await Deno.makeTempDir({ prefix: "regfeed-bench-" });
  const cleanUp = (): void => {
    endAll();
    Deno.removeSync(folder, { recursive: true });
  };
  const interrupted = (): never => {
    cleanUp();
    Deno.exit(130);
  };
  Deno.addSignalListener("SIGINT", interrupted);
  Deno.addSignalListener("SIGTERM", interrupted);
  const rows: Row[] = [];
  const stores = createStores(folder, settings);
  const startMs = performance.now();
  try {
    for (const part of parts) {
      await PARTS[part]?.({
        folder,
        settings,
        stores,
        tell: (text) => tell(`${part}: ${text}`),
        add: (row) => rows.push(row),
      });
    }
  } finally {
    tell("");
    cleanUp();
  }
  console.log(json ? toJson(rows, settings) : toTable(rows));
  tell(`done in ${Math.round((performance.now() - startMs) / 1000)} s\n`);
  return 0;
}

function readArguments(
  args: readonly string[],
): { parts: string[]; settings: Settings; json: boolean; help: boolean } {
  const sizes = Object.keys(SIZES) as (keyof Settings)[];
  const options = {
    only: { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
    ...Object.fromEntries(sizes.map((name) => [flagOf(name), { type: "string" }] as const)),
  } as const;
  let values: Record<string, string | boolean | undefined>;
  try {
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const parts = values["only"] === undefined ? Object.keys(PARTS) : String(values["only"]).split(",");
  const unknown = parts.filter((part) => !Object.hasOwn(PARTS, part));
  if (unknown.length > 0) {
    throw new UsageError(
      `--only: unknown part ${unknown.join(", ")}; the parts are ${Object.keys(PARTS).join(", ")}`,
    );
  }
  const settings = Object.fromEntries(
    sizes.map((name) => [name, readSize(name, values[flagOf(name)] as string | undefined)]),
  ) as unknown as Settings;
  return { parts, settings, json: values["json"] === true, help: values["help"] === true };
}

function readSize(name: keyof Settings, text: string | undefined): number {
  const { min, max, default: usual } = SIZES[name];
  if (text === undefined) return usual;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${flagOf(name)} needs a whole number from ${min} to ${max}, not ${text}`);
}

/** Shows the progress on a terminal, in one line that the next one replaces. */
function tell(text: string): void {
  if (!Deno.stderr.isTerminal()) return;
  const line = text.endsWith("\n") ? text : `\r\x1b[2K${text}`;
  Deno.stderr.writeSync(new TextEncoder().encode(line));
}
