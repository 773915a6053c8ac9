// Tests of src/platform/server.ts, over real connections.
import assert from "node:assert/strict";
import { listen } from "../../src/platform/server.ts";

Deno.test("listen() says its address, answers, and tells the handler who asks", async () => {
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

Deno.test("listen() says why it cannot", async () => {
  const options = { hostname: "127.0.0.1", handler: () => new Response() };
  const server = await listen({ ...options, port: 0 });
  await assert.rejects(async () => await listen({ ...options, port: server.port }), {
    message: `cannot listen on 127.0.0.1 port ${server.port}: another program listens there already`,
  });
  await assert.rejects(async () => await listen({ ...options, hostname: "192.0.2.1", port: 0 }), {
    message: "cannot listen on 192.0.2.1 port 0: this machine has no such address",
  });
  await server.shutdown(5_000);
});

Deno.test("shutdown() lets an answer under way finish", async () => {
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

Deno.test("shutdown() cuts off an answer that does not end", async () => {
  const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const server = await listen({ hostname: "127.0.0.1", port: 0, handler: () => new Response(endless()) });
  const response = await fetch(server.address);
  await server.shutdown(1);
  await assert.rejects(response.text());
});

Deno.test("shutdown() answers what still comes as it is told to, while an answer is under way", async () => {
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
