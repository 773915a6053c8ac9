// Changes to subscriptions through the API: filters, URL, enabling, secret, backfill and limits.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { SeenRequest } from "../support/platform.ts";
import { boardConfig } from "../support/samples.ts";
import { START_MS, withWorld } from "../support/world.ts";
import { assertFields, HOOK, type Json, NEW_HOOK, publishFeed, withSubscription } from "./given.ts";

const DAY_MS = 86_400_000;

Deno.test("PATCH /v1/subscriptions/{id} changes the given fields, for new events and for pending deliveries", () =>
  withSubscription(async ({ world, patch, subscription, publish, sentTo }) => {
    const texts = { name: "Legal team", note: "Ask Ana.\nUsed since May." };
    const changes = { webhook_url: NEW_HOOK, source_filter: ["board", "board"], language: "de", ...texts };
    const changed = await patch(changes);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json.subscription, {
      id: subscription.id,
      webhook_url: NEW_HOOK,
      header_names: [],
      ...texts,
      topics: [],
      source_filter: ["board"],
      severity_min: "info",
      event_type: [],
      article: [],
      event_language: [],
      q: null,
      exclude: { topics: [], source: [], event_type: [], article: [], q: null },
      language: "de",
      enabled: true,
      disabled_by: null,
      created_at: START_MS,
      last_success_at: null,
      failing_since: null,
      pending: 0,
      held: 0,
      catch_up: null,
    });
    await publish("1");
    assert.deepEqual([sentTo(HOOK).length, sentTo(NEW_HOOK).length], [0, 1]);
    const { name, note, last_success_at } = (await patch({ severity_min: "critical", name: null })).json
      .subscription;
    assert.deepEqual([name, note, last_success_at], [null, texts.note, world.platform.clock.nowMs()]);
    await publish("2");
    assert.equal(sentTo(NEW_HOOK).length, 1);
  }));

Deno.test("PATCH /v1/subscriptions/{id} names the invalid field and changes nothing", () =>
  withSubscription(async ({ patch, get }) => {
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
      const reply = await patch(body);
      assertFields(reply, 400, [field], JSON.stringify(body));
      assert.equal(reply.json.code, code);
    }
    const [{ webhook_url, language }] = (await get("/v1/subscriptions")).subscriptions;
    assert.deepEqual([webhook_url, language], [HOOK, "en"]);
    for (const id of ["sub_x", "sub_01KYWDAKRR5WRWT5EF8803K207"]) {
      assert.equal((await patch({ language: "de" }, id)).status, 404, id);
    }
  }));

Deno.test("PATCH /v1/subscriptions/{id} follows the rules of creation", () =>
  withSubscription(async ({ subscription, patch, subscribe }) => {
    const { id } = (await subscribe({ webhook_url: NEW_HOOK })).json.subscription;
    const duplicate = await patch({ webhook_url: HOOK }, id);
    assert.deepEqual([duplicate.status, duplicate.json.code], [409, "duplicate_subscription"]);
    assert.equal(duplicate.json.subscription_id, subscription.id);
    await patch({ enabled: false }, id);
    assert.equal((await subscribe({ webhook_url: NEW_HOOK, language: "de" })).status, 201);
    const full = await patch({ enabled: true, severity_min: "low" }, id);
    assert.deepEqual([full.status, full.json.code], [403, "subscription_limit_reached"]);
  }, { config: "[tiers.team]\nactive_subscriptions = 2\n" }));

/** Returns whether the official library verifies a request with the secret, at the time of the world's clock. */
function verifies(secret: string, { body = "", headers }: SeenRequest, nowMs: number): boolean {
  const realNow = Date.now;
  Date.now = () => nowMs;
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = realNow;
  }
}

