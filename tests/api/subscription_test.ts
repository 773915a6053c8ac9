// Subscriptions in the API: creation, deletion and test deliveries.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import {
  subscriptionCreated,
  subscriptionList,
  subscriptionResponse,
  testResponse,
} from "../../src/wire/subscription.ts";
import { boardConfig } from "../support/samples.ts";
import { createWorld, type Reply, START_MS, type World } from "../support/world.ts";
import { assertFields, HOOK, type Json, subscribe, withHosts } from "./given.ts";

const withWorld = (work: (world: World, key: string) => Promise<void>, config?: string) =>
  withHosts(async (world) => await work(world, (await world.addCustomer()).key), config);

Deno.test("POST /v1/subscriptions needs only webhook_url and shows the secret once", () =>
  withWorld(async (world, key) => {
    const created = await subscribe(world, key, { webhook_url: HOOK });
    assert.equal(created.status, 201, created.text);
    subscriptionCreated.parse(created.json);
    const { webhook_secret: secret, ...record } = created.json.subscription;
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.match(created.json.note, /shown only once/);
    assert.equal(created.headers.get("cache-control"), "no-store");
    assert.deepEqual(record, {
      id: record.id,
      webhook_url: HOOK,
      header_names: [],
      name: null,
      note: null,
      topics: [],
      source_filter: [],
      severity_min: "info",
      event_type: [],
      article: [],
      event_language: [],
      q: null,
      exclude: { topics: [], source: [], event_type: [], article: [], q: null },
      language: "en",
      enabled: true,
      disabled_by: null,
      created_at: START_MS,
      last_success_at: null,
      failing_since: null,
      pending: 0,
      held: 0,
      catch_up: null,
    });
    const listed = await world.ask("/v1/subscriptions", { key });
    subscriptionList.parse(listed.json);
    assert.deepEqual(listed.json.subscriptions, [record]);
    assert.equal(listed.json.count, 1);
    assert.doesNotMatch(listed.text, new RegExp(secret));
    const one = await world.ask(`/v1/subscriptions/${record.id}`, { key });
    subscriptionResponse.parse(one.json);
    assert.deepEqual(one.json.subscription, record);
  }));

