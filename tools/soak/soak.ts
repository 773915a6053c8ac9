// `deno task soak --seconds 60`: runs Regfeed under all kinds of load at once, and checks that it keeps its promises.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { startPublisher, startReceiver } from "./outside.ts";
import { findProgram, type Life, Regfeed } from "./server.ts";

const SUBSCRIBERS = ["/one", "/two", "/three"];
const EMAIL = "soak@example.org";
const READERS = 2;
const PUBLISH_EVERY_MS = 500;
const BACK_UP_EVERY_MS = 5_000;
const RELOAD_EVERY_MS = 3_000;
/** How long a server process runs before it is ended, ms. */
const LIFE_MS = 6_000;
/**
 * The last part of the test, as a share. The server is not ended during this part, so that its memory can be
 * compared.
 */
const LAST_PART = 0.5;
/** Time limit for the remaining deliveries after the end of the load, ms; longer than a lease. */
const PATIENCE_MS = 90_000;
const MEMORY_FACTOR = 1.1;
/**
 * Up to two minutes may pass before the runtime collects garbage, so resident memory rises and falls by half, and only
 * its minimum shows a leak. The minimums of two parts of the server's last run are compared if each part is long enough.
 */
const MEMORY_PARTS = { warmUp: 0.2, each: 0.4, judgedFromMs: 100_000 };
const LOOK_MS = 1_000;

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const totalMs = Number(values.seconds) * 1_000;
if (!(totalMs >= 10_000)) throw new Error("--seconds must be at least 10");

const folder = await Deno.makeTempDir({ prefix: "regfeed-soak-" });
const program = await findProgram();
const publisher = startPublisher();
const receiver = startReceiver();
const port = freePort();
const regfeed = new Regfeed(folder, program, `http://127.0.0.1:${port}`);
const counts = {
  answers: 0,
  badAnswers: 0,
  cutAnswers: 0,
  kills: 0,
  terms: 0,
  badEnds: 0,
  backups: 0,
  badBackups: 0,
  changes: 0,
};
const stop = new AbortController();
let isDown = false;

await Deno.writeTextFile(join(folder, "regfeed.toml"), configText());
const key = await addCustomer();
let life = await regfeed.start();
await subscribe();
console.log(
  `soak: ${program.name}, ${totalMs / 1_000} s, ${SUBSCRIBERS.length} subscribers, ${READERS} readers`,
);

const beginMs = performance.now();
const busy = [
  every(PUBLISH_EVERY_MS, () => Promise.resolve(void publisher.published++)),
  every(BACK_UP_EVERY_MS, backUp),
  every(RELOAD_EVERY_MS, reload),
  ...Array.from({ length: READERS }, () => every(20, read)),
];
await endLives();
const lastMs = totalMs - (performance.now() - beginMs);
await pause(lastMs * MEMORY_PARTS.warmUp);
const partMs = lastMs * MEMORY_PARTS.each;
const warm = await watchMemory(partMs);
const last = await watchMemory(partMs);
stop.abort();
await Promise.all(busy);
const isWhole = await waitForAll();
if (await life.end("SIGTERM") !== 0) counts.badEnds++;
await Promise.all([publisher.close(), receiver.close()]);
const reloads = { good: await countLogged("config reloaded"), bad: await countLogged("config not reloaded") };
const secretsLogged = await countSecretsLogged();
const kept = report(isWhole);
if (kept) await Deno.remove(folder, { recursive: true });
else console.log(`the data is kept in ${folder}`);
Deno.exit(kept ? 0 : 1);

/** Alternately kills and stops the server, except during the last part of the test. */
async function endLives(): Promise<void> {
  for (let turn = 0; performance.now() - beginMs < totalMs * (1 - LAST_PART); turn++) {
    await pause(LIFE_MS);
    isDown = true;
    life = await exchange(life, turn % 2 === 0 ? "SIGKILL" : "SIGTERM");
    isDown = false;
  }
}

async function exchange(old: Life, signal: "SIGKILL" | "SIGTERM"): Promise<Life> {
  const code = await old.end(signal);
  if (signal === "SIGKILL") counts.kills++;
  else counts.terms++;
  if (signal === "SIGTERM" && code !== 0) counts.badEnds++;
  return await regfeed.start();
}

/** Returns the minimum and maximum resident memory during a period, in bytes. */
async function watchMemory(forMs: number): Promise<{ least: number; most: number }> {
  const seen: number[] = [];
  for (const untilMs = performance.now() + forMs; performance.now() < untilMs;) {
    seen.push(await life.residentBytes());
    await pause(LOOK_MS);
  }
  return { least: Math.min(...seen), most: Math.max(...seen) };
}

/** Changes the config, and makes the server reload it unless the server is down. */
async function reload(): Promise<void> {
  await Deno.writeTextFile(join(folder, "regfeed.toml"), configText(++counts.changes));
  if (!isDown) life.reload();
}

async function countLogged(message: string): Promise<number> {
  return (await Deno.readTextFile(join(folder, "log"))).split(`"message":"${message}`).length - 1;
}

/** Counts the secrets of this test that occur in the log. */
async function countSecretsLogged(): Promise<number> {
  const log = await Deno.readTextFile(join(folder, "log"));
  const secrets = [
    key,
    EMAIL,
    ...receiver.secrets.values(),
    ...SUBSCRIBERS.map((path) => receiver.address + path),
  ];
  return secrets.filter((secret) => log.includes(secret)).length;
}

