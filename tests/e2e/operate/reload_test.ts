// Reloads of a real server after changes to its config file and after signals.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hashKey } from "../../../src/accounts/keys.ts";
import { LOCAL_CONFIG, LOOPBACK } from "../../support/loopback.ts";
import { pause } from "../../support/pause.ts";
import { addCustomer, callApi, serve, type Serving, withFolder, writeConfig } from "../../support/process.ts";

const RELOADS = 20;
/** Events per reload: few enough that those of all reloads are not a change spike, even if the next fetch is late. */
const EVENTS_A_RELOAD = 1;
const FIRST_EVENTS = 50;
const PUBLISHED = new Date().toUTCString();
const PATIENCE_MS = 60_000;
/** Maximum time until an added or removed key takes effect, as documented, ms. */
const SOON_MS = 1_000;

const BANK_KEY = `rgf_${"ba".repeat(32)}`;
const PAPER_KEY = `rgf_${"9a".repeat(32)}`;

async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  withinMs = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!await isTrue()) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(20);
  }
}

const tier = (requests: number) => `[tiers.team]\napi_requests_per_day = ${requests}\n`;

const customer = (id: string, key: string) =>
  `[[customers]]\nid = "${id}"\nemail = "${id}@board.example"\ntier = "team"\nkey_sha256 = "${
    hashKey(key)
  }"\n`;

const inbox = (id: string) =>
  `[[sources]]\nid = "${id}"\nname_en = "${id}"\nfetch_strategy = "files"\npath = "${id}"\nbase_url = "https://board.example"\nschedule = "* * * * * *"
relevance = "all"\nnotify_first_fetch = true\n`;

/** Sends the signal and waits for its outcome in the log. */
async function reload(server: Serving): Promise<string> {
  const before = server.log().length;
  server.signal("SIGHUP");
  await until("the log reports the reload", () => / config (re|not )/.test(server.log().slice(before)));
  return server.log().slice(before);
}

async function statusOf(server: Serving, key: string): Promise<number> {
  const response = await callApi(server, key, "/v1/events");
  await response.body?.cancel();
  return response.status;
}

/** Sends requests steadily until `end()` is called, which returns the number of responses by status. */
function askSteadily(server: Serving, key: string): { end(): Promise<Map<number, number>> } {
  const statuses = new Map<number, number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const status = await statusOf(server, key);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await pause(5);
    }
  })();
  asking.catch(() => {}); // end() reports the error
  return {
    async end() {
      isOver = true;
      await asking;
      return statuses;
    },
  };
}

async function usedToday(server: Serving, key: string): Promise<{ used: number; limit: number }> {
  const response = await callApi(server, key, "/v1/events");
  await response.body?.cancel();
  const limit = Number(response.headers.get("x-ratelimit-limit"));
  return { limit, used: limit - Number(response.headers.get("x-ratelimit-remaining")) };
}

const notice = (name: string) =>
  `<rss version="2.0"><channel><title>Board</title><item><guid isPermaLink="false">${name}</guid>
<link>https://board.example/${name}</link><title>Notice ${name} on the AI Act</title><description>Text.</description>
<pubDate>${PUBLISHED}</pubDate></item></channel></rss>`;

const FIRST = LOCAL_CONFIG + tier(10_000) + customer("bank", BANK_KEY);
const SECOND = LOCAL_CONFIG + tier(20_000) + customer("paper", PAPER_KEY) + inbox("inbox");

/** Runs the work with a server that uses {@link FIRST} and with a customer added by a command. */
function withServer(
  work: (given: { folder: string; server: Serving; key: string }) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox", "one.xml"), notice("one"));
    await writeConfig(folder, FIRST);
    const { key } = await addCustomer(folder, "ana@board.example");
    const server = await serve(folder);
    try {
      await work({ folder, server, key });
    } finally {
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
    }
  });
}

const opens = (server: Serving, key: string, status: number): Promise<void> =>
  until(`${key} gets ${status}`, async () => await statusOf(server, key) === status, SOON_MS);