Deno.test("POST /v1/subscriptions/{id}/rotate-secret shows a new secret once; both secrets sign for a day", () =>
  withSubscription(
    async ({ world, key, ask, publish, sentTo, subscription: { id, webhook_secret: old } }) => {
      const { clock } = world.platform;
      const rotate = (attempt: string) =>
        ask("POST", `/v1/subscriptions/${id}/rotate-secret`, { headers: { "idempotency-key": attempt } });
      const rotated = await rotate("r1");
      assert.equal(rotated.status, 200, rotated.text);
      const { webhook_secret: fresh } = rotated.json.subscription;
      assert.match(fresh, /^[0-9a-f]{64}$/);
      assert.notEqual(fresh, old);
      assert.equal(rotated.json.previous_secret_until, START_MS + DAY_MS);
      assert.equal((await rotate("r1")).text, rotated.text);
      const list = await world.ask("/v1/subscriptions", { key });
      assert.doesNotMatch(list.text, new RegExp(`${fresh}|${old}`));

      const secretsOf = async (name: string, secrets: readonly string[]) => {
        await publish(name);
        const [request, ...more] = sentTo(HOOK).slice(-1);
        assert.ok(request !== undefined && more.length === 0);
        return secrets.map((secret) => verifies(secret, request, clock.nowMs()));
      };
      assert.deepEqual(await secretsOf("1", [fresh, old]), [true, true]);
      assert.equal(sentTo(HOOK)[0]?.headers["webhook-signature"]?.split(" ").length, 4);
      await clock.advance(START_MS + DAY_MS - 3_600_000 - clock.nowMs());
      assert.deepEqual(await secretsOf("2", [fresh, old]), [true, true], "within the day");
      await clock.advance(START_MS + DAY_MS - clock.nowMs());
      assert.deepEqual(await secretsOf("3", [fresh, old]), [true, false], "after the day");
      const second = (await rotate("r2")).json.subscription.webhook_secret;
      const third = (await rotate("r3")).json.subscription.webhook_secret;
      assert.deepEqual(await secretsOf("4", [fresh, second, third]), [false, true, true], "rotated again");
    },
  ));

Deno.test("a subscription with the filters of a list delivers what that list returns: new events, a backfill and a replay", () =>
  withWorld(boardConfig(), async (world) => {
    const { platform, app } = world;
    platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    const { key } = await world.addCustomer({ tier: "gpai" });
    const items = [
      { id: "1", title: "Guidelines on the AI Act: labels" },
      {
        id: "2",
        title: "Court ruling on the AI Act",
        summary: "Labelling under Article 50(2) of the AI Act.",
      },
      { id: "3", title: "Guidelines on the AI Act: high-risk systems", summary: "Article 6 of the AI Act." },
      { id: "4", title: "Speech on the AI Act", summary: "On labels." },
    ];
    const ask = async (path: string, method = "GET", body?: unknown) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const reply = await world.ask(path, { method, key, ...sent });
      assert.ok(reply.status < 300, `${path} ${reply.text}`);
      return reply.json;
    };
    const filters: [query: string, filter: Record<string, unknown>][] = [
      ["event_type=guidance", { event_type: ["guidance"] }],
      ["article=Art.+50", { article: ["Article 50"] }],
      ["q=label*+ai", { q: "label* AI" }],
      ['q="high-risk+systems"', { q: '"high-risk systems"' }],
      ["language=de", { event_language: ["de"] }],
      ["event_type=guidance,speech&q=labels", { event_type: ["guidance", "speech"], q: "labels" }],
    ];
    const subscribeAll = (path: string, more: Record<string, unknown> = {}) =>
      Promise.all(filters.map(async ([query, filter], at) => {
        const body = { webhook_url: `${HOOK}/${path}/${at}`, ...filter, ...more };
        return { query, at, id: (await ask("/v1/subscriptions", "POST", body)).subscription.id };
      }));
    const sentTo = (path: string, at: number): string[] =>
      platform.http.requests.filter(({ url }) => url === `${HOOK}/${path}/${at}`)
        .map(({ body }) => JSON.parse(body ?? "").event.title_en).sort();
    const listed = async (query: string): Promise<string[]> =>
      (await ask(`/v1/events?${query}`)).events.map((event: Json) => event.title_en).sort();

    const live = await subscribeAll("live");
    publishFeed(world, ...items);
    await app.tick();
    await platform.clock.advance(60_000);
    await subscribeAll("past", { backfill_since: 0 });
    await app.tick();
    const counts = new Set<number>();
    for (const { query, at, id } of live) {
      const expected = await listed(query);
      counts.add(expected.length);
      assert.deepEqual(sentTo("live", at), expected, query);
      assert.deepEqual(sentTo("past", at), expected, `backfill of ${query}`);
      const { replayed } = await ask(`/v1/subscriptions/${id}/replay`, "POST", { since: 0 });
      assert.equal(replayed, expected.length, `replay of ${query}`);
    }
    assert.ok(counts.size > 1, "the filters select different events");

    const [{ id } = { id: "" }] = live;
    const exclude = { event_type: ["court-ruling"], q: "high-risk" };
    const changed = await ask(`/v1/subscriptions/${id}`, "PATCH", { event_type: [], exclude });
    assert.deepEqual(changed.subscription.exclude, { topics: [], source: [], article: [], ...exclude });
    const before = sentTo("live", 0).length;
    const again = items.map((item) => ({ ...item, id: `${item.id}b` }));
    publishFeed(world, ...items, ...again);
    await platform.clock.advance(3_600_000);
    await app.tick();
    const types = platform.http.requests.filter(({ url }) => url === `${HOOK}/live/0`).slice(before)
      .map(({ body }) => JSON.parse(body ?? "").event)
      .filter((event: Json) => event.external_id.endsWith("b"));
    assert.deepEqual(types.map((event: Json) => event.title_en).sort(), [items[0]?.title, items[3]?.title]);
  }));

