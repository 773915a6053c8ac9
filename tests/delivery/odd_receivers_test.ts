// Receivers that behave oddly, over the real HTTP client: what an attempt makes of each, and that none outlasts it.
import assert from "node:assert/strict";
import { createAddressPolicy } from "../../src/delivery/send/guard.ts";
import { sendAttempt } from "../../src/delivery/send/send.ts";
import type { AttemptResult } from "../../src/domain/delivery/delivery.ts";
import { createClock } from "../../src/platform/clock.ts";
import { createHttpClient } from "../../src/platform/http/http.ts";
import { createResolver } from "../../src/platform/http/resolver.ts";
import { type Conversation, saying, sayingLast, serveRaw } from "../platform/raw_server.ts";

const TIMEOUT_MS = 1_000;
const OK = "HTTP/1.1 200 OK\r\n";

/** Makes one attempt with a body of that size. */
async function attempt(address: string, bodyBytes = 10): Promise<AttemptResult> {
  const http = createHttpClient({ forWebhooks: true });
  const policy = createAddressPolicy({ allowHttp: true, allowNetworks: ["127.0.0.0/8"], allowPorts: [] });
  const sending = {
    http,
    policy,
    resolver: createResolver(),
    clock: createClock(),
    timeoutMs: TIMEOUT_MS,
    userAgent: "Regfeed/test",
  };
  const message = {
    id: "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
    webhookUrl: `${address}/hook`,
    webhookSecrets: ["0123456789abcdef".repeat(4)],
    body: "x".repeat(bodyBytes),
  };
  try {
    return await sendAttempt(message, sending, new AbortController().signal);
  } finally {
    await http.close();
  }
}

/** Says this again and again until the other side has had enough. */
const endlessly = (part: string): Conversation => async (connection) => {
  const bytes = new TextEncoder().encode(part);
  while (true) {
    await connection.write(bytes);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
};

const TOO_LATE = `no complete response within ${TIMEOUT_MS / 1_000} s`;
const TOO_LARGE = "the response headers are too large";

const CASES: [what: string, talk: Conversation, status: number | null, problem: RegExp | string | null][] = [
  ["HTTP/1.0 without a length", sayingLast("HTTP/1.0 200 OK\r\n\r\nthanks"), 200, null],
  ["HTTP/1.0 with nothing", sayingLast("HTTP/1.0 204 No Content\r\n\r\n"), 204, null],
  ["304", saying("HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n"), 304, "the endpoint responded with 304"],
  [
    "a redirect",
    saying("HTTP/1.1 308 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
    308,
    /308/,
  ],
  ["204 with a body", saying("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"), 204, null],
  ["304 with a body", saying("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\nhello"), 304, /304/],
  ["an unknown status", saying("HTTP/1.1 299 Fine\r\ncontent-length: 0\r\n\r\n"), 299, null],
  [
    "a status that is none",
    saying("HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n"),
    null,
    /HTTP|request failed/,
  ],
  [
    "early hints first",
    saying("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", `${OK}content-length: 0\r\n\r\n`),
    200,
    null,
  ],
  ["nothing but early hints", endlessly("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"), null, /interim/],
  ["100 Continue", endlessly("HTTP/1.1 100 Continue\r\n\r\n"), null, /100 Continue, which was not requested/],
  [
    "a head that never ends",
    endlessly(`${OK}x-a: ${"b".repeat(900)}\r\n`.slice(OK.length)),
    null,
    /HTTP|too large/,
  ],
  ["headers that never end", saying(OK, ...Array(60).fill(`x-a: ${"b".repeat(900)}\r\n`)), null, TOO_LARGE],
  ["one huge header", saying(`${OK}x-a: ${"b".repeat(60_000)}\r\n\r\n`), null, TOO_LARGE],
  [
    "a body that never ends",
    async (connection) => {
      await saying(`${OK}transfer-encoding: chunked\r\n\r\n`)(connection);
      await endlessly(`400\r\n${"c".repeat(1_024)}\r\n`)(connection);
    },
    200,
    null,
  ],
  ["a body that hangs", saying(`${OK}content-length: 5\r\n\r\nab`), null, TOO_LATE],
  ["silence", () => {}, null, TOO_LATE],
  [
    "a hang-up in the answer's body",
    sayingLast(`${OK}content-length: 9\r\n\r\nab`),
    null,
    "the response was cut off",
  ],
  ["a hang-up without an answer", sayingLast(), null, "connection reset"],
];

for (const [what, talk, status, problem] of CASES) {
  Deno.test(`an endpoint's answer: ${what}`, async () => {
    await using server = serveRaw(talk);
    const result = await attempt(server.address);
    assert.equal(result.statusCode, status, String(result.problem));
    if (problem instanceof RegExp) assert.match(result.problem ?? "", problem);
    else assert.equal(result.problem, problem);
    assert.ok((result.response?.length ?? 0) <= 1_024);
    assert.equal(server.connections.taken, 1, "nothing is tried twice within an attempt");
  });
}

Deno.test("an endpoint that answers before it has read the body is heard, and its connection is not used again", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(100)); // and the rest of 4 MB is never read
    await connection.write(new TextEncoder().encode("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n"));
    return connection;
  })();
  const result = await attempt(`http://127.0.0.1:${listener.addr.port}`, 4_000_000);
  assert.equal(result.statusCode, 413, String(result.problem));
  (await serving).close();
  listener.close();
});
