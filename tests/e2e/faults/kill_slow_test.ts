// `kill -9` loses nothing: a real server is killed at random moments while it delivers events.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "npm:svix@2.5.0";
import { addCustomer, serve, withFolder, writeConfig } from "../../support/process.ts";
import { pause } from "../../support/pause.ts";
import { LOOPBACK } from "../../support/loopback.ts";

const KILLS = 100;
/**
 * After a kill, a source that was being fetched waits until its lease expires. With this many, one is always
 * available.
 */
const SOURCES = 10;
const EVENTS_A_ROUND = 4;
/**
 * Maximum time in ms that a server runs after it listens, extended on slow machines to the server's startup time.
 * Most kills interrupt work in progress.
 */
const LONGEST_LIFE_MS = 450;
const EVENTS = KILLS * EVENTS_A_ROUND;
const SUBSCRIBERS = ["/one", "/two", "/three"];
/**
 * Attempts that a kill interrupts are repeated when their lease expires, half a minute plus the timeout later. On a
 * busy machine, a repeated attempt may fail and be retried after a minute or more. The wait is therefore counted from
 * the latest due time.
 */
const PATIENCE_MS = 60_000;
/** Maximum total wait, ms. The test's timeout for attempts is short, which keeps the wait below this limit. */
const LONGEST_WAIT_MS = 420_000;

/** Starts a publisher whose feeds grow. Each feed has its own host in 127.0.0.0/8. */
function startPublisher(): {
  address(source: number): string;
  publish(source: number, count: number): void;
  close(): Promise<void>;
} {
  const dates = Array.from({ length: SOURCES }, (): string[] => []);
  const items = (source: number) =>
    (dates[source] ?? []).map((date, index) =>
      `<item><guid isPermaLink="false">item-${index}</guid><link>https://board.example/${source}/${index}</link>
       <title>Notice ${index} of board ${source} on the AI Act</title><description>Text ${index}.</description>
       <pubDate>${date}</pubDate></item>`
    );
  const server = Deno.serve({ hostname: "0.0.0.0", port: 0, onListen: () => {} }, (request) => {
    const source = Number(new URL(request.url).pathname.slice(1));
    return new Response(
      `<rss version="2.0"><channel><title>Board</title>${items(source).join("")}</channel></rss>`,
    );
  });
  return {
    address: (source) => `http://127.0.0.${source + 1}:${server.addr.port}/${source}`,
    publish: (source, count) => {
      for (let added = 0; added < count; added++) dates[source]?.push(new Date().toUTCString());
    },
    close: () => server.shutdown(),
  };
}

/** Returns the payload if both official verifiers accept it with both encodings of the secret. Throws otherwise. */
function verify(body: string, headers: Record<string, string>, secret: string): { event: { id: string } } {
  const verifiers = [
    new StandardWebhook(secret),
    new StandardWebhook(secret, { format: "raw" }),
    new SvixWebhook(secret),
    new SvixWebhook(secret, { format: "raw" }),
  ];
  for (const verifier of verifiers) verifier.verify(body, headers);
  return JSON.parse(body);
}

/** Starts a receiver that records which events arrived at which path, and refuses those with an invalid signature. */
function startReceiver(): {
  address: string;
  secrets: Map<string, string>;
  arrived: Map<string, Set<string>>;
  refused: number;
  repeated: number;
  /** Number of attempts whose body differed from an earlier attempt of the same delivery. */
  changed: number;
  /** Resolves when the next attempt has arrived, before it gets a response. */
  nextAttempt(): Promise<void>;
  close(): Promise<void>;
} {
  let arrival = Promise.withResolvers<void>();
  const state = {
    secrets: new Map<string, string>(),
    arrived: new Map(SUBSCRIBERS.map((path) => [path, new Set<string>()])),
    bodies: new Map<string, string>(),
    refused: 0,
    repeated: 0,
    changed: 0,
  };
  const server = Deno.serve(LOOPBACK, async (request) => {
    const path = new URL(request.url).pathname;
    const body = await request.text().catch(() => null);
    if (body === null) return new Response(null, { status: 400 }); // the sender was killed during the request
    try {
      const { event: { id } } = verify(
        body,
        Object.fromEntries(request.headers),
        state.secrets.get(path) ?? "",
      );
      const delivery = request.headers.get("webhook-id") ?? "";
      if (state.arrived.get(path)?.has(id)) state.repeated++;
      state.arrived.get(path)?.add(id);
      if ((state.bodies.get(delivery) ?? body) !== body) state.changed++;
      state.bodies.set(delivery, body);
      arrival.resolve();
      arrival = Promise.withResolvers<void>();
      // Slow enough that kills hit attempts that have arrived but are not recorded yet.
      await pause(20 + Math.random() * 60);
      return new Response(null, { status: 204 });
    } catch {
      state.refused++;
      return new Response(null, { status: 401 });
    }
  });
  return Object.assign(state, {
    address: `http://127.0.0.1:${server.addr.port}`,
    nextAttempt: () => arrival.promise,
    close: () => server.shutdown(),
  });
}