Deno.test("a backfill pauses when the monthly quota is used up, and continues in the next month", () =>
  withSubscription(async ({ world, ask, get, subscribe, subscription, publish, pass, bodiesTo }) => {
    await publish("1", "2", "3");
    await ask("DELETE", `/v1/subscriptions/${subscription.id}`);
    const nowMs = world.platform.clock.nowMs();
    const future = await subscribe({ webhook_url: NEW_HOOK, backfill_since: nowMs + 1 });
    assertFields(future, 400, ["backfill_since"]);
    const created = await subscribe({ webhook_url: NEW_HOOK, backfill_since: 0 });
    const running = { reason: "backfill", state: "running", since: nowMs, next_event_id: null };
    assert.deepEqual(created.json.subscription.catch_up, running);
    await publish("4");
    const [listed] = (await get("/v1/subscriptions")).subscriptions;
    const third = (await get("/v1/events")).events.find((event: Json) => event.external_id === "3");
    assert.deepEqual(listed.catch_up, { ...running, state: "paused", next_event_id: third.id });
    assert.equal((await get("/v1/usage")).webhook_deliveries.held, 0);
    const sent = () => bodiesTo(NEW_HOOK).map(({ sequence, event }) => `${sequence}: ${event.external_id}`);
    assert.deepEqual(sent(), ["1: 1", "2: 2"]);
    await pass(31 * 86_400_000);
    assert.deepEqual(sent(), ["1: 1", "2: 2", "3: 3", "4: 4"]);
    assert.equal((await get("/v1/subscriptions")).subscriptions[0].catch_up, null);
  }, { config: "[tiers.team]\nwebhook_deliveries_per_month = 5\n" }));

Deno.test("backfills beyond the tier's daily limit get 429 with the time at which to retry", () =>
  withSubscription(async ({ world: { platform: { clock } }, subscribe }) => {
    const add = (path: string) => subscribe({ webhook_url: `${NEW_HOOK}${path}`, backfill_since: 0 });
    assert.equal((await add("/1")).status, 201);
    const refused = await add("/2");
    assert.deepEqual([refused.status, refused.json.code], [429, "backfill_limit_reached"]);
    const resetMs = Date.UTC(2026, 7, 2);
    assert.match(refused.json.detail, /allows 1 backfill a day, and it is used.*2026-08-02T00:00:00\.000Z/);
    const seconds = Math.ceil((resetMs - clock.nowMs()) / 1_000);
    assert.equal(refused.headers.get("retry-after"), String(seconds));
    assert.equal((await subscribe({ webhook_url: `${NEW_HOOK}/2` })).status, 201);
    await clock.advance(resetMs - clock.nowMs());
    assert.equal((await add("/3")).status, 201);
  }, { config: "[tiers.team]\nbackfills_per_day = 1\n" }));

