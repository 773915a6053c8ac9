// Tests of src/platform/endpoint_client.ts beyond what both clients do: whose connections are used again, and when.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { IncomingResponse, OutgoingRequest } from "../../src/domain/ports.ts";
import { Stopper } from "../../src/domain/stop.ts";
import { dial, familiesInTurn, type Line } from "../../src/platform/dial.ts";
import { createEndpointClient, type EndpointClient } from "../../src/platform/endpoint_client.ts";
import { createHttpClient } from "../../src/platform/http.ts";
import { createChance } from "../support/chance.ts";
import { type Conversation, saying, sayingLast, serveRaw } from "./raw_server.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";

async function withClient(work: (client: EndpointClient) => Promise<void>): Promise<void> {
  const client = createEndpointClient();
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

function post(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  const { signal } = new AbortController();
  const own = { method: "POST" as const, url: new URL(url), headers: {}, body: "{}" };
  return { ...own, addresses: ["127.0.0.1"], maxBodyBytes: 1_000, signal, ...more };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for what is to become true. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(2);
}

Deno.test("a connection serves one URL alone", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  await withClient(async (client) => {
    for (const path of ["/a", "/b", "/a", "/b?c", "/a"]) {
      await client.request(post(`${server.address}${path}`));
    }
    assert.equal(server.connections.taken, 3);
  });
});

Deno.test("a request goes out in one piece, with its length", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  await withClient(async (client) => {
    await client.request(post(`${server.address}/a%20b?c=d`, { headers: { "x-a": "b" }, body: "ä" }));
    await client.request(post(`${server.address}/a%20b?c=d`, { body: new Uint8Array() }));
  });
  const host = `host: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\n`;
  assert.equal(
    server.received(),
    `POST /a%20b?c=d HTTP/1.1\r\n${host}x-a: b\r\ncontent-length: 2\r\n\r\nä` +
      `POST /a%20b?c=d HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`,
  );
});

Deno.test("a request that holds a line break, or a letter that no head has, is not sent", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  await withClient(async (client) => {
    for (const headers of [{ "x-a": "b\r\nx-c: d" }, { "x-a\r\n": "b" }, { "x-a": "\u20ac" }, { "": "b" }]) {
      const asking = client.request(post(server.address, { headers }));
      await assert.rejects(asking, { name: "NetworkError", reason: "the request cannot be sent as it is" });
    }
  });
  assert.equal(server.connections.taken, 0);
});

Deno.test("a request without addresses is refused, whatever its host is", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  await withClient(async (client) => {
    const { addresses: _, ...without } = post(server.address);
    await assert.rejects(client.request(without), { name: "NetworkError" });
  });
  assert.equal(server.connections.taken, 0);
});

Deno.test("a connection is not used again after an answer that leaves doubts", async () => {
  const answers: [what: string, answer: string][] = [
    ["it closes", "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"],
    ["bytes behind it", `${OK}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`],
    ["a body behind 204", "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"],
    [
      "two ways to tell its end",
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["no time left", "HTTP/1.1 204 No Content\r\nkeep-alive: timeout=1\r\n\r\n"],
    ["a longer body than may be", `HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${"a".repeat(2_000)}`],
  ];
  for (const [what, answer] of answers) {
    await using server = serveRaw(saying(answer));
    await withClient(async (client) => {
      for (let round = 0; round < 2; round++) {
        const { status } = await client.request(post(server.address));
        assert.ok(status === 200 || status === 204, what);
      }
    });
    assert.equal(server.connections.taken, 2, what);
  }
});

Deno.test("what comes while nobody has asked ends the connection, and is nobody's answer", async () => {
  const forged = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
  await using server = serveRaw(async (connection) => {
    await saying(NO_CONTENT)(connection);
    await pause(10);
    await saying(forged)(connection);
  });
  await withClient(async (client) => {
    assert.equal((await client.request(post(server.address))).status, 204);
    await until(() => server.connections.open === 0);
    assert.equal((await client.request(post(server.address))).status, 204);
    assert.equal(server.connections.taken, 2);
  });
});

Deno.test("a name among the addresses is not looked up", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  await withClient(async (client) => {
    for (const address of ["localhost", "127.1", ""]) {
      const asking = client.request(post(server.address, { addresses: [address] }));
      await assert.rejects(asking, { name: "NetworkError", reason: "host name not found" }, address);
    }
  });
  assert.equal(server.connections.taken, 0);
});

/** A line to nowhere, on which nothing comes; `write` is what becomes of what is sent. */
function aLine(write: () => Promise<number>): { line: Line; closed: () => boolean } {
  let hangUp: ((error: unknown) => void) | null = null;
  let isClosed = false;
  const line = {
    read: () => new Promise((_, reject) => hangUp = reject),
    write,
    close() {
      isClosed = true;
      hangUp?.(new Deno.errors.Interrupted("closed"));
    },
  };
  return { line: line as unknown as Line, closed: () => isClosed };
}

