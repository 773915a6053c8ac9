// The metrics count fetches, deliveries and emails.
import assert from "node:assert/strict";
import { createMetrics } from "../../../src/domain/ports/metrics.ts";
import { createWorld } from "../../support/world.ts";

const CONFIG = `

[[sources]]
id = "board"
name_en = "Board"
url = "https://board.example/feed"
schedule = "* * * * *"
notify_first_fetch = true

[[sources]]
id = "gone"
name_en = "Gone"
url = "https://gone.example/feed"
schedule = "* * * * *"
`;

function feedOf(titles: readonly string[]): string {
  const items = titles.map((title, at) =>
    `<item><guid isPermaLink="false">${at}</guid><link>https://board.example/${at}</link><title>${title}</title></item>`
  );
  return `<rss version="2.0"><channel><title>Board</title>${items.join("")}</channel></rss>`;
}

Deno.test("the metrics count fetches, items and attempts by outcome, and their durations", async () => {
  const metrics = createMetrics();
  const world = await createWorld(CONFIG, { metrics });
  const { platform, app } = world;
  const titles = ["Guidelines on the AI Act", "The canteen's new menu"];
  platform.http.serve("https://board.example/feed", () => ({ body: feedOf(titles) }));
  let answer = 204;
  platform.http.serve("https://hooks.example", () => {
    platform.clock.set(platform.clock.nowMs() + 300);
    return { status: answer };
  });
  const { key } = await world.addCustomer();
  const created = await world.ask("/v1/subscriptions", {
    method: "POST",
    key,
    body: JSON.stringify({ webhook_url: "https://hooks.example/one" }),
  });
  assert.equal(created.status, 201, created.text);
  const read = async () => {
    const lines = (await metrics.render()).split("\n").filter((line) => !line.startsWith("#") && line !== "");
    return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.split(" ").at(-1))]));
  };
  const expect = async (expected: Record<string, number>) => {
    const found = await read();
    for (const [name, value] of Object.entries(expected)) assert.equal(found.get(name), value, name);
  };

  await app.tick();
  await expect({
    'regfeed_ingest_fetches_total{source="board",outcome="ok"}': 1,
    'regfeed_ingest_fetches_total{source="gone",outcome="failing"}': 1,
    'regfeed_ingest_items_total{source="board",outcome="new"}': 1,
    'regfeed_ingest_items_total{source="board",outcome="passed_over"}': 1,
    'regfeed_source_last_success_timestamp_seconds{source="board"}': Date.parse("2026-08-01T10:00:00Z") /
      1_000,
    'regfeed_source_consecutive_failures{source="gone"}': 1,
    'regfeed_delivery_attempts_total{outcome="delivered"}': 1,
    "regfeed_delivery_attempt_duration_seconds_sum": 0.3,
    "regfeed_delivery_attempt_duration_seconds_count": 1,
    'regfeed_delivery_latency_seconds_bucket{le="0.25"}': 0,
    'regfeed_delivery_latency_seconds_bucket{le="0.5"}': 1,
    "regfeed_deliveries_pending": 0,
    "regfeed_deliveries_failed": 0,
    "regfeed_mails_queued": 0,
    'regfeed_storage_fault{fault="full"}': 0,
  });
  assert.equal((await read()).has('regfeed_source_last_success_timestamp_seconds{source="gone"}'), false);

  answer = 500;
  titles[0] = "Guidelines on the AI Act, corrected";
  await platform.clock.advance(60_000);
  await app.tick();
  await expect({
    'regfeed_ingest_items_total{source="board",outcome="revised"}': 1,
    'regfeed_delivery_attempts_total{outcome="retry"}': 1,
    "regfeed_delivery_latency_seconds_count": 1,
    "regfeed_deliveries_pending": 1,
  });

  answer = 410;
  await platform.clock.advance(60_000);
  await app.tick();
  await expect({
    'regfeed_delivery_attempts_total{outcome="gone"}': 1,
    "regfeed_deliveries_held": 1,
    "regfeed_deliveries_pending": 0,
  });
  await world.close();
});

Deno.test("the metrics count held_full subscriptions and the stored bytes of a customer", async () => {
  const metrics = createMetrics();
  const limits = "[tiers.team]\nwebhook_deliveries_per_month = 1\nheld_deliveries = 1\n";
  const world = await createWorld(limits + CONFIG, { metrics });
  const { platform, app } = world;
  platform.http.serve("https://hooks.example", () => ({ status: 204 }));
  const { key, customer } = await world.addCustomer();
  const body = JSON.stringify({ webhook_url: "https://hooks.example/one" });
  assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
  const publish = async (count: number) => {
    const titles = Array.from({ length: count }, (_, at) => `Guideline ${at} on the AI Act`);
    platform.http.serve("https://board.example/feed", () => ({ body: feedOf(titles) }));
    await platform.clock.advance(60_000);
    await app.tick();
    return await metrics.render();
  };
  assert.match(await publish(2), /^regfeed_subscriptions_held_full 0$/m);
  const page = await publish(3);
  assert.match(page, /^regfeed_subscriptions_held_full 1$/m);
  const stored = new RegExp(`^regfeed_customer_stored_bytes\\{customer="${customer.id}"\\} (\\d+)$`, "m")
    .exec(page);
  const bytes = Number(stored?.[1]);
  assert.ok(bytes > 2_000 && bytes < 20_000, `${bytes} bytes for two deliveries`);
  await world.close();
});
