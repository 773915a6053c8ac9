// The log of deliveries over HTTP: what its owner sees of it, and what nobody else does.
import assert from "node:assert/strict";
import { NetworkError } from "../../src/domain/ports/ports.ts";
import { MAX_RESPONSE_BYTES, safeResponseText } from "../../src/wire/delivery_log.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const HOOK = "https://hooks.example.org/ai";

interface Given {
  world: World;
  key: string;
  otherKey: string;
  /** The id of the subscription. */
  subscription: string;
  publish(...ids: string[]): Promise<void>;
}

/** A world with one subscription, whose endpoint answers as `status` says at each moment, and says what `say` does. */
async function withDeliveries(
  status: () => number,
  work: (given: Given) => Promise<void>,
  config = "",
  say = (code: number) => `said ${code}`,
): Promise<void> {
  const world = await createWorld(config + boardConfig());
  const { platform } = world;
  platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  platform.hosts.set("board.example", ["93.184.215.15"]);
  platform.http.serve(HOOK, () => {
    const code = status();
    if (code === 0) throw new NetworkError("connection refused");
    return { status: code, body: say(code) };
  });
  const published: string[] = [];
  platform.http.serve("https://board.example/feed", () => ({ body: rss(published.map((id) => ({ id }))) }));
  try {
    const { key } = await world.addCustomer();
    const { key: otherKey } = await world.addCustomer({ email: "bo@example.org" });
    const created = await world.ask("/v1/subscriptions", {
      method: "POST",
      key,
      body: JSON.stringify({ webhook_url: HOOK }),
    });
    const publish = async (...ids: string[]) => {
      published.push(...ids);
      await platform.clock.advance(30 * 60_000);
      await world.app.tick();
    };
    await work({ world, key, otherKey, subscription: created.json.subscription.id, publish });
  } finally {
    await world.close();
  }
}

/** Lets a time pass and does what is due. */
async function pass({ world }: Given, ms: number): Promise<void> {
  await world.platform.clock.advance(ms);
  await world.app.tick();
}

const list = async ({ world, key }: Given, query = "") => {
  const reply = await world.ask(`/v1/deliveries${query}`, { key });
  assert.equal(reply.status, 200, reply.text);
  return reply;
};

