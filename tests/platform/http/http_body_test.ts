// Response bodies over a real connection: limits and encodings.
import assert from "node:assert/strict";
import { deflateSync, gzipSync } from "node:zlib";
import { type IncomingResponse, NetworkError } from "../../../src/domain/ports/ports.ts";
import { BoundedBody } from "../../../src/platform/http/http_body.ts";
import { createHttpClient } from "../../../src/platform/http/http.ts";
import { saying, serveRaw } from "../raw_server.ts";

function answer(body: Uint8Array, encoding?: string): Uint8Array {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${
    encoding === undefined ? "" : `content-encoding: ${encoding}\r\n`
  }\r\n`;
  return new Uint8Array([...new TextEncoder().encode(head), ...body]);
}

async function fetchWith(
  bytes: Uint8Array,
  maxBodyBytes: number,
  look: (connections: { taken: number; open: number }) => Promise<void> = () => Promise.resolve(),
): Promise<IncomingResponse> {
  await using server = serveRaw(saying(bytes));
  const client = createHttpClient();
  const { signal } = new AbortController();
  try {
    const url = new URL(server.address);
    const response = await client.request({ method: "GET", url, headers: {}, maxBodyBytes, signal });
    await look(server.connections);
    return response;
  } finally {
    await client.close();
  }
}

Deno.test("request() reads up to the limit and reports a longer body", async () => {
  const body = Uint8Array.from({ length: 100_000 }, (_, index) => index & 255);
  const rows: [number, number, boolean][] = [
    [0, 0, true],
    [1, 1, true],
    [99_999, 99_999, true],
    [100_000, 100_000, false],
    [100_001, 100_000, false],
  ];
  for (const [bound, size, truncated] of rows) {
    const response = await fetchWith(answer(body), bound);
    assert.equal(response.truncated, truncated, `limit ${bound}`);
    assert.deepEqual(response.body, body.slice(0, size));
  }
});

Deno.test("request() decompresses gzip and deflate", async () => {
  const text = "regulation ".repeat(1_000);
  const plain = new TextEncoder().encode(text);
  const rows: [string, Uint8Array][] = [
    ["gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    ["identity", plain],
  ];
  for (const [encoding, bytes] of rows) {
    const response = await fetchWith(answer(bytes, encoding), plain.length);
    assert.equal(new TextDecoder().decode(response.body), text, encoding);
    assert.equal(response.truncated, false);
  }
});

Deno.test("request() limits the size after decompression", async () => {
  const bomb = gzipSync(new Uint8Array(50_000_000));
  assert.ok(bomb.length < 100_000);
  const response = await fetchWith(answer(bomb, "gzip"), 100_000);
  assert.equal(response.truncated, true);
  assert.equal(response.body.length, 100_000);
});

Deno.test("request() reports a truncated compressed body", async () => {
  const whole = gzipSync(crypto.getRandomValues(new Uint8Array(5_000)));
  await assert.rejects(
    fetchWith(answer(whole.subarray(0, 2_000), "gzip"), 10_000),
    (error: unknown) => error instanceof NetworkError && error.reason === "the response was cut off",
  );
});

Deno.test("request() limits compressed bodies that decompress to nothing", async () => {
  // Consecutive empty gzip members are valid and decompress to nothing.
  const empty = gzipSync(new Uint8Array());
  const endless = new Uint8Array(empty.length * 5_000);
  for (let at = 0; at < endless.length; at += empty.length) endless.set(empty, at);
  const response = await fetchWith(answer(endless, "gzip"), 50_000);
  assert.equal(response.truncated, true);
  assert.equal(response.body.length, 0);
});

Deno.test("BoundedBody needs little more memory for single bytes than for one chunk", () => {
  const body = new BoundedBody(1_000_000);
  const chunk = new Uint8Array(1);
  const memory = (): number => Deno.memoryUsage().heapUsed + Deno.memoryUsage().external;
  const before = memory();
  for (let at = 0; at < 400_000; at++) {
    chunk[0] = at % 251;
    body.add(chunk);
  }
  assert.ok(memory() - before < 10_000_000, `${memory() - before} bytes`);
  assert.deepEqual(body.read(), {
    body: Uint8Array.from({ length: 400_000 }, (_, at) => at % 251),
    truncated: false,
  });
});

Deno.test("BoundedBody reads the same body from any chunks, up to its limit", () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
  for (const sizes of [[1, 2, 3], [70_000], [65_536, 1], [200_000, 0, 5], [0, 300_000]]) {
    for (const maxBytes of [0, 3, 65_537, 299_999, 300_000]) {
      const body = new BoundedBody(maxBytes);
      let at = 0;
      for (let turn = 0; at < bytes.length; turn++) {
        const piece = bytes.slice(at, at + (sizes[turn % sizes.length] ?? 1));
        const isAll = body.add(piece);
        at += piece.length;
        piece.fill(255); // as if its memory were reused
        assert.equal(isAll, at <= maxBytes);
      }
      const { body: read, truncated } = body.read();
      assert.ok(truncated === maxBytes < bytes.length && read.length === maxBytes, `${sizes} ${maxBytes}`);
      assert.ok(read.every((byte, index) => byte === bytes[index]), `${sizes} ${maxBytes}`);
    }
  }
});
