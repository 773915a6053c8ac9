// When the HTTP client reuses and closes connections.
import assert from "node:assert/strict";
import { MAX_IDLE_CONNECTIONS } from "../../../src/platform/http/connections.ts";
import { get, OK, saying, sayingLast, serveRaw, withClient } from "../raw_server.ts";
import { pause } from "../../support/pause.ts";

Deno.test("request() keeps a connection per origin and set of addresses for the next request", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    const url = `http://nowhere.invalid:${server.port}/`;
    for (let round = 0; round < 3; round++) await client.request(get(url, { addresses: ["127.0.0.1"] }));
    assert.equal(server.connections.taken, 1);
    // A connection is not shared between different sets of checked addresses.
    await client.request(get(url, { addresses: ["127.0.0.1", "127.0.0.2"] }));
    assert.equal(server.connections.taken, 2);
  });
});

Deno.test("request() closes the connections that have been idle longest if there are too many", async () => {
  const more = 20;
  await using server = serveRaw(saying(OK), "0.0.0.0");
  await withClient(async (client) => {
    const url = `http://nowhere.invalid:${server.port}/`;
    for (let index = 0; index < MAX_IDLE_CONNECTIONS + more; index++) {
      const address = `127.1.${index >> 8}.${index & 255}`;
      await client.request(get(url, { addresses: [address] }));
    }
    assert.equal(server.connections.taken, MAX_IDLE_CONNECTIONS + more);
    while (server.connections.open > MAX_IDLE_CONNECTIONS) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(server.connections.open, MAX_IDLE_CONNECTIONS);
    // The connection to the first address is closed, and the connection to the last one is open.
    await client.request(get(url, { addresses: [`127.1.1.${MAX_IDLE_CONNECTIONS + more - 1 - 256}`] }));
    assert.equal(server.connections.taken, MAX_IDLE_CONNECTIONS + more);
    await client.request(get(url, { addresses: ["127.1.0.0"] }));
    assert.equal(server.connections.taken, MAX_IDLE_CONNECTIONS + more + 1);
  });
});

Deno.test("request() does not reuse a connection after a doubtful response", async () => {
  const NO_CONTENT = "HTTP/1.1 204 No Content\r\n";
  const responses: [what: string, response: string][] = [
    ["it closes", `${NO_CONTENT}connection: close\r\n\r\n`],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"],
    ["more bytes than its length", `${OK}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`],
    ["a body after 204", `${NO_CONTENT}content-length: 5\r\n\r\nhello`],
    ["no keep-alive time left", `${NO_CONTENT}keep-alive: timeout=1\r\n\r\n`],
    ["a body over the limit", `HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${"a".repeat(2_000)}`],
  ];
  for (const [what, response] of responses) {
    await using server = serveRaw(saying(response));
    await withClient(async (client) => {
      for (let round = 0; round < 2; round++) {
        const { status } = await client.request(get(server.address));
        assert.ok(status === 200 || status === 204, what);
      }
    });
    assert.equal(server.connections.taken, 2, what);
  }
});

Deno.test("bytes without a request close the connection, and belong to no response", async () => {
  await using server = serveRaw(async (connection) => {
    await saying(OK)(connection);
    await pause(10);
    await saying("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged")(connection);
  });
  await withClient(async (client) => {
    for (let round = 1; round < 3; round++) {
      const { body } = await client.request(get(server.address));
      assert.equal(new TextDecoder().decode(body), "ok");
      while (server.connections.open > 0) await pause(2);
      assert.equal(server.connections.taken, round);
    }
  });
});

Deno.test("request() does not reuse a connection that the server has closed", async () => {
  await using server = serveRaw(sayingLast(OK));
  await withClient(async (client) => {
    for (let round = 1; round < 5; round++) {
      assert.equal((await client.request(get(server.address))).status, 200);
      while (server.connections.open > 0) await pause(2);
      await pause(5); // time for the client to notice
      assert.equal(server.connections.taken, round);
    }
  });
});

Deno.test("a response that precedes the request counts, and its connection is not reused", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const serving = (async () => {
    for await (const connection of listener) {
      held.push(connection);
      await connection.read(new Uint8Array(100)); // the rest of 8 MB is never read
      await connection.write(new TextEncoder().encode("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n"));
    }
  })();
  await withClient(async (client) => {
    const url = `http://127.0.0.1:${listener.addr.port}/`;
    for (let round = 0; round < 2; round++) {
      const { status } = await client.request(get(url, { method: "POST", body: new Uint8Array(8_000_000) }));
      assert.equal(status, 413);
    }
  });
  assert.equal(held.length, 2);
  listener.close();
  await serving;
  for (const connection of held) connection.close();
});

Deno.test("a client for webhooks shares a connection only between requests to one URL", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    for (const path of ["/a", "/b", "/a", "/b?c", "/a"]) {
      await client.request(get(`${server.address}${path}`));
    }
  }, { forWebhooks: true });
  assert.equal(server.connections.taken, 3);
});
