// The delivery log in the API, and replays of deliveries.
import assert from "node:assert/strict";
import { NetworkError } from "../../src/domain/ports/ports.ts";
import { MAX_RESPONSE_BYTES, safeResponseText } from "../../src/wire/delivery_log.ts";
import { START_MS } from "../support/world.ts";
import { assertFields, type Given, HOOK, type Json, nextPath, withSubscription } from "./given.ts";

const listed = async ({ get }: Given, query = ""): Promise<Json[]> =>
  (await get(`/v1/deliveries${query}`)).deliveries;

const DAY_MS = 86_400_000;
const UNKNOWN = "01KYWDAKRR5WRWT5EF8803K207";

Deno.test("GET /v1/deliveries lists the newest first, in pages, and filters by status, subscription and event", () =>
  withSubscription(async (given) => {
    await given.publish("1", "2", "3");
    const all = await listed(given);
    const expected = [3, 2, 1].map((sequence) => [sequence, "delivered", null, "event.published"]);
    assert.deepEqual(all.map((one) => [one.sequence, one.status, one.reason, one.type]), expected);
    const first = await given.ask("GET", "/v1/deliveries?limit=2");
    const second = await given.ask("GET", nextPath(first) ?? "");
    assert.deepEqual([...first.json.deliveries, ...second.json.deliveries], all);
    assert.equal(second.headers.get("link"), null);
    const rows: [query: string, sequences: number[]][] = [
      ["?status=delivered", [3, 2, 1]],
      ["?status=failed,held,pending,cancelled", []],
      [`?subscription=${given.subscription.id}`, [3, 2, 1]],
      [`?event=${all[1].event_id}`, [2]],
      [`?event=evt_${UNKNOWN}`, []],
    ];
    for (const [query, sequences] of rows) {
      assert.deepEqual((await listed(given, query)).map((one) => one.sequence), sequences, query);
    }
  }));

Deno.test("deliveries reject invalid filters, and treat another customer's ids as unknown", () =>
  withSubscription(async (given) => {
    await given.publish("1");
    const [{ id }] = await listed(given);
    const { otherKey: key, ask, subscription } = given;
    const rows: [query: string, field: string][] = [
      ["status=lost", "status"],
      ["event=board", "event"],
      ["limit=0", "limit"],
      [`subscription=sub_${UNKNOWN}`, "subscription"],
      [`before=dlv_${UNKNOWN}`, "before"],
      [`before=dlv_7${"Z".repeat(25)}`, "before"],
      [`before=${id}`, "before"],
      [`before=${id?.toLowerCase()}`, "before"],
      [`subscription=${subscription.id}`, "subscription"],
    ];
    for (const [query, field] of rows) {
      assertFields(await ask("GET", `/v1/deliveries?${query}`, { key }), 400, [field], query);
    }
    assert.deepEqual((await ask("GET", "/v1/deliveries", { key })).json.deliveries, []);
    const path = `/v1/subscriptions/${subscription.id}`;
    const requests: [method: string, path: string, body?: unknown][] = [
      ["GET", `/v1/deliveries/${id}`],
      ["GET", "/v1/deliveries/dlv_x"],
      ["POST", `/v1/deliveries/${id}/replay`],
      ["POST", "/v1/deliveries/dlv_x/replay"],
      ["POST", `${path}/replay`, { since: 0 }],
      ["POST", `${path}/rotate-secret`],
      ["PATCH", path, { language: "de" }],
    ];
    for (const [method, path, body] of requests) {
      assert.equal((await ask(method, path, { key, body })).status, 404, `${method} ${path}`);
    }
  }));

Deno.test("GET /v1/deliveries/{id} returns the body exactly as it was sent and signed, until it is removed", () =>
  withSubscription(async (given) => {
    await given.publish("1");
    const [{ id }] = await listed(given);
    const payload = async () => (await given.get(`/v1/deliveries/${id}`)).delivery.payload;
    assert.equal(await payload(), given.sentTo(HOOK)[0]?.body);
    await given.pass(31 * DAY_MS);
    assert.equal(await payload(), null);
  }));

