// Changes of subscriptions over HTTP: filters, address, on and off, a new secret, the past.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { boardConfig, rss } from "../support/samples.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const HOOK = "https://hooks.example.org/ai";
const NEW_HOOK = "https://hooks.example.org/new";

interface Given {
  world: World;
  key: string;
  /** The id and secret of the subscription. */
  id: string;
  secret: string;
  publish(...ids: string[]): Promise<void>;
}

async function withSubscription(work: (given: Given) => Promise<void>, config = ""): Promise<void> {
  const world = await createWorld(config + boardConfig());
  const { platform } = world;
  platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  platform.hosts.set("inside.example.org", ["10.0.0.7"]);
  platform.hosts.set("board.example", ["93.184.215.15"]);
  for (const url of [HOOK, NEW_HOOK]) platform.http.serve(url, () => ({ status: 204 }));
  const published: string[] = [];
  platform.http.serve("https://board.example/feed", () => ({ body: rss(published.map((id) => ({ id }))) }));
  try {
    const { key } = await world.addCustomer();
    const created = await subscribe(world, key, { webhook_url: HOOK });
    const { id, webhook_secret: secret } = created.json.subscription;
    const publish = async (...ids: string[]) => {
      published.push(...ids);
      await platform.clock.advance(30 * 60_000);
      await world.app.tick();
    };
    await work({ world, key, id, secret, publish });
  } finally {
    await world.close();
  }
}

const subscribe = (world: World, key: string, body: unknown) =>
  world.ask("/v1/subscriptions", { method: "POST", key, body: JSON.stringify(body) });

const patch = ({ world, key, id }: Given, body: unknown, of = id) =>
  world.ask(`/v1/subscriptions/${of}`, { method: "PATCH", key, body: JSON.stringify(body) });

const sentTo = ({ world }: Given, hook: string) =>
  world.platform.http.requests.filter(({ url }) => url === hook);

// deno-lint-ignore no-explicit-any -- the JSON that is looked into
type Json = any;

