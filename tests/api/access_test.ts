// API keys, the daily quota, error responses and HEAD requests.
import assert from "node:assert/strict";
import { problem } from "../../src/wire/health_sources_topics.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { DEFAULT_LABEL } from "../../src/domain/customer/api_key.ts";
import { boardConfig } from "../support/samples.ts";
import { START_MS, withWorld as createdWorld, type World } from "../support/world.ts";
import { BY } from "../store/contract/given.ts";

const withWorld = (work: (world: World) => Promise<void>, config = boardConfig()) =>
  createdWorld(config, work);

Deno.test("every path that requires a key responds with 401 if the key is missing or invalid", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    // The forms of invalid keys are tested with keyFromHeader().
    const headers = [null, "Bearer hello", `Bearer rgf_${"0".repeat(64)}`];
    for (const path of ["/v1/events", "/v1/events/evt_x", "/v1/subscriptions"]) {
      for (const value of headers) {
        const reply = await world.ask(path, value === null ? {} : { headers: { authorization: value } });
        assert.equal(reply.status, 401, `${path} ${value}`);
        assert.equal(reply.headers.get("www-authenticate"), 'Bearer realm="regfeed"');
        assert.equal(reply.headers.get("content-type"), "application/problem+json; charset=utf-8");
        problem.parse(reply.json);
        assert.equal(reply.json.code, "unauthenticated");
        assert.equal(reply.json.request_id, reply.headers.get("x-request-id"));
        assert.equal(reply.headers.get("x-ratelimit-limit"), null);
      }
    }
    const lowerCase = { headers: { authorization: `bearer ${key}` } };
    assert.equal((await world.ask("/v1/events", lowerCase)).status, 200);
  }));

Deno.test("rotated keys and keys of disabled customers are rejected within a second", () =>
  withWorld(async (world) => {
    const { customer, key } = await world.addCustomer();
    assert.equal((await world.ask("/v1/events", { key })).status, 200);
    await world.store.changeCustomer(customer.id, { enabled: false }, BY);
    await world.platform.clock.advance(999);
    const ended = await world.ask("/v1/events", { key });
    assert.deepEqual([ended.status, ended.json.code], [403, "access_ended"]);
    assert.equal(ended.headers.get("www-authenticate"), null);
    assert.equal(ended.headers.get("x-ratelimit-limit"), null);
    await world.store.changeCustomer(customer.id, { enabled: true }, BY);
    await world.platform.clock.advance(999);
    assert.equal((await world.ask("/v1/events", { key })).status, 200);
    await world.store.disableKeys(customer.id, null, BY);
    await world.platform.clock.advance(999);
    assert.equal((await world.ask("/v1/events", { key })).status, 401);
  }));

Deno.test("an old key works until the end of its overlap, and all keys of a customer share its quota", () =>
  withWorld(async (world) => {
    const { customer, key: first } = await world.addCustomer();
    const make = (label: string) =>
      makeKey((count) => world.platform.random.bytes(count), world.platform.clock.nowMs(), label);
    const [second, newFirst] = [make("staging"), make(DEFAULT_LABEL)];
    await world.store.addKey(customer.id, second.stored, BY);
    const oldUntilMs = world.platform.clock.nowMs() + 86_400_000;
    await world.store.rotateKey(customer.id, newFirst.stored, { ...BY, oldUntilMs, mailId: null });
    const statuses = async () => {
      const replies = [];
      for (const key of [first, second.key, newFirst.key]) {
        replies.push(await world.ask("/v1/events", { key }));
      }
      return replies.map(({ status, headers }) => [status, headers.get("x-ratelimit-remaining")]);
    };
    assert.deepEqual(await statuses(), [[200, "9999"], [200, "9998"], [200, "9997"]]);
    // The last request before the end caches the key, which must not extend its validity.
    await world.platform.clock.advance(86_400_000 - 1);
    assert.deepEqual(await statuses(), [[200, "9999"], [200, "9998"], [200, "9997"]]);
    await world.platform.clock.advance(1);
    assert.deepEqual(await statuses(), [[401, null], [200, "9996"], [200, "9995"]]);
  }));

Deno.test("the last use of a key is stored, at most once per hour", () =>
  withWorld(async (world) => {
    const { customer, key } = await world.addCustomer();
    const lastUsed = async () => (await world.store.findAccount(customer.id))?.keys[0]?.lastUsedAtMs;
    const use = async (afterMs: number) => {
      await world.platform.clock.advance(afterMs);
      await world.ask("/v1/events", { key });
      await world.app.tick();
      return await lastUsed();
    };
    assert.equal(await lastUsed(), null);
    assert.equal(await use(0), START_MS);
    assert.equal(await use(3_599_999), START_MS);
    assert.equal(await use(1), START_MS + 3_600_000);
  }));

Deno.test("every response states the daily quota; once it is used up, requests get 429 until 00:00 UTC", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const reset = String(Date.parse("2026-08-02T00:00:00Z"));
    const replies = [];
    for (const path of ["/v1/events", "/v1/events?limit=0", "/v1/events/evt_x", "/v1/events", "/v1/events"]) {
      const { status, headers } = await world.ask(path, { key });
      assert.equal(headers.get("x-ratelimit-limit"), "3");
      assert.equal(headers.get("x-ratelimit-reset"), reset);
      replies.push([status, headers.get("x-ratelimit-remaining"), headers.get("retry-after")]);
    }
    const refused = [429, "0", "50400"];
    const expected = [[200, "2", null], [400, "1", null], [404, "0", null], refused, refused];
    assert.deepEqual(replies, expected);
    assert.equal((await world.ask("/v1/sources")).status, 200, "public routes are not counted");
    await world.platform.clock.advance(Number(reset) - START_MS);
    assert.equal((await world.ask("/v1/events", { key })).headers.get("x-ratelimit-remaining"), "2");
  }, `[tiers.team]\napi_requests_per_day = 3\n${boardConfig()}`));

