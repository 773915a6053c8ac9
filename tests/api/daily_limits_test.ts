// Limits per customer and UTC day on test calls and replays: refused with the time of the next try, counted in the store.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openStore } from "../../src/store/sqlite/store.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { testVault } from "../support/vault.ts";
import { createWorld, type Reply, START_MS, type World } from "../support/world.ts";

const HOOK = "https://hooks.example.org/ai";
const DAY_MS = 86_400_000;
const LIMITS = "[tiers.team]\ntest_calls_per_day = 3\nreplays_per_day = 5\n";

interface Given {
  world: World;
  key: string;
  subscription: string;
  /** Requests that the endpoint got. */
  sent: () => number;
  post(path: string, body?: unknown, key?: string): Promise<Reply>;
}

/** A world with a subscription and so many delivered events. */
async function withDelivered(count: number, work: (given: Given) => Promise<void>): Promise<void> {
  const world = await createWorld(LIMITS + boardConfig());
  const { platform } = world;
  platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  platform.hosts.set("board.example", ["93.184.215.15"]);
  let sent = 0;
  platform.http.serve(HOOK, () => {
    sent++;
    return { status: 204 };
  });
  const ids = Array.from({ length: count }, (_, at) => ({ id: `item-${at}` }));
  platform.http.serve("https://board.example/feed", () => ({ body: rss(ids) }));
  try {
    const { key } = await world.addCustomer();
    const post = (path: string, body?: unknown, by = key) =>
      world.ask(path, {
        method: "POST",
        key: by,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const created = await post("/v1/subscriptions", { webhook_url: HOOK });
    await platform.clock.advance(30 * 60_000);
    await world.app.tick();
    assert.equal(sent, count);
    sent = 0;
    await work({ world, key, subscription: created.json.subscription.id, sent: () => sent, post });
  } finally {
    await world.close();
  }
}

/** Asserts a refusal that says to retry when the UTC day ends. */
function assertRefused({ world }: Given, reply: Reply, code: string): void {
  assert.deepEqual([reply.status, reply.json.code], [429, code], reply.text);
  const nowMs = world.platform.clock.nowMs();
  const midnightMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  assert.equal(reply.headers.get("retry-after"), String(Math.ceil((midnightMs - nowMs) / 1_000)));
  assert.match(reply.json.detail, new RegExp(new Date(midnightMs).toISOString()));
}

const usage = async ({ world, key }: Given) => (await world.ask("/v1/usage", { key })).json;

Deno.test("POST /v1/subscriptions/{id}/test is refused when the day's test calls are used, until the day ends", () =>
  withDelivered(0, async (given) => {
    const { world, subscription, post } = given;
    const path = `/v1/subscriptions/${subscription}/test`;
    for (let call = 0; call < 3; call++) assert.equal((await post(path)).status, 200);
    const before = (await usage(given)).api_requests.used;
    assertRefused(given, await post(path), "test_limit_reached");
    assert.equal(given.sent(), 3);
    const after = await usage(given);
    assert.equal(after.api_requests.used, before + 2, "a refusal counts as a request");
    assert.deepEqual(after.test_calls, {
      limit: 3,
      used: 3,
      remaining: 0,
      resets_at: Math.ceil(START_MS / DAY_MS) * DAY_MS,
    });
    const { key: other } = await world.addCustomer({ email: "bo@example.org" });
    const theirs = await post("/v1/subscriptions", { webhook_url: HOOK }, other);
    const tested = await post(`/v1/subscriptions/${theirs.json.subscription.id}/test`, undefined, other);
    assert.equal(tested.status, 200, "another customer has calls of its own");
    await world.platform.clock.advance(DAY_MS);
    assert.equal((await post(path)).status, 200);
  }));

Deno.test("POST /v1/deliveries/{id}/replay takes one of the day's replays, unless it is refused for another reason", () =>
  withDelivered(6, async (given) => {
    const { world, key, post } = given;
    const { deliveries } = (await world.ask("/v1/deliveries", { key })).json;
    const replay = (at: number) => post(`/v1/deliveries/${deliveries[at].id}/replay`);
    assert.equal((await replay(0)).status, 202);
    assert.equal((await replay(0)).json.code, "delivery_unfinished");
    for (const at of [1, 2, 3, 4]) assert.equal((await replay(at)).status, 202);
    assertRefused(given, await replay(5), "replay_limit_reached");
    assert.equal((await usage(given)).replays.remaining, 0);
    await world.app.tick();
    assert.equal(given.sent(), 5);
    await world.platform.clock.advance(DAY_MS);
    assert.equal((await replay(5)).status, 202);
  }));

Deno.test("POST /v1/subscriptions/{id}/replay beyond what is left of the day sends nothing, and says how many it would be", () =>
  withDelivered(8, async (given) => {
    const { world, key, subscription, post } = given;
    const path = `/v1/subscriptions/${subscription}/replay`;
    const refused = await post(path, { since: 0 });
    assertRefused(given, refused, "replay_limit_reached");
    assert.match(refused.json.detail, /would send 8 deliveries.* 5 of .* 5 replays a day are left/);
    assert.match(refused.json.detail, /Nothing was sent/);
    const statuses = async () =>
      // deno-lint-ignore no-explicit-any -- the JSON that is looked into
      (await world.ask("/v1/deliveries", { key })).json.deliveries.map((one: any) => one.status);
    assert.deepEqual(new Set(await statuses()), new Set(["delivered"]));
    assert.equal((await usage(given)).replays.used, 0);

    const { deliveries } = (await world.ask("/v1/deliveries", { key })).json;
    const after = deliveries[4].event_id; // the newest first: four events came after it
    assert.equal((await post(path, { since: 0, after })).json.replayed, 4);
    await world.platform.clock.advance(1_000);
    await world.app.tick();
    assert.equal(given.sent(), 4);
    assertRefused(given, await post(path, { since: 0, after }), "replay_limit_reached");
    assert.equal((await usage(given)).replays.remaining, 1);
    await world.platform.clock.advance(DAY_MS);
    assert.equal((await post(path, { since: 0, after })).json.replayed, 4);
  }));

Deno.test("replays that come together never send more than the day allows", () =>
  withDelivered(6, async (given) => {
    const { world, key, subscription, post } = given;
    const { deliveries } = (await world.ask("/v1/deliveries", { key })).json;
    const after = deliveries[4].event_id;
    const replies = await Promise.all(
      Array.from(
        { length: 6 },
        (_, at) =>
          at % 2 === 0
            ? post(`/v1/deliveries/${deliveries[at].id}/replay`)
            : post(`/v1/subscriptions/${subscription}/replay`, { since: 0, after }),
      ),
    );
    for (const reply of replies) assert.ok([202, 429].includes(reply.status), reply.text);
    await world.platform.clock.advance(1_000);
    await world.app.tick();
    assert.ok(given.sent() <= 5, `${given.sent()}`);
    assert.equal((await usage(given)).replays.used, given.sent());
  }));

Deno.test("what is used of a day is still used after a restart", async () => {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-limits-" });
  const open = () => createWorld(LIMITS, { store: openStore(join(folder, "regfeed.db"), testVault) });
  const test = async (world: World, key: string, id: string) => {
    world.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    world.platform.http.serve(HOOK, () => ({ status: 204 }));
    return (await world.ask(`/v1/subscriptions/${id}/test`, { method: "POST", key })).status;
  };
  const first = await open();
  first.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  const { key } = await first.addCustomer();
  const created = await first.ask("/v1/subscriptions", {
    method: "POST",
    key,
    body: JSON.stringify({ webhook_url: HOOK }),
  });
  const { id } = created.json.subscription;
  assert.deepEqual([await test(first, key, id), await test(first, key, id)], [200, 200]);
  await first.close();
  const second = await open();
  assert.deepEqual([await test(second, key, id), await test(second, key, id)], [200, 429]);
  await second.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a limit of 0 refuses every test call and replay, and says so", async () => {
  const world = await createWorld("[tiers.team]\ntest_calls_per_day = 0\nreplays_per_day = 0\n");
  world.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  const { key } = await world.addCustomer();
  const post = (path: string, body: unknown) =>
    world.ask(path, { method: "POST", key, body: JSON.stringify(body) });
  const { subscription } = (await post("/v1/subscriptions", { webhook_url: HOOK })).json;
  const rows: [path: string, code: string][] = [["test", "test_limit_reached"], [
    "replay",
    "replay_limit_reached",
  ]];
  for (const [path, code] of rows) {
    const reply = await post(`/v1/subscriptions/${subscription.id}/${path}`, { since: 0 });
    assert.deepEqual([reply.status, reply.json.code], [429, code]);
    assert.match(reply.json.detail, /Your tier allows no /);
  }
  await world.close();
});
