// Tests of both HTTP clients, src/platform/http.ts and endpoint_client.ts: requests, addresses, connections, aborts.
import assert from "node:assert/strict";
import type { HttpClient, OutgoingRequest } from "../../src/domain/ports.ts";
import { MAX_IDLE_CONNECTIONS } from "../../src/platform/idle_pool.ts";
import { createEndpointClient } from "../../src/platform/endpoint_client.ts";
import { createHttpClient } from "../../src/platform/http.ts";
import { listen } from "../../src/platform/server.ts";
import { saying, sayingLast, serveRaw } from "./raw_server.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const CLIENTS = { createHttpClient, createEndpointClient };

type WithClient = (work: (client: HttpClient) => Promise<void>) => Promise<void>;

/** A test that holds for each client; it is given what does a work with one. */
function test(name: string, work: (withClient: WithClient) => Promise<void>): void {
  for (const [kind, create] of Object.entries(CLIENTS)) {
    const withClient: WithClient = async (use) => {
      const client = create();
      try {
        await use(client);
      } finally {
        await client.close();
      }
    };
    Deno.test(`${kind}: ${name}`, () => work(withClient));
  }
}

function get(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  const { signal } = new AbortController();
  const own = { method: "GET" as const, url: new URL(url), headers: {}, addresses: ["127.0.0.1"] };
  return { ...own, maxBodyBytes: 1_000, signal, ...more };
}

test("request() sends method, headers and body, and gives status, headers and body", async (withClient) => {
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

test("request() gives no header value of more than 1 KB, except a Location of up to 4 KB", async (withClient) => {
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

test("request() refuses a response whose coding has a name of more than 1 KB", async (withClient) => {
  const coding = "a".repeat(1_025);
  await using server = serveRaw(
    saying(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: 0\r\n\r\n`),
  );
  await withClient((client) =>
    assert.rejects(client.request(get(server.address)), { reason: "the answer's headers are too large" })
  );
});

test("request() sends only the headers that it is given, and asks for no compression", async (withClient) => {
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

test("request() gives a redirect as the answer", async (withClient) => {
  await using server = serveRaw(saying("HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n"));
  await withClient(async (client) => {
    const response = await client.request(get(server.address));
    assert.deepEqual([response.status, response.headers["location"]], [302, "/b"]);
  });
  assert.equal(server.received().match(/GET/g)?.length, 1);
});

test("request() takes answers without a body", async (withClient) => {
  for (const status of ["204 No Content", "304 Not Modified"]) {
    await using server = serveRaw(saying(`HTTP/1.1 ${status}\r\netag: "a"\r\n\r\n`));
    await withClient(async (client) => {
      const response = await client.request(get(server.address));
      assert.equal(response.status, Number(status.slice(0, 3)));
      assert.equal(response.body.length, 0);
    });
  }
});

test("request() connects to the addresses it is given and looks nothing up", async (withClient) => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    const url = `http://nowhere.invalid:${server.port}/`;
    const response = await client.request(get(url, { addresses: ["127.0.0.1"] }));
    assert.equal(response.status, 200);
  });
  assert.match(server.received(), new RegExp(`host: nowhere.invalid:${server.port}\r\n`));
});

test("request() goes to the given address also where the URL holds another one", async (withClient) => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    for (const host of ["192.0.2.1", "[2001:db8::1]"]) {
      const url = `http://${host}:${server.port}/`;
      const response = await client.request(get(url, { addresses: ["127.0.0.1"] }));
      assert.equal(response.status, 200, host);
    }
  });
});

test("request() tries the next address when one refuses", async (withClient) => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    const url = `http://nowhere.invalid:${server.port}/`;
    const response = await client.request(get(url, { addresses: ["127.0.0.2", "127.0.0.1"] }));
    assert.equal(response.status, 200);
  });
});

test("request() without an address to go to is refused", async (withClient) => {
  await withClient(async (client) => {
    await assert.rejects(client.request(get("http://localhost:1/", { addresses: [] })), {
      name: "NetworkError",
    });
  });
});

test("request() keeps a connection per origin and addresses for the next request", async (withClient) => {
  await using server = serveRaw(saying(OK));
  await withClient(async (client) => {
    const url = `http://nowhere.invalid:${server.port}/`;
    for (let round = 0; round < 3; round++) await client.request(get(url, { addresses: ["127.0.0.1"] }));
    assert.equal(server.connections.taken, 1);
    // Another set of checked addresses never shares a connection.
    await client.request(get(url, { addresses: ["127.0.0.1", "127.0.0.2"] }));
    assert.equal(server.connections.taken, 2);
  });
});

test("request() closes the connections that are not used for longest, beyond the bound", async (withClient) => {
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
    // The first address has lost its connection, the last one has not.
    await client.request(get(url, { addresses: [`127.1.1.${MAX_IDLE_CONNECTIONS + more - 1 - 256}`] }));
    assert.equal(server.connections.taken, MAX_IDLE_CONNECTIONS + more);
    await client.request(get(url, { addresses: ["127.1.0.0"] }));
    assert.equal(server.connections.taken, MAX_IDLE_CONNECTIONS + more + 1);
  });
});

test("request() takes no proxy from the environment", async (withClient) => {
  await using server = serveRaw(saying(OK));
  await using proxy = serveRaw(sayingLast("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  const names = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
  const before = names.map((name) => Deno.env.get(name));
  try {
    for (const name of names) Deno.env.set(name, proxy.address);
    await withClient(async (client) => {
      assert.equal((await client.request(get(server.address))).status, 200);
    });
    assert.equal(proxy.connections.taken, 0);
  } finally {
    names.forEach((name, index) => {
      const value = before[index];
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    });
  }
});

test("request() rejects with the signal's reason when it has aborted before", async (withClient) => {
  await withClient(async (client) => {
    const signal = AbortSignal.abort(new Error("stop"));
    await assert.rejects(client.request(get("http://127.0.0.1:1/", { signal })), /stop/);
  });
});

test("request() rejects with the signal's reason at every stage of the exchange", async (withClient) => {
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

test("request() leaves other requests alone when one is aborted", async (withClient) => {
  const reached = Promise.withResolvers<void>();
  await using server = serveRaw((connection) => {
    if (server.received().includes("/slow")) return reached.resolve();
    return saying(OK)(connection);
  });
  await withClient(async (client) => {
    assert.equal((await client.request(get(`${server.address}/quick`))).status, 200);
    const controller = new AbortController();
    const slow = client.request(get(`${server.address}/slow`, { signal: controller.signal }));
    await reached.promise;
    controller.abort(new Error("stop"));
    await assert.rejects(slow, /stop/);
  });
});

test("close() ends requests under way", async (withClient) => {
  const reached = Promise.withResolvers<void>();
  await using server = serveRaw(() => reached.resolve());
  let failing: Promise<void> | undefined;
  await withClient(async (client) => {
    const asking = client.request(get(server.address));
    failing = assert.rejects(asking, { name: "NetworkError", reason: "the connection was closed here" });
    await reached.promise;
  });
  await failing;
});
