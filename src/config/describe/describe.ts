// Describes the effective settings of a config, without secrets.
import { type LimitField, limitFields, type Tier, TIERS } from "../../domain/customer/tier.ts";
import type { Config } from "../config.ts";
import { nextRunAfter } from "../../domain/source/schedule.ts";
import { PATTERN_RULE, type SourceSettings } from "../../domain/source/source.ts";
import { formatListen } from "../listen.ts";
import { formatDuration } from "../parse_values.ts";

function summarise(config: Config, nowMs: number) {
  const { server, payment, mail, backup, metrics } = config;
  const { smtp } = mail;
  const startTls = smtp?.requireTls === true ? "required" as const : "where it is offered" as const;
  const enabled = config.sources.filter((source) => source.enabled).length;
  const tiers = TIERS.map((tier) => [tier, limitFields(config.tiers[tier])]);
  return {
    server: {
      listen: formatListen(server.listen),
      public_url: server.publicUrl,
      trusted_proxies: server.trustedProxies,
      tls_cert: server.tls?.cert ?? null,
      watch_config: server.watchConfig,
    },
    limits: {
      public_per_minute: config.limits.public,
      failed_keys_per_minute: config.limits.failed_key,
    },
    store: { path: config.store.path, key_file: config.store.keyFile },
    ingest: {
      user_agent: config.ingest.userAgent,
      notify_first_fetch: config.ingest.notifyFirstFetch,
      max_document_bytes: config.ingest.maxDocumentBytes,
      timeout_ms: config.ingest.timeoutMs,
      parse_timeout_ms: config.ingest.parseTimeoutMs,
      concurrency: config.ingest.concurrency,
      contact: config.ingest.contact,
      host_concurrency: config.ingest.hostConcurrency,
      host_spacing_ms: config.ingest.hostSpacingMs,
      jitter_ms: config.ingest.jitterMs,
      max_freshness_ms: config.ingest.maxFreshMs,
      allow_private: config.ingest.allowPrivate,
    },
    delivery: {
      allow_http: config.delivery.allowHttp,
      allow_networks: config.delivery.allowNetworks,
      allow_ports: config.delivery.allowPorts,
      timeout_ms: config.delivery.timeoutMs,
      concurrency: config.delivery.concurrency,
      concurrency_per_subscription: config.delivery.concurrencyPerSubscription,
      keep_delivered_ms: config.delivery.keepDeliveredMs,
      keep_log_ms: config.delivery.keepLogMs,
    },
    classification: {
      topics: config.classification.topics.map(({ id }) => id),
      topic_keywords: [...new Set(config.classification.keywords.map(({ topic }) => topic))],
      severity_rules: config.classification.severityRules.length,
      source_defaults: config.classification.sources.map(({ sourceId }) => sourceId),
    },
    customers_declared: config.customers.map(({ name }) => name),
    payment: payment === null
      ? null
      : { livemode: payment.livemode, grace_ms: payment.graceMs, prices: payment.prices },
    mail: {
      from: mail.from.name === "" ? mail.from.address : `${mail.from.name} <${mail.from.address}>`,
      support: mail.support,
      smtp: smtp === null ? null : formatListen({ hostname: smtp.host, port: smtp.port }),
      tls: smtp === null ? null : smtp.isTls ? "from the beginning" as const : startTls,
      outbox: mail.outbox,
      keep_ms: mail.keepMs,
    },
    languages: config.languages,
    backup: {
      folder: backup.folder,
      schedule: backup.schedule?.schedule ?? null,
      timezone: backup.schedule?.timezone ?? null,
      keep: backup.keep,
      secret_key: backup.secretKey,
    },
    console: { status: config.console.status, oidc: summariseOidc(config.console.oidc) },
    metrics: {
      listen: metrics.listen === null ? null : formatListen(metrics.listen),
      token: metrics.token !== null,
    },
    log: config.log,
    tiers: Object.fromEntries(tiers) as Record<Tier, Record<LimitField, number>>,
    sources_enabled: enabled,
    sources_disabled: config.sources.length - enabled,
    sources: config.sources.map((source) => summariseSource(source, nowMs)),
  };
}

function summariseOidc(oidc: Config["console"]["oidc"]) {
  if (oidc === null) return null;
  return {
    issuer: oidc.issuer,
    client_id: oidc.clientId,
    client_secret: oidc.clientSecret !== null,
    name: oidc.name,
    scopes: oidc.scopes,
    groups_claim: oidc.groupsClaim,
    operator_groups: oidc.operatorGroups,
    operator_emails: oidc.operatorEmails.length,
    ca_file: oidc.caFile,
  };
}

