// A recorded feed is read over real sockets, despite connection faults of every kind.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { createClock } from "../../../src/platform/clock.ts";
import { createHttpClient } from "../../../src/platform/http/http.ts";
import { type Conversation, saying, sayingLast, serveRaw } from "../../platform/raw_server.ts";
import { createWorld, type World } from "../../support/world.ts";
import { type GrowingFeed, growingFeeds, RECORDINGS } from "../recorded_feeds.ts";
import { needs } from "../../support/needs.ts";
import { pause } from "../../support/pause.ts";

const DAY = 86_400_000;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function answer(status: string, headers: Record<string, string>, body: string | Uint8Array = ""): Uint8Array {
  const bytes = typeof body === "string" ? bytesOf(body) : body;
  const lines = Object.entries({ "content-length": `${bytes.length}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const head = bytesOf(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`);
  return new Uint8Array([...head, ...bytes]);
}

/** Sends a response slowly, and never completely. */
const slowly: Conversation = async (connection) => {
  await connection.write(bytesOf("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<rss"));
  for (let byte = 0; byte < 100; byte++) {
    await pause(50);
    await connection.write(bytesOf(" "));
  }
};

function faults(feed: GrowingFeed, elsewhere: string): [string, Conversation, RegExp, string][] {
  const whole = answer("200 OK", { etag: feed.etag }, feed.body);
  const gzipped = gzipSync(feed.body);
  const bomb = gzipSync(new Uint8Array(50_000_000));
  const zip = { "content-encoding": "gzip" };
  return [
    ["silence", () => pause(3_000), /^no complete response within 1 s$/, "failing"],
    ["slow bytes", slowly, /^no complete response within 1 s$/, "failing"],
    ["a hang-up", (connection) => connection.close(), /^connection reset \(127\.0\.0\.1\)$/, "failing"],
    [
      "a cut",
      sayingLast(whole.subarray(0, whole.length / 2)),
      /cut off|does not match its Content-Length/,
      "failing",
    ],
    ["a cut gzip", saying(answer("200 OK", zip, gzipped.subarray(0, 500))), /cut off/, "failing"],
    ["no gzip", saying(answer("200 OK", zip, feed.body)), /does not match its Content-Encoding/, "failing"],
    ["a bomb", saying(answer("200 OK", zip, bomb)), /^the document has more than 1000000 bytes$/, "failing"],
    [
      "br",
      saying(answer("200 OK", { "content-encoding": "br" }, "x")),
      /br, which was not requested/,
      "failing",
    ],
    ["no HTTP", sayingLast("220 mail.example ESMTP\r\n"), /not valid HTTP/, "failing"],
    ["500", saying(answer("500 Oops", {}, "x")), /^responded with 500$/, "failing"],
    ["403", saying(answer("403 Forbidden", {}, "x")), /^responded with 403/, "blocked"],
    ["429", saying(answer("429 Slow", { "retry-after": "60" })), /^responded with 429/, "blocked"],
    ["202", saying(answer("202 Accepted", {})), /^responded with 202/, "blocked"],
    ["nothing", saying(answer("200 OK", {})), /^responded with an empty body$/, "failing"],
    ["no items", saying(answer("200 OK", {}, "<rss><channel></channel></rss>")), /^has no item/, "empty"],
    ["a circle", saying(answer("302 Found", { location: "/feed" })), /^more than 5 redirects$/, "failing"],
    [
      "a gone redirect",
      saying(answer("308 Moved", { location: `${elsewhere}/gone` })),
      /^responded with 404: not found/,
      "failing",
    ],
  ];
}

async function poll(world: World, afterMs = DAY) {
  await world.platform.clock.advance(afterMs);
  const [report] = await world.app.ingest.ingest();
  const { json } = await world.ask("/v1/sources");
  return { report, state: json.sources[0].state };
}

Deno.test(
  needs("a feed over real sockets is complete after every fault, each with its reason and state", RECORDINGS),
  async () => {
    const feed = (await growingFeeds(1)).find(({ id }) => id === "fca");
    assert.ok(feed);
    let talk: Conversation = () => {};
    await using server = serveRaw((connection) => talk(connection));
    const whole = answer("200 OK", { etag: feed.etag, "content-encoding": "gzip" }, gzipSync(feed.body));
    await using elsewhere = serveRaw(async (connection) => {
      const asked = elsewhere.received().split("GET ").at(-1) ?? "";
      const isKnown = asked.includes("if-none-match");
      const found = isKnown ? answer("304 Not Modified", {}) : whole;
      await saying(asked.startsWith("/feed") ? found : answer("404 Gone", {}))(connection);
    });
    const world = await createWorld(`
[ingest]
timeout = "1s"
max_document_bytes = 1_000_000
[[sources]]
id = "fca"
name_en = "FCA"
url = "${server.address}/feed"
schedule = "0 * * * *"
relevance = "all"
`);
    const http = createHttpClient();
    world.platform.http.request = (request) => http.request(request);
    world.platform.clock.within = createClock().within;
    try {
      await world.app.ingest.register();
      const rows = faults(feed, elsewhere.address);
      for (const [what, conversation, reason, state] of rows) {
        talk = conversation;
        const polled = await poll(world);
        assert.match(polled.report?.error ?? "no error", reason, what);
        assert.equal(polled.state, state, what);
      }
      talk = saying(answer("301 Moved", { location: `${elsewhere.address}/feed` }));
      const { report, state } = await poll(world);
      assert.deepEqual([report?.error, report?.new, report?.revised, state], [undefined, 20, 0, "ok"]);
      const unchanged = (await poll(world, DAY / 2)).report;
      assert.deepEqual([unchanged?.ok, unchanged?.new, unchanged?.unchanged], [true, 0, 0]);
      talk = saying(answer("304 Not Modified", {}));
      assert.match(
        (await poll(world)).report?.error ?? "",
        /^responded with 304 to an unconditional request/,
        "the request was unconditional",
      );
      talk = saying(whole);
      const again = (await poll(world)).report;
      assert.deepEqual([again?.new, again?.revised, again?.unchanged], [0, 0, 20]);
    } finally {
      await http.close();
      await world.close();
    }
  },
);
