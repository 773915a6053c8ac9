// `deno task slow`: measures the effect of 2,000 slow connections on the API over HTTP, over TLS and behind nginx.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeAuthority, makeCertificate } from "../../../tests/support/peers/certificates.ts";
import type { HoldJob, HoldState } from "../companions/slow_holder.ts";
import { endAll, startCompanion, startRegfeed } from "../processes.ts";

const HELP = `deno task slow [--connections N] [--addresses N] [--seconds N] [--only plain,tls,nginx] [--json]

Starts Regfeed on loopback and holds connections (default 2000) from several IP addresses (default 20). They send
nothing, or one byte of a request per second. Meanwhile, a client with another IP address requests /v1/sources, each
time over a new connection, for some seconds (default 10). Prints its response times and failures, and Regfeed's memory.
`;

/** Time limit of the measured client for a response, ms. A request without a response by then has failed. */
const ANSWER_MS = 5_000;
const BETWEEN_ASKS_MS = 50;
/** Time limit for the slow clients to connect, ms, and the interval of the checks. */
const OPENING_MS = 30_000;
const LOOK_MS = 500;

type Way = "plain" | "tls" | "nginx";

interface Row {
  way: Way;
  kind: HoldJob["kind"] | "none";
  held: number;
  closed: number;
  asked: number;
  failed: number;
  reasons: string[];
  median_ms: number;
  p99_ms: number;
  memory_mb: number;
}

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "2000" },
    addresses: { type: "string", default: "20" },
    seconds: { type: "string", default: "10" },
    only: { type: "string", default: "plain,tls,nginx" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  Deno.exit(0);
}

const folder = await Deno.makeTempDir({ prefix: "regfeed-slow-" });
try {
  for (const way of values.only.split(",") as Way[]) {
    for (const kind of ["none", "idle", "dribble"] as const) {
      const row = await measure(way, kind);
      console.log(values.json ? JSON.stringify(row) : describe(row));
    }
  }
} finally {
  endAll();
  await Deno.remove(folder, { recursive: true });
}

async function measure(way: Way, kind: Row["kind"]): Promise<Row> {
  const { address, metrics, end } = await startServer(way);
  const holder = startCompanion("slow_holder.ts");
  try {
    const job: HoldJob = {
      port: Number(new URL(address).port),
      isTls: way !== "plain",
      connections: kind === "none" ? 0 : Number(values.connections),
      kind: kind === "none" ? "idle" : kind,
      addresses: Number(values.addresses),
    };
    let state = await holder.ask<HoldState>(job);
    for (let waitedMs = 0; state.open < job.connections && waitedMs < OPENING_MS; waitedMs += LOOK_MS) {
      await pause(LOOK_MS);
      state = await holder.ask<HoldState>(null);
    }
    const answers = await askAgainAndAgain(address, Number(values.seconds) * 1_000);
    const { open: held, closed } = await holder.ask<HoldState>(null);
    return { way, kind, held, closed, ...answers, memory_mb: await residentMb(metrics) };
  } finally {
    await holder.end();
    await end();
  }
}

async function startServer(
  way: Way,
): Promise<{ address: string; metrics: string; end(): Promise<void> }> {
  await makeAuthority(folder);
  const { cert, key } = await makeCertificate(folder, "slow");
  const metrics = `127.0.0.1:${freePort()}`;
  const lines = ['[server]\nlisten = "127.0.0.1:0"', `[metrics]\nlisten = "${metrics}"`];
  if (way === "tls") lines.splice(1, 0, `tls_cert = "${cert}"`, `tls_key = "${key}"`);
  const config = join(folder, "regfeed.toml");
  await Deno.writeTextFile(config, `${lines.join("\n")}\n`);
  const regfeed = await startRegfeed(config);
  if (way !== "nginx") return { address: regfeed.address, metrics, end: regfeed.end };
  const port = freePort();
  const site = (await Deno.readTextFile(new URL("../../../packaging/nginx.conf", import.meta.url)))
    .replace("listen 443 ssl http2", `listen 127.0.0.1:${port} ssl http2`)
    .replace("server 127.0.0.1:8080", `server 127.0.0.1:${regfeed.port}`)
    .replace("/etc/ssl/feed.example.org/fullchain.pem", cert)
    .replace("/etc/ssl/feed.example.org/key.pem", key);
  const main = join(folder, "nginx.conf");
  await Deno.writeTextFile(
    main,
    `daemon off; worker_processes 1; worker_rlimit_nofile 16384; pid ${folder}/nginx.pid; error_log /dev/null;\n` +
      `events { worker_connections 8192; } http { access_log off; ${site} }`,
  );
  const nginx = new Deno.Command("nginx", { args: ["-c", main, "-e", "/dev/null"], stdin: "null" }).spawn();
  await pause(500);
  return {
    address: `https://127.0.0.1:${port}`,
    metrics,
    async end() {
      nginx.kill("SIGQUIT");
      nginx.kill("SIGTERM");
      await nginx.status;
      await regfeed.end();
    },
  };
}

async function askAgainAndAgain(
  address: string,
  forMs: number,
): Promise<Pick<Row, "asked" | "failed" | "reasons" | "median_ms" | "p99_ms">> {
  const caCerts = [await Deno.readTextFile(join(folder, "ca.pem"))];
  const times: number[] = [];
  const reasons = new Set<string>();
  let failed = 0;
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    using client = Deno.createHttpClient({ caCerts, poolMaxIdlePerHost: 0 });
    const startMs = performance.now();
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const answer = await fetch(`${address}/v1/sources`, { client, signal });
      await answer.text();
      if (!answer.ok) throw new Error(`responded with ${answer.status}`);
      times.push(performance.now() - startMs);
    } catch (error) {
      failed += 1;
      reasons.add(String(error).slice(0, 300));
    }
    await pause(BETWEEN_ASKS_MS);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(10 * (times[Math.floor(times.length * part)] ?? NaN)) / 10;
  return {
    asked: times.length + failed,
    failed,
    reasons: [...reasons],
    median_ms: at(0.5),
    p99_ms: at(0.99),
  };
}

function describe(row: Row): string {
  const { way, kind, held, closed, asked, failed, median_ms, p99_ms, memory_mb, reasons } = row;
  return [
    `${way.padEnd(6)} ${
      kind.padEnd(8)
    } held ${held}, closed by the server ${closed}: median ${median_ms} ms, 99 of 100`,
    `within ${p99_ms} ms, failed ${failed} of ${asked}, memory ${memory_mb} MB`,
    ...reasons.map((reason) => `\n       ${reason}`),
  ].join(" ");
}

/** Reads the server's resident memory from its metrics, in MB. */
async function residentMb(metrics: string): Promise<number> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text();
  return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? NaN) / 1e6);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
