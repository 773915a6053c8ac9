// The HTTP client: what it sends and returns, which addresses it uses, and aborts.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { listen } from "../../../src/platform/http/http_server.ts";
import { get, OK, saying, serveRaw, withClient } from "../raw_server.ts";
import { pause } from "../../support/pause.ts";
import { LOOPBACK } from "../../support/loopback.ts";

Deno.test("request() sends method, headers and body, and returns status, headers and body", async () => {
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    async handler(request) {
      const headers = new Headers([["X-Many", "a"], ["X-Many", "b"], ["Content-Type", "text/plain"]]);
      const said = `${request.method} ${request.headers.get("x-test")} ${await request.text()}`;
      return new Response(said, { status: 201, headers });
    },
  });
  await withClient(async (client) => {
    const response = await client.request(
      get(`${server.address}/a?b=c`, { method: "POST", headers: { "x-test": "1" }, body: "ä body" }),
    );
    assert.equal(response.status, 201);
    assert.equal(new TextDecoder().decode(response.body), "POST 1 ä body");
    assert.equal(response.headers["x-many"], "a, b");
    assert.equal(response.headers["content-type"], "text/plain");
    assert.equal(response.truncated, false);
  });
  await server.shutdown(5_000);
});

Deno.test("request() drops header values over 1 KB, except a Location of up to 4 KB", async () => {
  const fields = {
    "cache-control": "a".repeat(1_025),
    "content-type": "a".repeat(1_024),
    "location": `/${"a".repeat(4_095)}`,
    "set-cookie": `a=${"b".repeat(1_023)}`,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await using server = serveRaw(
    saying(`HTTP/1.1 200 OK\r\n${head}set-cookie: c=d\r\ncontent-length: 0\r\n\r\n`),
  );
  await withClient(async (client) => {
    const { headers } = await client.request(get(server.address));
    const expected = {
      "content-type": fields["content-type"],
      "location": fields["location"],
      "set-cookie": "c=d",
      "content-length": "0",
    };
    assert.deepEqual({ ...headers }, expected);
  });
});

Deno.test("request() refuses a Content-Encoding of more than 1 KB", async () => {
  const coding = "a".repeat(1_025);
  await using server = serveRaw(
    saying(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: 0\r\n\r\n`),
  );
  await withClient((client) =>
    assert.rejects(client.request(get(server.address)), { reason: "the response headers are too large" })
  );
});

Deno.test("request() sends only the given headers, and requests no compression", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    await client.request(get(`${server.address}/path?q=1`, { headers: { "user-agent": "test" } }));
  });
  const lines = server.received().trim().split("\r\n");
  assert.deepEqual(lines, [
    "GET /path?q=1 HTTP/1.1",
    `host: 127.0.0.1:${server.port}`,
    "connection: keep-alive",
    "user-agent: test",
  ]);
});

Deno.test("request() returns a redirect as the response", async () => {
  await using server = serveRaw(saying("HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n"));
  await withClient(async (client) => {
    const response = await client.request(get(server.address));
    assert.deepEqual([response.status, response.headers["location"]], [302, "/b"]);
  });
  assert.equal(server.received().match(/GET/g)?.length, 1);
});

Deno.test("request() accepts responses without a body", async () => {
  for (const status of ["204 No Content", "304 Not Modified"]) {
    await using server = serveRaw(saying(`HTTP/1.1 ${status}\r\netag: "a"\r\n\r\n`));
    await withClient(async (client) => {
      const response = await client.request(get(server.address));
      assert.equal(response.status, Number(status.slice(0, 3)));
      assert.equal(response.body.length, 0);
    });
  }
});

Deno.test("request() connects to the given addresses without a lookup", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    const url = `http://nowhere.invalid:${server.port}/`;
    const response = await client.request(get(url, { addresses: ["127.0.0.1"] }));
    assert.equal(response.status, 200);
  });
  assert.match(server.received(), new RegExp(`host: nowhere.invalid:${server.port}\r\n`));
});

Deno.test("request() connects to the given address even if the URL contains another one", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    for (const host of ["192.0.2.1", "[2001:db8::1]"]) {
      const url = `http://${host}:${server.port}/`;
      const response = await client.request(get(url, { addresses: ["127.0.0.1"] }));
      assert.equal(response.status, 200, host);
    }
  });
});