Deno.test("GET /v1/deliveries/{id} lists every attempt", () => {
  const statuses = [0, 503, 204];
  const respond = () => {
    const status = statuses.shift() ?? 204;
    if (status === 0) throw new NetworkError("connection refused");
    return { status, body: `body of ${status}` };
  };
  return withSubscription(async (given) => {
    await given.publish("1");
    const [{ id, status, reason, next_attempt_at: next }] = await listed(given);
    assert.deepEqual([status, reason], ["pending", "the last attempt failed: connection refused"]);
    assert.ok(next > given.world.platform.clock.nowMs());
    await given.pass(6_000);
    await given.pass(70_000);
    const { delivery } = await given.get(`/v1/deliveries/${id}`);
    assert.deepEqual([delivery.status, delivery.reason, delivery.next_attempt_at], ["delivered", null, null]);
    assert.equal(delivery.attempt_count, 3);
    const rows = delivery.attempts.map((one: Json) => [one.number, one.status_code, one.problem, one.answer]);
    assert.deepEqual(rows, [
      [1, null, "connection refused", null],
      [2, 503, "the endpoint responded with 503", "body of 503"],
      [3, 204, null, "body of 204"],
    ]);
    for (const { started_at, duration_ms } of delivery.attempts) {
      assert.ok(started_at > START_MS && duration_ms >= 0);
    }
  }, { respond });
});

Deno.test("safeResponseText() returns at most 1,024 bytes, whole characters, and no control characters", () => {
  const rows: [text: string, safe: string][] = [
    ["plain\n\ttext", "plain\n\ttext"],
    ["\u001b[31mred\u0000\u202egnirts", "[31mredgnirts"],
    ["half \ud800 a character", "half \ufffd a character"],
    ["x".repeat(2_000), "x".repeat(MAX_RESPONSE_BYTES)],
    ["ü".repeat(1_000), "ü".repeat(512)],
    [`x${"ü".repeat(1_000)}`, `x${"ü".repeat(511)}`],
    ["<script>", "<script>"],
  ];
  for (const [text, safe] of rows) assert.equal(safeResponseText(text), safe);
});

