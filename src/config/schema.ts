// The schema of the config file: the types, bounds and defaults of all keys.
import * as z from "zod";
import type { KeywordList } from "../domain/event/classification.ts";
import { EVENT_TYPES } from "../domain/event/event.ts";
import { isLogArea, LOG_AREAS, LOG_LEVELS, type LogLevels } from "../domain/ports/log.ts";
import { MAIL_LANGUAGES } from "../domain/customer/mail_language.ts";
import { SEVERITIES } from "../domain/event/severity.ts";
import { FETCH_STRATEGIES } from "../domain/source/source.ts";
import { type LimitField, TIERS } from "../domain/customer/tier.ts";
import { findUrlsProblems, readIdentity, readPattern } from "./sources/identity_rule.ts";
import { duration, flag, list, oneOf, table, text, wants, wholeNumber } from "./schema_builders.ts";
import { didYouMean } from "../domain/did_you_mean.ts";
import { describeFound, describeKind, joinList } from "./toml/problems.ts";
import { HEADERS_TABLE, STRATEGY_TABLES } from "./sources/strategy_schema.ts";
import { readIssuer } from "./console.ts";
import { readListen } from "./listen.ts";
import {
  readCidr,
  readContact,
  readKeyHash,
  readLanguage,
  readMailAddress,
  readMailbox,
  readName,
  readPath,
  readPublicUrl,
  readSchedule,
  readSiteUrl,
  readSourceId,
  readSupport,
  readTimezone,
  readUrl,
  readUserAgent,
  readVariable,
} from "./parse_values.ts";

const BOUNDS = {
  maxDocumentBytes: { min: 1_024, max: 512 * 1024 * 1024 },
  ingestTimeout: { minMs: 1_000, maxMs: 600_000 },
  parseTimeout: { minMs: 1_000, maxMs: 600_000 },
  deliveryTimeout: { minMs: 100, maxMs: 60_000 },
  keep: { minMs: 3_600_000, maxMs: 3_650 * 86_400_000 },
  port: { min: 1, max: 65_535 },
  ingestConcurrency: { min: 1, max: 64 },
  hostConcurrency: { min: 1, max: 16 },
  hostSpacing: { minMs: 0, maxMs: 600_000 },
  jitter: { minMs: 0, maxMs: 600_000 },
  maxFreshness: { minMs: 0, maxMs: 86_400_000 },
  silentAfter: { minMs: 3_600_000, maxMs: 31_536_000_000 },
  deliveryConcurrency: { min: 1, max: 1_000 },
  keptBackups: { min: 1, max: 10_000 },
  minItems: { min: 0, max: 10_000 },
  crawlDelay: { minMs: 0, maxMs: 600_000 },
  paymentGrace: { minMs: 0, maxMs: 90 * 86_400_000 },
  addressLimit: { min: 0, max: 1_000_000 },
  tierLimit: { min: 0, max: 1_000_000_000_000 },
} as const;

function logLevels() {
  return z.record(z.string(), oneOf(LOG_LEVELS), {
    error: wants("a table of levels by area", '{ delivery = "debug" }'),
  }).superRefine((levels, context) => {
    for (const area of Object.keys(levels).filter((name) => !isLogArea(name))) {
      const known = joinList(LOG_AREAS.map((word) => `"${word}"`));
      const message = `is not a log area: the areas are ${known}.${didYouMean(area, LOG_AREAS)}`;
      context.addIssue({ code: "custom", path: [area], message });
    }
  }).transform((levels): LogLevels => levels);
}

const MOST_SOURCE_TOPICS = 5;

/** The three keys of a secret: NAME, NAME_file and NAME_env. {@link Secrets} checks that only one is set. */
const secret = {
  inline: z.string({ error: wants("a string", '"…"', describeKind) }).optional(),
  file: text("the path of a file", "/run/secrets/NAME", readPath).optional(),
  env: text("the name of an environment variable", "NAME", readVariable).optional(),
};

const language = text("an ISO 639-1 code", "de", readLanguage);

const topicIds = list(text("a topic's id", "transparency", readName), "topics", '["transparency"]');
const eventType = oneOf(EVENT_TYPES);

/** Words and phrases. The classification checks whether each one can match. */
function phrases() {
  return list(
    z.string({ error: wants("a word or a phrase", '"foundation model*"') }),
    "words",
    '["foundation model*"]',
  )
    .prefault([]);
}

function articles() {
  return list(text("an article of the AI Act", "Art. 26", readName), "articles", '["Art. 26"]').prefault([]);
}

