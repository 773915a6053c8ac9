// Fair delivery in a whole server: one customer's slow endpoints, and another customer beside it.
import assert from "node:assert/strict";
import { openBoard, openHook } from "../../support/loopback.ts";
import { regfeedJson, serve, type Serving, withFolder, writeConfig } from "../../support/process.ts";

const SLOW = 25;
/** How long a slow endpoint takes, ms. */
const SLOW_MS = 8_000;
/** How soon the other customer has each event on a busy machine, ms: the source is read once a second. */
const SOON_MS = 5_000;
const PATIENCE_MS = 60_000;

const CONFIG = `
[server]
listen = "127.0.0.1:0"
[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
concurrency = 40
`;

async function customer(folder: string, email: string): Promise<string> {
  const added = ["customer", "add", "--email", email, "--tier", "gpai"];
  return (await regfeedJson<{ key: string }>(folder, added)).key;
}

async function subscribe(server: Serving, key: string, url: string): Promise<void> {
  const response = await fetch(`${server.address}/v1/subscriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ webhook_url: url }),
  });
  assert.equal(response.status, 201, await response.text());
}

Deno.test(`${SLOW} endpoints that respond after ${SLOW_MS / 1_000} s do not delay another customer's deliveries`, async () => {
  const board = openBoard();
  const stop = new AbortController();
  const slow = openHook(async () => {
    await new Promise<void>((end) => {
      const timer = setTimeout(end, SLOW_MS);
      stop.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        end();
      });
    });
    return new Response(null, { status: 204 });
  });
  const good = openHook();
  try {
    await withFolder(async (folder) => {
      await writeConfig(folder, CONFIG + board.source);
      const [slowKey, goodKey] = [
        await customer(folder, "a@b.example"),
        await customer(folder, "c@d.example"),
      ];
      const server = await serve(folder);
      for (let at = 0; at < SLOW; at++) await subscribe(server, slowKey, `${slow.url}/${at}`);
      await subscribe(server, goodKey, good.url);
      for (let event = 0; event < 8; event++) board.publish(`Backlog ${event}`);
      for (let event = 1; event <= 6; event++) {
        board.publish(`Guidelines ${event}`);
        const publishedAtMs = Date.now();
        while (good.arrivals.length < 8 + event) {
          const waitedMs = Date.now() - publishedAtMs;
          assert.ok(waitedMs < PATIENCE_MS, `event ${event} came never\n${server.log()}`);
          await new Promise((again) => setTimeout(again, 20));
        }
        const lagMs = Date.now() - publishedAtMs;
        assert.ok(lagMs <= SOON_MS, `event ${event} came after ${lagMs} ms`);
        await new Promise((later) => setTimeout(later, 1_500));
      }
      assert.ok(slow.arrivals.length > 25, "the slow ones are sent to as well");
      stop.abort();
      await server.end("SIGTERM");
    });
  } finally {
    stop.abort();
    await board.close();
    await slow.close();
    await good.close();
  }
});