Deno.test("a reload under load fails no request, and applies customers, limits and sources at once", () =>
  withServer(async ({ folder, server, key }) => {
    assert.equal(await statusOf(server, BANK_KEY), 200, "declared customers exist from the start");
    const steady = askSteadily(server, key);
    await pause(300);
    await writeConfig(folder, SECOND);
    const said = await reload(server);
    await opens(server, PAPER_KEY, 200);
    await opens(server, BANK_KEY, 403);
    const names = ["customers.bank (gone)", "customers.paper (new)", "sources.inbox (new)"];
    for (const name of [...names, "tiers.team.api_requests_per_day"]) {
      assert.ok(said.includes(name), `${name} in ${said}`);
    }
    assert.doesNotMatch(said, /20000|paper@|9a9a/);
    await until("the new source is collected", async () => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${server.address}/v1/events`, { headers });
      return (await response.json()).events.length === 1;
    });
    const statuses = await steady.end();
    assert.deepEqual([...statuses.keys()], [200], "no request failed");
    const before = await usedToday(server, key);
    assert.equal(before.limit, 20_000);
    assert.ok(before.used > (statuses.get(200) ?? 0), `${before.used} counted, with the repeated ones`);
    await writeConfig(folder, SECOND.replace("20000", "30000"));
    await reload(server);
    const after = await usedToday(server, key);
    assert.deepEqual(after, { limit: 30_000, used: before.used + 1 }, "nothing is counted twice or lost");
  }));

Deno.test("an invalid or conflicting config changes nothing and is reported with its line", () =>
  withServer(async ({ folder, server }) => {
    const rows: [text: string, expected: RegExp][] = [
      [
        SECOND.replace("paper@", "paper.at."),
        /regfeed\.toml:10: \[\[customers\]\] \\"paper\\" email: is not a valid email address/,
      ],
      [
        SECOND.replace("paper@", "ana@"),
        /:10: \[\[customers\]\] \\"paper\\" email: is the email address of cus_.*not declared here/,
      ],
      ["[server\n", /regfeed\.toml:1/],
    ];
    for (const [text, expected] of rows) {
      await writeConfig(folder, text);
      const said = await reload(server);
      assert.match(said, /config not reloaded: the previous config stays active/);
      assert.match(said, expected);
      assert.deepEqual([await statusOf(server, BANK_KEY), await statusOf(server, PAPER_KEY)], [200, 401]);
    }
  }));

Deno.test("changes that need a restart wait, and a customer that returns keeps its record", () =>
  withServer(async ({ folder, server }) => {
    await writeConfig(folder, SECOND);
    await reload(server);
    await writeConfig(folder, FIRST.replace("127.0.0.1:0", "127.0.0.1:1"));
    assert.match(await reload(server), /take effect only after a restart.*server\.listen/);
    await opens(server, BANK_KEY, 200);
    const database = new DatabaseSync(join(folder, "data/regfeed.db"), { readOnly: true });
    const acts = database.prepare("select act from audit where actor = 'config' order by seq").all();
    database.close();
    assert.deepEqual(acts.map(({ act }) => act), [
      ...["customer.add", "key.declare"], // bank
      ...["customer.change", "customer.add", "key.declare"], // bank is removed, and paper is added
      ...["customer.change", "customer.change"], // paper is removed, and bank is added again
    ]);
  }));

Deno.test("twenty reloads under load store every event once and send every delivery once", () =>
  withFolder(async (folder) => {
    let published = FIRST_EVENTS;
    const publisher = Deno.serve(LOOPBACK, async () => {
      const items = Array.from(
        { length: published },
        (_, at) => /<item>.*<\/item>/s.exec(notice(`n${at}`))?.[0],
      );
      await pause(30); // so that fetches are in progress during reloads
      return new Response(
        `<rss version="2.0"><channel><title>Board</title>${items.join("")}</channel></rss>`,
      );
    });
    const arrived: string[] = [];
    const receiver = Deno.serve(LOOPBACK, async (request) => {
      const { event } = await request.json();
      await pause(50); // so that attempts are in progress during reloads
      arrived.push(event.external_id);
      return new Response(null, { status: 204 });
    });
    const feed =
      `[[sources]]\nid = "board"\nname_en = "Board"\nurl = "http://127.0.0.1:${publisher.addr.port}/feed"
schedule = "* * * * * *"\nrelevance = "all"\nnotify_first_fetch = true\n`;
    const spaced = '[ingest]\nhost_spacing = "0s"\njitter = "0s"\n';
    // The feed is added by the first reload, so that its first events have a subscriber.
    const configOf = (round: number) =>
      LOCAL_CONFIG + spaced + tier(100_000 + round) + (round === 0 ? "" : feed);
    await writeConfig(folder, configOf(0));
    const { key } = await addCustomer(folder, "ana@board.example");
    const server = await serve(folder);
    try {
      const made = await callApi(server, key, "/v1/subscriptions", {
        webhook_url: `http://127.0.0.1:${receiver.addr.port}/`,
      });
      assert.equal(made.status, 201, await made.text());
      const steady = askSteadily(server, key);
      for (let round = 1; round <= RELOADS; round++) {
        published += EVENTS_A_RELOAD;
        await writeConfig(folder, configOf(round));
        assert.match(await reload(server), /config reloaded.*api_requests_per_day/);
        await pause(Math.random() * 400);
      }
      await until("every event has arrived", () => new Set(arrived).size === published);
      await until("every delivery is recorded", () => countPending(folder) === 0);
      const statuses = await steady.end();
      assert.deepEqual([...statuses.keys()], [200]);
      const { used } = await usedToday(server, key);
      // The creation of the subscription, the repeated requests, and this request.
      assert.equal(used, 1 + (statuses.get(200) ?? 0) + 1);
    } finally {
      const { code, log } = await server.end("SIGTERM");
      await publisher.shutdown();
      await receiver.shutdown();
      assert.equal(code, 0, log);
    }
    assert.equal(published, FIRST_EVENTS + RELOADS * EVENTS_A_RELOAD);
    assert.equal(arrived.length, published, "each delivery arrived once");
    assert.deepEqual(countAll(folder), {
      events: published,
      deliveries: published,
      delivered: published,
      counted: 1,
    });
  }));