Deno.test("POST /v1/subscriptions names every invalid field, with the rule that it violates", () =>
  withWorld(async (world, key) => {
    const known =
      "webhook_url, headers, name, note, topics, source_filter, severity_min, event_type, article, event_language, q, " +
      "exclude, language, backfill_since";
    const withHook = (fields: Record<string, unknown>) => ({ webhook_url: HOOK, ...fields });
    /** A body and its invalid fields, some of them with the error message. */
    const rows: [body: unknown, ...problems: string[]][] = [
      [{}, "webhook_url: is missing: it must be a string"],
      [{ webhook_url: 5 }, "webhook_url: must be a string"],
      [{ webhook_url: "" }, "webhook_url: must not be empty"],
      [{ webhook_url: "x".repeat(2_049) }, "webhook_url: may have at most 2048 characters"],
      ...[1e300, 1.5, "yesterday", true, null].map((backfill_since): [unknown, string] => [
        withHook({ backfill_since }),
        "backfill_since: must be a time in Unix milliseconds such as 1785542400000, or in ISO 8601 such as 2026-08-01 or " +
        "2026-08-01T10:00:00Z",
      ]),
      [
        withHook({ backfill_since: 1_785_542_400 }),
        "backfill_since: seems to be in seconds; write 1785542400000 for this time in Unix milliseconds",
      ],
      [withHook({ topics: "gpai" }), "topics: must be a list"],
      [withHook({ topics: Array(201).fill("gpai") }), "topics: may have at most 200 entries"],
      [withHook({ topics: ["nonsense"] }), "topics"],
      [withHook({ topics: [1] }), "topics.0"],
      [withHook({ topics: ["gpai", 1, "nonsense", ""] }), "topics", "topics.1", "topics.3"],
      [withHook({ source_filter: [null, "board", "nobody"] }), "source_filter", "source_filter.0"],
      [withHook({ source_filter: ["nobody"] }), "source_filter"],
      [withHook({ event_type: ["rule"] }), "event_type.0"],
      [withHook({ article: ["Art. 50", "Art. 200"] }), "article"],
      [withHook({ event_language: ["German"] }), "event_language"],
      [
        withHook({ event_language: ["xx"] }),
        'event_language: "xx" is not an ISO 639-1 code in lower case, such as en',
      ],
      [withHook({ q: "" }), "q: must not be empty"],
      [withHook({ q: 'high "risk' }), "q"],
      [withHook({ q: "AI*" }), "q: contains AI*; write at least 3 letters before *"],
      [
        withHook({ exclude: { source_filter: ["board"] } }),
        "exclude.source_filter: is not a known field; did you mean source? known: topics, source, event_type, article, q",
      ],
      [
        withHook({ exclude: { topics: ["nonsense"], source: ["nobody"], article: ["x"], q: "*" } }),
        ...["exclude.article", "exclude.q", "exclude.source", "exclude.topics"],
      ],
      [
        withHook({ severity_min: "loud" }),
        'severity_min: must be one of info, low, medium, high, critical, not "loud"',
      ],
      [withHook({ language: "tlh" }), 'language: must be one of en, de, fr, not "tlh"'],
      [withHook({ severity_min: 5 }), "severity_min: must be one of info, low, medium, high, critical"],
      [
        withHook({ topics: ["transparancy"] }),
        'topics: "transparancy" is not a topic; did you mean "transparency"? GET /v1/topics lists all topics',
      ],
      [
        withHook({ source_filter: ["bord"] }),
        'source_filter: "bord" is not a source; did you mean "board"? GET /v1/sources lists the sources',
      ],
      [
        withHook({ exclude: { topics: ["gpay"] } }),
        'exclude.topics: "gpay" is not a topic; did you mean "gpai"? GET /v1/topics lists all topics',
      ],
      [withHook({ webhook_secret: "mine" }), "webhook_secret"],
      [
        withHook({ headers: { Host: "h" } }),
        "headers.Host: is set by HTTP or by Regfeed, so you cannot set it",
      ],
      [
        withHook({ headers: { "a b": "v", x: "v\n", "webhook-id": "v" } }),
        "headers.a b",
        "headers.webhook-id",
        "headers.x",
      ],
      [withHook({ headers: { "X-A": "1", "x-a": "2" } }), "headers: has the same name twice"],
      [withHook({ headers: { x: 1 } }), "headers.x: must be a string"],
      [
        `{"webhook_url":"${HOOK}","headers":{"__proto__":"v"}}`,
        "headers.__proto__: is not a valid header name",
      ],
      [withHook({ headers: ["x"] }), "headers: must be an object"],
      [
        withHook({ headers: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`x-${at}`, "v"])) }),
        "headers: may have at most 10 entries",
      ],
      [withHook({ name: "x".repeat(101) }), "name: may have at most 100 characters"],
      [withHook({ name: " " }), "name: must not be empty"],
      [withHook({ name: "two\nlines" }), "name: must not contain control characters"],
      [withHook({ note: "\u0007" }), "note: must not contain control characters except tabs and line breaks"],
      [withHook({ note: "x".repeat(1_001) }), "note: may have at most 1000 characters"],
      [withHook({ topic: [] }), `topic: is not a known field; did you mean topics? known: ${known}`],
      [withHook({ topic: [], severity: "low" }), "severity", "topic"],
      [[], "body: must be an object"],
      [`{"webhook_url":"${HOOK}","webhook_url":"${HOOK}/2"}`, "webhook_url"],
      [`{"webhook_url":"${HOOK}","topics":["\\"topics\\":"],"\\u0074opics" : []}`, "topics"],
      [`{"webhook_url":"${HOOK}","extra":{"a":1},"a":2}`, "a", "extra"],
      ["null", "body"],
      ['"text"', "body"],
      [
        {
          webhook_url: 5,
          topics: ["foo"],
          source_filter: ["x"],
          severity_min: "y",
          language: "xx",
          color: 1,
        },
        ...["color", "language", "severity_min", "source_filter", "topics", "webhook_url"],
      ],
      // The URL's own error code is used only if the URL is the only problem.
      [{ webhook_url: "https://10.0.0.7/", topics: ["foo"], color: 1 }, "color", "topics", "webhook_url"],
    ];
    for (const [body, ...problems] of rows) {
      const reply = await subscribe(world, key, body);
      const name = JSON.stringify(body).slice(0, 80);
      assertFields(reply, 400, problems.map((problem) => problem.replace(/:.*/, "")), name);
      assert.equal(reply.json.code, "invalid_input", name);
      for (const error of reply.json.errors) assert.deepEqual(Object.keys(error), ["field", "message"]);
      const [problem = ""] = problems;
      if (problem.includes(":")) assert.equal(reply.json.detail, problem, name);
    }
  }));

