// A server that is stopped finishes its work in progress within a time limit.
import assert from "node:assert/strict";
import { type Arrival, type Board, type Hook, openBoard, openHook } from "../../support/loopback.ts";
import {
  addCustomer,
  callApi,
  regfeedJson,
  serve,
  type Serving,
  withConfig,
  withFolder,
  writeConfig,
} from "../../support/process.ts";

const CONFIG = `
[server]
listen = "127.0.0.1:0"
`;

/** Starts a request with a body of this size, and sends only its first byte. */
async function holdUp(server: Serving, key: string, length = 100): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(server.address);
  const client = await Deno.connect({ hostname, port: Number(port) });
  const head = `POST /v1/subscriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n{`;
  await client.write(new TextEncoder().encode(head));
  // Waits until the server has read the beginning of the request.
  await new Promise((later) => setTimeout(later, 300));
  await (await fetch(`${server.address}/livez`)).body?.cancel();
  return client;
}

Deno.test("one signal ends a server with a slow client within the time limit, and a second signal ends it at once", async () => {
  await withConfig(CONFIG, async (folder) => {
    const { key } = await regfeedJson<{ key: string }>(folder, "customer add --email a@b.example");
    {
      const server = await serve(folder);
      using _client = await holdUp(server, key);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.match(log, /stopped/);
    }
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const server = await serve(folder);
      using _client = await holdUp(server, key);
      server.signal(signal);
      await server.said("stopping");
      const { code, log } = await server.end(signal);
      assert.equal(code, signal === "SIGTERM" ? 143 : 130, log);
      assert.doesNotMatch(log, /stopped/);
    }
  });
});

const PATIENCE_MS = 30_000;

async function withReceiver(
  answer: (arrival: Arrival) => Promise<Response>,
  work: (peers: { folder: string; board: Board; hook: Hook }) => Promise<void>,
): Promise<void> {
  const board = openBoard();
  const hook = openHook(answer);
  try {
    await withFolder(async (folder) => {
      const delivery = 'allow_http = true\nallow_networks = ["127.0.0.0/8"]\ntimeout = "60s"\n';
      await writeConfig(folder, `${CONFIG}[delivery]\n${delivery}${board.source}`);
      await work({ folder, board, hook });
    });
  } finally {
    await board.close();
    await hook.close();
  }
}

/**
 * Starts a server, subscribes the receiver, publishes, and waits for the attempt. The returned `id` is the
 * delivery's.
 */
async function beginAttempt(
  { folder, board, hook }: { folder: string; board: Board; hook: Hook },
): Promise<{ server: Serving; key: string; id: string }> {
  const { key } = await addCustomer(folder, "a@b.example");
  const server = await serve(folder);
  const subscribed = await callApi(server, key, "/v1/subscriptions", { webhook_url: hook.url });
  assert.equal(subscribed.status, 201, await subscribed.text());
  board.publish("Guidelines on general-purpose AI models");
  const { id } = await arrivalOf(hook, 1, server);
  return { server, key, id };
}

async function arrivalOf(hook: Hook, count: number, server: Serving): Promise<Arrival> {
  for (const endMs = Date.now() + PATIENCE_MS; hook.arrivals.length < count;) {
    assert.ok(Date.now() < endMs, `arrival ${count} within ${PATIENCE_MS / 1_000} s\n${server.log()}`);
    await new Promise((again) => setTimeout(again, 50));
  }
  return hook.arrivals[count - 1] as Arrival;
}

/** Returns a delivery's status and the response statuses of its attempts, as the API shows them. */
async function deliveryOf(
  server: Serving,
  key: string,
  id: string,
): Promise<{ status: string; answers: (number | null)[] }> {
  const answer = await callApi(server, key, `/v1/deliveries/${id}`);
  const { delivery } = await answer.json();
  const attempts = delivery.attempts as { status_code: number | null }[];
  return { status: delivery.status, answers: attempts.map(({ status_code }) => status_code) };
}