async function backUp(): Promise<void> {
  const to = join(folder, `backup-${counts.backups + counts.badBackups}.tar.gz`);
  for (const step of ["create", "verify"]) {
    const { code, stdout, stderr } = await regfeed.run(["backup", step, to]);
    if (code === 0) continue;
    counts.badBackups++;
    console.error(`backup ${step} ended with ${code}: ${stdout}${stderr}`);
    return;
  }
  counts.backups++;
  await Deno.remove(to);
}

async function read(): Promise<void> {
  const wasDown = isDown;
  try {
    const response = await fetch(`${regfeed.address}/v1/events?limit=50`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000),
    });
    await response.json();
    if (response.ok) counts.answers++;
    else if (wasDown || isDown) counts.cutAnswers++;
    else counts.badAnswers++;
  } catch {
    // No response is promised while the server is down.
    if (wasDown || isDown) counts.cutAnswers++;
    else counts.badAnswers++;
  }
}

/** Waits until every event is stored and delivered. Returns false after the time limit. */
async function waitForAll(): Promise<boolean> {
  const endMs = performance.now() + PATIENCE_MS;
  while (performance.now() < endMs) {
    const { stored, promised, pending } = lookInside();
    if (stored === publisher.published && receiver.bodies.size === promised && pending === 0) return true;
    await pause(500);
  }
  return false;
}

function lookInside(): { stored: number; promised: number; delivered: number; pending: number } {
  const database = new DatabaseSync(join(folder, "data", "regfeed.db"), { readOnly: true });
  try {
    const count = (from: string) =>
      Number(database.prepare(`select count(*) as count from ${from}`).get()?.["count"]);
    return {
      stored: count("events"),
      promised: count("deliveries"),
      delivered: count("deliveries where status = 'delivered'"),
      pending: count("deliveries where status = 'pending'"),
    };
  } finally {
    database.close();
  }
}

/** Prints the table; returns whether every promise was kept. */
function report(isWhole: boolean): boolean {
  const { stored, promised, delivered } = lookInside();
  const received = [...receiver.taken.values()].reduce((sum, ids) => sum + ids.size, 0);
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  const { published } = publisher;
  const isMemoryJudged = partMs >= MEMORY_PARTS.judgedFromMs;
  const rows: [what: string, promise: string | number, keep: string | number, isKept: boolean][] = [
    ["events published, stored", published, stored, published === stored],
    ["deliveries promised, delivered", promised, delivered, promised === delivered],
    ["deliveries promised, received", promised, received, promised === received && isWhole],
    [
      "deliveries promised, webhook-ids",
      promised,
      receiver.bodies.size,
      promised === receiver.bodies.size,
    ],
    ["events under two webhook-ids", 0, receiver.doubled, receiver.doubled === 0],
    ["invalid signatures, changed bodies", 0, receiver.wrong, receiver.wrong === 0],
    ["responses wrong or missing", 0, counts.badAnswers, counts.badAnswers === 0 && counts.answers > 0],
    ["invalid backups", 0, counts.badBackups, counts.badBackups === 0 && counts.backups > 0],
    ["configs not reloaded", 0, reloads.bad, reloads.bad === 0 && reloads.good > 0],
    ["unclean exits after SIGTERM", 0, counts.badEnds, counts.badEnds === 0],
    [
      isMemoryJudged ? "minimum memory: earlier, at the end (MB)" : "minimum memory (MB; needs 10 minutes)",
      megabytes(warm.least),
      megabytes(last.least),
      !isMemoryJudged || last.least <= warm.least * MEMORY_FACTOR,
    ],
    ["keys, secrets, URLs in the log", 0, secretsLogged, secretsLogged === 0],
  ];
  console.log(`${"".padEnd(40)}${"promised".padStart(10)}${"kept".padStart(10)}`);
  for (const [what, promise, keep, isKept] of rows) {
    console.log(
      `${what.padEnd(40)}${String(promise).padStart(10)}${String(keep).padStart(10)}${
        isKept ? "" : "  BROKEN"
      }`,
    );
  }
  console.log(
    `${counts.answers} responses, ${counts.cutAnswers} failures while down, ${counts.backups} backups, ` +
      `${counts.kills} kills, ${counts.terms} stops, ${reloads.good} reloads, ${receiver.repeated} repetitions with the ` +
      `same webhook-id, at most ${megabytes(Math.max(warm.most, last.most))} MB resident`,
  );
  return rows.every(([, , , isKept]) => isKept);
}

async function addCustomer(): Promise<string> {
  const { code, stdout, stderr } = await regfeed.run(
    ["customer", "add", "--tier", "gpai", "--email", EMAIL, "--json"],
  );
  if (code !== 0) throw new Error(stdout + stderr);
  return (JSON.parse(stdout) as { key: string }).key;
}

async function subscribe(): Promise<void> {
  for (const path of SUBSCRIBERS) {
    const response = await fetch(`${regfeed.address}/v1/subscriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ webhook_url: receiver.address + path }),
    });
    if (response.status !== 201) throw new Error(await response.text());
    const { subscription } = await response.json();
    receiver.secrets.set(path, subscription.webhook_secret);
  }
}

async function every(ms: number, work: () => Promise<void>): Promise<void> {
  while (!stop.signal.aborted) {
    await work();
    await pause(ms);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

function configText(change = 0): string {
  return `
[server]
listen = "127.0.0.1:${port}"

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
timeout = "2s"

[tiers.gpai]
api_requests_per_day = ${100_000_000 + change}

[[sources]]
id = "soak"
name_en = "Soak"
url = "${publisher.address}/feed"
schedule = "* * * * * *"
relevance = "all"
notify_first_fetch = true

[log]
format = "json"
`;
}