/** URLs may contain secrets, so they are left out. */
function summariseSource(source: SourceSettings & { enabled: boolean }, nowMs: number) {
  return {
    id: source.id,
    enabled: source.enabled,
    fetch_strategy: source.fetchStrategy,
    relevance: source.relevance,
    schedule: source.schedule,
    timezone: source.timezone,
    next_due_at: source.enabled ? nextRunAfter(source, nowMs) : null,
    notify_first_fetch: source.notifyFirstFetch,
    languages: source.languages,
    urls: Object.keys(source.urls ?? {}),
    language_pattern: source.languagePattern ?? null,
    identity: source.identity ?? null,
    removals: source.removals ?? false,
    min_items: source.minItems ?? null,
    silent_after_ms: source.silentAfterMs ?? null,
    crawl_delay_ms: source.crawlDelayMs ?? null,
    parse_timeout_ms: source.parseTimeoutMs,
    ca_file: source.caFile ?? null,
    reuse: source.reuse ?? null,
    authorization: source.authorization !== undefined,
    headers: Object.keys(source.headers ?? {}),
  };
}

/** Returns the main settings that differ from the defaults. */
function sourceDetails(source: SourceSummary): string {
  const secrets = [...(source.authorization ? ["authorization"] : []), ...source.headers];
  return [
    source.relevance === "all" ? "stores everything" : null,
    source.notify_first_fetch ? "notifies from the first fetch" : null,
    source.urls.length === 0 ? null : `URLs for ${source.urls.join(", ")}`,
    source.language_pattern === null ? null : `language by pattern ${source.language_pattern}`,
    source.identity === null ? null : `identity by ${source.identity.replace(PATTERN_RULE, "pattern ")}`,
    source.removals ? "withdraws missing items" : null,
    source.min_items === null || source.min_items === 1 ? null : `at least ${source.min_items} items`,
    source.silent_after_ms === null ? null : `silent after ${formatDuration(source.silent_after_ms)}`,
    source.crawl_delay_ms === null ? null : `${formatDuration(source.crawl_delay_ms)} between requests`,
    source.ca_file === null ? null : `trusts ${source.ca_file}`,
    secrets.length === 0 ? null : `sends ${secrets.join(", ")}`,
  ].filter((detail) => detail !== null).join("; ");
}

type ConfigSummary = ReturnType<typeof summarise>;

/** Returns the effective settings as `--json` prints them. The next runs of sources are those after `nowMs`. */
export const summariseConfig: (config: Config, nowMs: number) => ConfigSummary = summarise;

type SourceSummary = ConfigSummary["sources"][number];

/** A table for people. Times are in Unix ms. */
interface SettingsTable {
  header: readonly string[];
  rows: (string | number | { atMs: number })[][];
}

const LIMITS: Record<LimitField, string> = {
  api_requests_per_day: "requests per day",
  webhook_deliveries_per_month: "deliveries per month",
  active_subscriptions: "active subscriptions",
  test_calls_per_day: "test calls per day",
  replays_per_day: "replays per day",
  backfills_per_day: "backfills per day",
  held_deliveries: "held deliveries",
};

/** Returns the limits, one row each, with a column for each tier. */
export function tabulateLimits({ tiers }: Pick<ConfigSummary, "tiers">): SettingsTable {
  const fields = Object.entries(LIMITS) as [LimitField, string][];
  return {
    header: ["LIMIT", ...TIERS.map((tier) => tier.toUpperCase())],
    rows: fields.map(([field, name]) => [name, ...TIERS.map((tier) => tiers[tier][field])]),
  };
}

/** Returns the sources, one row each. */
export function tabulateSources({ sources }: Pick<ConfigSummary, "sources">): SettingsTable {
  return {
    header: ["SOURCE", "STRATEGY", "SCHEDULE", "TIME ZONE", "NEXT (UTC)", "SETTINGS"],
    rows: sources.map((source) => [
      source.id,
      source.fetch_strategy,
      source.schedule,
      source.timezone,
      !source.enabled ? "disabled" : source.next_due_at === null ? "never" : { atMs: source.next_due_at },
      sourceDetails(source),
    ]),
  };
}