Deno.test("POST /v1/subscriptions returns the same response for every host that is not permitted", () =>
  withWorld(async (world, key) => {
    const addresses = [
      "https://127.0.0.1/",
      "https://[::1]/",
      "https://169.254.169.254/latest/meta-data",
      "https://localhost/",
      "https://inside.example.org/",
      "https://intranet/",
      "https://db.internal:8443/",
      "https://2130706433/",
      "https://1.1.1.1.in-addr.arpa/",
      "https://exa*mple.com/",
    ];
    const replies = new Set<string>();
    for (const webhook_url of addresses) {
      const reply = await subscribe(world, key, { webhook_url });
      assert.equal(reply.status, 400, webhook_url);
      assert.equal(reply.json.code, "invalid_webhook_url", webhook_url);
      replies.add(JSON.stringify({ ...reply.json, request_id: "" }));
    }
    assert.equal(replies.size, 1, "the response does not reveal what a host resolves to");
    assert.deepEqual(world.platform.http.requests, [], "nothing was sent");
  }));

Deno.test("POST /v1/subscriptions names its own URL and the schemes that the config allows", async () => {
  const own = 'server.public_url = "https://feed.example.org"';
  const rows: [config: string, webhookUrl: string, message: RegExp | null][] = [
    [
      own,
      "https://feed.example.org/v1/webhooks/payment",
      /^must not be a URL of this service; use the URL of your/,
    ],
    [own, "https://Feed.example.org:80/", /^must not be a URL of this service/],
    ["", "ftp://hooks.example.org/ai", /^must begin with https:\/\/, not with ftp:$/],
    [
      "delivery.allow_http = true",
      "ftp://hooks.example.org/ai",
      /^must begin with https:\/\/ or http:\/\/, not with/,
    ],
    [
      "delivery.allow_http = true",
      "hooks.example.org/ai",
      /^must begin with https:\/\/ or http:\/\/; write it in full/,
    ],
    ["delivery.allow_http = true", "http://hooks.example.org/ai", null],
  ];
  for (const [config, webhook_url, message] of rows) {
    await withWorld(async (world, key) => {
      const reply = await subscribe(world, key, { webhook_url });
      if (message === null) return assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.json.code, "invalid_webhook_url");
      assert.match(reply.json.errors[0].message, message);
    }, `${config}\n${boardConfig()}`);
  }
});

Deno.test("POST /v1/subscriptions states the rule that a URL violates, regardless of its host", () =>
  withWorld(async (world, key) => {
    const rows: [webhookUrl: (host: string) => string, message: RegExp][] = [
      [(host) => `http://${host}/ai`, /must begin with https:\/\/; over http, .*\[delivery\] allow_http\)$/],
      [(host) => `ftp://${host}/`, /must begin with https:\/\/, not with ftp:/],
      [(host) => `javascript:alert("${host}")`, /must begin with https:\/\/, not with javascript:/],
      [(host) => `${host}/ai`, /must begin with https:\/\/; write it in full/],
      [(host) => `www.${host}:8443/ai`, /must begin with https:\/\/; write it in full/],
      [(host) => `https:///${host}`, /has no host; write it in full/],
      [(host) => `https://user:pass@${host}/`, /must not contain a user name or password/],
      [(host) => `https://@${host}/`, /must not contain a user name or password/],
      [(host) => `https://${host}/a b`, /must not contain spaces, backslashes or control characters/],
      [(host) => `https://${host}\\x/`, /must not contain spaces, backslashes or control characters/],
      [
        (host) => `https://${host}:22/`,
        /must not use port 22; use port 80, port 443, or a port from 1024 up/,
      ],
      [(host) => `https://${host}:6379/`, /must not use port 6379/],
      [(host) => `https://${host}:99999/`, /has an invalid host or port/],
      [(host) => `https://${host}/${"é".repeat(1_000)}`, /must have at most 2048 characters, including %XX/],
    ];
    for (const [write, expected] of rows) {
      const messages = new Set<string>();
      // A public host, a host with a private address, a private address, a local name, and an unknown host.
      for (
        const host of ["hooks.example.org", "inside.example.org", "10.0.0.7", "localhost", "none.example.org"]
      ) {
        const reply = await subscribe(world, key, { webhook_url: write(host) });
        assertFields(reply, 400, ["webhook_url"], write(host));
        assert.equal(reply.json.code, "invalid_webhook_url");
        messages.add(reply.json.errors[0].message);
      }
      const [message = "", ...others] = messages;
      assert.deepEqual(others, [], "the host does not matter");
      assert.match(message, expected);
    }
    assert.deepEqual(world.platform.http.requests, [], "nothing was sent");
  }));

