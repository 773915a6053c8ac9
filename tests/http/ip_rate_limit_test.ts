// The rate limit by IP address, by itself and in the whole service.
import assert from "node:assert/strict";
import { createAddressCounts, createAddressLimits, drawFrom } from "../../src/http/ip_rate_limit.ts";
import { createMetrics } from "../../src/domain/ports/metrics.ts";
import { createApp, createProcessServices } from "../../src/app.ts";
import { problem } from "../../src/wire/health_sources_topics.ts";
import { BY } from "../store/contract/given.ts";
import { boardConfig } from "../support/samples.ts";
import { postStripe } from "../support/peers/stripe.ts";
import { createWorld, withWorld as createdWorld, type World } from "../support/world.ts";

Deno.test("drawFrom() allows one minute's requests at once, then one after another, even if the clock is set back", () => {
  const draw = (left: number, passedMs: number, cost: 0 | 1 = 1) =>
    drawFrom({ left, atMs: 1_000_000 }, { perMinute: 20, nowMs: 1_000_000 + passedMs, cost });
  const rows: [left: number, passedMs: number, leftAfter: number, waitMs: number][] = [
    [20, 0, 19, 0],
    [1, 0, 0, 0],
    [0, 0, 0, 3_000],
    [0, 1_500, 0.5, 1_500],
    [0, 3_000, 0, 0],
    [0, 3_600_000, 19, 0],
    [0.5, -60_000, 0.5, 1_500],
    [5, -60_000, 4, 0],
  ];
  for (const [left, passedMs, leftAfter, waitMs] of rows) {
    const drawn = draw(left, passedMs);
    assert.deepEqual([drawn.bucket.left, drawn.waitMs], [leftAfter, waitMs], `${left} ${passedMs}`);
  }
  assert.equal(draw(5, 0, 0).bucket.left, 5);
  assert.equal(drawFrom(null, { perMinute: 20, nowMs: 5, cost: 1 }).bucket.left, 19);
});

Deno.test("the least recently used address is dropped first", () => {
  const few = { maxAddresses: 2 };
  const limits = createAddressLimits({ public: 1, failed_key: null }, { nowMs: () => 0 }, few);
  const take = (address: string) => limits.take("public", address) === null;
  assert.deepEqual(["a", "b", "a", "c", "a", "b"].map(take), [true, true, false, true, false, true]);
  assert.equal(limits.take("failed_key", "a"), null);
  assert.equal(limits.take("public", null), null);
});

Deno.test("after a million addresses, only the latest 20,000 are kept", () => {
  const limits = createAddressLimits({ public: 1, failed_key: 1 }, { nowMs: () => 0 });
  for (let number = 0; number < 1_000_000; number++) limits.take("failed_key", `2001:db8:${number}::/64`);
  const isKnown = (number: number) => limits.look("failed_key", `2001:db8:${number}::/64`) !== null;
  assert.deepEqual([999_999, 980_000, 977_999, 0].map(isKnown), [true, true, false, false]);
});

/** Sends a request over a connection from an address. */
async function askFrom(
  { app }: Pick<World, "app">,
  remote: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; retryAfter: string | null; code: string | null }> {
  const response = await app.fetch(new Request(`http://regfeed.example${path}`, { headers }), remote);
  const text = await response.text();
  const code = response.status < 400 ? null : problem.parse(JSON.parse(text)).code;
  return { status: response.status, retryAfter: response.headers.get("retry-after"), code };
}

Deno.test("a changed limit continues with the same counts", () => {
  const counts = createAddressCounts();
  const clock = { nowMs: () => 0 };
  const limits = (failed_key: number | null) =>
    createAddressLimits({ public: 9, failed_key }, clock, { counts });
  const before = limits(3);
  const retryIn = (limit: typeof before) => limit.take("failed_key", "192.0.2.1")?.retryInSeconds;
  assert.deepEqual([1, 2, 3, 4].map(() => retryIn(before)), [undefined, undefined, undefined, 20]);
  assert.equal(retryIn(limits(3)), 20, "a reload does not reset the counts");
  assert.equal(retryIn(limits(6)), 10, "by the new limit");
  assert.equal(limits(null).take("failed_key", "192.0.2.1"), null);
  before.take("failed_key", "192.0.2.2");
  const fewer = limits(1);
  assert.equal(fewer.take("failed_key", "192.0.2.2"), null);
  assert.notEqual(fewer.take("failed_key", "192.0.2.2"), null, "at most the new limit is left");
});

const withWorld = (limits: string, work: (world: World) => Promise<void>) =>
  createdWorld(`[server]\ntrusted_proxies = ["10.0.0.0/8"]\n[limits]\n${limits}\n${boardConfig()}`, work);

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const WRONG = bearer(`rgf_${"0".repeat(64)}`);

Deno.test("too many requests without a key get 429 on every path; other addresses are not affected", () =>
  withWorld("public_per_minute = 4", async (world) => {
    const spent: number[] = [];
    for (const path of ["/v1/sources", "/nowhere", "/v1/events", "/v1/events?limit=1#x"]) {
      spent.push((await askFrom(world, "198.51.100.1", path)).status);
    }
    assert.deepEqual(spent, [200, 404, 401, 400]);
    for (const path of ["/v1/sources", "/nowhere", "/v1/events", "/v1/events#x"]) {
      const refused = { status: 429, retryAfter: "15", code: "too_many_requests" };
      assert.deepEqual(await askFrom(world, "198.51.100.1", path), refused, path);
    }
    const { key } = await world.addCustomer();
    assert.equal((await askFrom(world, "198.51.100.1", "/v1/events", bearer(key))).status, 200);
    assert.equal((await askFrom(world, "198.51.100.2", "/v1/sources")).status, 200);
    await world.platform.clock.advance(15_000);
    assert.equal((await askFrom(world, "198.51.100.1", "/v1/sources")).status, 200);
    assert.equal((await askFrom(world, "198.51.100.1", "/v1/sources")).status, 429);
  }));