Deno.test("a subscription beyond the limit on held deliveries is held_full, its owner gets an email, and no event is lost", () =>
  withSubscription(async ({ world, get, publish, pass, bodiesTo }) => {
    await publish("1", "2", "3");
    await publish("4", "5");
    const [listed] = (await get("/v1/subscriptions")).subscriptions;
    assert.deepEqual([listed.catch_up.reason, listed.catch_up.state], ["held_full", "paused"]);
    const { webhook_deliveries: usage } = await get("/v1/usage");
    assert.deepEqual([usage.held, usage.held_limit], [2, 2]);
    const mails = await world.store.listMails({ limit: 9 });
    assert.equal(mails.filter(({ kind }) => kind === "held-full").length, 1);
    for (let month = 0; month < 4; month++) await pass(31 * 86_400_000);
    const ids = bodiesTo(HOOK).map(({ event }) => event.external_id);
    assert.deepEqual(ids, ["1", "2", "3", "4", "5"]);
    assert.equal((await get("/v1/subscriptions")).subscriptions[0].catch_up, null);
  }, { config: "[tiers.team]\nwebhook_deliveries_per_month = 1\nheld_deliveries = 2\n" }));

Deno.test("a lower tier holds the newest subscriptions and states the reason, and a higher tier enables them", () =>
  withSubscription(
    async ({ world, get, subscribe, subscription, publish, patch, pass, sentTo, bodiesTo }) => {
      await pass(1_000);
      const { id } = (await subscribe({ webhook_url: NEW_HOOK })).json.subscription;
      const [{ customer } = { customer: { id: "" } }] = await world.store.listCustomers();
      const setTier = (tier: "indie" | "team") => {
        const atMs = world.platform.clock.nowMs();
        const newMailId = () => world.newId("mail");
        const by = { actor: "cli:test", atMs, tiers: world.config.tiers, newMailId };
        return world.store.changeCustomer(customer.id, { tier }, by);
      };
      await setTier("indie");
      const listed = (await get("/v1/subscriptions")).subscriptions;
      assert.deepEqual(listed.map((one: Json) => [one.id, one.enabled, one.disabled_by]), [
        [subscription.id, true, null],
        [id, false, "tier"],
      ]);
      await publish("1");
      assert.deepEqual([sentTo(HOOK).length, sentTo(NEW_HOOK).length], [1, 0]);
      const [held] = (await get("/v1/deliveries?status=held")).deliveries;
      assert.match(
        held.reason,
        /^held: .*exceeds the tier's limit .*when another subscription is deleted or disabled/,
      );
      const refused = await patch({ enabled: true }, id);
      assert.deepEqual([refused.status, refused.json.code], [403, "subscription_limit_reached"]);
      assert.match(refused.json.detail, /1 active subscription\. Delete or disable another one, or/);
      const twin = await subscribe({ webhook_url: NEW_HOOK });
      assert.deepEqual([twin.status, /held by your tier's limit/.test(twin.json.detail)], [409, true]);
      await setTier("team");
      await pass(1_000);
      assert.deepEqual(bodiesTo(NEW_HOOK).map(({ subscription_id }) => subscription_id), [id]);
    },
  ));

Deno.test("writes with an entity tag in If-Match are refused, because mutable resources have only weak tags", () =>
  withSubscription(async ({ world, key, ask, subscription }) => {
    const path = `/v1/subscriptions/${subscription.id}`;
    const before = await ask("GET", "/v1/subscriptions");
    const tag = before.headers.get("etag") ?? "";
    const rows: [method: string, path: string, body?: unknown][] = [
      ["PATCH", path, { language: "de" }],
      ["DELETE", path],
      ["POST", `${path}/rotate-secret`],
      ["POST", `${path}/test`],
      ["POST", "/v1/subscriptions", { webhook_url: NEW_HOOK }],
    ];
    for (const [method, path, body] of rows) {
      for (const ifMatch of [tag, '"a"', 'W/"a", "b"', ""]) {
        const reply = await ask(method, path, { body, headers: { "if-match": ifMatch } });
        assert.deepEqual([reply.status, reply.json.code], [412, "precondition_failed"], `${method} ${path}`);
      }
    }
    assert.equal((await world.ask("/v1/subscriptions", { key })).text, before.text);
    assert.equal(world.platform.http.requests.length, 0, "no test call was sent");
    assert.equal((await ask("GET", "/v1/events", { headers: { "if-match": tag } })).status, 200);
    const headers = { "if-match": "*" };
    const changed = await ask("PATCH", path, { body: { language: "de" }, headers });
    assert.deepEqual([changed.status, changed.json.subscription.language], [200, "de"]);
    assert.equal((await ask("DELETE", `${path.slice(0, -1)}0`, { headers })).status, 404);
  }));
