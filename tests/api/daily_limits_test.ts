// Daily limits on test calls and replays.
import assert from "node:assert/strict";
import type { Reply } from "../support/world.ts";
import { type Given, HOOK, type Json, withSubscription } from "./given.ts";

const DAY_MS = 86_400_000;
const LIMITS = "[tiers.team]\ntest_calls_per_day = 3\nreplays_per_day = 5\n";

const withDelivered = (count: number, work: (given: Given) => Promise<void>) =>
  withSubscription(async (given) => {
    await given.publish(...Array.from({ length: count }, (_, at) => `item-${at}`));
    assert.equal(given.sentTo(HOOK).length, count);
    await work(given);
  }, { config: LIMITS });

/** Asserts a refusal that asks the client to retry when the UTC day ends. */
function assertRefused({ world }: Given, reply: Reply, code: string): void {
  assert.deepEqual([reply.status, reply.json.code], [429, code], reply.text);
  const nowMs = world.platform.clock.nowMs();
  const midnightMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  assert.equal(reply.headers.get("retry-after"), String(Math.ceil((midnightMs - nowMs) / 1_000)));
  assert.match(reply.json.detail, new RegExp(new Date(midnightMs).toISOString()));
}

Deno.test("POST /v1/subscriptions/{id}/test is refused when the day's test calls are used up, until the day ends", () =>
  withDelivered(0, async (given) => {
    const { world, get, ask, otherKey: key, subscription } = given;
    const path = `/v1/subscriptions/${subscription.id}/test`;
    for (let call = 0; call < 3; call++) assert.equal((await ask("POST", path)).status, 200);
    const before = (await get("/v1/usage")).api_requests.used;
    assertRefused(given, await ask("POST", path), "test_limit_reached");
    assert.equal(given.sentTo(HOOK).length, 3);
    const after = await get("/v1/usage");
    assert.equal(after.api_requests.used, before + 2, "a refused test call counts as a request");
    assert.deepEqual([after.test_calls.used, after.test_calls.remaining], [3, 0]);
    const theirs = await ask("POST", "/v1/subscriptions", { key, body: { webhook_url: HOOK } });
    const tested = await ask("POST", `/v1/subscriptions/${theirs.json.subscription.id}/test`, { key });
    assert.equal(tested.status, 200, "another customer has separate test calls");
    await world.platform.clock.advance(DAY_MS);
    assert.equal((await ask("POST", path)).status, 200);
  }));

Deno.test("POST /v1/deliveries/{id}/replay counts against the day's replays, unless it is refused for another reason", () =>
  withDelivered(6, async (given) => {
    const { deliveries } = await given.get("/v1/deliveries");
    const replay = (at: number) => given.ask("POST", `/v1/deliveries/${deliveries[at].id}/replay`);
    assert.equal((await replay(0)).status, 202);
    assert.equal((await replay(0)).json.code, "delivery_unfinished");
    for (const at of [1, 2, 3, 4]) assert.equal((await replay(at)).status, 202);
    assertRefused(given, await replay(5), "replay_limit_reached");
    await given.pass(0);
    assert.equal(given.sentTo(HOOK).length, 6 + 5);
    await given.world.platform.clock.advance(DAY_MS);
    assert.equal((await replay(5)).status, 202);
  }));

Deno.test("POST /v1/subscriptions/{id}/replay sends nothing if it would exceed the day's replays", () =>
  withDelivered(8, async (given) => {
    const { world, get, pass } = given;
    const replay = (body: unknown) =>
      given.ask("POST", `/v1/subscriptions/${given.subscription.id}/replay`, { body });
    const refused = await replay({ since: 0 });
    assertRefused(given, refused, "replay_limit_reached");
    assert.match(refused.json.detail, /would send 8 deliveries.* only 5 of .* 5 daily replays left/);
    assert.match(refused.json.detail, /Nothing was sent/);
    const { deliveries } = await get("/v1/deliveries");
    assert.ok(deliveries.every((one: Json) => one.status === "delivered"));
    assert.equal((await get("/v1/usage")).replays.used, 0);

    const after = deliveries[4].event_id; // newest first: four events are later
    assert.equal((await replay({ since: 0, after })).json.replayed, 4);
    await pass(1_000);
    assert.equal(given.sentTo(HOOK).length, 8 + 4);
    assertRefused(given, await replay({ since: 0, after }), "replay_limit_reached");
    assert.equal((await get("/v1/usage")).replays.remaining, 1);
    await world.platform.clock.advance(DAY_MS);
    assert.equal((await replay({ since: 0, after })).json.replayed, 4);
  }));

Deno.test("concurrent replays never send more than the day's limit", () =>
  withDelivered(6, async ({ get, ask, pass, sentTo, subscription }) => {
    const { deliveries } = await get("/v1/deliveries");
    const body = { since: 0, after: deliveries[4].event_id };
    const replies = await Promise.all(
      deliveries.map((delivery: Json, at: number) =>
        at % 2 === 0
          ? ask("POST", `/v1/deliveries/${delivery.id}/replay`)
          : ask("POST", `/v1/subscriptions/${subscription.id}/replay`, { body })
      ),
    );
    for (const reply of replies) assert.ok([202, 429].includes(reply.status), reply.text);
    await pass(1_000);
    const replayed = sentTo(HOOK).length - 6;
    assert.ok(replayed <= 5, `${replayed}`);
    assert.equal((await get("/v1/usage")).replays.used, replayed);
  }));

Deno.test("a limit of 0 refuses every test call and replay", () =>
  withSubscription(async ({ ask, subscription }) => {
    for (
      const [path, code, sent] of [
        ["test", "test_limit_reached", {}],
        ["replay", "replay_limit_reached", { body: { since: 0 } }],
      ] as const
    ) {
      const reply = await ask("POST", `/v1/subscriptions/${subscription.id}/${path}`, sent);
      assert.deepEqual([reply.status, reply.json.code], [429, code]);
      assert.match(reply.json.detail, /Your tier allows no /);
    }
  }, { config: "[tiers.team]\ntest_calls_per_day = 0\nreplays_per_day = 0\n" }));