const keywordLists = {
  keywords_any: phrases(),
  keywords_en: phrases(),
  keywords_de: phrases(),
  keywords_fr: phrases(),
  keywords_other: phrases(),
} satisfies Record<`keywords_${KeywordList}`, ReturnType<typeof phrases>>;

const topic = table({
  id: text("an id", "worker-monitoring", readSourceId),
  name_en: text("a name", "Monitoring of workers", readName),
  name_de: text("a name", "Überwachung von Beschäftigten", readName).optional(),
  name_fr: text("a name", "Surveillance des travailleurs", readName).optional(),
  parent: text("a topic's id", "sectors", readName).optional(),
  articles: articles(),
  ...keywordLists,
}, "[[topics]]");

const topicKeywords = table(
  { topic: text("a topic's id", "employment", readName), ...keywordLists },
  "[[topic_keywords]]",
);

const severityRule = table({
  severity: oneOf(SEVERITIES),
  why: text("a reason", "our regulator's circulars are binding", readName),
  sources: list(text("a source's id", "eu-edpb-news", readSourceId), "sources", '["eu-edpb-news"]').prefault(
    [],
  ),
  event_types: list(eventType, "event types", '["guidance"]').prefault([]),
  topics: topicIds.prefault([]),
  articles: articles(),
  words: phrases(),
  without: phrases(),
}, "[[severity_rules]]");

/** A list of tables. Each table has a header in double brackets. */
function tables<T extends z.ZodType>(item: T, what: string, header: string) {
  return z.array(item, { error: wants(`double brackets above ${what}`, header, describeKind) }).prefault([]);
}

/** Describes a value of `url`. URLs by language belong in `urls`. */
function foundAsUrl(value: unknown): string {
  const found = describeFound(value);
  return found === "a table" ? `${found}. Did you mean "urls"?` : found;
}

const source = table({
  id: text("an id", "eu-edpb-news", readSourceId),
  name_en: text("a name", "European Data Protection Board: news", readName),
  name_de: text("a name", "Europäischer Datenschutzausschuss: Nachrichten", readName).optional(),
  base_url: text("a URL", "https://www.edpb.europa.eu", readSiteUrl).optional(),
  fetch_strategy: oneOf(FETCH_STRATEGIES).prefault("feed"),
  url: text("a URL", "https://www.edpb.europa.eu/feed/news_en", readUrl, foundAsUrl).optional(),
  urls: z.record(z.string(), text("a URL", "https://www.edpb.europa.eu/feed/news_en", readUrl), {
    error: wants("a table of URLs by language", '{ en = "https://…", de = "https://…" }'),
  }).superRefine((urls, context) => {
    for (const message of findUrlsProblems(urls)) context.addIssue({ code: "custom", message });
  }).optional(),
  language_pattern: text("a regular expression", "/(en|de)/", readPattern).optional(),
  identity: z.union([z.string(), z.record(z.string(), z.unknown())], { error: wants("a rule", '"link"') })
    .transform((value, context) => {
      const reading = readIdentity(value);
      if ("value" in reading) return reading.value;
      context.addIssue({ code: "custom", message: reading.problem });
      return z.NEVER;
    }).optional(),
  removals: flag().prefault(false),
  path: text("a folder", "inbox", readPath).optional(),
  follow_links: flag().optional(),
  schedule: text("a cron expression", "*/30 * * * *", readSchedule).prefault("*/30 * * * *"),
  timezone: text("a time zone", "Europe/Berlin", readTimezone).prefault("UTC"),
  languages: list(language, "languages", '["en"]')
    .min(1, { error: 'is empty: set the languages in which the source publishes, such as ["en"]' })
    .refine((codes) => new Set(codes).size === codes.length, { error: "contains a language twice" })
    .optional(),
  relevance: oneOf(["ai", "all"]).prefault("ai"),
  event_type: eventType.optional(),
  topics: topicIds.max(MOST_SOURCE_TOPICS, { error: `has more than ${MOST_SOURCE_TOPICS} topics` }).prefault(
    [],
  ),
  notify_first_fetch: flag().optional(),
  silent_after: duration(BOUNDS.silentAfter, "30d").optional(),
  ca_file: text("the path of a file of PEM certificates", "/etc/regfeed/board-ca.pem", readPath).optional(),
  enabled: flag().prefault(true),
  min_items: wholeNumber(BOUNDS.minItems, "5").optional(),
  crawl_delay: duration(BOUNDS.crawlDelay, "10s").optional(),
  parse_timeout: duration(BOUNDS.parseTimeout, "5s").optional(),
  reuse: text("the terms of use", "CC BY 4.0", readName).optional(),
  authorization: secret.inline,
  authorization_file: secret.file,
  authorization_env: secret.env,
  headers: HEADERS_TABLE,
  ...STRATEGY_TABLES,
}, "[[sources]]");

