// The HTTP client with servers that respond invalidly, endlessly or not at all.
import assert from "node:assert/strict";
import { NetworkError } from "../../src/domain/ports/ports.ts";
import { createHttpClient } from "../../src/platform/http/http.ts";
import { freePort } from "../support/loopback.ts";
import { type Conversation, saying, sayingLast, serveRaw } from "./raw_server.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";

async function reasonFor(address: string, maxBodyBytes = 1_000): Promise<string> {
  const client = createHttpClient();
  const { signal } = new AbortController();
  try {
    const response = await client.request({
      method: "GET",
      url: new URL(address),
      headers: {},
      maxBodyBytes,
      signal,
    });
    return `no error: ${response.status} ${new TextDecoder().decode(response.body)}`;
  } catch (error) {
    assert.ok(error instanceof NetworkError, String(error));
    return error.reason;
  } finally {
    await client.close();
  }
}

const ROWS: [what: string, talk: Conversation, reason: string][] = [
  ["nothing", sayingLast(), "connection reset"],
  ["half a head", sayingLast("HTTP/1.1 200 OK\r\nx-a: b"), "connection reset"],
  ["no HTTP", sayingLast("220 mail.test ESMTP\r\n"), "the response is not valid HTTP"],
  [
    "two lengths",
    saying(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`),
    "the response does not match its Content-Length",
  ],
  ["a short body", sayingLast(`${HEAD}content-length: 10\r\n\r\n12345`), "the response was cut off"],
  [
    "a cut chunk",
    sayingLast(`${HEAD}transfer-encoding: chunked\r\n\r\nA\r\n12345`),
    "the response was cut off",
  ],
  [
    "no last chunk",
    sayingLast(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n12345\r\n`),
    "the response was cut off",
  ],
  [
    "a bad chunk",
    saying(`${HEAD}transfer-encoding: chunked\r\n\r\nxyz\r\n`),
    "the response is not valid HTTP",
  ],
  [
    "an endless chunk extension",
    sayingLast(`${HEAD}transfer-encoding: chunked\r\n\r\n1;a=${"a".repeat(4_000_000)}`),
    "the response is too long",
  ],
  [
    "an endless chunk size",
    sayingLast(`${HEAD}transfer-encoding: chunked\r\n\r\n${"0".repeat(4_000_000)}`),
    "the response is too long",
  ],
  ["a huge head", saying(`${HEAD}x-a: ${"a".repeat(40_000)}\r\n\r\n`), "the response headers are too large"],
  ["endless headers", saying(HEAD, "x-a: b\r\n".repeat(9_000)), "the response headers are too large"],
  [
    "100 Continue, unasked",
    saying(`HTTP/1.1 100 Continue\r\n\r\n${HEAD}content-length: 0\r\n\r\n`),
    "the response begins with 100 Continue, which was not requested",
  ],
  [
    "endless 100 Continue",
    saying(...Array(2_000).fill("HTTP/1.1 100 Continue\r\n\r\n")),
    "the response begins with 100 Continue, which was not requested",
  ],
  [
    "endless early hints",
    saying(...Array(2_000).fill("HTTP/1.1 103 Early Hints\r\n\r\n")),
    "too many interim responses (1xx) without a final response",
  ],
  [
    "another protocol",
    saying("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
    "the response switches to another protocol",
  ],
  [
    "brotli",
    saying(`${HEAD}content-encoding: br\r\ncontent-length: 2\r\n\r\nok`),
    "the response has the encoding br, which was not requested",
  ],
  [
    "two encodings",
    saying(`${HEAD}content-encoding: gzip, gzip\r\ncontent-length: 2\r\n\r\nok`),
    "the response has the encoding gzip, gzip, which was not requested",
  ],
  [
    "no gzip",
    saying(`${HEAD}content-encoding: gzip\r\ncontent-length: 12\r\n\r\nhello, world`),
    "the response does not match its Content-Encoding",
  ],
];

Deno.test("request() gives a short reason for each invalid response", async () => {
  for (const [what, talk, reason] of ROWS) {
    await using server = serveRaw(talk);
    assert.equal(await reasonFor(server.address), reason, what);
  }
});

Deno.test("request() refuses 10,000 short header fields", async () => {
  const reason = async (count: number): Promise<string> => {
    const fields = Array.from({ length: count }, (_, at) => `${"abc"[at % 3]}:\r\n`).join("");
    await using server = serveRaw(saying(`${HEAD}${fields}content-length: 2\r\n\r\nok`));
    return await reasonFor(server.address);
  };
  assert.equal(await reason(10_000), "the response headers are too large");
  assert.equal(await reason(255), "no error: 200 ok");
});

Deno.test("request() reports a refused connection and an unknown name", async () => {
  const port = freePort();
  assert.equal(await reasonFor(`http://127.0.0.1:${port}/`), "connection refused");
  assert.equal(await reasonFor(`https://127.0.0.1:${port}/`), "connection refused");
  assert.equal(await reasonFor(`http://${"a".repeat(64)}.invalid/`), "host name not found");
});

Deno.test("request() reports a server without TLS", async () => {
  await using server = serveRaw(sayingLast("HTTP/1.1 400 Bad Request\r\n\r\n"));
  assert.equal(await reasonFor(`https://127.0.0.1:${server.port}/`), "the TLS handshake failed");
});

Deno.test("request() accepts a body that ends with the connection", async () => {
  await using server = serveRaw(sayingLast(`${HEAD}\r\nhello`));
  assert.equal(await reasonFor(server.address), "no error: 200 hello");
});