/** Returns the settings as text, without tiers and sources, and without a trailing line break. */
export function describeConfig(config: Config, nowMs: number): string {
  const summary = summariseConfig(config, nowMs);
  const { server, limits, store, ingest, delivery, languages, backup, metrics, log, ...rest } = summary;
  const targets = delivery.allow_http ? "https and http" : "https only";
  const networks = delivery.allow_networks.length === 0
    ? "public IP addresses"
    : `public IP addresses and ${delivery.allow_networks.join(", ")}`;
  const ports = delivery.allow_ports.length === 0 ? "" : ` on ports ${delivery.allow_ports.join(", ")}`;
  const rows: [string, string][] = [
    ["server", `listens on ${server.listen}, public URL ${server.public_url}`],
    ["tls", server.tls_cert === null ? "none" : `certificate ${server.tls_cert}`],
    ["", `config reloads ${server.watch_config ? "automatically and " : ""}on SIGHUP`],
    ["proxies", server.trusted_proxies.join(", ") || "none trusted"],
    [
      "limits",
      `requests per minute and IP address: ${limits.public_per_minute ?? "unlimited"} without a key, ` +
      `${limits.failed_keys_per_minute ?? "unlimited"} with an invalid key`,
    ],
    ["store", store.path],
    ["key file", store.key_file],
    ...ingestRows(ingest),
    [
      "delivery",
      `over ${targets} to ${networks}${ports}, timeout ${formatDuration(delivery.timeout_ms)} per attempt`,
    ],
    ["", `${delivery.concurrency} concurrent, ${delivery.concurrency_per_subscription} per subscription`],
    [
      "",
      `bodies and attempts kept for ${formatDuration(delivery.keep_delivered_ms)}, ` +
      `log for ${formatDuration(delivery.keep_log_ms)}`,
    ],
    ["classification", describeAdditions(summary.classification)],
    ["payment", describePayment(summary.payment)],
    ["mail", describeMail(summary.mail)],
    ["customers", `${summary.customers_declared.length} declared in this file`],
    ["languages", languages.join(", ")],
    ["backups", describeBackup(backup)],
    ["console", describeConsole(rest.console)],
    ["metrics", describeMetrics(metrics)],
    ["log", describeLog(log)],
    ["sources", `${rest.sources_enabled} enabled, ${rest.sources_disabled} disabled`],
  ];
  return alignColumns(rows).join("\n");
}

function ingestRows(ingest: ConfigSummary["ingest"]): [string, string][] {
  return [
    [
      "ingest",
      `concurrent fetches: ${ingest.concurrency}, timeout ${formatDuration(ingest.timeout_ms)}, ` +
      `documents up to ${ingest.max_document_bytes} bytes, parse timeout ${
        formatDuration(ingest.parse_timeout_ms)
      }`,
    ],
    [
      "",
      `per host: ${ingest.host_concurrency} concurrent, ${
        formatDuration(ingest.host_spacing_ms)
      } between requests; each source delayed by up to ${formatDuration(ingest.jitter_ms)}`,
    ],
    [
      "",
      ingest.allow_private
        ? "sources may have private IP addresses"
        : "sources must have public IP addresses",
    ],
  ];
}

function describeConsole({ status, oidc }: ReturnType<typeof summarise>["console"]): string {
  if (oidc === null) return `status page: ${status}`;
  const groups = oidc.operator_groups.length === 0 ? "" : `, groups ${oidc.operator_groups.join(", ")}`;
  const emails = oidc.operator_emails === 0 ? "" : `, ${oidc.operator_emails} by email address`;
  return `status page: ${status}; operators sign in at ${oidc.issuer}${groups}${emails}`;
}

function describeBackup({ folder, schedule, timezone, keep, secret_key }: ConfigSummary["backup"]): string {
  const when = schedule === null
    ? "manual"
    : `${schedule} (${timezone}), backups kept: ${keep}, ${secret_key ? "with" : "without"} the secret key`;
  return `in ${folder}, ${when}`;
}

function describeMetrics({ listen, token }: ConfigSummary["metrics"]): string {
  if (listen === null) return "off";
  return `http://${listen}/metrics, ${token ? "with a token" : "without a token"}`;
}

function describeLog({ format, level, levels }: ConfigSummary["log"]): string {
  const areas = Object.entries(levels).map(([area, areaLevel]) => `, ${area}: ${areaLevel}`);
  return `${format}, ${level} and above${areas.join("")}`;
}

function describePayment(payment: ConfigSummary["payment"]): string {
  if (payment === null) return "disabled: no [payment] table";
  const prices = Object.keys(payment.prices).length;
  return `${payment.livemode ? "live mode" : "test mode"}, prices: ${prices}, ` +
    `grace period ${formatDuration(payment.grace_ms)}`;
}

const TLS_NAMES = {
  "from the beginning": "implicit TLS",
  "required": "STARTTLS required",
  "where it is offered": "STARTTLS if offered",
};

function describeMail({ from, smtp, tls, outbox, keep_ms }: ConfigSummary["mail"]): string {
  const transport = smtp === null
    ? `no mail server: emails are written to ${outbox}`
    : `from ${from} via ${smtp}, ${TLS_NAMES[tls ?? "required"]}`;
  return `${transport}; contents kept for ${formatDuration(keep_ms)}`;
}

function describeAdditions(added: ConfigSummary["classification"]): string {
  const { topics, topic_keywords, severity_rules, source_defaults } = added;
  const parts = [
    ...topics.length > 0 ? [`added topics: ${topics.join(", ")}`] : [],
    ...topic_keywords.length > 0 ? [`added words: ${topic_keywords.join(", ")}`] : [],
    ...severity_rules > 0 ? [`added severity rules: ${severity_rules}`] : [],
    ...source_defaults.length > 0 ? [`source defaults: ${source_defaults.join(", ")}`] : [],
  ];
  return parts.length === 0 ? "built-in rules only" : parts.join("; ");
}

function alignColumns(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
