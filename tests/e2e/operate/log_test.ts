// No operation logs keys, secrets, email addresses or bodies.
import assert from "node:assert/strict";
import { MailError } from "../../../src/domain/ports/ports.ts";
import { checkoutSession, stripeEvent, stripeSignature } from "../../support/peers/stripe.ts";
import { STRIPE_SECRET } from "../../support/samples.ts";
import { createWorld, START_MS, type World } from "../../support/world.ts";

const HUSH = {
  authorization: "Bearer hush-authorization",
  header: "hush-header",
  query: "hush-query",
  path: "hush-path",
  answer: "hush-answer",
  title: "Hush: guidelines on the AI Act",
  body: "hush-body",
};

const CONFIG = `
[payment]
webhook_secret = "${STRIPE_SECRET}"
livemode = false
prices = { "price_1Team" = "team" }

[[sources]]
id = "board"
name_en = "Board"
url = "https://board.example/feed?token=${HUSH.query}"
schedule = "* * * * *"
notify_first_fetch = true
authorization = "${HUSH.authorization}"
headers = { "x-api-key" = "${HUSH.header}" }

[[sources]]
id = "broken"
name_en = "Broken"
url = "https://broken.example/feed?token=${HUSH.query}"
schedule = "* * * * *"

[[sources]]
id = "nowhere"
name_en = "Nowhere"
url = "https://nowhere.example/${HUSH.path}"
schedule = "* * * * *"
`;

const FEED = `<rss version="2.0"><channel><title>Board</title><item><guid isPermaLink="false">1</guid>
<link>https://board.example/1</link><title>${HUSH.title}</title><description>${HUSH.body}</description></item>
<item><title></title><description>${HUSH.body}</description></item></channel></rss>`;

/** Sends a payment, first with an invalid signature. The email about the payment is refused once and then accepted. */
async function pay(world: World): Promise<string[]> {
  const { platform, app } = world;
  const paid = stripeEvent({
    id: "evt_paid",
    type: "checkout.session.completed",
    created: START_MS / 1_000,
    object: checkoutSession({ customer_details: { email: "bob@firm.example", name: "Bob Hush" } }),
  });
  const secrets = ["whsec_another", "bob@firm.example", "Bob Hush"];
  const nowMs = platform.clock.nowMs();
  for (const secret of ["whsec_another", STRIPE_SECRET]) {
    const headers = { "stripe-signature": await stripeSignature(paid, nowMs, secret) };
    secrets.push(headers["stripe-signature"].split("v1=")[1] ?? "");
    await world.ask("/v1/webhooks/payment", { method: "POST", headers, body: paid });
  }
  const refusals = [new MailError("the mail server is busy", false)];
  platform.mailer.answer = () => {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
  };
  for (let turn = 0; turn < 4; turn++) {
    await app.tick();
    await platform.clock.advance(600_000);
  }
  for (const { text, to } of platform.mailer.taken) {
    secrets.push(
      to,
      ...text.match(/rgf_[0-9a-f]{64}/g) ?? [],
      ...text.split("\n").filter((line) => line.length > 40),
    );
  }
  return secrets;
}

/** Runs every operation, including errors. Returns the texts that no log may contain. */
async function liveAWholeLife(world: World): Promise<string[]> {
  const { platform, app } = world;
  platform.http.serve("https://board.example/feed", () => ({ body: FEED }));
  platform.http.serve("https://broken.example/feed", () => ({ status: 500, body: HUSH.answer }));
  const answers = [500, 302, 204, 410];
  platform.http.serve("https://hooks.example", () => ({
    status: answers.shift() ?? 204,
    body: HUSH.answer,
    headers: { location: `https://${HUSH.path}.example` },
  }));
  const secrets = Object.values(HUSH).flatMap((text) => [text, text.replace("Bearer ", "")]);
  const { key, customer } = await world.addCustomer({ email: "ana@firm.example" });
  secrets.push(key, STRIPE_SECRET, customer.email);
  const post = (path: string, body: unknown, given = key) =>
    world.ask(path, { method: "POST", key: given, body: JSON.stringify(body) });

  const url = `https://hooks.example/${HUSH.path}?key=${HUSH.query}`;
  const headers = { authorization: HUSH.authorization, "x-api-key": HUSH.header };
  const created = await post("/v1/subscriptions", { webhook_url: url, headers });
  assert.equal(created.status, 201, created.text);
  const { id, webhook_secret } = created.json.subscription;
  secrets.push(webhook_secret, url);
  await post(`/v1/subscriptions/${id}/test`, {});
  for (let turn = 0; turn < 4; turn++) {
    await app.tick();
    await platform.clock.advance(60_000);
  }
  const rotated = await post(`/v1/subscriptions/${id}/rotate-secret`, {});
  assert.equal(rotated.status, 200, rotated.text);
  secrets.push(rotated.json.subscription?.webhook_secret ?? rotated.json.webhook_secret);

  const wrongKey = `rgf_${"5e".repeat(32)}`;
  secrets.push(wrongKey);
  assert.equal((await world.ask("/v1/events", { key: wrongKey })).status, 401);
  await post("/v1/subscriptions", { webhook_url: `https://10.0.0.1/${HUSH.path}`, colour: HUSH.body });
  await world.ask("/v1/subscriptions", { method: "POST", key, body: `{"webhook_url": "${HUSH.body}` });
  await world.ask(`/v1/events?topic=${HUSH.query}`, { key });

  secrets.push(...await pay(world));
  const listEvents = world.store.listEvents;
  Object.assign(world.store, { listEvents: () => Promise.reject(new Error("the index is broken")) });
  assert.equal((await world.ask("/v1/events", { key })).status, 500);
  Object.assign(world.store, { listEvents });
  await world.ask(`/v1/subscriptions/${id}`, { method: "DELETE", key });
  return secrets;
}

Deno.test("the log contains no key, secret, address, body or header, and names every operation", async () => {
  const world = await createWorld(CONFIG);
  const secrets = await liveAWholeLife(world);
  const lines = world.platform.lines.map((line) => JSON.stringify(line));
  assert.ok(world.platform.mailer.taken.length > 0, "an email was sent");
  assert.ok(secrets.length > 20 && secrets.every((secret) => secret.length > 5), secrets.join(" | "));
  for (const secret of secrets) {
    assert.deepEqual(lines.filter((line) => line.includes(secret)), [], `the log contains ${secret}`);
  }
  const said = new Set(world.platform.lines.map(({ area, message }) => `${area}: ${message}`));
  for (
    const [act, field] of [
      ["api: request", "request"],
      ["api: request failed", "request"],
      ["ingest: source failed", "source"],
      ["ingest: event recorded", "event"],
      ["delivery: attempt failed, will retry", "delivery"],
      ["delivery: test delivery", "delivery"],
      ["mail: mail sent", "mail"],
      ["mail: mail not sent, will retry", "mail"],
    ] as const
  ) {
    assert.ok(said.has(act), `no line reports ${act}: ${[...said].join("; ")}`);
    const line = world.platform.lines.find(({ area, message }) => `${area}: ${message}` === act);
    assert.ok(line?.fields[field], `${act} lacks ${field}`);
  }
  await world.close();
});
