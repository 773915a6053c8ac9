// The HTTP server, over real connections: its start, its shutdown and slow clients.
import assert from "node:assert/strict";
import { listen } from "../../../src/platform/http/http_server.ts";

Deno.test("listen() returns its URL and tells the handler the client's address", async () => {
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: (request, { remoteAddress }) =>
      new Response(`${new URL(request.url).pathname} ${remoteAddress}`),
  });
  assert.equal(server.address, `http://127.0.0.1:${server.port}`);
  assert.equal(await (await fetch(`${server.address}/a`)).text(), "/a 127.0.0.1");
  await server.shutdown(5_000);
});

Deno.test("listen() rejects with address and cause", async () => {
  const options = { hostname: "127.0.0.1", handler: () => new Response() };
  const server = await listen({ ...options, port: 0 });
  await assert.rejects(async () => await listen({ ...options, port: server.port }), {
    message: `cannot listen on 127.0.0.1 port ${server.port}: another program is already listening there`,
  });
  await assert.rejects(async () => await listen({ ...options, hostname: "192.0.2.1", port: 0 }), {
    message: "cannot listen on 192.0.2.1 port 0: this machine does not have that address",
  });
  await server.shutdown(5_000);
});

Deno.test("shutdown() lets a response in progress finish", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  const fetched = fetch(server.address, { headers: { connection: "close" } });
  await asked.promise;
  const down = server.shutdown(60_000);
  answer.resolve(new Response("finished"));
  assert.equal(await (await fetched).text(), "finished");
  await down;
});

Deno.test("immediate responses reach their clients completely even if the server stops", async () => {
  const text = "x".repeat(1_000_000);
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: () => new Response(text),
  });
  const fetched = Array.from({ length: 5 }, () => fetch(server.address));
  const [first] = await Promise.all(fetched);
  const down = server.shutdown(5_000);
  assert.equal(await first?.text(), text);
  for (const response of fetched.slice(1)) assert.equal((await (await response).text()).length, text.length);
  await down;
});

Deno.test("shutdown() cuts off an endless response", async () => {
  const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const server = await listen({ hostname: "127.0.0.1", port: 0, handler: () => new Response(endless()) });
  const response = await fetch(server.address);
  await server.shutdown(1);
  await assert.rejects(response.text());
});

Deno.test("shutdown() refuses new requests while a response is in progress", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: () => {
      asked.resolve();
      return answer.promise;
    },
    refuse: () => new Response("going", { status: 503, headers: { connection: "close" } }),
  });
  const fetched = fetch(server.address, { headers: { connection: "close" } });
  await asked.promise;
  const down = server.shutdown(60_000);
  const late = await fetch(server.address);
  assert.deepEqual([late.status, await late.text()], [503, "going"]);
  answer.resolve(new Response("finished"));
  assert.equal(await (await fetched).text(), "finished");
  await down;
});

Deno.test("an unread endless request body slows its sender and does not delay shutdown()", async () => {
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: () => new Response(null, { status: 413 }),
  });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  await write(connection, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const piece = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  let sent = 0;
  let last: Promise<unknown>;
  do {
    assert.ok(sent < 128 * 1024 * 1024, "everything was read");
    last = write(connection, piece).catch(() => {});
    sent += piece.length;
  } while (await isDoneWithin(700, last));
  assert.match(await read(connection), /^HTTP\/1\.1 413 /);
  await server.shutdown(5_000);
  connection.close();
  await last;
});

async function write(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function read(connection: Deno.Conn): Promise<string> {
  const bytes = new Uint8Array(4_096);
  return new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
}

async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const isDone = await Promise.race([work.then(() => true), late.promise]);
  clearTimeout(timer);
  return isDone;
}
