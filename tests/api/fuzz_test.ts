// Every response to a random request is documented, and none is a 5xx.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { ERRORS } from "../../src/domain/error_codes.ts";
import { problem } from "../../src/wire/health_sources_topics.ts";
import { boardConfig, PAYMENT_CONFIG } from "../support/samples.ts";
import type { Reply, World } from "../support/world.ts";
import { HOOK, publishFeed, subscribe, withHosts } from "./given.ts";

const REQUESTS = 2_500;
const BIG_TIER = "[tiers.team]\napi_requests_per_day = 1_000_000\nactive_subscriptions = 10_000\n";

const oneOf = (words: string) => fc.constantFrom(...words.split(" "));

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  oneOf("0 -1 1e999 NaN null true evt_ .. %00 ' \" ;-- \u0000 \ud800 💥 __proto__"),
  fc.constant(""),
);
const method = oneOf("GET GET POST DELETE PUT PATCH HEAD OPTIONS QUERY");
const queryName = fc.oneof(
  oneOf("limit since until source severity_min topics event_type article language q latest before after"),
  text,
);
const queryValue = fc.oneof(
  text,
  fc.integer().map(String),
  oneOf("board gpai gpai,transparency high Art.50 en guidelines true guidance"),
);
const body = fc.oneof(
  fc.nat().map((number) => JSON.stringify({ webhook_url: `https://hooks.example.org/${number}` })),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  fc.record({
    webhook_url: fc.oneof(
      text,
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.constant("https://hooks.example.org/"),
    ),
    topics: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant(["gpai"]), fc.jsonValue()),
    source_filter: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant(["board"]), fc.jsonValue()),
    severity_min: fc.oneof(text, fc.constant("low")),
    language: fc.oneof(text, fc.constant("de")),
    extra: fc.jsonValue(),
  }, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
  text,
);

/** A POST to /v1/subscriptions. `path` is the index of that path in `pathOf()`. */
const SUBSCRIBE = { method: "POST", path: 3, query: [], hasKey: true };

interface Shot {
  method: string;
  path: number;
  segment: string;
  query: [string, string][];
  body: string;
  type: string;
  hasKey: boolean;
  idempotencyKey: string | undefined;
}

const anyShot: fc.Arbitrary<Shot> = fc.record({
  method,
  path: fc.nat(),
  segment: text,
  query: fc.array(fc.tuple(queryName, queryValue), { maxLength: 4 }),
  body,
  type: fc.constantFrom("application/json", "application/json; charset=utf-8", "text/plain", ""),
  hasKey: fc.integer({ min: 0, max: 9 }).map((value) => value > 0),
  idempotencyKey: fc.option(fc.stringMatching(/^[!-~]{0,10}$/), { nil: undefined }),
});

/** Most requests are invalid; some reach the store. */
const shot: fc.Arbitrary<Shot> = fc.oneof(
  { weight: 9, arbitrary: anyShot },
  ...["application/json", "text/plain"].map((type) => ({
    weight: 1,
    arbitrary: anyShot.map((one) => ({ ...one, ...SUBSCRIBE, type })),
  })),
);

function pathOf({ path, segment, query }: Shot, known: { event: string; subscription: string }): string {
  const wild = encodeURIComponent(segment.isWellFormed() ? segment : "x");
  const paths = [
    ...["/v1/events", "/v1/events", "/v1/events", "/v1/subscriptions", "/v1/subscriptions", "/v1/usage"],
    ...["/v1/sources", "/v1/topics", "/v1/health", "/v1/webhooks/payment", "/v1/openapi.json"],
    ...[known.event, wild].flatMap((id) => [`/v1/events/${id}`, `/v1/events/${id}/versions`]),
    ...[known.subscription, wild].map((id) => `/v1/subscriptions/${id}`)
      .flatMap((path) => [path, `${path}/test`]),
    `/v1/${wild}`,
    `/${wild}`,
  ];
  const search = query.filter(([name, value]) => name.isWellFormed() && value.isWellFormed())
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return `${paths[path % paths.length]}${search === "" ? "" : `?${search}`}`;
}

function checkReply(reply: Reply, label: string): void {
  assert.ok(reply.status < 500, `${label} responded ${reply.status}: ${reply.text}`);
  assert.match(reply.headers.get("x-request-id") ?? "", /^req_/, label);
  if (reply.status < 400 || reply.text === "") return;
  const { code, status } = problem.parse(reply.json);
  assert.equal(status, reply.status, label);
  assert.equal(ERRORS[code as keyof typeof ERRORS].status, reply.status, label);
  if ([400, 413, 415].includes(status)) {
    assert.ok((reply.json.errors?.length ?? 0) > 0, `${label} names no field: ${reply.text}`);
  }
}

async function arrange(world: World): Promise<{ key: string; event: string; subscription: string }> {
  const { key } = await world.addCustomer();
  publishFeed(world, { id: "1" }, { id: "2" });
  world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
  await world.app.tick();
  const events = await world.ask("/v1/events", { key });
  const created = await subscribe(world, key, { webhook_url: HOOK });
  return { key, event: events.json.events[0].id, subscription: created.json.subscription.id };
}

Deno.test(`${REQUESTS} random requests get no 5xx, and every error response is a problem document`, () =>
  withHosts(async (world) => {
    const known = await arrange(world);
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(shot, async (one) => {
        const path = pathOf(one, known);
        const hasBody = one.method !== "GET" && one.method !== "HEAD";
        const reply = await world.ask(path, {
          method: one.method,
          ...(one.hasKey ? { key: known.key } : {}),
          ...(hasBody ? { body: one.body.isWellFormed() ? one.body : "\ufffd" } : {}),
          headers: {
            "content-type": one.type,
            ...(one.idempotencyKey === undefined ? {} : { "idempotency-key": one.idempotencyKey }),
          },
        });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        checkReply(reply, `${one.method} ${path}`);
      }),
      { numRuns: REQUESTS },
    );
    for (const status of [200, 201, 400, 401, 404, 405, 415]) {
      assert.ok((statuses.get(status) ?? 0) > 0, `no response was ${status}`);
    }
  }, BIG_TIER + PAYMENT_CONFIG + boardConfig()));
