// The summary of a config contains its effective settings and no secret.
import assert from "node:assert/strict";
import {
  describeConfig,
  summariseConfig,
  tabulateLimits,
  tabulateSources,
} from "../../../src/config/describe/describe.ts";
import { configOf, source } from "../given.ts";

const NOW = Date.UTC(2026, 6, 1, 12, 10);
const TEXT = `
[server]
trusted_proxies = ["10.0.0.0/8"]
[delivery]
allow_http = true
allow_networks = ["192.168.0.0/16"]
` + source('timezone = "Europe/Berlin"', 'schedule = "0 9 * * *"', 'authorization = "Bearer hush"') +
  source('id = "b"', "enabled = false", 'url = "https://b.example.org/?token=hush"');

Deno.test("summariseConfig() returns the effective settings, with the next run of each source", async () => {
  const summary = summariseConfig(await configOf(TEXT), NOW);
  assert.equal(summary.server.listen, "127.0.0.1:8080");
  assert.equal(summary.store.path, "/etc/regfeed/data/regfeed.db");
  assert.equal(summary.tiers.team.webhook_deliveries_per_month, 5_000);
  assert.deepEqual([summary.sources_enabled, summary.sources_disabled], [1, 1]);
  const [enabled, disabled] = summary.sources;
  assert.deepEqual(enabled, {
    id: "a-source",
    enabled: true,
    fetch_strategy: "feed",
    relevance: "ai",
    schedule: "0 9 * * *",
    timezone: "Europe/Berlin",
    next_due_at: Date.UTC(2026, 6, 2, 7),
    notify_first_fetch: false,
    languages: ["en"],
    urls: [],
    language_pattern: null,
    identity: null,
    removals: false,
    min_items: 1,
    silent_after_ms: null,
    crawl_delay_ms: null,
    parse_timeout_ms: 5_000,
    ca_file: null,
    reuse: null,
    authorization: true,
    headers: [],
  });
  assert.deepEqual([disabled?.enabled, disabled?.next_due_at, disabled?.authorization], [false, null, false]);
});

Deno.test("describeConfig() prints the summary", async () => {
  const lines = describeConfig(await configOf(TEXT), NOW).split("\n");
  for (
    const expected of [
      /^server +listens on 127\.0\.0\.1:8080, public URL http:\/\/127\.0\.0\.1:8080$/,
      /^proxies +10\.0\.0\.0\/8$/,
      /^store +\/etc\/regfeed\/data\/regfeed\.db$/,
      /^delivery +over https and http to public IP addresses and 192\.168\.0\.0\/16, timeout 15s per attempt$/,
      /^sources +1 enabled, 1 disabled$/,
    ]
  ) assert.ok(lines.some((line) => expected.test(line)), `${expected} in\n${lines.join("\n")}`);
  const bare = describeConfig(await configOf(""), NOW);
  assert.match(bare, /^delivery +over https only to public IP addresses, /m);
  assert.match(bare, /^sources +0 enabled, 0 disabled$/m);
});

Deno.test("tabulateLimits() and tabulateSources() return a row for each limit and each source", async () => {
  const summary = summariseConfig(await configOf(TEXT), NOW);
  const { header, rows } = tabulateLimits(summary);
  const team = header.indexOf("TEAM");
  assert.deepEqual(rows.map((row) => [row[0], row[team]]), [
    ["requests per day", 10_000],
    ["deliveries per month", 5_000],
    ["active subscriptions", 5],
    ["test calls per day", 200],
    ["replays per day", 5_000],
    ["backfills per day", 20],
    ["held deliveries", 5_000],
  ]);
  assert.deepEqual(tabulateSources(summary).rows, [
    [
      "a-source",
      "feed",
      "0 9 * * *",
      "Europe/Berlin",
      { atMs: Date.UTC(2026, 6, 2, 7) },
      "sends authorization",
    ],
    ["b", "feed", "*/30 * * * *", "UTC", "disabled", ""],
  ]);
});

Deno.test("tabulateSources() returns a source's settings that differ from the defaults, without secrets", async () => {
  const told = await configOf(`
[[sources]]
id = "told"
name_en = "Told"
urls = { de = "https://a.example.org/de?key=hush", en = "https://a.example.org/en" }
language_pattern = "/(de|en)/"
identity = { pattern = "/news/([0-9]+)" }
relevance = "all"
notify_first_fetch = true
removals = true
min_items = 5
silent_after = "14d"
crawl_delay = "30s"
ca_file = "/etc/own.pem"
reuse = "free"
headers = { x-api-key = "hush" }
authorization = "Bearer hush"
`);
  const table = tabulateSources(summariseConfig(told, NOW));
  assert.equal(
    table.rows[0]?.at(-1),
    "stores everything; notifies from the first fetch; URLs for de, en; " +
      "language by pattern /(de|en)/; identity by pattern /news/([0-9]+); withdraws missing items; " +
      "at least 5 items; silent after 14d; 30s between requests; trusts /etc/own.pem; " +
      "sends authorization, x-api-key",
  );
  assert.doesNotMatch(JSON.stringify([table, summariseConfig(told, NOW)]), /hush/);
  assert.deepEqual(summariseConfig(told, NOW).sources[0]?.headers, ["x-api-key"]);
});

Deno.test("summariseConfig() and describeConfig() never show a secret", async () => {
  const config = await configOf(TEXT);
  assert.doesNotMatch(describeConfig(config, NOW), /hush/);
  assert.doesNotMatch(JSON.stringify(summariseConfig(config, NOW)), /hush/);
});