Deno.test("behind a trusted proxy each client has its own limit; IPv6 clients of one network share theirs", () =>
  withWorld("public_per_minute = 1", async (world) => {
    const from = async (forwardedFor: string, remote = "10.0.0.1") =>
      (await askFrom(world, remote, "/v1/sources", { "x-forwarded-for": forwardedFor })).status;
    const rows: [statuses: number[], forwardedFor: string[], remote?: string][] = [
      [[200, 200, 429], ["198.51.100.1", "198.51.100.2", "9.9.9.9, 198.51.100.1"]],
      [[200, 429, 200], ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::2"]],
      [[200, 429], ["127.0.0.1", "127.0.0.1"]],
      // The header of a client that is not a proxy is ignored.
      [[200, 429], ["1.1.1.1", "2.2.2.2"], "203.0.113.9"],
    ];
    for (const [expected, clients, remote] of rows) {
      const statuses = [];
      for (const client of clients) statuses.push(await from(client, remote));
      assert.deepEqual(statuses, expected, clients.join(" "));
    }
    // This machine itself is not limited.
    for (let n = 0; n < 3; n++) assert.equal((await askFrom(world, "127.0.0.1", "/v1/sources")).status, 200);
  }));

Deno.test("after too many invalid keys from an address, the store is not queried, but known keys are accepted", () =>
  withWorld("failed_keys_per_minute = 3", async (world) => {
    const { key } = await world.addCustomer();
    const other = await world.addCustomer({ email: "other@example.org" });
    const { findKey } = world.store;
    let queries = 0;
    world.store.findKey = (hash) => (queries++, findKey.call(world.store, hash));
    const from = "198.51.100.1";
    assert.equal((await askFrom(world, from, "/v1/events", bearer(key))).status, 200);
    for (let n = 0; n < 3; n++) assert.equal((await askFrom(world, from, "/v1/events", WRONG)).status, 401);
    const before = queries;
    const refused = await askFrom(world, from, "/v1/events", WRONG);
    assert.deepEqual(refused, { status: 429, retryAfter: "20", code: "too_many_requests" });
    assert.equal((await askFrom(world, from, "/v1/events", { authorization: "Bearer x" })).status, 429);
    assert.equal(queries, before);
    await world.platform.clock.advance(1_000);
    assert.equal((await askFrom(world, from, "/v1/events", bearer(key))).status, 200, "a key seen before");
    assert.equal((await askFrom(world, from, "/v1/events", bearer(other.key))).status, 429, "never seen");
    assert.equal((await askFrom(world, "198.51.100.2", "/v1/events", bearer(other.key))).status, 200);
    await world.platform.clock.advance(20_000);
    assert.equal((await askFrom(world, from, "/v1/events", WRONG)).status, 401);
  }));

Deno.test("a key without access is not exempt from the limit", () =>
  withWorld("failed_keys_per_minute = 2", async (world) => {
    const { key, customer } = await world.addCustomer();
    const from = "198.51.100.1";
    assert.equal((await askFrom(world, from, "/v1/events", bearer(key))).status, 200);
    await world.store.changeCustomer(customer.id, { enabled: false }, BY);
    await world.platform.clock.advance(1_000);
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await askFrom(world, from, "/v1/events", bearer(key))).status);
    assert.deepEqual(statuses, [403, 403, 429]);
  }));

Deno.test("invalid payment signatures count as invalid keys", async () => {
  const payment = '[payment]\nwebhook_secret = "whsec_x"\n';
  const world = await createWorld(`[limits]\nfailed_keys_per_minute = 2\n${payment}${boardConfig()}`);
  const post = (remote: string) => postStripe(world.app, "{}", "t=1,v1=00", remote);
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push(await post("198.51.100.1"));
  assert.deepEqual(statuses, [400, 400, 429]);
  assert.equal(await post("198.51.100.2"), 400);
  await world.close();
});

Deno.test("refusals are counted by limit, separately from the quota", () =>
  withWorld("public_per_minute = 1\nfailed_keys_per_minute = 1", async (world) => {
    const metrics = createMetrics();
    const app = createApp({ ...world, version: "0", services: createProcessServices({ ...world, metrics }) });
    for (let n = 0; n < 3; n++) await askFrom({ app }, "198.51.100.1", "/v1/sources");
    for (let n = 0; n < 2; n++) await askFrom({ app }, "198.51.100.1", "/v1/events", WRONG);
    const text = await metrics.render();
    assert.match(text, /^regfeed_address_refusals_total\{limit="public"\} 2$/m);
    assert.match(text, /^regfeed_address_refusals_total\{limit="failed_key"\} 1$/m);
    assert.doesNotMatch(text, /^regfeed_quota_refusals_total [1-9]/m);
  }));

Deno.test("an untrusted proxy is logged once", () =>
  withWorld("public_per_minute = 1", async (world) => {
    for (let n = 0; n < 3; n++) {
      await askFrom(world, "127.0.0.1", "/v1/sources", { "x-forwarded-for": "1.2.3.4" });
    }
    const lines = world.platform.lines.filter(({ message }) => message.includes("trusted_proxies"));
    assert.equal(lines.length, 1);
  }));