Deno.test("an internal error gets 500 without details, is logged with the request id, and is not counted", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    await world.ask("/v1/events", { key });
    const { listEvents } = world.store;
    world.store.listEvents = () => Promise.reject(new Error("secret table missing"));
    const reply = await world.ask("/v1/events?limit=7", { key });
    world.store.listEvents = listEvents;
    assert.equal(reply.status, 500);
    problem.parse(reply.json);
    assert.doesNotMatch(reply.text, /secret|table/);
    assert.equal(reply.headers.get("x-ratelimit-remaining"), "9999");
    const line = world.platform.lines.find(({ message }) => message === "request failed");
    assert.equal(line?.fields["request"], reply.json.request_id);
    assert.match(String(line?.fields["cause"]), /secret table missing/);
  }));

Deno.test("unknown paths get 404, and unsupported methods get 405 with Allow", () =>
  withWorld(async (world) => {
    for (const path of ["/v1", "/v2/events", "/v1/events/", "/v1/nothing", "/v1/events/a/b"]) {
      const reply = await world.ask(path);
      assert.equal(reply.status, 404, path);
      problem.parse(reply.json);
    }
    const rows: [method: string, path: string, allow: string][] = [
      ["POST", "/v1/events", "GET, HEAD"],
      ["DELETE", "/v1/sources", "GET, HEAD"],
      ["PUT", "/v1/subscriptions", "GET, HEAD, POST"],
      ["PUT", "/v1/subscriptions/sub_x", "DELETE, GET, HEAD, PATCH"],
      ["GET", "/v1/subscriptions/sub_x/test", "POST"],
    ];
    for (const [method, path, allow] of rows) {
      const reply = await world.ask(path, { method });
      assert.equal(reply.status, 405, path);
      assert.equal(reply.headers.get("allow"), allow, path);
    }
  }));

Deno.test("HEAD gets the headers of GET, including the length of the body, but no body, even for errors", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const rows: [path: string, status: number, key: string | undefined][] = [
      ["/v1/topics", 200, undefined],
      ["/v1/events/evt_x", 404, key],
      ["/v1/events?limit=0", 400, key],
      ["/v1/events", 401, undefined],
      ["/v1/nothing", 404, undefined],
      ["/v1/subscriptions/sub_x/test", 405, undefined],
    ];
    for (const [path, status, key] of rows) {
      const asked = key === undefined ? {} : { key };
      const head = await world.ask(path, { method: "HEAD", ...asked });
      const { text } = await world.ask(path, asked);
      assert.deepEqual([head.status, head.text], [status, ""], path);
      // The detail of a 405 contains the method.
      const body = status === 405 ? text.replace("GET", "HEAD") : text;
      const length = new TextEncoder().encode(body).length;
      assert.equal(head.headers.get("content-length"), String(length), path);
    }
  }));

const CORS = "access-control-allow-origin";

Deno.test("pages of any origin may read only the responses of public paths, including errors", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const long = `?x=${"x".repeat(9_000)}`;
    const rows: [path: string, method: string, status: number, origin: "*" | null][] = [
      ["/v1/sources", "GET", 200, "*"],
      ["/v1/health", "OPTIONS", 204, "*"],
      ["/v1/sources?x=1", "GET", 400, "*"],
      ["/v1/nothing", "GET", 404, "*"],
      ["/v1/topics", "POST", 405, "*"],
      [`/v1/health${long}`, "GET", 414, "*"],
      ["/v1/events?limit=1", "GET", 200, null],
      ["/v1/events", "GET", 401, null],
      ["/v1/events?x=1", "GET", 400, null],
      ["/v1/events/x", "GET", 404, null],
      ["/v1/events", "POST", 405, null],
      ["/v1/events", "OPTIONS", 405, null],
      [`/v1/events${long}`, "GET", 414, null],
      [`/v1/events/x/versions${long}`, "GET", 414, null],
    ];
    for (const [path, method, status, origin] of rows) {
      const hasKey = origin === null && status !== 401;
      const reply = await world.ask(path, { method, ...(hasKey ? { key } : {}) });
      assert.deepEqual([reply.status, reply.headers.get(CORS)], [status, origin], `${method} ${path}`);
    }
    const { listSources } = world.store;
    world.store.listSources = () => Promise.reject(new Error("broken"));
    const failed = await world.ask("/v1/sources");
    const down = await world.ask("/v1/health");
    world.store.listSources = listSources;
    assert.deepEqual([failed.status, failed.headers.get(CORS)], [500, "*"]);
    assert.deepEqual([down.status, down.headers.get(CORS)], [503, "*"]);
  }));

Deno.test("a request during shutdown gets 503, and its connection is closed", () =>
  withWorld(async (world) => {
    for (const [path, cors] of [["/v1/sources", "*"], ["/v1/events", null]] as const) {
      const response = world.app.refuse(new Request(`http://regfeed.example${path}`));
      assert.deepEqual([response.status, response.headers.get("connection")], [503, "close"]);
      assert.equal(response.headers.get(CORS), cors);
      const body = problem.parse(await response.json());
      assert.deepEqual([body.code, body.request_id], ["unavailable", response.headers.get("x-request-id")]);
    }
  }));
