// Conditional requests, compressed responses, and the cache of responses.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { namesTag } from "../../src/http/conditional_requests.ts";
import { Body, ResponseCache, takesGzip } from "../../src/http/response_cache.ts";
import { boardConfig } from "../support/samples.ts";
import { withCustomer, type World } from "../support/world.ts";
import { publishFeed } from "./given.ts";

const withWorld = (work: (world: World, key: string) => Promise<void>) => withCustomer(boardConfig(), work);

const publish = async (world: World, ids: readonly string[]) => {
  publishFeed(world, ...ids.map((id) => ({ id })));
  await world.app.tick();
  await world.app.ingest.ingest(["board"]);
};

Deno.test("a read with the current ETag in If-None-Match gets 304, and is not counted", () =>
  withWorld(async (world, key) => {
    await publish(world, ["1"]);
    for (
      const path of [
        "/v1/events",
        "/v1/events?limit=1",
        "/v1/sources",
        "/v1/topics",
        "/v1/event-types",
        "/v1/severities",
      ]
    ) {
      const first = await world.ask(path, { key });
      const etag = first.headers.get("etag") ?? "";
      assert.match(etag, /^W\/"[\w-]+"$/, path);
      const left = first.headers.get("x-ratelimit-remaining");
      for (const known of [etag, etag.replace("W/", ""), `"other", ${etag}`]) {
        const again = await world.ask(path, { key, headers: { "if-none-match": known } });
        assert.deepEqual([again.status, again.text], [304, ""], `${path} ${known}`);
        assert.equal(again.headers.get("etag"), etag);
        assert.equal(again.headers.get("x-ratelimit-remaining"), left);
      }
      assert.equal((await world.ask(path, { key, headers: { "if-none-match": '"other"' } })).status, 200);
    }
  }));

Deno.test("a read with If-None-Match: * gets 304, and is counted", () =>
  withWorld(async (world, key) => {
    await publish(world, ["1"]);
    const remaining = (reply: { headers: Headers }) => Number(reply.headers.get("x-ratelimit-remaining"));
    for (const path of ["/v1/events", "/v1/events?limit=1", "/v1/subscriptions", "/v1/usage"]) {
      const left = remaining(await world.ask(path, { key }));
      for (const [known, uses] of [["*", 1], [" * ", 2], ['"other"', 3]] as const) {
        const again = await world.ask(path, { key, headers: { "if-none-match": known } });
        assert.equal(again.status, known === '"other"' ? 200 : 304, `${path} ${known}`);
        assert.equal(remaining(again), left - uses, `${path} ${known}`);
      }
    }
  }));

Deno.test("a cached list is replaced when an event is stored", () =>
  withWorld(async (world, key) => {
    await publish(world, ["1"]);
    const first = await world.ask("/v1/events", { key });
    assert.equal((await world.ask("/v1/events", { key })).text, first.text);
    await publish(world, ["1", "2"]);
    const second = await world.ask("/v1/events", { key });
    assert.deepEqual([first.json.count, second.json.count], [1, 2]);
    assert.notEqual(second.headers.get("etag"), first.headers.get("etag"));
    assert.equal((await world.ask("/v1/events")).status, 401, "a cached response requires a key");
  }));

Deno.test("a long response is compressed if the client accepts compression, and keeps its ETag", () =>
  withWorld(async (world, key) => {
    await publish(world, Array.from({ length: 20 }, (_, index) => String(index)));
    const fetch = (headers: Record<string, string>) =>
      world.app.fetch(
        new Request("http://regfeed.example/v1/events", {
          headers: { authorization: `Bearer ${key}`, ...headers },
        }),
      );
    const plain = await fetch({});
    const packed = await fetch({ "accept-encoding": "br, gzip;q=0.8" });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    assert.equal(packed.headers.get("vary"), "Accept-Encoding");
    assert.equal(packed.headers.get("etag"), plain.headers.get("etag"));
    const text = gunzipSync(new Uint8Array(await packed.arrayBuffer())).toString();
    assert.equal(text, await plain.text());
    const short = await world.ask("/v1/sources", { headers: { "accept-encoding": "gzip" } });
    assert.equal(short.headers.get("content-encoding"), null, "short responses are not compressed");
  }));

Deno.test("takesGzip() reads Accept-Encoding", () => {
  const rows: [header: string | null, expected: boolean][] = [
    [null, false],
    ["", false],
    ["gzip", true],
    ["GZIP", true],
    ["br, gzip;q=0.5", true],
    ["gzip;q=0", false],
    ["gzip;q=0.000, *", false],
    ["*;q=0, gzip", true],
    ["*;q=0", false],
    ["gzip;q=0.001", true],
    ["gzip;q=many", false],
    ["identity;q=0, *;q=0", false],
    [" , ,gzip", true],
    ["identity", false],
    ["*", true],
    ["gzipped", false],
    ["gzip;q=0.5, identity", false],
    ["identity;q=0.5, *;q=0.8", true],
    ["gzip, identity", true],
    ["gzip;q=0.2, identity;q=0", true],
  ];
  for (const [header, expected] of rows) assert.equal(takesGzip(header), expected, String(header));
});

Deno.test("namesTag() compares weakly", () => {
  const tag = 'W/"abc"';
  const rows: [header: string | null, expected: boolean][] = [
    [null, false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ['"abcd"', false],
    ["abc", false],
    ["*", false],
    ['*, "x"', false],
    ['*, "abc"', true],
  ];
  for (const [header, expected] of rows) assert.equal(namesTag(header, tag), expected, String(header));
});

Deno.test("ResponseCache drops responses of another state, and the least recently used ones when it is full", () => {
  const cache = new ResponseCache(1_000);
  const response = { body: new Body("x".repeat(190)), headers: {} };
  for (const url of ["/a", "/b", "/a"]) cache.put(url, "1", response);
  assert.equal(cache.get("/a", "1"), response);
  cache.put("/c", "1", response);
  assert.equal(cache.get("/b", "1"), null, "the least recently used one");
  cache.put("/huge", "1", { body: new Body("x".repeat(2_000)), headers: {} });
  assert.equal(cache.get("/huge", "1"), null);
  assert.equal(cache.get("/a", "2"), null, "another state");
});

Deno.test("a Body has a tag derived from its content or its name, and one compressed form", () => {
  const text = "Prüfung – 🇪🇺 ".repeat(500);
  const body = new Body(text);
  assert.equal(gunzipSync(body.gzip() ?? new Uint8Array()).toString(), text);
  assert.equal(body.gzip(), body.gzip());
  assert.equal(new Body(text).etag, body.etag);
  assert.equal(new Body("x", "name-1").etag, 'W/"name-1"');
  assert.equal(new Body("x").gzip(), null, "too short");
  assert.equal(new Body("x".repeat(4_000_001)).gzip(), null, "too long");
});