Deno.test("POST /v1/subscriptions refuses duplicates, even if URL and filters are written differently", () =>
  withWorld(async (world, key) => {
    const wish = {
      webhook_url: HOOK,
      topics: ["gpai", "transparency"],
      article: ["Art. 50"],
      q: "Labels AI",
    };
    const created = await subscribe(world, key, wish);
    assert.equal(created.status, 201);
    const topics = ["transparency", "gpai", "gpai"];
    const same = {
      webhook_url: "HTTPS://Hooks.Example.org:443/ai#x",
      topics,
      article: ["50"],
      q: "ai labels",
    };
    const again = await subscribe(world, key, same);
    assert.deepEqual([again.status, again.json.code], [409, "duplicate_subscription"]);
    const { id } = created.json.subscription;
    assert.equal(again.json.subscription_id, id);
    assert.match(again.json.detail, new RegExp(`^Your active subscription ${id} has this webhook_url`));
    const { key: otherKey } = await world.addCustomer({ email: "bo@example.org" });
    assert.equal((await subscribe(world, otherKey, same)).status, 201, "only your own subscriptions count");
  }));

Deno.test("equal requests with one Idempotency-Key create one subscription, also at once and after a restart", () =>
  withWorld(async (world, key) => {
    const send = (to: World) => subscribe(to, key, { webhook_url: HOOK }, { "idempotency-key": "k1" });
    const atOnce = await Promise.all(Array.from({ length: 20 }, () => send(world)));
    const [created, ...others] = atOnce.toSorted((a, b) => a.status - b.status);
    assert.equal(created?.status, 201);
    for (const { status, json } of others) {
      assert.deepEqual([status, json.code], [409, "idempotency_in_flight"]);
    }
    // The process ends after the commit, before the client has the response.
    const restarted = await createWorld(boardConfig(), { store: world.store });
    restarted.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    for (const server of [world, restarted]) {
      const again = await send(server);
      assert.deepEqual([again.status, again.text], [201, created?.text]);
      assert.equal(again.headers.get("idempotency-replayed"), "true");
    }
    assert.equal((await world.ask("/v1/subscriptions", { key })).json.count, 1);
  }));

Deno.test("POST /v1/subscriptions refuses more subscriptions than the tier allows, until one is deleted", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer({ tier: "indie" });
    const first = await subscribe(world, key, { webhook_url: HOOK });
    const second = await subscribe(world, key, { webhook_url: `${HOOK}/2` });
    assert.deepEqual([second.status, second.json.code], [403, "subscription_limit_reached"]);
    await world.ask(`/v1/subscriptions/${first.json.subscription.id}`, { method: "DELETE", key });
    assert.equal((await subscribe(world, key, { webhook_url: `${HOOK}/2` })).status, 201);
  }));

Deno.test("DELETE /v1/subscriptions/{id} returns the subscription once, after which it is unknown, as it always is to others", () =>
  withWorld(async (world, key) => {
    const { subscription } = (await subscribe(world, key, { webhook_url: HOOK })).json;
    const stranger = (await world.addCustomer()).key;
    const path = `/v1/subscriptions/${subscription.id}`;
    for (const method of ["GET", "DELETE"]) {
      assert.equal((await world.ask(path, { method, key: stranger })).status, 404);
    }
    const deleted = await world.ask(path, { method: "DELETE", key });
    assert.equal(deleted.status, 200);
    subscriptionResponse.parse(deleted.json);
    assert.equal(deleted.json.subscription.enabled, false);
    for (const method of ["GET", "DELETE"]) {
      assert.equal((await world.ask(path, { method, key })).status, 404);
    }
    assert.deepEqual((await world.ask("/v1/subscriptions", { key })).json.subscriptions, []);
  }));