Deno.test("request() lets other work run while it decompresses a large body", async () => {
  const maxBodyBytes = 32 * 1024 * 1024;
  const body = new Uint8Array(gzipSync(new Uint8Array(maxBodyBytes)));
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: () => Promise.resolve(new Response(body, { headers: { "content-encoding": "gzip" } })),
  });
  await withClient(async (client) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const response = await client.request(get(server.address, { maxBodyBytes }));
    clearInterval(timer);
    assert.equal(response.body.length, maxBodyBytes);
    assert.ok(turns >= 25, `${turns} turns of the event loop for 32 MB`);
  });
  await server.shutdown(5_000);
});

Deno.test("request() rejects with the reason of a signal that has already aborted", async () => {
  await withClient(async (client) => {
    const signal = AbortSignal.abort(new Error("stop"));
    await assert.rejects(client.request(get("http://127.0.0.1:1/", { signal })), /stop/);
  });
});

Deno.test("request() rejects with the signal's reason at every stage of the exchange", async () => {
  const stages: [string, string, string[]][] = [
    ["while the connection is made", "https", []],
    ["while the answer is awaited", "http", []],
    ["within the answer's headers", "http", ["HTTP/1.1 200 OK\r\nx-"]],
    ["within the answer's body", "http", ["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345"]],
  ];
  for (const [stage, scheme, parts] of stages) {
    const reached = Promise.withResolvers<void>();
    await using server = serveRaw(async (connection) => {
      await saying(...parts)(connection);
      reached.resolve();
    });
    await withClient(async (client) => {
      const controller = new AbortController();
      const { signal } = controller;
      const asking = client.request(get(`${scheme}://127.0.0.1:${server.port}/`, { signal }));
      await reached.promise;
      controller.abort(new Error(`stop ${stage}`));
      await assert.rejects(asking, { message: `stop ${stage}` });
    });
  }
});

Deno.test("close() ends requests in progress", async () => {
  const reached = Promise.withResolvers<void>();
  await using server = serveRaw(() => reached.resolve());
  let failing: Promise<void> | undefined;
  await withClient(async (client) => {
    const asking = client.request(get(server.address));
    failing = assert.rejects(asking, {
      name: "NetworkError",
      reason: "the connection was closed by Regfeed",
    });
    await reached.promise;
  });
  await failing;
});

Deno.test("request() does not send a header with a line break or a character beyond ISO 8859-1", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    for (const headers of [{ "x-a": "b\r\nx-c: d" }, { "x-a\r\n": "b" }, { "x-a": "\u20ac" }, { "": "b" }]) {
      await assert.rejects(client.request(get(server.address, { headers })), {
        name: "NetworkError",
        reason: "the request is not valid HTTP",
      });
    }
  });
  assert.equal(server.connections.taken, 0);
});

Deno.test("request() tries the next address when one does not respond", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    // A reserved address for documentation: it does not respond or is unreachable.
    const addresses = ["192.0.2.1", "127.0.0.1"];
    const url = `http://nowhere.invalid:${server.port}/`;
    assert.equal((await client.request(get(url, { addresses }))).status, 200);
    const controller = new AbortController();
    const asking = client.request(get(url, { addresses: ["192.0.2.1"], signal: controller.signal }));
    const failing = assert.rejects(asking);
    await pause(5);
    controller.abort(new Error("stop"));
    await failing;
  });
});

Deno.test("concurrent requests each get their own response", async () => {
  const server = Deno.serve(LOOPBACK, async (request) => {
    const body = await request.text();
    if (Number(body) % 7 === 0) await pause(3);
    return new Response(body, { headers: Number(body) % 5 === 0 ? { connection: "close" } : {} });
  });
  await withClient(async (client) => {
    const url = `http://127.0.0.1:${server.addr.port}/`;
    let next = 0;
    await Promise.all(Array.from({ length: 20 }, async () => {
      while (next < 1_000) {
        const own = String(next++);
        const { body } = await client.request(get(url, { method: "POST", body: own }));
        assert.equal(new TextDecoder().decode(body), own);
      }
    }));
  });
  await server.shutdown();
});

Deno.test("a client for webhooks refuses a request without checked addresses", async () => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    const { addresses: _, ...without } = get(server.address);
    await assert.rejects(client.request(without), /no checked addresses/);
  }, { forWebhooks: true });
  assert.equal(server.connections.taken, 0);
});

Deno.test("a client for webhooks decompresses nothing and accepts every encoding", async () => {
  for (const encoding of ["gzip", "br", "gzip, gzip", "unknown"]) {
    await using server = serveRaw(
      saying(OK.replace("\r\n\r\n", `\r\ncontent-encoding: ${encoding}\r\n\r\n`)),
    );
    await withClient(async (client) => {
      const { status, body } = await client.request(get(server.address));
      assert.deepEqual([status, new TextDecoder().decode(body)], [200, "ok"], encoding);
    }, { forWebhooks: true });
  }
});
