// What parseConfig() returns for a valid file: every default and every key.
import assert from "node:assert/strict";
import { type Config, userAgentOf } from "../../src/config/config.ts";
import { DEFAULT_LIMITS } from "../../src/domain/customer/tier.ts";
import { configOf, source } from "./given.ts";

Deno.test("parseConfig() returns every default for an empty file", async () => {
  assert.deepEqual(await configOf(""), {
    server: {
      listen: { hostname: "127.0.0.1", port: 8080 },
      publicUrl: "http://127.0.0.1:8080",
      trustedProxies: [],
      tls: null,
      watchConfig: false,
    },
    limits: { public: 300, failed_key: 20 },
    store: { path: "/etc/regfeed/data/regfeed.db", keyFile: "/etc/regfeed/data/regfeed.db.key" },
    ingest: {
      userAgent: "Regfeed/{version} (+{public_url})",
      notifyFirstFetch: false,
      maxDocumentBytes: 20 * 1024 * 1024,
      timeoutMs: 30_000,
      parseTimeoutMs: 5_000,
      concurrency: 4,
      contact: null,
      hostConcurrency: 1,
      hostSpacingMs: 1_000,
      jitterMs: 30_000,
      maxFreshMs: 21_600_000,
      allowPrivate: true,
    },
    sources: [],
    classification: { topics: [], keywords: [], severityRules: [], sources: [] },
    delivery: {
      allowHttp: false,
      allowNetworks: [],
      allowPorts: [],
      timeoutMs: 15_000,
      concurrency: 100,
      concurrencyPerSubscription: 5,
      keepDeliveredMs: 30 * 86_400_000,
      keepLogMs: 400 * 86_400_000,
    },
    tiers: DEFAULT_LIMITS,
    customers: [],
    languages: ["en", "de", "fr"],
    backup: { folder: "/etc/regfeed/data/backups", schedule: null, keep: 14, secretKey: false },
    payment: null,
    mail: {
      from: { name: "Regfeed", address: "regfeed@localhost" },
      support: "regfeed@localhost",
      smtp: null,
      keepMs: 90 * 86_400_000,
      outbox: "/etc/regfeed/data/outbox",
    },
    console: { status: "public", oidc: null },
    metrics: { listen: null, token: null },
    log: { format: "text", level: "info", levels: {} },
    secretFiles: [],
    inlineSecrets: [],
  });
});

const EVERY_KEY = `
    [server]
    listen = "[::1]:0"
    public_url = "https://feed.example.org/"
    trusted_proxies = ["10.0.0.1/8"]
    tls_cert = "tls/chain.pem"
    tls_key = "/run/key.pem"
    watch_config = true
    [limits]
    public_per_minute = 1000
    failed_keys_per_minute = 0
    [store]
    path = "/var/lib/regfeed.db"
    key_file = "keys/regfeed.key"
    [ingest]
    user_agent = "Mine/{version} {public_url} {version}"
    notify_first_fetch = true
    max_document_bytes = 2048
    timeout = "1m"
    parse_timeout = "7s"
    concurrency = 2
    contact = "feeds@example.org"
    host_concurrency = 3
    host_spacing = "0s"
    jitter = "0s"
    max_freshness = "1d"
    allow_private = false
    [delivery]
    allow_http = true
    allow_networks = ["192.168.0.0/16", "fd00::/8"]
    timeout = "500ms"
    concurrency = 3
    concurrency_per_subscription = 2
    keep_delivered = "10h"
    keep_log = "90d"
    allow_ports = [443, 8443]
    languages = ["es", "de"]
    [tiers]
    indie = { api_requests_per_day = 0 }
    team.active_subscriptions = 7
    [tiers.gpai]
    webhook_deliveries_per_month = 9
    [backup]
    folder = "/mnt/backups"
    schedule = "15 3 * * *"
    timezone = "Europe/Berlin"
    keep = 3
    secret_key = true
    [payment]
    webhook_secret = "whsec_hush"
    livemode = false
    grace = "3d"
    prices = { "price_1" = "team", "price_2" = "gpai" }
    [mail]
    from = "The feed <feed@example.org>"
    support = "support@example.org"
    outbox = "/var/mail/out"
    keep = "9d"
    smtp_url = "smtps://a%40b:p%25w@mail.example.org"
    smtp_ca_file = "ca.pem"
    require_tls = false
    [console]
    status = "signed-in"
    [metrics]
    listen = "127.0.0.1:9464"
    token = "scrape-me"
    [log]
    format = "json"
    level = "debug"
    levels = { api = "warn" }
    [[customers]]
    id = "example-bank"
    email = "ana@example.org"
    tier = "embedded"
    language = "fr"
    key_sha256 = "${"AB".repeat(32)}"
    api_requests_per_day = 1
    webhook_deliveries_per_month = 2
    active_subscriptions = 3
    [[sources]]
    id = "one"
    name_en = "One"
    name_de = "Eins"
    base_url = "https://one.example.org/"
    fetch_strategy = "feed"
    url = "https://one.example.org/feed?x=1"
    schedule = "5 4 * * *"
    timezone = "Europe/Berlin"
    languages = ["de", "en"]
    identity = { pattern = "/([0-9]+)$" }
    removals = true
    relevance = "all"
    notify_first_fetch = false
    min_items = 3
    silent_after = "30d"
    crawl_delay = "10s"
    parse_timeout = "9s"
    ca_file = "ca.pem"
    enabled = false
    event_type = "decision"
    topics = ["gpai"]
    authorization = "Bearer hush"
    [[sources]]
    id = "two"
    name_en = "Two"
    base_url = "https://two.example.org"
    fetch_strategy = "files"
    path = "inbox"
  `;