function countAll(folder: string): Record<string, unknown> {
  const database = new DatabaseSync(join(folder, "data/regfeed.db"), { readOnly: true });
  const counts = database.prepare(
    `select (select count(*) from events) as events, (select count(*) from deliveries) as deliveries,
       (select count(*) from deliveries where status = 'delivered') as delivered,
       (select sum(requests) from api_usage) > 0 as counted`,
  ).get();
  database.close();
  return { ...counts };
}

function countPending(folder: string): number {
  const database = new DatabaseSync(join(folder, "data/regfeed.db"), { readOnly: true });
  try {
    const row = database.prepare("select count(*) as pending from deliveries where status <> 'delivered'")
      .get();
    return Number(row?.["pending"]);
  } finally {
    database.close();
  }
}

Deno.test("watch_config applies a changed file that is written, renamed or linked", () =>
  withFolder(async (folder) => {
    const configOf = (requests: number) =>
      LOCAL_CONFIG.replace("[server]", "[server]\nwatch_config = true") + tier(requests);
    const file = join(folder, "regfeed.toml");
    await writeConfig(folder, configOf(100));
    const { key } = await addCustomer(folder, "ana@board.example");
    const server = await serve(folder);
    try {
      const limitBecomes = (limit: number) =>
        until(`the limit is ${limit}`, async () => (await usedToday(server, key)).limit === limit);
      await Deno.writeTextFile(file, configOf(101));
      await limitBecomes(101);
      await Deno.writeTextFile(`${file}.new`, configOf(102));
      await Deno.rename(`${file}.new`, file);
      await limitBecomes(102);
      // As in Kubernetes, the file is a link to a path that contains another link, to a folder. That second link is
      // replaced.
      for (const requests of [103, 104]) {
        await Deno.mkdir(join(folder, `v${requests}`));
        await Deno.writeTextFile(join(folder, `v${requests}`, "regfeed.toml"), configOf(requests));
        await Deno.symlink(`v${requests}`, join(folder, "data.new"));
        await Deno.rename(join(folder, "data.new"), join(folder, "..data"));
        if (requests === 103) {
          await Deno.symlink("..data/regfeed.toml", `${file}.new`);
          await Deno.rename(`${file}.new`, file);
        }
        await limitBecomes(requests);
      }
    } finally {
      const { log } = await server.end("SIGTERM");
      assert.equal(log.match(/config reloaded/g)?.length, 4, log);
    }
  }));
