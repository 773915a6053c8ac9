// Tests of both HTTP clients against servers that answer wrongly, too much or not at all.
import assert from "node:assert/strict";
import { NetworkError } from "../../src/domain/ports.ts";
import { createEndpointClient } from "../../src/platform/endpoint_client.ts";
import { createHttpClient } from "../../src/platform/http.ts";
import { type Conversation, saying, sayingLast, serveRaw } from "./raw_server.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";

const CLIENTS = { createHttpClient, createEndpointClient };
type Kind = keyof typeof CLIENTS;
const KINDS = ["createHttpClient", "createEndpointClient"] as const;

async function reasonFor(kind: Kind, address: string, maxBodyBytes = 1_000): Promise<string> {
  const client = CLIENTS[kind]();
  const { signal } = new AbortController();
  try {
    const response = await client.request({
      method: "GET",
      url: new URL(address),
      headers: {},
      ...(kind === "createHttpClient" ? {} : { addresses: ["127.0.0.1"] }),
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

/** What is said of an answer; where it is another thing, what is said of an endpoint's. */
const ROWS: [what: string, talk: Conversation, reason: string, ofEndpoints?: string][] = [
  ["nothing", sayingLast(), "connection reset"],
  ["half a head", sayingLast("HTTP/1.1 200 OK\r\nx-a: b"), "connection reset"],
  ["no HTTP", sayingLast("220 mail.test ESMTP\r\n"), "the answer is not valid HTTP"],
  [
    "two lengths",
    saying(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`),
    "the answer is not as long as it says",
  ],
  ["a short body", sayingLast(`${HEAD}content-length: 10\r\n\r\n12345`), "the answer broke off"],
  [
    "a cut chunk",
    sayingLast(`${HEAD}transfer-encoding: chunked\r\n\r\nA\r\n12345`),
    "the answer broke off",
  ],
  [
    "no last chunk",
    sayingLast(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n12345\r\n`),
    "the answer broke off",
  ],
  [
    "a bad chunk",
    saying(`${HEAD}transfer-encoding: chunked\r\n\r\nxyz\r\n`),
    "the answer is not valid HTTP",
  ],
  [
    "a huge head",
    saying(`${HEAD}x-a: ${"a".repeat(40_000)}\r\n\r\n`),
    "the answer's headers are too large",
  ],
  ["endless headers", saying(HEAD, "x-a: b\r\n".repeat(9_000)), "the answer's headers are too large"],
  [
    "100 Continue, unasked",
    saying(`HTTP/1.1 100 Continue\r\n\r\n${HEAD}content-length: 0\r\n\r\n`),
    "the answer begins with 100 Continue, which was not asked for",
    "no error: 200 ",
  ],
  [
    "endless 100 Continue",
    saying(...Array(2_000).fill("HTTP/1.1 100 Continue\r\n\r\n")),
    "the answer begins with 100 Continue, which was not asked for",
    "interim answers come one after the other, and no answer",
  ],
  [
    "another protocol",
    saying("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
    "the answer changes to another protocol, which was not asked for",
  ],
  [
    "brotli",
    saying(`${HEAD}content-encoding: br\r\ncontent-length: 2\r\n\r\nok`),
    "the answer is encoded as br, which was not asked for",
    "no error: 200 ",
  ],
  [
    "two encodings",
    saying(`${HEAD}content-encoding: gzip, gzip\r\ncontent-length: 2\r\n\r\nok`),
    "the answer is encoded as gzip, gzip, which was not asked for",
    "no error: 200 ",
  ],
  [
    "no gzip",
    saying(`${HEAD}content-encoding: gzip\r\ncontent-length: 12\r\n\r\nhello, world`),
    "the answer is not encoded as it says",
    "no error: 200 ",
  ],
];

Deno.test("request() says in a few words what is wrong with an answer", async () => {
  for (const [what, talk, reason, ofEndpoints = reason] of ROWS) {
    for (const kind of KINDS) {
      await using server = serveRaw(talk);
      const expected = kind === "createEndpointClient" ? ofEndpoints : reason;
      assert.equal(await reasonFor(kind, server.address), expected, `${kind}: ${what}`);
    }
  }
});

Deno.test("request() takes no answer of ten thousand short header fields", async () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, at) => `${"abc"[at % 3]}:\r\n`).join("");
  for (const kind of KINDS) {
    const reason = async (count: number): Promise<string> => {
      await using server = serveRaw(saying(`${HEAD}${fields(count)}content-length: 2\r\n\r\nok`));
      return await reasonFor(kind, server.address);
    };
    assert.equal(await reason(10_000), "the answer's headers are too large", kind);
    assert.equal(await reason(255), "no error: 200 ok", kind);
  }
});

Deno.test("request() says that a connection is refused, and that a name is unknown", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  for (const kind of KINDS) {
    assert.equal(await reasonFor(kind, `http://127.0.0.1:${port}/`), "connection refused", kind);
    assert.equal(await reasonFor(kind, `https://127.0.0.1:${port}/`), "connection refused", kind);
  }
  const unknown = `http://${"a".repeat(64)}.invalid/`;
  assert.equal(await reasonFor("createHttpClient", unknown), "host name not found");
});

Deno.test("request() says that there is no TLS where a server speaks in clear", async () => {
  for (const kind of KINDS) {
    await using server = serveRaw(sayingLast("HTTP/1.1 400 Bad Request\r\n\r\n"));
    assert.equal(await reasonFor(kind, `https://127.0.0.1:${server.port}/`), "no TLS connection", kind);
  }
});

Deno.test("request() takes a body that ends with the connection", async () => {
  for (const kind of KINDS) {
    await using server = serveRaw(sayingLast(`${HEAD}\r\nhello`));
    assert.equal(await reasonFor(kind, server.address), "no error: 200 hello", kind);
  }
});
