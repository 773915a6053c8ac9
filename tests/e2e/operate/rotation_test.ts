// A secret that is rotated, from the API to what a receiver verifies: a day of both, then only the new one.
import assert from "node:assert/strict";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "npm:svix@2.5.0";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

const HOUR = 3_600_000;

/** Whether a secret verifies in every way that official receivers read it; throws when some do and some do not. */
function verifies(
  secret: string,
  nowMs: number,
  sent: { body: string; headers: Record<string, string> },
): boolean {
  const realNow = Date.now;
  Date.now = () => nowMs; // the verifiers' clock is the system's
  try {
    const outcomes = [
      new StandardWebhook(secret),
      new StandardWebhook(secret, { format: "raw" }),
      new SvixWebhook(secret),
      new SvixWebhook(secret, { format: "raw" }),
    ].map((verifier) => {
      try {
        verifier.verify(sent.body, sent.headers);
        return true;
      } catch {
        return false;
      }
    });
    assert.equal(new Set(outcomes).size, 1, outcomes.join());
    return outcomes[0] ?? false;
  } finally {
    Date.now = realNow;
  }
}

/** Publishes one more item and gives what the receiver gets of it. */
async function deliverOne(
  world: World,
  number: number,
): Promise<{ body: string; headers: Record<string, string> }> {
  const sent: { body: string; headers: Record<string, string> }[] = [];
  world.platform.http.serve("https://hooks.example.org", ({ body = "", headers }) => {
    sent.push({ body, headers });
    return { status: 204 };
  });
  const items = Array.from(
    { length: number },
    (_, at) => ({ id: `p${at}`, title: `The AI Act, part ${at}` }),
  );
  world.platform.http.serve("https://board.example", () => ({ body: rss(items) }));
  await world.platform.clock.advance(HOUR);
  await world.app.tick();
  const [only] = sent;
  assert.ok(only !== undefined && sent.length === 1, `${sent.length} deliveries`);
  return only;
}

Deno.test("a rotated secret verifies beside the new one for a day, and not a moment longer", async () => {
  const world = await createWorld(boardConfig());
  const { clock } = world.platform;
  const { key } = await world.addCustomer();
  const made = await world.ask("/v1/subscriptions", {
    method: "POST",
    key,
    body: JSON.stringify({ webhook_url: "https://hooks.example.org/in" }),
  });
  const { id, webhook_secret: first } = made.json.subscription;
  const rotate = async (): Promise<string> => {
    const reply = await world.ask(`/v1/subscriptions/${id}/rotate-secret`, { method: "POST", key });
    assert.equal(reply.status, 200);
    return reply.json.subscription.webhook_secret;
  };
  world.platform.http.serve("https://board.example", () => ({ body: rss([]) }));
  await world.app.tick();
  const good = async (number: number, secrets: readonly string[]) => {
    const sent = await deliverOne(world, number);
    return secrets.map((secret) => verifies(secret, clock.nowMs(), sent));
  };
  assert.deepEqual(await good(1, [first]), [true]);
  const second = await rotate();
  assert.deepEqual(await good(2, [first, second]), [true, true]);
  await clock.advance(21 * HOUR);
  assert.deepEqual(await good(3, [first, second]), [true, true], "an hour before its end");
  assert.deepEqual(await good(4, [first, second]), [false, true], "at its end");
  const third = await rotate();
  const fourth = await rotate();
  assert.deepEqual(await good(5, [first, second, third, fourth]), [false, false, true, true]);
  await world.close();
});