Deno.test("GET /v1/deliveries/{id} returns a receiver's response as text within JSON, which browsers do not render", () => {
  const page = "<!doctype html><script>alert('\u2028')</script>";
  return withSubscription(async (given) => {
    await given.publish("a");
    const [{ id }] = await listed(given);
    const reply = await given.ask("GET", `/v1/deliveries/${id}`);
    assert.equal(reply.json.delivery.attempts[0].answer, page);
    assert.match(reply.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
  }, { respond: () => ({ status: 500, body: page }) });
});

Deno.test("POST /v1/deliveries/{id}/send and /v1/subscriptions/{id}/send end the wait for a retry, even one that the endpoint asked for", () => {
  let status = 503;
  const respond = () => ({ status, headers: { "retry-after": "36000" } });
  return withSubscription(async (given) => {
    const { ask, subscription, sentTo, pass } = given;
    const send = (path: string, options = {}) => ask("POST", `/v1/${path}/send`, options);
    await given.publish("1", "2", "3");
    const all = await listed(given);
    assert.deepEqual(all.map((one) => one.status), ["pending", "pending", "pending"]);
    await pass(60_000);
    assert.equal(sentTo(HOOK).length, 3, "the endpoint asked for ten hours");
    status = 204;
    const [{ id }] = all;
    const sent = await send(`deliveries/${id}`);
    assert.deepEqual([sent.status, sent.json.delivery.status], [202, "pending"], sent.text);
    assert.ok(sent.json.delivery.next_attempt_at <= given.world.platform.clock.nowMs());
    await pass(0);
    assert.deepEqual((await listed(given, "?status=delivered")).map((one) => one.id), [id]);
    const rest = await send(`subscriptions/${subscription.id}`);
    assert.deepEqual([rest.status, rest.json.subscription.pending], [202, 2], rest.text);
    await pass(0);
    assert.equal((await listed(given, "?status=delivered")).length, 3);
    assert.equal((await given.get("/v1/usage")).replays.used, 2);

    const again = await send(`deliveries/${id}`);
    assert.deepEqual([again.status, again.json.code], [409, "delivery_finished"]);
    await given.patch({ enabled: false });
    await given.publish("4");
    const [held] = await listed(given);
    const rows: [path: string, status: number, code: string][] = [
      [`deliveries/${held.id}`, 409, "delivery_held"],
      [`subscriptions/${subscription.id}`, 409, "subscription_disabled"],
      [`deliveries/dlv_${UNKNOWN}`, 404, "not_found"],
      ["deliveries/x", 404, "not_found"],
      [`subscriptions/sub_${UNKNOWN}`, 404, "not_found"],
    ];
    for (const [path, status, code] of rows) {
      const refused = await send(path);
      assert.deepEqual([refused.status, refused.json.code], [status, code], path);
    }
    for (const path of [`deliveries/${held.id}`, `subscriptions/${subscription.id}`]) {
      assert.equal((await send(path, { key: given.otherKey })).status, 404, path);
    }
  }, { respond });
});

Deno.test("POST /v1/deliveries/{id}/replay sends the same bytes with the same id, once per Idempotency-Key", () => {
  let status = 204;
  return withSubscription(async (given) => {
    await given.publish("1");
    const [{ id }] = await listed(given);
    status = 500;
    const replay = (key: string) =>
      given.ask("POST", `/v1/deliveries/${id}/replay`, { headers: { "idempotency-key": key } });
    const replayed = await replay("once");
    assert.deepEqual([replayed.status, replayed.json.delivery.status], [202, "pending"]);
    const other = await replay("twice");
    assert.deepEqual([other.status, other.json.code], [409, "delivery_unfinished"]);
    await given.pass(0);
    status = 200;
    await given.pass(70_000);
    const sent = given.sentTo(HOOK);
    assert.deepEqual(sent.map(({ headers }) => headers["webhook-id"]), [id, id, id]);
    assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    assert.equal((await given.get("/v1/usage")).webhook_deliveries.used, 1, "counted once");
    const repeated = await replay("once");
    assert.deepEqual([repeated.status, repeated.text], [202, replayed.text]);
    assert.equal(repeated.headers.get("idempotency-replayed"), "true");
  }, { respond: () => ({ status }) });
});

Deno.test("POST /v1/deliveries/{id}/replay returns the reason if it sends nothing", () =>
  withSubscription(async (given) => {
    await given.publish("1");
    const [{ id }] = await listed(given);
    await given.patch({ enabled: false });
    const disabled = await given.ask("POST", `/v1/deliveries/${id}/replay`);
    assert.deepEqual([disabled.status, disabled.json.code], [409, "subscription_disabled"]);
    await given.ask("DELETE", `/v1/subscriptions/${given.subscription.id}`);
    const deleted = await given.ask("POST", `/v1/deliveries/${id}/replay`);
    assert.deepEqual([deleted.status, deleted.json.code], [409, "delivery_cancelled"]);
  }));

Deno.test("POST /v1/subscriptions/{id}/replay sends a period again, and creates missing deliveries", () =>
  withSubscription(async (given) => {
    const { publish, pass, ask, bodiesTo, world } = given;
    await publish("1", "2");
    const between = world.platform.clock.nowMs() + 1;
    await publish("3", "4");
    const replay = (body: unknown, id = given.subscription.id) =>
      ask("POST", `/v1/subscriptions/${id}/replay`, { body });
    const since = await replay({ since: between });
    const { disclaimer: _, ...report } = since.json;
    assert.deepEqual([since.status, report], [202, { replayed: 2, created: 0, held: 0, next_after: null }]);
    await pass(1_000);
    await replay({ since: 0, until: between });
    await pass(1_000);
    assert.deepEqual(bodiesTo(HOOK).map(({ sequence }) => sequence), [1, 2, 3, 4, 3, 4, 1, 2]);

    const later = await given.subscribe({ webhook_url: HOOK, source_filter: ["board"] });
    const created = await replay({ since: 0 }, later.json.subscription.id);
    assert.deepEqual([created.json.replayed, created.json.created], [0, 4]);
    await pass(1_000);
    assert.deepEqual(bodiesTo(HOOK).slice(8).map(({ sequence }) => sequence), [1, 2, 3, 4]);

    const invalid: [body: unknown, field: string][] = [
      [{}, "since"],
      [{ since: 1_785_542_400_000, until: 1_785_542_400_000 }, "until"],
      [{ since: 1_785_542_400 }, "since"],
      [{ since: 0, until: 1_785_542_400 }, "until"],
      [{ since: "yesterday" }, "since"],
      [{ since: 0, after: "evt_x" }, "after"],
    ];
    for (const [body, field] of invalid) assertFields(await replay(body), 400, [field], JSON.stringify(body));
  }));

Deno.test("POST /v1/subscriptions/{id}/replay sends at most 1,000 deliveries, and next_after continues there", () =>
  withSubscription(async ({ publish, ask, subscription }) => {
    await publish(...Array.from({ length: 1_001 }, (_, at) => String(at)));
    const replay = (body: unknown) => ask("POST", `/v1/subscriptions/${subscription.id}/replay`, { body });
    const first = await replay({ since: 0 });
    assert.deepEqual([first.json.replayed, first.json.created], [1_000, 0]);
    const rest = await replay({ since: 0, after: first.json.next_after });
    assert.deepEqual([rest.json.replayed, rest.json.next_after], [1, null]);
  }, { config: "[tiers.team]\nwebhook_deliveries_per_month = 5_000\n" }));