const post = ({ world, key }: Given, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  world.ask(path, {
    method: "POST",
    key,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

// deno-lint-ignore no-explicit-any -- the JSON that is looked into
type Json = any;

Deno.test("GET /v1/deliveries lists the newest first, page by page, and by state, subscription and event", () =>
  withDeliveries(() => 204, async (given) => {
    await given.publish("1", "2", "3");
    const all = (await list(given)).json.deliveries;
    assert.deepEqual(all.map((one: Json) => [one.sequence, one.status, one.reason, one.type]), [
      [3, "delivered", null, "event.published"],
      [2, "delivered", null, "event.published"],
      [1, "delivered", null, "event.published"],
    ]);
    const walked: Json[] = [];
    for (let path: string | undefined = "?limit=2"; path !== undefined;) {
      const page = await list(given, path);
      walked.push(...page.json.deliveries);
      path = /^<http:\/\/127\.0\.0\.1:8080\/v1\/deliveries(.*)>; rel="next"$/.exec(
        page.headers.get("link") ?? "",
      )?.[1];
    }
    assert.deepEqual(walked, all);
    const rows: [query: string, sequences: number[]][] = [
      ["?status=delivered", [3, 2, 1]],
      ["?status=failed,held,pending,cancelled", []],
      [`?subscription=${given.subscription}`, [3, 2, 1]],
      [`?event=${all[1].event_id}`, [2]],
      ["?event=evt_01KYPEWD40C1BAYPTZMVD7V4WY", []],
    ];
    for (const [query, sequences] of rows) {
      const found = (await list(given, query)).json.deliveries.map((one: Json) => one.sequence);
      assert.deepEqual(found, sequences, query);
    }
  }));

Deno.test("GET /v1/deliveries names what is no filter, and answers another customer's ids like unknown ones", () =>
  withDeliveries(() => 204, async (given) => {
    await given.publish("1");
    const [{ id }] = (await list(given)).json.deliveries;
    const { world, otherKey, subscription } = given;
    const rows: [query: string, field: string][] = [
      ["?status=lost", "status"],
      ["?event=board", "event"],
      ["?limit=0", "limit"],
      ["?subscription=sub_01KYWDAKRR5WRWT5EF8803K207", "subscription"],
      ["?before=dlv_01KYWDAKRR5WRWT5EF8803K207", "before"],
      [`?before=${id}`, "before"],
      [`?subscription=${subscription}`, "subscription"],
    ];
    for (const [query, field] of rows) {
      const reply = await world.ask(`/v1/deliveries${query}`, { key: otherKey });
      assert.equal(reply.status, 400, query);
      assert.deepEqual(reply.json.errors.map((error: Json) => error.field), [field]);
    }
    assert.deepEqual((await world.ask("/v1/deliveries", { key: otherKey })).json.deliveries, []);
    for (
      const [method, path] of [["GET", `/v1/deliveries/${id}`], [
        "POST",
        `/v1/deliveries/${id}/replay`,
      ]] as const
    ) {
      assert.equal((await world.ask(path, { method, key: otherKey })).status, 404, path);
      assert.equal((await world.ask(path.replace(id, "dlv_x"), { method, key: otherKey })).status, 404);
    }
    for (const [path, body] of [["replay", { since: 0 }], ["rotate-secret", undefined]] as const) {
      const init = {
        method: "POST",
        key: otherKey,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      assert.equal((await world.ask(`/v1/subscriptions/${subscription}/${path}`, init)).status, 404, path);
    }
    const patched = await world.ask(`/v1/subscriptions/${subscription}`, {
      method: "PATCH",
      key: otherKey,
      body: '{"language":"de"}',
    });
    assert.equal(patched.status, 404);
  }));

Deno.test("GET /v1/deliveries/{id} tells of every attempt, in words", () => {
  const statuses = [0, 503, 204];
  return withDeliveries(() => statuses.shift() ?? 204, async (given) => {
    await given.publish("1");
    const [{ id, status, reason, next_attempt_at: next }] = (await list(given)).json.deliveries;
    assert.deepEqual([status, reason], ["pending", "the last attempt failed: connection refused"]);
    assert.ok(next > given.world.platform.clock.nowMs());
    await pass(given, 6_000);
    await pass(given, 70_000);
    const { delivery } = (await given.world.ask(`/v1/deliveries/${id}`, { key: given.key })).json;
    assert.deepEqual([delivery.status, delivery.reason, delivery.next_attempt_at], ["delivered", null, null]);
    assert.equal(delivery.attempt_count, 3);
    const attempts = delivery.attempts.map((
      one: Json,
    ) => [one.number, one.status_code, one.problem, one.answer]);
    assert.deepEqual(attempts, [
      [1, null, "connection refused", null],
      [2, 503, "the endpoint responded with 503", "said 503"],
      [3, 204, null, "said 204"],
    ]);
    for (const { started_at, duration_ms } of delivery.attempts) {
      assert.ok(started_at > START_MS && duration_ms >= 0);
    }
  });
});

Deno.test("safeResponseText() shows at most a kilobyte, whole characters, and nothing that a terminal or a reader obeys", () => {
  const rows: [text: string, shown: string][] = [
    ["plain\n\ttext", "plain\n\ttext"],
    ["\u001b[31mred\u0000\u202egnirts", "[31mredgnirts"],
    ["half \ud800 a character", "half \ufffd a character"],
    ["x".repeat(2_000), "x".repeat(MAX_RESPONSE_BYTES)],
    ["ü".repeat(1_000), "ü".repeat(512)],
    [`x${"ü".repeat(1_000)}`, `x${"ü".repeat(511)}`],
    ["<script>", "<script>"],
  ];
  for (const [text, shown] of rows) assert.equal(safeResponseText(text), shown);
});

Deno.test("POST /v1/deliveries/{id}/replay sends the same bytes under the same id, and 409 while it is under way", () => {
  let status = 204;
  return withDeliveries(() => status, async (given) => {
    await given.publish("1");
    const [{ id }] = (await list(given)).json.deliveries;
    status = 500;
    const replayed = await post(given, `/v1/deliveries/${id}/replay`);
    assert.equal(replayed.status, 202, replayed.text);
    assert.equal(replayed.json.delivery.status, "pending");
    const again = await post(given, `/v1/deliveries/${id}/replay`);
    assert.deepEqual([again.status, again.json.code], [409, "delivery_unfinished"]);
    await pass(given, 0);
    status = 200;
    await pass(given, 70_000);
    const sent = given.world.platform.http.requests.filter(({ url }) => url === HOOK);
    assert.equal(sent.length, 3);
    assert.deepEqual(new Set(sent.map(({ headers }) => headers["webhook-id"])), new Set([id]));
    assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    const usage = (await given.world.ask("/v1/usage", { key: given.key })).json;
    assert.match(JSON.stringify(usage), /"used":1\b/, "it is counted once");
  });
});

Deno.test("POST /v1/deliveries/{id}/replay with an Idempotency-Key answers a repetition alike and acts once", () =>
  withDeliveries(() => 204, async (given) => {
    await given.publish("1");
    const [{ id }] = (await list(given)).json.deliveries;
    const ask = () => post(given, `/v1/deliveries/${id}/replay`, undefined, { "idempotency-key": "once" });
    const first = await ask();
    await pass(given, 1_000);
    const second = await ask();
    assert.deepEqual([second.status, second.text], [202, first.text]);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    await pass(given, 1_000);
    assert.equal(given.world.platform.http.requests.filter(({ url }) => url === HOOK).length, 2);
  }));

Deno.test("POST /v1/deliveries/{id}/replay says why it does not", () =>
  withDeliveries(() => 204, async (given) => {
    await given.publish("1");
    const [{ id }] = (await list(given)).json.deliveries;
    const path = `/v1/subscriptions/${given.subscription}`;
    await given.world.ask(path, { method: "PATCH", key: given.key, body: '{"enabled":false}' });
    const off = await post(given, `/v1/deliveries/${id}/replay`);
    assert.deepEqual([off.status, off.json.code], [409, "subscription_disabled"]);
    await given.world.ask(path, { method: "DELETE", key: given.key });
    const deleted = await post(given, `/v1/deliveries/${id}/replay`);
    assert.deepEqual([deleted.status, deleted.json.code], [409, "delivery_cancelled"]);
  }));

Deno.test("POST /v1/subscriptions/{id}/replay sends a time again and what never went, and says how many", () =>
  withDeliveries(() => 204, async (given) => {
    await given.publish("1", "2");
    const between = given.world.platform.clock.nowMs() + 1;
    await given.publish("3", "4");
    const hooks = () => given.world.platform.http.requests.filter(({ url }) => url === HOOK);
    const path = `/v1/subscriptions/${given.subscription}/replay`;
    const sequences = (from: number) =>
      hooks().slice(from).map(({ body }) => JSON.parse(body ?? "").sequence);

    const since = await post(given, path, { since: between });
    assert.equal(since.status, 202, since.text);
    const { disclaimer: _, ...told } = since.json;
    assert.deepEqual(told, { replayed: 2, created: 0, held: 0, next_after: null });
    await pass(given, 1_000);
    assert.deepEqual(sequences(4), [3, 4]);

    await post(given, path, { since: 0, until: between });
    await pass(given, 1_000);
    assert.deepEqual(sequences(6), [1, 2]);

    // A younger subscription never got them: replayed, they are its first.
    const body = JSON.stringify({
      webhook_url: HOOK,
      topics: [],
      severity_min: "info",
      source_filter: ["board"],
    });
    const young = await given.world.ask("/v1/subscriptions", { method: "POST", key: given.key, body });
    const made = await post(given, `/v1/subscriptions/${young.json.subscription.id}/replay`, { since: 0 });
    assert.deepEqual([made.json.replayed, made.json.created], [0, 4]);
    await pass(given, 1_000);
    assert.deepEqual(sequences(8), [1, 2, 3, 4]);

    const wrong: [body: unknown, field: string][] = [
      [{}, "since"],
      [{ since: 1_785_542_400_000, until: 1_785_542_400_000 }, "until"],
      [{ since: 1_785_542_400 }, "since"],
      [{ since: 0, until: 1_785_542_400 }, "until"],
      [{ since: "yesterday" }, "since"],
      [{ since: 0, after: "evt_x" }, "after"],
    ];
    for (const [body, field] of wrong) {
      const reply = await post(given, path, body);
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.json.errors.map((error: Json) => error.field), [field]);
    }
  }));

Deno.test("POST /v1/subscriptions/{id}/replay is bounded: next_after goes on where it ended", () =>
  withDeliveries(() => 204, async (given) => {
    await given.publish(...Array.from({ length: 1_001 }, (_, at) => String(at)));
    const path = `/v1/subscriptions/${given.subscription}/replay`;
    const first = await post(given, path, { since: 0 });
    assert.deepEqual([first.json.replayed, first.json.created], [1_000, 0]);
    const rest = await post(given, path, { since: 0, after: first.json.next_after });
    assert.deepEqual([rest.json.replayed, rest.json.next_after], [1, null]);
  }, "[tiers.team]\nwebhook_deliveries_per_month = 5_000\n"));

Deno.test("GET /v1/deliveries/{id} gives what a receiver says as text within JSON, which no browser takes for a page", () => {
  const page = "<!doctype html><script>alert('\u2028')</script>";
  return withDeliveries(
    () => 500,
    async (given) => {
      const { world, key, publish } = given;
      await publish("a");
      const [{ id }] = (await list(given)).json.deliveries;
      const reply = await world.ask(`/v1/deliveries/${id}`, { key });
      assert.equal(reply.json.delivery.attempts[0].answer, page);
      assert.match(reply.headers.get("content-type") ?? "", /^application\/json/);
      assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    },
    "",
    () => page,
  );
});
