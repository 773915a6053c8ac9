// Requests that client libraries do not send, over real sockets.
import assert from "node:assert/strict";
import { listen } from "../../src/platform/http/http_server.ts";
import { problem } from "../../src/wire/health_sources_topics.ts";
import { boardConfig } from "../support/samples.ts";
import { createWorld, type World } from "../support/world.ts";

const LIMIT_MS = 20_000;

interface RawResponse {
  status: number;
  head: string;
  body: string;
}

/** Sends a request (one byte per character) and reads one response. */
async function send(port: number, request: string): Promise<RawResponse> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => connection.close(), LIMIT_MS);
  const bytes = Uint8Array.from(request, (character) => character.charCodeAt(0));
  const writing = (async () => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  })().catch(() => {}); // the server may close the connection before it has read the request
  let text = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  try {
    while (!isWhole(text)) {
      const read = await connection.read(buffer);
      if (read === null) break;
      text += decoder.decode(buffer.subarray(0, read), { stream: true });
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  clearTimeout(timer);
  connection.close();
  await writing;
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.slice(9, 12)), head, body };
}

const get = (port: number, line: string, headers = "Host: x") =>
  send(port, `${line} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);

/** Returns whether the response is complete according to its Content-Length. Responses here are ASCII. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, Math.max(end, 0)))?.[1];
  return end !== -1 && length !== undefined && text.length >= end + 4 + Number(length);
}

async function withServer(work: (port: number, key: string, world: World) => Promise<void>): Promise<void> {
  const world = await createWorld(boardConfig());
  const { key } = await world.addCustomer();
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: (request) => world.app.fetch(request),
  });
  try {
    await work(server.port, key, world);
    const health = await get(server.port, "GET /v1/health");
    assert.equal(health.status, 200, "it still responds");
  } finally {
    await server.shutdown(5_000);
    await world.close();
  }
}

/** A request line, the expected status and, if that is 400, the field that the error must name. */
type Row = [line: string, status: number, field?: string];

const TARGETS: Row[] = [
  ["GET /v1/events", 200],
  ["GET http://other.example/v1/events", 200],
  ["GET http://other.example?/v1/events", 400, "address"],
  ["GET http://other.example", 200],
  ["GET /v1/events#a", 400, "address"],
  ["GET /v1/events?limit=1#a", 400, "address"],
  ["GET /v1/events?limit=5&limit=6", 400, "limit"],
  ["GET /v1/events?q=a%00b", 400, "q"],
  ["GET /v1/events?q=%zz", 400, "q"],
  ["GET /v1/events?q=%ED%A0%80", 400, "q"],
  ["GET /v1/events?since=9007199254740993", 400, "since"],
  ["GET /v1/events/%zz?q=%zz", 400, "q"],
  ["GET /v1/%65vents", 200],
  ["GET /v1%2Fevents", 404],
  ["GET /v1/events/", 404],
  ["GET //v1/events", 404],
  ["GET /v1//events", 404],
  ["GET /v1/./events", 404],
  ["GET /v1/x/../events", 404],
  ["GET /v1/%2e%2e/v1/events", 404],
  ["GET /v1/../../etc/passwd", 404],
  ["GET /v1/events%00", 404],
  ["GET /v1/events%", 404],
  ["GET /v1/events/%ff", 404],
  ["GET /v1/events/..%2f..", 404],
  [`GET /v1/events/${"a".repeat(9_000)}`, 414],
  ["FROBNICATE /v1/events", 405],
  ["get /v1/events", 405],
  ["TRACE /v1/events", 405],
  ["OPTIONS *", 404],
];

Deno.test("an unusual URL or method gets a response that names the problem", () =>
  withServer(async (port, key) => {
    for (const [line, status, field] of TARGETS) {
      const response = await get(port, line, `Host: x\r\nAuthorization: Bearer ${key}`);
      assert.equal(response.status, status, `${line.slice(0, 80)}: ${response.body.slice(0, 300)}`);
      if (status < 400) continue;
      const { errors = [] } = problem.parse(JSON.parse(response.body));
      if (field !== undefined) assert.ok(errors.some((error) => error.field === field), response.body);
    }
  }));

Deno.test("the Host header does not affect the path", () =>
  withServer(async (port) => {
    const invalid = "x/v1/sources?|x/v1/sources#|x?|u:p@x|x\\y|a b|x:port|x:123456|[::1".split("|");
    for (const host of [...invalid, "\u00e9"]) {
      const { status, body } = await get(port, "GET /v1/events", `Host: ${host}`);
      assert.equal(status, 400, `${host}: ${body}`);
      assert.equal(JSON.parse(body).errors[0].field, "Host", host);
    }
    for (const host of ["", "x", "x:80", "[::1]:80", "127.0.0.1"]) {
      assert.equal((await get(port, "GET /v1/events", `Host: ${host}`)).status, 401, host);
    }
  }));

Deno.test("bodies that are too long get 413 before they end", () =>
  withServer(async (port, key) => {
    const head = `POST /v1/subscriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      "Content-Type: application/json\r\nConnection: close\r\n";
    const chunk = `2710\r\n${"x".repeat(10_000)}\r\n`;
    const rows: [name: string, rest: string][] = [
      ["announced and sent", `Content-Length: 1000000\r\n\r\n${"x".repeat(1_000_000)}`],
      ["announced alone", "Content-Length: 9999999999\r\n\r\n"],
      ["in chunks", `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(100)}0\r\n\r\n`],
      ["in chunks without end", `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`],
    ];
    for (const [name, rest] of rows) {
      const { status, body } = await send(port, head + rest);
      assert.equal(status, 413, `${name}: ${body}`);
      assert.equal(JSON.parse(body).errors[0].field, "body", name);
    }
  }));

Deno.test("the runtime rejects invalid HTTP with an empty 400, as documented", () =>
  withServer(async (port) => {
    const post = "POST /v1/subscriptions HTTP/1.1\r\nHost: x\r\n";
    const rows: [name: string, request: string][] = [
      ["a control character", "GET /v1/health HTTP/1.1\r\nHost: x\r\nX-A: a\x01b\r\n\r\n"],
      ["a wrong length", `${post}Content-Length: abc\r\n\r\n`],
      ["two lengths", `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
      ["headers without end", `GET /v1/health HTTP/1.1\r\nHost: x\r\n${"X-A: a\r\n".repeat(200)}\r\n`],
      ["two hosts", "GET /v1/health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"],
      ["no request", "hello\r\n\r\n"],
    ];
    for (const [name, request] of rows) {
      const { status, body } = await send(port, request);
      assert.deepEqual([status, body], [400, ""], name);
    }
  }));