Deno.test("an attempt that ends within the limit is recorded before the server exits, and not repeated", async () => {
  const released = Promise.withResolvers<void>();
  await withReceiver(async () => {
    await released.promise;
    return new Response(null, { status: 204 });
  }, async (peers) => {
    const { server, key, id } = await beginAttempt(peers);
    const ended = server.end("SIGTERM");
    await server.said("stopping");
    setTimeout(released.resolve, 1_000);
    const { code, log } = await ended;
    assert.equal(code, 0, log);
    const next = await serve(peers.folder);
    assert.deepEqual(await deliveryOf(next, key, id), { status: "delivered", answers: [204] });
    await new Promise((later) => setTimeout(later, 1_500)); // a second attempt would arrive within this time
    assert.equal(peers.hook.arrivals.length, 1);
    assert.equal((await next.end("SIGTERM")).code, 0);
  });
});

Deno.test("an attempt that exceeds the limit is cancelled, and repeated after the start with the same id", async () => {
  const over = Promise.withResolvers<void>();
  let isSlow = true;
  await withReceiver(async () => {
    if (isSlow) await over.promise;
    return new Response(null, { status: 204 });
  }, async (peers) => {
    const { server, key, id } = await beginAttempt(peers);
    const startMs = Date.now();
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0, log);
    assert.ok(Date.now() - startMs < 30_000, "sooner than the timeout of the attempt, 60 s");
    isSlow = false;
    over.resolve();
    const next = await serve(peers.folder);
    assert.equal((await arrivalOf(peers.hook, 2, next)).id, id);
    let seen = await deliveryOf(next, key, id);
    for (let turn = 0; seen.status !== "delivered" && turn < 100; turn++) {
      await new Promise((again) => setTimeout(again, 100));
      seen = await deliveryOf(next, key, id);
    }
    assert.deepEqual([seen.status, seen.answers.at(-1)], ["delivered", 204], next.log());
    await new Promise((later) => setTimeout(later, 1_500)); // a third attempt would arrive within this time
    assert.deepEqual(peers.hook.arrivals.map((arrival) => arrival.id), [id, id]);
    assert.equal((await next.end("SIGTERM")).code, 0);
  });
});

Deno.test("a response in progress is completed when the server stops", async () => {
  await withConfig(CONFIG, async (folder) => {
    const { key } = await addCustomer(folder, "a@b.example");
    const server = await serve(folder);
    const rest = '"webhook_url":"https://192.0.2.1/a"}'; // a reserved address, which is never reachable
    using client = await holdUp(server, key, rest.length + 1);
    const ended = server.end("SIGTERM");
    await server.said("stopping");
    await client.write(new TextEncoder().encode(rest));
    let text = "";
    const buffer = new Uint8Array(4_096);
    for (
      let read = await client.read(buffer);
      read !== null;
      read = await client.read(buffer).catch(() => null)
    ) {
      text += new TextDecoder().decode(buffer.subarray(0, read));
    }
    const [head = "", body = ""] = text.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.equal(body.length, Number(/content-length: (\d+)/i.exec(head)?.[1]));
    assert.equal(JSON.parse(body).errors[0].field, "webhook_url");
    const { code, log } = await ended;
    assert.equal(code, 0, log);
  });
});

Deno.test("a test call that waits for its endpoint gets a response before the server ends", async () => {
  const over = Promise.withResolvers<void>();
  await withReceiver(async () => {
    await over.promise;
    return new Response(null, { status: 204 });
  }, async ({ folder, hook }) => {
    const { key } = await addCustomer(folder, "a@b.example");
    const server = await serve(folder);
    const post = (path: string, body: string) =>
      fetch(`${server.address}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body,
      });
    const subscribed = await post("/v1/subscriptions", JSON.stringify({ webhook_url: hook.url }));
    const { subscription } = await subscribed.json();
    const tested = post(`/v1/subscriptions/${subscription.id}/test`, "");
    await arrivalOf(hook, 1, server);
    const ended = server.end("SIGTERM");
    const answer = await tested;
    const { code: problem, detail } = await answer.json();
    assert.deepEqual([answer.status, problem, detail], [503, "unavailable", "The service is stopping."]);
    const { code, log } = await ended;
    assert.equal(code, 0, log);
    over.resolve();
  });
});
