// A real server exports one span per operation, with ids and without private data.
import assert from "node:assert/strict";
import { NO_TRACER } from "../../../src/domain/ports/tracer.ts";
import { createTracer } from "../../../src/platform/tracer.ts";
import { type Collector, startCollector } from "../../support/peers/collector.ts";
import { addCustomer, serve, withFolder, writeConfig } from "../../support/process.ts";
import { rss, STRIPE_SECRET } from "../../support/samples.ts";
import { checkoutSession, stripeEvent, stripeSignature } from "../../support/peers/stripe.ts";
import { LOOPBACK } from "../../support/loopback.ts";

const PATIENCE_MS = 60_000;

const ACTS = [
  "claim sources",
  "fetch source",
  "fetch document",
  "ingest document",
  "record publications",
  "match events",
  "claim deliveries",
  "attempt delivery",
  "record attempts",
  "claim mails",
  "send mail",
  "take payment event",
  "make backup",
  "reload config",
];

/** Starts a receiver that responds with these statuses, then with success. `ids` are the `webhook-id`s in order. */
function startReceiver(answers: number[]): { address: string; ids: string[]; close(): Promise<void> } {
  const ids: string[] = [];
  const server = Deno.serve(LOOPBACK, async (request) => {
    await request.body?.cancel();
    ids.push(request.headers.get("webhook-id") ?? "");
    return new Response("hush-answer", { status: answers.shift() ?? 200 });
  });
  return { address: `http://127.0.0.1:${server.addr.port}`, ids, close: () => server.shutdown() };
}

const configOf = (source: string, schedule: string) => `
[server]
listen = "127.0.0.1:0"
[ingest]
allow_private = true
host_spacing = "0s"
jitter = "0s"
[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
[payment]
webhook_secret = "${STRIPE_SECRET}"
livemode = false
prices = { "price_1Team" = "team" }
[backup]
schedule = "${schedule}"
keep = 2
[[sources]]
id = "board"
name_en = "Board"
url = "${source}/feed?token=hush-query"
schedule = "* * * * * *"
notify_first_fetch = true
authorization = "Bearer hush-authorization"
`;

Deno.test("without OTEL_DENO there is no tracer", async () => {
  for (const value of [undefined, "", "false", "0"]) {
    assert.equal(await createTracer((name) => name === "OTEL_DENO" ? value : "true"), NO_TRACER);
  }
  assert.equal(await NO_TRACER.act("any", {}, () => Promise.resolve(7)), 7);
});

interface Done {
  /** Ids that clients received. */
  requestId: string;
  subscriptionId: string;
  deliveryId: string;
  secrets: string[];
}

/** Runs each traced operation on a server, and waits until the collector has received all spans. */
async function doEverything(folder: string, collector: Collector): Promise<Done> {
  const receiver = startReceiver([500]);
  const items = [{ title: "Guidelines on the AI Act", id: "1" }];
  const publisher = Deno.serve(LOOPBACK, () => new Response(rss(items)));
  const source = `http://127.0.0.1:${publisher.addr.port}`;
  await writeConfig(folder, configOf(source, "* * * * * *"));
  const { key, customer } = await addCustomer(folder, "ana@firm.example");
  const server = await serve(folder, {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  const authorization = `Bearer ${key}`;
  const ask = async (path: string, status: number, sent: RequestInit = {}) => {
    const headers = { authorization, "content-type": "application/json", ...sent.headers };
    const answer = await fetch(server.address + path, { ...sent, headers });
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    return { json: JSON.parse(text), requestId: answer.headers.get("x-request-id") ?? "" };
  };
  const subscribed = await ask("/v1/subscriptions", 201, {
    method: "POST",
    body: JSON.stringify({ webhook_url: `${receiver.address}/hush-path` }),
  });
  items.push({ title: "Guidelines on the AI Act: hush-title", id: "2" });
  const { requestId } = await ask(`/v1/events/${customer.id}`, 404);
  const paid = stripeEvent({
    id: "evt_paid",
    type: "checkout.session.completed",
    created: Math.floor(Date.now() / 1_000),
    object: checkoutSession({ customer_details: { email: "bob@firm.example", name: "Bob Hush" } }),
  });
  const signature = await stripeSignature(paid, Date.now());
  const headers = { "stripe-signature": signature };
  await ask("/v1/webhooks/payment", 200, { method: "POST", headers, body: paid });
  await writeConfig(folder, `${configOf(source, "*/2 * * * * *")}# changed\n`);
  server.signal("SIGHUP");
  await server.said("config reloaded");
  const missing = () => {
    const names = new Set(collector.spans().map(({ name }) => name));
    return ACTS.filter((name) => !names.has(name));
  };
  for (const endMs = Date.now() + PATIENCE_MS; missing().length > 0 && Date.now() < endMs;) {
    await new Promise((again) => setTimeout(again, 100));
  }
  assert.deepEqual(missing(), []);
  assert.equal((await server.end("SIGTERM")).code, 0);
  await Promise.all([receiver.close(), publisher.shutdown()]);
  const { id, webhook_secret } = subscribed.json.subscription;
  return {
    requestId,
    subscriptionId: id,
    deliveryId: receiver.ids[0] ?? "",
    secrets: [key, webhook_secret, signature.split("v1=")[1] ?? ""],
  };
}

Deno.test("OTEL_DENO exports a span for each operation, without secrets, addresses or bodies", async () => {
  const collector = startCollector();
  await withFolder(async (folder) => {
    const { requestId, subscriptionId, deliveryId, secrets } = await doEverything(folder, collector);
    const spans = collector.spans();
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [attempt] = named("attempt delivery");
    assert.equal(attempt?.attributes["regfeed.delivery"], deliveryId);
    assert.equal(attempt?.attributes["regfeed.subscription"], subscriptionId);
    assert.equal(attempt?.attributes["regfeed.status"], 500);
    assert.equal(attempt?.isFailed, true);
    const document = named("ingest document").find(({ attributes }) => attributes["regfeed.items"] === 2);
    assert.equal(document?.attributes["regfeed.source"], "board");
    const parents = new Map(spans.map((span) => [span.spanId, span]));
    const nameAbove = (span?: { parentSpanId: string }) => parents.get(span?.parentSpanId ?? "")?.name;
    assert.equal(nameAbove(document), "fetch source", "a nested operation has a parent span");
    assert.equal(nameAbove(named("record publications")[0]), "ingest document");
    assert.equal(named("take payment event")[0]?.attributes["regfeed.event"], "evt_paid");
    assert.match(String(named("send mail")[0]?.attributes["regfeed.mail"]), /^mail_/);
    const [reload] = named("reload config");
    const within = spans.filter((span) => span.parentSpanId === reload?.spanId);
    assert.deepEqual(within.map(({ name }) => name), [], "separate traces after a reload");
    // The runtime's own span of the request has the id that the client received.
    const [request] = spans.filter(({ attributes }) => attributes["regfeed.request"] === requestId);
    assert.equal(request?.attributes["regfeed.route"], "/v1/events/{id}");

    const text = collector.text();
    for (const secret of [...secrets, STRIPE_SECRET, "ana@firm", "bob@firm", "Bob Hush", "hush-"]) {
      assert.ok(secret.length > 4);
      assert.ok(!text.includes(secret), `the export contains ${secret}`);
    }
  });
  await collector.close();
});