const tierLimits = {
  api_requests_per_day: wholeNumber(BOUNDS.tierLimit, "10000").optional(),
  webhook_deliveries_per_month: wholeNumber(BOUNDS.tierLimit, "5000").optional(),
  active_subscriptions: wholeNumber(BOUNDS.tierLimit, "5").optional(),
  test_calls_per_day: wholeNumber(BOUNDS.tierLimit, "200").optional(),
  replays_per_day: wholeNumber(BOUNDS.tierLimit, "5000").optional(),
  backfills_per_day: wholeNumber(BOUNDS.tierLimit, "20").optional(),
  held_deliveries: wholeNumber(BOUNDS.tierLimit, "5000").optional(),
} satisfies Record<LimitField, unknown>;

function tier() {
  return table(tierLimits, "[tiers.team]").optional();
}

const tiers = { indie: tier(), team: tier(), gpai: tier(), embedded: tier() } satisfies Record<
  typeof TIERS[number],
  ReturnType<typeof tier>
>;

const keyHash = text("the SHA-256 hash of an API key (64 hexadecimal digits)", "9f86d081…", readKeyHash);

const customer = table({
  id: text("an id", "example-bank", readSourceId),
  email: text("an email address", "ana@example.org", readMailAddress),
  tier: oneOf(TIERS),
  language: oneOf(MAIL_LANGUAGES).prefault("en"),
  key_sha256: z.preprocess(
    (value) => Array.isArray(value) || value === undefined ? value : [value],
    list(keyHash, "hashes", '["…"]').min(1, {
      error: "is empty: a customer needs a key; `regfeed customer hash-key` creates one",
    }),
  ),
  ...tierLimits,
}, "[[customers]]");

const payment = table({
  webhook_secret: secret.inline,
  webhook_secret_file: secret.file,
  webhook_secret_env: secret.env,
  livemode: flag().prefault(true),
  grace: duration(BOUNDS.paymentGrace, "14d").prefault("14d"),
  prices: z.record(text("a price id", "price_123", readName), oneOf(TIERS), {
    error: wants("a table of tiers by price id", '{ "price_123" = "team" }'),
  }).prefault({}),
}, "[payment]");

const mail = table({
  from: text("a sender", "Regfeed <feed@example.org>", readMailbox).prefault("Regfeed <regfeed@localhost>"),
  support: text("an email address", "support@example.org", readSupport).prefault(""),
  outbox: text("a folder", "data/outbox", readPath).prefault("data/outbox"),
  smtp_url: secret.inline,
  smtp_url_file: secret.file,
  smtp_url_env: secret.env,
  smtp_ca_file: text("the path of a file", "/etc/ssl/our-ca.pem", readPath).optional(),
  require_tls: flag().prefault(true),
  keep: duration(BOUNDS.keep, "90d").prefault("90d"),
}, "[mail]");