const EVERY_VALUE: Config = {
  server: {
    listen: { hostname: "::1", port: 0 },
    publicUrl: "https://feed.example.org",
    trustedProxies: ["10.0.0.0/8"],
    tls: { cert: "/etc/regfeed/tls/chain.pem", key: "/run/key.pem" },
    watchConfig: true,
  },
  limits: { public: 1_000, failed_key: null },
  store: { path: "/var/lib/regfeed.db", keyFile: "/etc/regfeed/keys/regfeed.key" },
  ingest: {
    userAgent: "Mine/{version} {public_url} {version}",
    notifyFirstFetch: true,
    maxDocumentBytes: 2048,
    timeoutMs: 60_000,
    parseTimeoutMs: 7_000,
    concurrency: 2,
    contact: "feeds@example.org",
    hostConcurrency: 3,
    hostSpacingMs: 0,
    jitterMs: 0,
    maxFreshMs: 86_400_000,
    allowPrivate: false,
  },
  sources: [
    {
      id: "one",
      nameEn: "One",
      nameDe: "Eins",
      baseUrl: "https://one.example.org/",
      fetchStrategy: "feed",
      location: "https://one.example.org/feed?x=1",
      schedule: "5 4 * * *",
      timezone: "Europe/Berlin",
      languages: ["de", "en"],
      identity: "pattern /([0-9]+)$",
      removals: true,
      relevance: "all",
      notifyFirstFetch: false,
      enabled: false,
      minItems: 3,
      silentAfterMs: 2_592_000_000,
      parseTimeoutMs: 9_000,
      crawlDelayMs: 10_000,
      caFile: "/etc/regfeed/ca.pem",
      authorization: "Bearer hush",
    },
    {
      id: "two",
      nameEn: "Two",
      nameDe: "Two",
      baseUrl: "https://two.example.org",
      fetchStrategy: "files",
      location: "/etc/regfeed/inbox",
      schedule: "*/30 * * * *",
      timezone: "UTC",
      languages: ["en"],
      parseTimeoutMs: 7_000,
      removals: false,
      relevance: "ai",
      notifyFirstFetch: true,
      enabled: true,
    },
  ],
  classification: {
    topics: [],
    keywords: [],
    severityRules: [],
    sources: [{ sourceId: "one", eventType: "decision", topics: ["gpai"] }],
  },
  delivery: {
    allowHttp: true,
    allowNetworks: ["192.168.0.0/16", "fd00::/8"],
    allowPorts: [443, 8443],
    timeoutMs: 500,
    concurrency: 3,
    concurrencyPerSubscription: 2,
    keepDeliveredMs: 36_000_000,
    keepLogMs: 90 * 86_400_000,
  },
  tiers: {
    indie: { ...DEFAULT_LIMITS.indie, apiRequestsPerDay: 0 },
    team: { ...DEFAULT_LIMITS.team, activeSubscriptions: 7 },
    gpai: { ...DEFAULT_LIMITS.gpai, webhookDeliveriesPerMonth: 9 },
    embedded: DEFAULT_LIMITS.embedded,
  },
  customers: [{
    name: "example-bank",
    id: "cus_00000000006W4Q4Q21Q61X4XK0",
    email: "ana@example.org",
    tier: "embedded",
    limits: { apiRequestsPerDay: 1, webhookDeliveriesPerMonth: 2, activeSubscriptions: 3 },
    language: "fr",
    keyHashes: ["ab".repeat(32)],
  }],
  languages: ["en", "de", "fr", "es"],
  backup: {
    folder: "/mnt/backups",
    schedule: { schedule: "15 3 * * *", timezone: "Europe/Berlin" },
    keep: 3,
    secretKey: true,
  },
  payment: {
    webhookSecret: "whsec_hush",
    livemode: false,
    graceMs: 3 * 86_400_000,
    prices: { price_1: "team", price_2: "gpai" },
  },
  mail: {
    from: { name: "The feed", address: "feed@example.org" },
    support: "support@example.org",
    smtp: {
      host: "mail.example.org",
      port: 465,
      isTls: true,
      credentials: { user: "a@b", password: "p%w" },
      requireTls: false,
      caFile: "/etc/regfeed/ca.pem",
    },
    outbox: "/var/mail/out",
    keepMs: 9 * 86_400_000,
  },
  console: { status: "signed-in", oidc: null },
  metrics: { listen: { hostname: "127.0.0.1", port: 9464 }, token: "scrape-me" },
  log: { format: "json", level: "debug", levels: { api: "warn" } },
  secretFiles: [],
  inlineSecrets: [
    '[[sources]] "one" authorization',
    "metrics.token",
    "payment.webhook_secret",
    "mail.smtp_url",
  ],
};