Deno.test("a connection that comes to stand while the client is closed is closed too, and nothing goes out", async () => {
  let sent = 0;
  const { line, closed } = aLine(() => Promise.resolve(++sent));
  const client = createEndpointClient(() => new Promise((stand) => setTimeout(() => stand(line), 5)));
  const asking = client.request(post("http://feed.test/"));
  await client.close();
  await assert.rejects(asking, { name: "NetworkError", reason: "the connection was closed here" });
  assert.deepEqual([closed(), sent], [true, 0]);
});

Deno.test("an endpoint that reads nothing holds few connections, and gets the next one when it lets one go", async () => {
  const held: ((count: number) => void)[] = [];
  let dialled = 0;
  const client = createEndpointClient(() => {
    dialled++;
    return Promise.resolve(aLine(() => new Promise((wrote) => held.push(wrote))).line);
  });
  const send = async (url: string): Promise<string> => {
    const controller = new AbortController();
    const asking = client.request(post(url, { signal: controller.signal }));
    const failing = assert.rejects(asking).then(() => asking.catch((error: Error) => error.message));
    await pause(0);
    controller.abort(new Error("late"));
    return String(await failing);
  };
  const deaf = "http://deaf.test/";
  for (let turn = 0; turn < 4; turn++) assert.equal(await send(deaf), "late");
  const refused = "the endpoint does not read what it is sent";
  assert.equal(await send(deaf), refused);
  assert.equal(await send("http://other.test/"), "late");
  assert.equal(dialled, 5);
  held[0]?.(1);
  await pause(0);
  assert.equal(await send(deaf), "late");
  assert.equal(await send(deaf), refused);
  await client.close();
});

Deno.test("a connection that the endpoint has closed meanwhile is not used again", async () => {
  await using server = serveRaw(sayingLast(NO_CONTENT));
  await withClient(async (client) => {
    for (let round = 1; round < 5; round++) {
      assert.equal((await client.request(post(server.address))).status, 204);
      await until(() => server.connections.open === 0);
      await pause(5); // the other end has to hear of it
      assert.equal(server.connections.taken, round);
    }
  });
});

Deno.test("an answer that comes before the request is out is heard, and its connection is not used again", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const serving = (async () => {
    for await (const connection of listener) {
      held.push(connection);
      await connection.read(new Uint8Array(100)); // and the rest of 4 MB is never read
      await connection.write(new TextEncoder().encode("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n"));
    }
  })();
  await withClient(async (client) => {
    const url = `http://127.0.0.1:${listener.addr.port}/`;
    for (let round = 0; round < 2; round++) {
      const { status } = await client.request(post(url, { body: new Uint8Array(4_000_000) }));
      assert.equal(status, 413);
    }
  });
  assert.equal(held.length, 2);
  listener.close();
  await serving;
  for (const connection of held) connection.close();
});

Deno.test("a large request arrives whole at an endpoint that reads slowly", async () => {
  const body = crypto.getRandomValues(new Uint8Array(60_000));
  const large = new Uint8Array(3_000_000).map((_, at) => body[at % body.length] ?? 0);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    const connection = await listener.accept();
    const parts: Uint8Array[] = [];
    let size = 0;
    const buffer = new Uint8Array(100_000);
    while (size < large.length) {
      const count = await connection.read(buffer) ?? 0;
      parts.push(buffer.slice(0, count));
      size += count;
      if (parts.length % 10 === 0) await pause(1);
      if (new TextDecoder("latin1").decode(parts[0]).indexOf("\r\n\r\n") + 4 + large.length === size) break;
    }
    await connection.write(new TextEncoder().encode(NO_CONTENT));
    connection.close();
    const got = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
    return got.subarray(got.length - large.length);
  })();
  await withClient(async (client) => {
    const { status } = await client.request(post(`http://127.0.0.1:${listener.addr.port}/`, { body: large }));
    assert.equal(status, 204);
  });
  assert.deepEqual(await serving, large);
  listener.close();
});

Deno.test("what a slow address keeps waiting for, the next one gives", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  await withClient(async (client) => {
    // Of a network that is set aside for documents nobody answers, or it is out of reach.
    const addresses = ["192.0.2.1", "127.0.0.1"];
    assert.equal((await client.request(post(server.address, { addresses }))).status, 204);
    const controller = new AbortController();
    const asking = client.request(
      post(server.address, { addresses: ["192.0.2.1"], signal: controller.signal }),
    );
    const failing = assert.rejects(asking);
    await pause(5);
    controller.abort(new Error("stop"));
    await failing;
  });
});