Deno.test("POST /v1/subscriptions/{id}/test sends one signed delivery with severity info and source test", () =>
  withWorld(async (world, key) => {
    const { subscription } = (await subscribe(world, key, { webhook_url: HOOK })).json;
    const response = { status: 204, body: "the receiver's response" };
    world.platform.http.serve("https://hooks.example.org", () => response);
    world.platform.clock.set(Date.now()); // the verifier knows only the real time
    const reply = await world.ask(`/v1/subscriptions/${subscription.id}/test`, { method: "POST", key });
    assert.equal(reply.status, 200, reply.text);
    testResponse.parse(reply.json);
    assert.deepEqual([reply.json.delivered, reply.json.status_code, reply.json.problem], [true, 204, null]);
    assert.doesNotMatch(reply.text, /receiver's response/);
    assert.equal(world.platform.http.requests.length, 1);
    const [sent] = world.platform.http.requests;
    assert.deepEqual(sent?.addresses, ["93.184.215.14"]);
    const payload = new Webhook(subscription.webhook_secret).verify(sent?.body ?? "", sent?.headers ?? {});
    const { type, severity, source, delivery_id: id } = payload as Record<string, unknown>;
    assert.deepEqual([type, severity, source, id], ["event.test", "info", "test", reply.json.delivery_id]);
  }));

Deno.test("POST /v1/subscriptions/{id}/test sends a sample of each type, also while the subscription is disabled", () =>
  withWorld(async (world, key) => {
    const { subscription } = (await subscribe(world, key, { webhook_url: HOOK })).json;
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    const path = `/v1/subscriptions/${subscription.id}`;
    await world.ask(path, { method: "PATCH", key, body: JSON.stringify({ enabled: false }) });
    const rows: [body: string | undefined, type: string][] = [
      [undefined, "event.test"],
      ["", "event.test"],
      ["{}", "event.test"],
      ['{"type":"event.test"}', "event.test"],
      ['{"type":"event.published"}', "event.published"],
      ['{"type":"event.revised"}', "event.revised"],
    ];
    for (const [body, type] of rows) {
      const init = { method: "POST", key, ...(body === undefined ? {} : { body }) };
      // A client that sends no body may send no media type, or any.
      const headers = new Headers(body === "" ? { "content-type": "text/plain" } : {});
      const reply = await world.ask(`${path}/test`, { ...init, headers });
      assert.deepEqual([reply.status, reply.json.delivered], [200, true], reply.text);
      const payload = JSON.parse(world.platform.http.requests.at(-1)?.body ?? "");
      assert.deepEqual([payload.type, payload.source], [type, "test"]);
      assert.equal(payload.diff_to_previous !== undefined, type === "event.revised");
    }
    const wrong = await world.ask(`${path}/test`, { method: "POST", key, body: '{"type":"event.other"}' });
    assertFields(wrong, 400, ["type"]);
    const text = await world.ask(`${path}/test`, {
      method: "POST",
      key,
      body: "x",
      headers: { "content-type": "text/plain" },
    });
    assert.equal(text.status, 415);
    assert.equal(world.platform.http.requests.length, rows.length);
  }));

Deno.test("custom headers are sent with every delivery and test, and no response shows their values", () =>
  withWorld(async (world, key) => {
    const headers = { Authorization: "Bearer 0wner-s3cret", "X-Team": "legal-s3cret" };
    const sendKey = { "idempotency-key": "1" };
    const created = await subscribe(world, key, { webhook_url: HOOK, headers, name: "Legal" }, sendKey);
    const { id, header_names } = created.json.subscription;
    assert.deepEqual(header_names, ["authorization", "x-team"]);
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    const path = `/v1/subscriptions/${id}`;
    const patch = (body: unknown) => world.ask(path, { method: "PATCH", key, body: JSON.stringify(body) });
    const replies = [
      created,
      await subscribe(world, key, { webhook_url: HOOK, headers, name: "Legal" }, sendKey),
      await world.ask(path, { key }),
      await world.ask("/v1/subscriptions", { key }),
      await patch({ language: "de" }),
      await world.ask(`${path}/test`, { method: "POST", key }),
      await patch({ webhook_url: `${HOOK}/2` }),
      await patch({ headers: { "x-team": "s3cret\n" } }),
      await world.ask(`${path}/rotate-secret`, { method: "POST", key }),
    ];
    assert.deepEqual(replies.map(({ status }) => status), [201, 201, 200, 200, 200, 200, 400, 400, 200]);
    for (const { text } of replies) assert.doesNotMatch(text, /s3cret/);
    assertFields(replies[6] as Reply, 400, ["headers"]);
    const [test] = world.platform.http.requests;
    assert.deepEqual([test?.headers["authorization"], test?.headers["x-team"]], Object.values(headers));
    const moved = await patch({ webhook_url: `${HOOK}/2`, headers: { "X-Team": "other" } });
    assert.deepEqual([moved.status, moved.json.subscription.header_names], [200, ["x-team"]]);
    await world.ask(`${path}/test`, { method: "POST", key });
    const last = world.platform.http.requests.at(-1)?.headers ?? {};
    assert.deepEqual([last["authorization"], last["x-team"]], [undefined, "other"]);
  }));

Deno.test("POST /v1/subscriptions/{id}/test returns the problem, and 404 to other customers", () =>
  withWorld(async (world, key) => {
    const { subscription } = (await subscribe(world, key, { webhook_url: HOOK })).json;
    const path = `/v1/subscriptions/${subscription.id}/test`;
    const refused = await world.ask(path, { method: "POST", key });
    assert.equal(refused.status, 200);
    assert.deepEqual([refused.json.delivered, refused.json.status_code], [false, null]);
    assert.match(refused.json.problem, /connection refused/);
    world.platform.hosts.set("hooks.example.org", ["10.0.0.7"]);
    const moved = await world.ask(path, { method: "POST", key });
    assert.equal(moved.json.delivered, false, "the host resolves to a private address now");
    const stranger = (await world.addCustomer()).key;
    assert.equal((await world.ask(path, { method: "POST", key: stranger })).status, 404);
  }));

Deno.test("an invalid body, media type or encoding is rejected with the reason", () =>
  withWorld(async (world, key) => {
    const post = (body: BodyInit, type = "application/json", encoding?: string) => {
      const headers = new Headers({ "content-type": type });
      if (encoding !== undefined) headers.set("content-encoding", encoding);
      return world.ask("/v1/subscriptions", { method: "POST", key, body, headers });
    };
    const deep = "[".repeat(40_000) + "]".repeat(20_000);
    const rows: [name: string, reply: Promise<Reply>, status: number, field: string][] = [
      ["a form", post("webhook_url=x", "application/x-www-form-urlencoded"), 415, "Content-Type"],
      ["no type", post("{}", ""), 415, "Content-Type"],
      ["UTF-16", post("{}", "application/json; charset=utf-16"), 415, "Content-Type"],
      ["Latin", post("{}", 'application/json;charset="iso-8859-1"'), 415, "Content-Type"],
      ["spaces", post("{}", "application/json ; charset = utf-16"), 415, "Content-Type"],
      ["no charset", post("{}", "application/json; charset="), 415, "Content-Type"],
      ["two charsets", post("{}", "application/json; charset=utf-8; charset=utf-16"), 415, "Content-Type"],
      ["gzip", post("{}", "application/json", "gzip"), 415, "Content-Encoding"],
      ["broken JSON", post('{"webhook_url":'), 400, "body"],
      ["empty", post(""), 400, "body"],
      ["not UTF-8", post(Uint8Array.from([0x22, 0xff, 0x22])), 400, "body"],
      ["too long", post(`"${"x".repeat(70_000)}"`), 413, "body"],
      ["too deep", post(deep), 400, "body"],
      ["NUL", post('{"webhook_url":"https://hooks.example.org/\\u0000"}'), 400, "webhook_url"],
      ["a lone surrogate", post(`{"webhook_url":"${HOOK}","language":"\\ud800e"}`), 400, "language"],
      ["a name with one", post(`{"webhook_url":"${HOOK}","\\ud800":1}`), 400, "\ufffd"],
      ["__proto__", post('{"__proto__":{"webhook_url":"https://hooks.example.org/"}}'), 400, "webhook_url"],
    ];
    for (const [name, reply, status, field] of rows) {
      const { status: got, text, json } = await reply;
      assert.equal(got, status, `${name}: ${text}`);
      assert.ok(json.errors.some((error: Json) => error.field === field), `${name}: ${text}`);
    }
    const type = "application/json";
    const types = ["Application/JSON; charset=utf-8", `${type};charset="UTF-8"`, `${type}; a=b`];
    for (const [index, type] of types.entries()) {
      const typed = await post(JSON.stringify({ webhook_url: `${HOOK}/${index}` }), type, "identity");
      assert.equal(typed.status, 201, type);
    }
  }));
