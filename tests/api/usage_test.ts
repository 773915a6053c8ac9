// GET /v1/usage, and repeated requests with an Idempotency-Key.
import assert from "node:assert/strict";
import { usageReport } from "../../src/wire/usage.ts";
import { boardConfig } from "../support/samples.ts";
import { START_MS, type World } from "../support/world.ts";
import { HOOK, publishFeed, subscribe as post, withHosts } from "./given.ts";

const DAY_MS = 86_400_000;

const withWorld = (work: (world: World) => Promise<void>, config?: string) =>
  withHosts(async (world) => {
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    await work(world);
  }, config);

const subscribe = (world: World, key: string, body: unknown, idempotencyKey?: string) =>
  post(world, key, body, idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey });

Deno.test("GET /v1/usage returns tier, limits, usage and reset times", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer({ tier: "indie" });
    await subscribe(world, key, { webhook_url: HOOK });
    publishFeed(world, { id: "1" }, { id: "2" }, { id: "3" });
    await world.app.tick();
    const reply = await world.ask("/v1/usage", { key });
    assert.equal(reply.status, 200, reply.text);
    usageReport.parse(reply.json);
    const { disclaimer, ...usage } = reply.json;
    assert.ok(disclaimer);
    assert.deepEqual(usage, {
      tier: "indie",
      api_requests: { limit: 1_000, used: 2, remaining: 998, resets_at: Date.parse("2026-08-02T00:00:00Z") },
      webhook_deliveries: {
        limit: 2,
        used: 2,
        remaining: 0,
        held: 1,
        held_limit: 500,
        resets_at: Date.parse("2026-09-01T00:00:00Z"),
        // Both thresholds were passed in one step, so only the higher one is reported.
        notices: [{ kind: "quota-100", at: START_MS }],
      },
      test_calls: { limit: 50, used: 0, remaining: 50, resets_at: Date.parse("2026-08-02T00:00:00Z") },
      replays: { limit: 500, used: 0, remaining: 500, resets_at: Date.parse("2026-08-02T00:00:00Z") },
      backfills: { limit: 10, used: 0, remaining: 10, resets_at: Date.parse("2026-08-02T00:00:00Z") },
      subscriptions: { limit: 1, active: 1 },
    });
    await world.platform.clock.advance(Date.parse("2026-09-01T00:00:00Z") - START_MS);
    await world.app.tick();
    const next = (await world.ask("/v1/usage", { key })).json.webhook_deliveries;
    assert.deepEqual([next.used, next.held], [1, 0], "the new month releases held deliveries");
  }, `[tiers.indie]\nwebhook_deliveries_per_month = 2\n${boardConfig()}`));

Deno.test("a repeated Idempotency-Key gets the first response, including the secret, for a day", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const first = await subscribe(world, key, { webhook_url: HOOK, topics: [] }, "k-1");
    assert.equal(first.status, 201);
    const again = await subscribe(world, key, { topics: [], webhook_url: HOOK }, "k-1");
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal((await world.ask("/v1/subscriptions", { key })).json.count, 1);

    const other = await subscribe(world, key, { webhook_url: `${HOOK}/2` }, "k-1");
    assert.deepEqual([other.status, other.json.code], [422, "idempotency_key_reused"]);
    const stranger = (await world.addCustomer()).key;
    const theirs = await subscribe(world, stranger, { webhook_url: HOOK }, "k-1");
    assert.notEqual(theirs.json.subscription.id, first.json.subscription.id, "keys belong to a customer");

    // The response stays the same even if the subscription was deleted, and nothing is created.
    await world.ask(`/v1/subscriptions/${first.json.subscription.id}`, { method: "DELETE", key });
    const deleted = await subscribe(world, key, { webhook_url: HOOK, topics: [] }, "k-1");
    assert.deepEqual([deleted.status, deleted.text], [201, first.text]);
    assert.equal((await world.ask("/v1/subscriptions", { key })).json.count, 0);
    await world.platform.clock.advance(DAY_MS);
    await world.app.tick();
    const late = await subscribe(world, key, { webhook_url: HOOK }, "k-1");
    assert.equal(late.status, 201);
    assert.notEqual(late.text, first.text, "after a day it is a new request");
  }));

Deno.test("an Idempotency-Key is checked before the body is validated; another body is rejected", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const wish = { webhook_url: HOOK, topics: ["gpai"] };
    const first = await subscribe(world, key, wish, "k");
    assert.equal(first.status, 201);
    world.platform.hosts.set("hooks.example.org", ["10.0.0.7"]);
    assert.equal((await subscribe(world, key, wish)).json.code, "invalid_webhook_url");
    const again = await subscribe(world, key, wish, "k");
    assert.deepEqual([again.status, again.text], [201, first.text], "the URL would be refused now");

    const headers = { "idempotency-key": "k" };
    const body = JSON.stringify(wish);
    const others = [{ ...wish, topics: ["nonsense"] }, { ...wish, color: 1 }, "[]", "{", "", "[".repeat(5e4)];
    const replies = [await world.ask("/v1/subscriptions?a=b", { method: "POST", key, body, headers })];
    for (const other of others) replies.push(await subscribe(world, key, other, "k"));
    for (const { status, json, text } of replies) {
      assert.deepEqual([status, json.code], [422, "idempotency_key_reused"], text);
    }
  }));

Deno.test("the Idempotency-Key of a failed request can be reused", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    assert.equal((await subscribe(world, key, { webhook_url: "https://127.0.0.1/" }, "k")).status, 400);
    assert.equal((await subscribe(world, key, { webhook_url: HOOK }, "k")).status, 201);
  }));

Deno.test("a repeated Idempotency-Key gets 409 while the first request is in progress", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => subscribe(world, key, { webhook_url: HOOK }, "k")),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(7).fill(409)]);
    assert.ok(replies.every(({ status, json }) => status === 201 || json.code === "idempotency_in_flight"));
    assert.equal((await subscribe(world, key, { webhook_url: HOOK }, "k")).status, 201);
  }));

Deno.test("of two concurrent requests to different routes, only one can use an Idempotency-Key", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const made = (await subscribe(world, key, { webhook_url: HOOK })).json.subscription;
    const rotate = () =>
      world.ask(`/v1/subscriptions/${made.id}/rotate-secret`, {
        method: "POST",
        key,
        headers: { "idempotency-key": "k" },
      });
    // The second request arrives while the receiver's host is looked up.
    const { resolver } = world.platform;
    const lookUp = resolver.resolve;
    const lookedUp = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    resolver.resolve = async (...asked) => {
      lookedUp.resolve();
      await found.promise;
      return await lookUp(...asked);
    };
    const wish = { webhook_url: `${HOOK}/2` };
    const subscribing = subscribe(world, key, wish, "k");
    await lookedUp.promise;
    const meanwhile = await rotate();
    found.resolve();
    assert.deepEqual([meanwhile.status, meanwhile.json.code], [409, "idempotency_in_flight"]);
    const first = await subscribing;
    assert.equal(first.status, 201);
    const late = await rotate();
    assert.deepEqual([late.status, late.json.code], [422, "idempotency_key_reused"]);
    assert.equal((await subscribe(world, key, wish, "k")).text, first.text);
  }, `[tiers.indie]\nactive_subscriptions = 2\n${boardConfig()}`));

Deno.test("an invalid Idempotency-Key gets 400", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    for (const bad of ["", " ", "x".repeat(256), "a b"]) {
      const reply = await subscribe(world, key, { webhook_url: HOOK }, bad);
      assert.equal(reply.status, 400, bad);
      assert.equal(reply.json.errors[0].field, "Idempotency-Key");
    }
  }));