/** The config file with every key. The parsed file contains all defaults that do not depend on other keys. */
export const FILE_SCHEMA = table({
  server: table({
    listen: text("an address to listen on", "127.0.0.1:8080", readListen).prefault("127.0.0.1:8080"),
    public_url: text("a URL", "https://feed.example.org", readPublicUrl).optional(),
    trusted_proxies: list(text("a CIDR", "10.0.0.0/8", readCidr), "CIDRs", '["10.0.0.0/8"]')
      .prefault([]),
    tls_cert: text("the path of a file", "/etc/regfeed/tls/fullchain.pem", readPath).optional(),
    tls_key: text("the path of a file", "/etc/regfeed/tls/key.pem", readPath).optional(),
    watch_config: flag().prefault(false),
  }, "[server]").prefault({}),
  limits: table({
    public_per_minute: wholeNumber(BOUNDS.addressLimit, "300").prefault(300),
    failed_keys_per_minute: wholeNumber(BOUNDS.addressLimit, "20").prefault(20),
  }, "[limits]").prefault({}),
  store: table({
    path: text("a path", "data/regfeed.db", readPath).prefault("data/regfeed.db"),
    key_file: text("a path", "data/regfeed.db.key", readPath).optional(),
  }, "[store]").prefault({}),
  ingest: table({
    user_agent: text("a User-Agent", "Regfeed/{version} (+{public_url})", readUserAgent)
      .prefault("Regfeed/{version} (+{public_url})"),
    contact: text("an email address or a URL", "feeds@example.org", readContact).optional(),
    notify_first_fetch: flag().prefault(false),
    max_document_bytes: wholeNumber(BOUNDS.maxDocumentBytes, "20971520").prefault(20 * 1024 * 1024),
    timeout: duration(BOUNDS.ingestTimeout, "30s").prefault("30s"),
    parse_timeout: duration(BOUNDS.parseTimeout, "5s").prefault("5s"),
    concurrency: wholeNumber(BOUNDS.ingestConcurrency, "4").prefault(4),
    host_concurrency: wholeNumber(BOUNDS.hostConcurrency, "1").prefault(1),
    host_spacing: duration(BOUNDS.hostSpacing, "1s").prefault("1s"),
    jitter: duration(BOUNDS.jitter, "30s").prefault("30s"),
    max_freshness: duration(BOUNDS.maxFreshness, "6h").prefault("6h"),
    allow_private: flag().prefault(true),
  }, "[ingest]").prefault({}),
  sources: tables(source, "each source", "[[sources]]"),
  topics: tables(topic, "each topic", "[[topics]]"),
  topic_keywords: tables(topicKeywords, "each of these tables", "[[topic_keywords]]"),
  severity_rules: tables(severityRule, "each rule", "[[severity_rules]]"),
  delivery: table({
    allow_http: flag().prefault(false),
    allow_networks: list(text("a CIDR", "10.0.0.0/8", readCidr), "CIDRs", '["10.0.0.0/8"]')
      .prefault([]),
    timeout: duration(BOUNDS.deliveryTimeout, "15s").prefault("15s"),
    concurrency: wholeNumber(BOUNDS.deliveryConcurrency, "100").prefault(100),
    concurrency_per_subscription: wholeNumber(BOUNDS.deliveryConcurrency, "5").prefault(5),
    allow_ports: list(wholeNumber(BOUNDS.port, "443"), "ports", "[443, 8443]").prefault([]),
    keep_delivered: duration(BOUNDS.keep, "30d").prefault("30d"),
    keep_log: duration(BOUNDS.keep, "400d").prefault("400d"),
    languages: list(language, "languages", '["es"]').prefault([]),
  }, "[delivery]").prefault({}),
  tiers: table(tiers, "[tiers.team]").prefault({}),
  customers: tables(customer, "each customer", "[[customers]]"),
  backup: table({
    folder: text("a folder", "data/backups", readPath).prefault("data/backups"),
    schedule: text("a cron expression", "15 3 * * *", readSchedule).optional(),
    timezone: text("a time zone", "Europe/Berlin", readTimezone).prefault("UTC"),
    keep: wholeNumber(BOUNDS.keptBackups, "14").prefault(14),
    secret_key: flag(describeKind).prefault(false),
  }, "[backup]").prefault({}),
  payment: payment.optional(),
  mail: mail.prefault({}),
  console: table({
    status: oneOf(["public", "signed-in", "off"]).prefault("public"),
    oidc: table({
      issuer: text("a URL", "https://sso.example.org/realms/staff", readIssuer),
      client_id: text("a client id", "regfeed", readName),
      client_secret: secret.inline,
      client_secret_file: secret.file,
      client_secret_env: secret.env,
      name: text("a name", "Example SSO", readName).optional(),
      scopes: list(text("a scope", "openid", readName), "scopes", '["openid", "profile", "email"]')
        .refine((scopes) => scopes.includes("openid"), { error: 'must contain "openid"' })
        .prefault(["openid", "profile", "email"]),
      groups_claim: text("a claim", "groups", readName).prefault("groups"),
      operator_groups: list(text("a group", "regfeed-operators", readName), "groups", '["regfeed-operators"]')
        .prefault([]),
      operator_emails: list(
        text("an email address", "olga@example.org", readMailAddress),
        "email addresses",
        '["olga@example.org"]',
      ).prefault([]),
      ca_file: text("the path of a file of PEM certificates", "/etc/ssl/our-ca.pem", readPath).optional(),
    }, "[console.oidc]").optional(),
  }, "[console]").prefault({}),
  metrics: table({
    listen: text("an address to listen on", "127.0.0.1:9464", readListen).optional(),
    token: secret.inline,
    token_file: secret.file,
    token_env: secret.env,
  }, "[metrics]").prefault({}),
  log: table({
    format: oneOf(["text", "json"]).prefault("text"),
    level: oneOf(LOG_LEVELS).prefault("info"),
    levels: logLevels().prefault({}),
  }, "[log]").prefault({}),
}, "[server]");

export type CheckedFile = z.output<typeof FILE_SCHEMA>;