const config = (address: (source: number) => string): string =>
  `
[server]
listen = "127.0.0.1:0"

[ingest]
timeout = "1s"
concurrency = 1

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
timeout = "5s"
` + Array.from({ length: SOURCES }, (_, source) => `
[[sources]]
id = "board-${source}"
name_en = "Board ${source}"
url = "${address(source)}"
schedule = "* * * * * *"
relevance = "all"
notify_first_fetch = true
# The first fetch finds no items, which would otherwise be a failure with a back-off of minutes.
min_items = 0
`).join("");

async function subscribeAll(
  address: string,
  key: string,
  receiver: ReturnType<typeof startReceiver>,
): Promise<void> {
  for (const path of SUBSCRIBERS) {
    const response = await fetch(`${address}/v1/subscriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ webhook_url: receiver.address + path }),
    });
    const answer = await response.json();
    assert.equal(response.status, 201, JSON.stringify(answer));
    receiver.secrets.set(path, answer.subscription.webhook_secret);
  }
}

/** Waits until the condition is true, or no pending delivery can still change it. */
async function until(isTrue: () => boolean, path: string): Promise<void> {
  const longest = Date.now() + LONGEST_WAIT_MS;
  let end = Date.now() + PATIENCE_MS;
  while (!isTrue() && Date.now() < Math.min(end, longest)) {
    await pause(100);
    for (const { due_at } of readPending(path)) end = Math.max(end, due_at + PATIENCE_MS);
  }
}

Deno.test(`a server that is killed -9 ${KILLS} times at random moments delivers every event to every subscriber`, () =>
  withFolder(async (folder) => {
    const publisher = startPublisher();
    const receiver = startReceiver();
    try {
      await writeConfig(folder, config(publisher.address));
      const { key } = await addCustomer(folder, "a@board.example");
      const startMs = Date.now();
      const first = await serve(folder);
      const longestLifeMs = Math.max(LONGEST_LIFE_MS, Date.now() - startMs);
      await subscribeAll(first.address, key, receiver);
      await first.end("SIGTERM");

      for (let round = 0; round < KILLS; round++) {
        publisher.publish(round % SOURCES, EVENTS_A_ROUND);
        const server = await serve(folder);
        // Every fourth kill comes during an attempt.
        const meets = round % 4 === 0 ? receiver.nextAttempt() : pause(Math.random() * longestLifeMs);
        await Promise.race([meets, pause(longestLifeMs)]);
        await server.end("SIGKILL");
      }
      const last = await serve(folder);
      const store = join(folder, "data/regfeed.db");
      // A delivery that arrived just before a kill is recorded only after it is sent again.
      await until(
        () =>
          [...receiver.arrived.values()].every((ids) => ids.size >= EVENTS) &&
          readPending(store).length === 0,
        store,
      );
      const { code } = await last.end("SIGTERM");
      assert.equal(code, 0);
      assert.deepEqual(readPending(store), [], `deliveries are pending at ${Date.now()}`);
      checkStore(store, receiver.arrived);
      assert.equal(receiver.refused, 0, "every signature is valid");
      assert.equal(receiver.changed, 0, "every attempt of a delivery has the same bytes");
      assert.ok(receiver.repeated > 0, "at least one kill interrupted an attempt");
    } finally {
      await receiver.close();
      await publisher.close();
    }
  }));

interface Pending {
  id: string;
  attempts: number;
  tries: number;
  due_at: number;
  /** The problem of the delivery's latest recorded attempt. */
  problem: string | null;
}

function readPending(path: string): Pending[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(
      `select id, attempts, tries, next_attempt_at as due_at,
         (select problem from attempts where delivery_id = id order by number desc limit 1) as problem
       from deliveries where status = 'pending'`,
    ).all() as unknown as Pending[];
  } finally {
    database.close();
  }
}

/** Checks that the store is intact and contains each event once, and that every subscriber received every event. */
function checkStore(path: string, arrived: Map<string, Set<string>>): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    assert.deepEqual(database.prepare("pragma integrity_check").all().map((row) => row["integrity_check"]), [
      "ok",
    ]);
    const ids = database.prepare("select id from events").all().map((row) => String(row["id"]));
    assert.equal(ids.length, EVENTS, "each publication is one event");
    for (const [subscriber, got] of arrived) {
      assert.deepEqual(ids.filter((id) => !got.has(id)), [], `missing at ${subscriber}`);
      assert.equal(got.size, EVENTS, `${subscriber} received an event that is not stored`);
    }
    const states = database.prepare("select status, count(*) as count from deliveries group by status").all();
    const counts = states.map((row) => [row["status"], row["count"]]);
    assert.deepEqual(counts, [["delivered", EVENTS * arrived.size]]);
    const sequences = database.prepare(
      "select min(sequence) as first, max(sequence) as last, count(distinct sequence) as count from deliveries group by subscription_id",
    ).all();
    for (const row of sequences) assert.deepEqual({ ...row }, { first: 1, last: EVENTS, count: EVENTS });
  } finally {
    database.close();
  }
}
