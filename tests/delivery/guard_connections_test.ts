// The HTTP client connects only to the IP address that the guard has checked.
import assert from "node:assert/strict";
import { createDelivery, type Delivery } from "../../src/delivery/loop.ts";
import { REFUSED_ADDRESS } from "../../src/delivery/send/guard.ts";
import { createClock } from "../../src/platform/clock.ts";
import { createHttpClient } from "../../src/platform/http/http.ts";
import { createResolver } from "../../src/platform/http/resolver.ts";
import type { Resolver } from "../../src/domain/ports/ports.ts";
import { serveRaw } from "../platform/raw_server.ts";
import { A_TEST, aSubscription, aWorld } from "./given.ts";

const NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";

/** Responds to every request with these bytes. */
const saying = (bytes: string) => async (connection: Deno.TcpConn): Promise<void> =>
  void await connection.write(new TextEncoder().encode(bytes));

/** Runs the work with the real HTTP client and a policy that permits http. */
async function withDelivery(
  permitted: { allowNetworks: string[]; allowPorts?: number[] },
  work: (delivery: Delivery) => Promise<void>,
  resolver: Resolver = createResolver(),
): Promise<void> {
  const http = createHttpClient({ forWebhooks: true });
  const { deps } = aWorld();
  const policy = { allowHttp: true, allowPorts: [], ...permitted };
  try {
    await work(createDelivery({ ...deps, clock: createClock(), http, resolver, policy, timeoutMs: 5_000 }));
  } finally {
    await http.close();
  }
}

const sendTo = (delivery: Delivery, webhookUrl: string) =>
  delivery.test(aSubscription({ webhookUrl }), A_TEST);

Deno.test("a name whose address changes after the lookup does not change the connection", async () => {
  await using checked = serveRaw(saying(NO_CONTENT), "127.0.0.1");
  const inside = Deno.listen({ hostname: "127.0.0.2", port: checked.port });
  let lookups = 0;
  // Only the first address is permitted: a second lookup would lead to a private address.
  const rebinding: Resolver = {
    resolve: () => Promise.resolve([lookups++ === 0 ? "127.0.0.1" : "127.0.0.2"]),
  };
  await withDelivery({ allowNetworks: ["127.0.0.1/32"] }, async (delivery) => {
    // A name that the system resolves to loopback: the client must not look it up.
    const url = `http://localhost:${checked.port}/in`;
    const first = await sendTo(delivery, url);
    assert.deepEqual([first.status_code, lookups], [204, 1]);
    const second = await sendTo(delivery, url);
    assert.deepEqual([second.status_code, second.problem, lookups], [null, REFUSED_ADDRESS, 2]);
    assert.notEqual(await delivery.whyRefused(url), null);
  }, rebinding);
  assert.equal(checked.connections.taken, 1, "an open connection is not used for a refused address");
  inside.close();
});

Deno.test("addresses that the policy does not permit never get a connection, in any notation", async () => {
  await using server = serveRaw(saying(NO_CONTENT));
  const { port } = server;
  const urls = [
    `http://127.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://0:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::1]:${port}/`,
    `http://localhost:${port}/`,
    `http://user:word@127.0.0.1:${port}/`,
    `http://example.com@127.0.0.1:${port}/`,
  ];
  // Another IP address is permitted, but not this machine's.
  await withDelivery({ allowNetworks: ["127.9.9.9/32"] }, async (delivery) => {
    for (const url of urls) {
      const { problem, status_code } = await sendTo(delivery, url);
      assert.deepEqual([status_code, problem], [null, REFUSED_ADDRESS], url);
      assert.notEqual(await delivery.whyRefused(url), null, url);
    }
  });
  const allowNetworks = ["127.0.0.0/8"];
  await withDelivery({ allowNetworks, allowPorts: [port - 1] }, async (delivery) => {
    const { problem } = await sendTo(delivery, `http://127.0.0.1:${port}/`);
    assert.equal(problem, REFUSED_ADDRESS, "another port");
  });
  assert.equal(server.connections.taken, 0);
  await withDelivery({ allowNetworks, allowPorts: [port] }, async (delivery) => {
    assert.equal((await sendTo(delivery, `http://127.0.0.1:${port}/`)).status_code, 204);
    for (const url of urls.slice(8)) {
      assert.equal((await sendTo(delivery, url)).problem, REFUSED_ADDRESS, url);
    }
  });
});
