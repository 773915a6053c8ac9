// Connections to checked addresses: their order, aborts and limits.
import assert from "node:assert/strict";
import { dial, MAX_UNFINISHED_HANDSHAKES } from "../../../src/platform/http/dial.ts";
import { saying, serveRaw } from "../raw_server.ts";
import { pause } from "../../support/pause.ts";

const onwards = new AbortController().signal;

Deno.test("dial() connects to the first address that accepts, without a lookup", async () => {
  await using server = serveRaw(saying("hello"));
  const destination = { hostname: "nowhere.invalid", port: server.port, tls: null };
  const stream = await dial({ ...destination, addresses: ["127.0.0.2", "::1", "127.0.0.1"] }, onwards);
  stream.write("a");
  const first = await new Promise((resolve) => stream.once("data", resolve));
  assert.equal(String(first), "hello");
  stream.destroy();
  for (const addresses of [[], ["localhost"], [""]]) {
    await assert.rejects(dial({ ...destination, addresses }, onwards), {
      name: "NetworkError",
      reason: "host name not found",
    });
  }
});

Deno.test("dial() closes a connection that is established at the moment of the abort", async () => {
  await using server = serveRaw(() => {});
  const controller = new AbortController();
  const { connect } = Deno;
  // Behaves like the runtime: connects, and throws if the signal has aborted in the meantime.
  const late = async ({ hostname, port, signal }: Deno.ConnectOptions & { signal?: AbortSignal }) => {
    try {
      return await connect({ hostname: hostname ?? "", port });
    } finally {
      controller.abort(new Error("stop"));
      signal?.throwIfAborted();
    }
  };
  Deno.connect = late as typeof Deno.connect;
  try {
    const destination = { hostname: "a.test", port: server.port, addresses: ["127.0.0.1"], tls: null };
    await assert.rejects(dial(destination, controller.signal), { message: "stop" });
  } finally {
    Deno.connect = connect;
  }
  for (let turn = 0; turn < 500 && (server.connections.taken === 0 || server.connections.open > 0); turn++) {
    await pause(2);
  }
  assert.deepEqual(server.connections, { taken: 1, open: 0 });
});

Deno.test("dial() writes a large text completely to a slow reader", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const large = new Uint8Array(3_000_000).map((_, at) => at % 251);
  const reading = (async () => {
    const connection = await listener.accept();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const buffer = new Uint8Array(100_000);
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      parts.push(buffer.slice(0, count));
      if (parts.length % 10 === 0) await pause(1);
    }
    connection.close();
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  })();
  const { port } = listener.addr;
  const stream = await dial({ hostname: "a.test", port, addresses: ["127.0.0.1"], tls: null }, onwards);
  stream.end(large);
  assert.deepEqual(await reading, large);
  stream.destroy();
  listener.close();
});

Deno.test("dial() refuses an address with too many unfinished TLS handshakes until some are closed", async () => {
  const unfinished = "too many TLS handshakes with the host are unfinished";
  /** Tries to connect for a short time. Returns the reason for the failure. */
  const attempt = async (address: string, port: number): Promise<unknown> => {
    const target = { hostname: "a.test", port, addresses: [address], tls: { authorities: undefined } };
    const error = await dial(target, AbortSignal.timeout(100)).then(() => null, (error) => error);
    return error?.reason ?? error?.name;
  };
  {
    await using silent = serveRaw(() => {}, "0.0.0.0");
    for (let made = 0; made < MAX_UNFINISHED_HANDSHAKES; made++) {
      assert.equal(await attempt("127.0.0.1", silent.port), "TimeoutError");
    }
    assert.equal(await attempt("127.0.0.1", silent.port), unfinished);
    assert.equal(silent.connections.taken, MAX_UNFINISHED_HANDSHAKES, "no further connection is made");
    assert.equal(await attempt("127.0.0.2", silent.port), "TimeoutError", "another address is tried");
  }
  await using silent = serveRaw(() => {});
  for (let turn = 0; turn < 500 && await attempt("127.0.0.1", silent.port) === unfinished; turn++) {
    await pause(10);
  }
  assert.equal(silent.connections.taken, 1);
});