Deno.test("parseConfig() reads every key", async () => {
  const config = await configOf(EVERY_KEY);
  assert.deepEqual(config, EVERY_VALUE);
  const userAgent = "Mine/1.2.3 https://feed.example.org 1.2.3 (feeds@example.org)";
  assert.equal(userAgentOf(config, "1.2.3"), userAgent);
});

Deno.test("parseConfig() derives defaults from other keys", async () => {
  const publicUrls: [string, string][] = [
    [":9000", "http://localhost:9000"],
    ["[::]:9000", "http://localhost:9000"],
    ["[::1]:9000", "http://[::1]:9000"],
    ["10.0.0.5:80", "http://10.0.0.5:80"],
  ];
  for (const [listen, publicUrl] of publicUrls) {
    assert.equal((await configOf(`server.listen = "${listen}"`)).server.publicUrl, publicUrl);
  }
  const config = await configOf(`delivery.concurrency = 2\n${source()}`);
  assert.equal(config.delivery.concurrencyPerSubscription, 2);
  assert.equal(config.sources[0]?.baseUrl, "https://feed.example.org");
  assert.equal(config.sources[0]?.nameDe, "A source");
});

Deno.test("a server with a certificate has an https URL, and needs the key", async () => {
  const both = '[server]\ntls_cert = "a.pem"\ntls_key = "a.key"';
  assert.equal((await configOf(both)).server.publicUrl, "https://127.0.0.1:8080");
  await assert.rejects(configOf('[server]\ntls_cert = "a.pem"'), /toml:2: server\.tls_cert.*needs tls_key/s);
  await assert.rejects(configOf('[server]\ntls_key = "a.pem"'), /server\.tls_key.*needs tls_cert/s);
});