Deno.test("a connection that stands in the moment of the stop is closed", async () => {
  await using server = serveRaw(() => {});
  const stop = new Stopper();
  const { connect } = Deno;
  // What Deno 2.9 does, with the stop in the only moment that counts: whatever stands by then would be nobody's.
  const late = async ({ hostname, port, signal }: Deno.ConnectOptions & { signal?: AbortSignal }) => {
    try {
      return await connect({ hostname: hostname ?? "", port });
    } finally {
      stop.abort(new Error("stop"));
      signal?.throwIfAborted();
    }
  };
  Deno.connect = late as typeof Deno.connect;
  try {
    const destination = { url: new URL(server.address), addresses: ["127.0.0.1"], authorities: undefined };
    await assert.rejects(dial(destination, stop), { message: "stop" });
  } finally {
    Deno.connect = connect;
  }
  for (let turn = 0; turn < 500 && (server.connections.taken === 0 || server.connections.open > 0); turn++) {
    await pause(2);
  }
  assert.deepEqual(server.connections, { taken: 1, open: 0 });
});

Deno.test("addresses are tried in turn of their families", () => {
  const rows: [given: string[], inTurn: string[]][] = [
    [[], []],
    [["::1"], ["::1"]],
    [["::1", "::2", "127.0.0.1", "127.0.0.2", "127.0.0.3"], [
      "::1",
      "127.0.0.1",
      "::2",
      "127.0.0.2",
      "127.0.0.3",
    ]],
    [["127.0.0.1", "127.0.0.2", "::1"], ["127.0.0.1", "::1", "127.0.0.2"]],
  ];
  for (const [given, inTurn] of rows) assert.deepEqual(familiesInTurn(given), inTurn);
});

Deno.test("many at once each get their own answer", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
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
        const { body } = await client.request(post(url, { body: own }));
        assert.equal(new TextDecoder().decode(body), own);
      }
    }));
  });
  await server.shutdown();
});

/** A well-formed answer in parts: what is random of it comes from the seed. */
function invent(seed: number): { talk: Conversation; what: string } {
  const chance = createChance(seed);
  const letters = (count: number) =>
    Array.from({ length: count }, () => chance.pick([..."abcxyz019 "])).join("");
  const body = new TextEncoder().encode(letters(chance.between(0, 3_000)));
  const status = chance.pick([200, 201, 202, 301, 400, 404, 410, 429, 500, 503, 599]);
  const framing = chance.pick(["length", "chunked", "close"]);
  const isZipped = chance.happens(0.2);
  const sent = isZipped ? new Uint8Array(gzipSync(body)) : body;
  const fields = [
    `x-a${letters(3).replaceAll(" ", "")}: ${letters(20).trim()}`,
    "X-Many: a",
    "x-many:b",
    "Set-Cookie: a=b",
    "set-cookie: c=d, e",
  ];
  if (isZipped) fields.push("content-encoding: gzip");
  if (framing === "length") fields.push(`Content-Length: ${sent.length}`);
  if (framing === "chunked") fields.push("Transfer-Encoding: chunked");
  const head = `HTTP/1.1 ${status} ${letters(5)}\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
  const hints = chance.happens(0.2) ? "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" : "";
  const text = (part: string) => new TextEncoder().encode(part);
  const parts = [text(hints), text(head)];
  if (framing !== "chunked") parts.push(sent);
  else {
    for (let at = 0; at < sent.length;) {
      const size = Math.min(sent.length - at, chance.between(1, 900));
      parts.push(
        text(`${size.toString(16)}${chance.pick(["", ";a=b"])}\r\n`),
        sent.subarray(at, at + size),
        text("\r\n"),
      );
      at += size;
    }
    parts.push(text(`0\r\n${chance.pick(["", "x-end: a\r\n"])}\r\n`));
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  const talk: Conversation = async (connection) => {
    for (let at = 0; at < whole.length;) {
      const size = chance.happens(0.5) ? whole.length : chance.between(1, 400);
      await saying(whole.subarray(at, at + size))(connection);
      at += size;
      if (chance.happens(0.3)) await pause(0);
    }
    if (framing === "close") connection.close();
  };
  return { talk, what: `seed ${seed}: ${hints}${head}` };
}

Deno.test("a well-formed answer is what the other client makes of it, too", async () => {
  const other = createHttpClient();
  await withClient(async (client) => {
    for (let seed = 1; seed <= 150; seed++) {
      const heard: IncomingResponse[] = [];
      const maxBodyBytes = seed % 4 === 0 ? 500 : 5_000;
      for (const one of [client, other]) {
        const { talk } = invent(seed);
        await using server = serveRaw(talk);
        const { status, headers, body, truncated } = await one.request(
          post(server.address, { maxBodyBytes }),
        );
        heard.push({ status, headers: { ...headers }, body: Uint8Array.from(body), truncated });
      }
      const [ours, theirs] = heard;
      assert.deepEqual(ours, theirs, invent(seed).what);
    }
  });
  await other.close();
});