Deno.test("PATCH /v1/subscriptions/{id} changes what is given, for what comes and where what waits goes", () =>
  withSubscription(async (given) => {
    const changed = await patch(given, {
      webhook_url: NEW_HOOK,
      source_filter: ["board", "board"],
      language: "de",
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json.subscription, {
      id: given.id,
      webhook_url: NEW_HOOK,
      topics: [],
      source_filter: ["board"],
      severity_min: "info",
      language: "de",
      enabled: true,
      disabled_by: null,
      created_at: START_MS,
      catch_up: null,
    });
    await given.publish("1");
    assert.deepEqual([sentTo(given, HOOK).length, sentTo(given, NEW_HOOK).length], [0, 1]);
    await patch(given, { severity_min: "critical" });
    await given.publish("2");
    assert.equal(sentTo(given, NEW_HOOK).length, 1);
  }));

Deno.test("PATCH /v1/subscriptions/{id} names what is wrong and changes nothing then", () =>
  withSubscription(async (given) => {
    const rows: [body: unknown, code: string, field: string][] = [
      [{}, "invalid_input", "body"],
      [{ topics: ["nonsense"] }, "invalid_input", "topics"],
      [{ source_filter: ["nobody"] }, "invalid_input", "source_filter"],
      [{ language: "tlh" }, "invalid_input", "language"],
      [{ enabled: "yes" }, "invalid_input", "enabled"],
      [{ webhook_secret: "mine" }, "invalid_input", "webhook_secret"],
      [{ webhook_url: "http://hooks.example.org/ai" }, "invalid_webhook_url", "webhook_url"],
      [{ webhook_url: "https://inside.example.org/ai" }, "invalid_webhook_url", "webhook_url"],
      [{ webhook_url: "https://10.0.0.7/ai", language: "de" }, "invalid_webhook_url", "webhook_url"],
    ];
    for (const [body, code, field] of rows) {
      const reply = await patch(given, body);
      assert.deepEqual([reply.status, reply.json.code], [400, code], JSON.stringify(body));
      assert.deepEqual(reply.json.errors.map((error: Json) => error.field), [field]);
    }
    const [listed] = (await given.world.ask("/v1/subscriptions", { key: given.key })).json.subscriptions;
    assert.deepEqual([listed.webhook_url, listed.language], [HOOK, "en"]);
    assert.equal((await patch(given, { language: "de" }, "sub_x")).status, 404);
    assert.equal((await patch(given, { language: "de" }, "sub_01KYWDAKRR5WRWT5EF8803K207")).status, 404);
  }));

Deno.test("PATCH /v1/subscriptions/{id} keeps to the rules of creation: no duplicate, no more than the tier allows", () =>
  withSubscription(async (given) => {
    const { world, key } = given;
    const second = (await subscribe(world, key, { webhook_url: NEW_HOOK })).json.subscription.id;
    const duplicate = await patch(given, { webhook_url: HOOK }, second);
    assert.deepEqual([duplicate.status, duplicate.json.code], [409, "duplicate_subscription"]);
    await patch(given, { enabled: false }, second);
    assert.equal((await subscribe(world, key, { webhook_url: NEW_HOOK, language: "de" })).status, 201);
    const full = await patch(given, { enabled: true, severity_min: "low" }, second);
    assert.deepEqual([full.status, full.json.code], [403, "subscription_limit_reached"]);
  }, "[tiers.team]\nactive_subscriptions = 2\n"));

Deno.test("a subscription that is switched off holds its events, and gets them in order when it is on again", () =>
  withSubscription(async (given) => {
    const off = await patch(given, { enabled: false });
    assert.deepEqual([off.json.subscription.enabled, off.json.subscription.disabled_by], [false, "owner"]);
    await given.publish("1", "2", "3");
    assert.equal(sentTo(given, HOOK).length, 0);
    const held = (await given.world.ask("/v1/deliveries?status=held", { key: given.key })).json.deliveries;
    assert.deepEqual(held.map((one: Json) => [one.sequence, /is disabled/.test(one.reason)]), [
      [3, true],
      [2, true],
      [1, true],
    ]);
    await patch(given, { enabled: true });
    for (let second = 0; second < 10; second++) {
      await given.world.platform.clock.advance(60_000);
      await given.world.app.tick();
    }
    const sequences = sentTo(given, HOOK).map(({ body }) => JSON.parse(body ?? "").sequence);
    assert.deepEqual(sequences, [1, 2, 3]);
  }));

Deno.test("POST /v1/subscriptions/{id}/rotate-secret shows a new secret once; for a day both sign, the new one first", () =>
  withSubscription(async (given) => {
    const { world, key, id, secret: old } = given;
    const rotate = () =>
      world.ask(`/v1/subscriptions/${id}/rotate-secret`, {
        method: "POST",
        key,
        headers: { "idempotency-key": "r1" },
      });
    const rotated = await rotate();
    assert.equal(rotated.status, 200, rotated.text);
    const { webhook_secret: fresh } = rotated.json.subscription;
    assert.match(fresh, /^[0-9a-f]{64}$/);
    assert.notEqual(fresh, old);
    assert.equal(rotated.json.previous_secret_until, START_MS + 86_400_000);
    assert.equal((await rotate()).text, rotated.text, "a lost answer can be asked for again");
    assert.doesNotMatch((await world.ask("/v1/subscriptions", { key })).text, new RegExp(`${fresh}|${old}`));

    await given.publish("1");
    const [both] = sentTo(given, HOOK);
    const signatures = both?.headers["webhook-signature"]?.split(" ") ?? [];
    assert.equal(signatures.length, 4);
    const verifies = (secret: string, header: string, request = both): boolean => {
      const realNow = Date.now;
      Date.now = () => world.platform.clock.nowMs();
      try {
        new Webhook(secret).verify(request?.body ?? "", { ...request?.headers, "webhook-signature": header });
        return true;
      } catch {
        return false;
      } finally {
        Date.now = realNow;
      }
    };
    assert.ok(verifies(fresh, signatures.slice(0, 2).join(" ")));
    assert.ok(verifies(old, signatures.slice(2).join(" ")));

    await world.platform.clock.advance(86_400_000);
    await given.publish("2");
    const later = sentTo(given, HOOK).at(-1);
    const header = later?.headers["webhook-signature"] ?? "";
    assert.deepEqual([verifies(fresh, header, later), verifies(old, header, later)], [true, false]);
  }));

Deno.test("backfill_since delivers the stored past first, in order, and then what comes", () =>
  withSubscription(async (given) => {
    const { world, key } = given;
    await given.publish("1", "2", "3");
    const wanted = { webhook_url: NEW_HOOK, backfill_since: 0 };
    assert.equal((await subscribe(world, key, wanted)).status, 201);
    await given.publish("4");
    await given.publish("5");
    const got = sentTo(given, NEW_HOOK).map(({ body }) => JSON.parse(body ?? ""));
    assert.deepEqual(got.map(({ sequence, event }) => [sequence, event.external_id]), [
      [1, "1"],
      [2, "2"],
      [3, "3"],
      [4, "4"],
      [5, "5"],
    ]);
    const future = await subscribe(world, key, {
      ...wanted,
      backfill_since: world.platform.clock.nowMs() + 1,
    });
    assert.deepEqual([future.status, future.json.errors[0].field], [400, "backfill_since"]);
  }));

Deno.test("a backfill stops where the month's deliveries end, says so, and goes on in the next month", () =>
  withSubscription(async (given) => {
    const { world, key, id } = given;
    await given.publish("1", "2", "3");
    await world.ask(`/v1/subscriptions/${id}`, { method: "DELETE", key });
    const created = await subscribe(world, key, { webhook_url: NEW_HOOK, backfill_since: 0 });
    const running = {
      reason: "backfill",
      state: "running",
      since: world.platform.clock.nowMs(),
      next_event_id: null,
    };
    assert.deepEqual(created.json.subscription.catch_up, running);
    await given.publish("4");
    const [listed] = (await world.ask("/v1/subscriptions", { key })).json.subscriptions;
    const { events } = (await world.ask("/v1/events", { key })).json;
    const third = events.find((event: Json) => event.external_id === "3");
    assert.deepEqual(listed.catch_up, { ...running, state: "paused", next_event_id: third.id });
    assert.equal((await world.ask("/v1/usage", { key })).json.webhook_deliveries.held, 0);
    const numbers = () => sentTo(given, NEW_HOOK).map(({ body }) => JSON.parse(body ?? "").event.external_id);
    assert.deepEqual(numbers(), ["1", "2"]);
    await world.platform.clock.advance(31 * 86_400_000);
    await world.app.tick();
    assert.deepEqual(numbers(), ["1", "2", "3", "4"]);
    const [after] = (await world.ask("/v1/subscriptions", { key })).json.subscriptions;
    assert.equal(after.catch_up, null);
  }, "[tiers.team]\nwebhook_deliveries_per_month = 5\n"));

Deno.test("backfills beyond the tier's number a day get 429, with the time at which to retry", () =>
  withSubscription(async ({ world, key }) => {
    const add = async (path: string) =>
      await subscribe(world, key, { webhook_url: `${NEW_HOOK}${path}`, backfill_since: 0 });
    assert.equal((await add("/1")).status, 201);
    const refused = await add("/2");
    assert.deepEqual([refused.status, refused.json.code], [429, "backfill_limit_reached"]);
    const resetMs = Date.UTC(2026, 7, 2);
    assert.match(refused.json.detail, /1 backfills a day.*2026-08-02T00:00:00\.000Z/);
    assert.equal(
      Number(refused.headers.get("retry-after")),
      Math.ceil((resetMs - world.platform.clock.nowMs()) / 1_000),
    );
    assert.equal((await subscribe(world, key, { webhook_url: `${NEW_HOOK}/2` })).status, 201);
    await world.platform.clock.advance(resetMs - world.platform.clock.nowMs());
    assert.equal((await add("/3")).status, 201);
  }, "[tiers.team]\nbackfills_per_day = 1\n"));

Deno.test("a subscription whose customer may hold no more is held_full, by the API and a mail, and loses nothing", () =>
  withSubscription(async (given) => {
    const { world, key } = given;
    await given.publish("1", "2", "3");
    await given.publish("4", "5");
    const [listed] = (await world.ask("/v1/subscriptions", { key })).json.subscriptions;
    assert.deepEqual([listed.catch_up.reason, listed.catch_up.state], ["held_full", "paused"]);
    const { webhook_deliveries: usage } = (await world.ask("/v1/usage", { key })).json;
    assert.deepEqual([usage.held, usage.held_limit], [2, 2]);
    const mails = await world.store.listMails({ limit: 9 });
    assert.equal(mails.filter(({ kind }) => kind === "held-full").length, 1);
    for (let month = 0; month < 4; month++) {
      await world.platform.clock.advance(31 * 86_400_000);
      await world.app.tick();
    }
    const got = sentTo(given, HOOK).map(({ body }) => JSON.parse(body ?? ""));
    assert.deepEqual(
      got.map(({ sequence, event }) => [sequence, event.external_id]),
      ["1", "2", "3", "4", "5"].map((id, at) => [at + 1, id]),
    );
    assert.equal((await world.ask("/v1/subscriptions", { key })).json.subscriptions[0].catch_up, null);
  }, "[tiers.team]\nwebhook_deliveries_per_month = 1\nheld_deliveries = 2\n"));

Deno.test("a lower tier holds the newest subscriptions with their events, and a higher one brings all back", () =>
  withSubscription(async (given) => {
    const { world, key } = given;
    await world.platform.clock.advance(1_000);
    const second = await subscribe(world, key, { webhook_url: NEW_HOOK });
    const { id } = second.json.subscription;
    const [{ customer } = { customer: { id: "" } }] = await world.store.listCustomers();
    const setTier = (tier: "indie" | "team") =>
      world.store.changeCustomer(customer.id, { tier }, {
        actor: "cli:test",
        atMs: world.platform.clock.nowMs(),
        tiers: world.config.tiers,
        newMailId: () => world.newId("mail"),
      });
    await setTier("indie");
    const listed = (await world.ask("/v1/subscriptions", { key })).json.subscriptions;
    assert.deepEqual(listed.map((one: Json) => [one.id, one.enabled, one.disabled_by]), [
      [given.id, true, null],
      [id, false, "tier"],
    ]);
    await given.publish("1");
    assert.deepEqual([sentTo(given, HOOK).length, sentTo(given, NEW_HOOK).length], [1, 0]);
    const held = (await world.ask(`/v1/deliveries?status=held`, { key })).json.deliveries;
    assert.deepEqual(held.map((one: Json) => one.subscription_id), [id]);
    const refused = await patch(given, { enabled: true }, id);
    assert.deepEqual([refused.status, refused.json.code], [403, "subscription_limit_reached"]);
    assert.match(refused.json.detail, /1 active subscription\. Delete or disable another one, or/);
    assert.match(
      held[0].reason,
      /^held: .*exceeds the tier's limit .*when another one is deleted or disabled/,
    );
    const twin = await subscribe(world, key, { webhook_url: NEW_HOOK });
    assert.deepEqual([twin.status, /held by your tier's limit/.test(twin.json.detail)], [409, true]);
    await setTier("team");
    await world.platform.clock.advance(1_000);
    await world.app.tick();
    const [sent] = sentTo(given, NEW_HOOK);
    assert.equal(sentTo(given, NEW_HOOK).length, 1);
    assert.equal(JSON.parse(sent?.body ?? "").subscription_id, id);
    assert.equal((await world.ask("/v1/deliveries?status=held", { key })).json.count, 0);
  }));

Deno.test("DELETE /v1/subscriptions/{id} makes room for what the tier held", () =>
  withSubscription(async (given) => {
    const { world, key } = given;
    await world.platform.clock.advance(1_000);
    const { id } = (await subscribe(world, key, { webhook_url: NEW_HOOK })).json.subscription;
    const [{ customer } = { customer: { id: "" } }] = await world.store.listCustomers();
    const newMailId = () => world.newId("mail");
    const by = { actor: "cli:test", atMs: START_MS, tiers: world.config.tiers, newMailId };
    await world.store.changeCustomer(customer.id, { tier: "indie" }, by);
    assert.equal((await world.ask(`/v1/subscriptions/${given.id}`, { method: "DELETE", key })).status, 200);
    const listed = (await world.ask("/v1/subscriptions", { key })).json.subscriptions;
    assert.deepEqual(listed.map((one: Json) => [one.id, one.enabled]), [[id, true]]);
  }));

Deno.test("what is to act only under an entity tag does not act, for nothing that can be changed has one", () =>
  withSubscription(async ({ world, key, id }) => {
    const at = `/v1/subscriptions/${id}`;
    const before = await world.ask("/v1/subscriptions", { key });
    const tag = before.headers.get("etag") ?? "";
    const rows: [method: string, path: string, body?: string][] = [
      ["PATCH", at, JSON.stringify({ language: "de" })],
      ["DELETE", at],
      ["POST", `${at}/rotate-secret`],
      ["POST", `${at}/test`],
      ["POST", "/v1/subscriptions", JSON.stringify({ webhook_url: NEW_HOOK })],
    ];
    for (const [method, path, body] of rows) {
      for (const ifMatch of [tag, '"a"', 'W/"a", "b"', ""]) {
        const headers = { "if-match": ifMatch };
        const reply = await world.ask(path, {
          method,
          key,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        assert.deepEqual([reply.status, reply.json.code], [412, "precondition_failed"], `${method} ${path}`);
      }
    }
    assert.equal((await world.ask("/v1/subscriptions", { key })).text, before.text);
    assert.equal(world.platform.http.requests.length, 0, "no test call went out");
    assert.equal((await world.ask("/v1/events", { key, headers: { "if-match": tag } })).status, 200);
    const any = { "if-match": "*" };
    const changed = await world.ask(at, { method: "PATCH", key, body: rows[0]?.[2] ?? "", headers: any });
    assert.deepEqual([changed.status, changed.json.subscription.language], [200, "de"]);
    const unknown = `${at.slice(0, -1)}0`;
    assert.equal((await world.ask(unknown, { method: "DELETE", key, headers: any })).status, 404);
  }));
